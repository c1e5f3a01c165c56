"""What a dissector does at each step of a reader (tidewire.runtime.dissecting.sections)."""

from __future__ import annotations

from ..facts import DDL_TYPE
from ..syntax.nodes import (
    Assign,
    Body,
    Compare,
    Do,
    Expression,
    For,
    Formatted,
    Items,
    Literal,
    Name,
    Operand,
    Statement,
    Table,
    With,
    any_of,
    assign,
    expression,
    own,
)
from . import operations as op

TRACE = Name("t")
POS, END = TRACE.attribute("pos"), TRACE.attribute("end")
K, N = Name("k"), Name("n")
PLAIN = Name("nothing")
"""In place of a meaning function in printed code: the number has no explanation."""
REST = Literal("rest")
"""The name used for problems that belong to no field."""

MEANINGS = {
    "tso": Name("tso"),
    "physical": Name("milliseconds"),
    "sent": Name("milliseconds"),
    DDL_TYPE: Name("named")(Name("DDL_TYPES")),
    "column_type": Name("named")(Name("TYPES")),
    "column_flags": Name("flagged")(Name("FLAGS")),
}
"""For each meaning of a number, the function that renders it for people."""


def dissector_steps(operations: op.Operations) -> Body:
    return tuple(line for one in operations for line in _dissect(one))


def trace(method: str, *arguments: Operand) -> Do:
    return Do(TRACE.call(method, *arguments))


def check(what: Expression, holds: Expression, id: Expression, at: Expression, reason: str | Formatted) -> Do:
    """Reports a problem unless a condition holds: the value found, its field, and the reason."""
    return trace("check", what, holds, id, at, Literal(reason) if isinstance(reason, str) else reason)


def _dissect(step: op.Operation) -> Body:
    match step:
        case op.Bounds():
            return (Assign((Items((Name("begin"), Name("end"))),), Items((POS, END))),)
        case op.Select(start, stop):
            return (trace("select", start, stop),)
        case op.LocateSized(id, end, start, size, limit):
            return (assign(end, TRACE.call("extent", start, size, limit, Literal(id))),)
        case op.LocateRepeated(id, end, start, sizes, limit, _, of_event):
            every = own(sizes)
            return (assign(end, TRACE.call("extents", start, every.at(K) if of_event else every, limit, Literal(id))),)
        case op.LocateBefore(id, start, stop, size):
            return (assign(start, TRACE.call("before", stop, size, Literal(id))),)
        case op.Mark(name, back):
            return (assign(name, END if back else POS),)
        case op.Meet(front, back):
            return (trace("meet", front, back, REST),)
        case op.Consumed():
            return (trace("consumed", REST),)
        case op.ReadInteger():
            return _integer(step)
        case op.ReadBytes(_, id, const, _, _, about):
            read = TRACE.call("string", Literal(id), Literal(about))
            if const is None:
                return (Do(read),)
            return _constant(read, "these bytes", const, id, "are not the ones that have to be here")
        case op.ReadFloat(_, id, const, about):
            read = TRACE.call("float64", Literal(id), Literal(about))
            return _constant(read, "this number", const, id, "is not the one that has to be here")
        case op.ReadPart(function, id, part, about, _, count):
            given = (TRACE,) if count is None else (TRACE, count)
            return (With(_group(Literal(id), part, about), (Do(own(function)(*given)),)),)
        case op.ReadEvents():
            return _events(step)
        case op.ReadRepeated():
            return _repeated(step)
        case op.ReadChunk():
            return _chunk(step)
        case op.CheckRepeated(row, switch, code):
            return _check_repeated(own(row), own(switch), code)
        case op.ReadImage(count, function, _, _, id, part):
            group = _group(Literal(id), part, "The columns of the row image.")
            return (With(group, (Do(own(function)(TRACE, count)),)),)
        case op.PlaceImage():
            return ()
        case _:
            raise TypeError(f"a dissector does nothing at {step!r}")


def _group(id: Expression, part: str, about: str) -> Expression:
    return TRACE.call("group", id, Literal(part), Literal(about))


def _meaning(step: op.ReadInteger | op.ReadChunk) -> Expression:
    if step.names:
        return Name("named")(Table(tuple((Literal(code), Literal(name)) for code, name in step.names)))
    return PLAIN if step.means is None else MEANINGS.get(step.means, PLAIN)


def _limits(value: Expression, id: str, at: Expression, step: op.ReadInteger | op.ReadChunk) -> Body:
    """Checks that a number is in its range."""
    found: list[Statement] = []
    if step.max is not None:
        reason = f"is out of range, at most {step.max} is possible"
        found.append(check(value, value.between(0, step.max), Literal(id), at, reason))
    if step.members:
        known = value.compared("in", Items(step.members))
        found.append(check(value, known, Literal(id), at, "is none of the values that are defined"))
    return tuple(found)


def _integer(step: op.ReadInteger) -> Body:
    name, at, id = step.variable, Name("at"), Literal(step.id)
    value = TRACE.call(step.primitive, id, _meaning(step), Literal(step.about))
    if step.const is not None:
        reason = f"where only {step.const} is possible"
        checks: Body = (check(name, name.equals(step.const), id, at, reason),)
    else:
        checks = _limits(name, step.id, at, step)
    return (*([assign(at, END if step.back else POS)] if checks else []), assign(name, value), *checks)


def _constant(read: Expression, what: str, const: bytes | float, id: str, reason: str) -> Body:
    at = Name("at")
    return (assign(at, POS), check(Literal(what), read.equals(Literal(const)), Literal(id), at, reason))


def _chunk(step: op.ReadChunk) -> Body:
    kept, id, about = own(step.attribute), Literal(step.id), Literal(step.about)
    if step.texts:
        return (assign(kept, TRACE.call("texts", step.count, id, about)),)
    meaning = _meaning(step) if step.terms is None else own(f"{step.terms}_text")
    read = assign(kept, TRACE.call("numbers", Literal(step.chunk), step.count, id, meaning, about))
    number = Name("number")
    checks: list[Statement] = []
    if step.terms is not None:
        there: Expression = Compare(Literal(0), (("<=", number), ("<", Name("len")(own(step.terms)))))
        if step.absent is not None:
            there = any_of((number.equals(step.absent), there))
        checks.append(check(Formatted(("term ", number)), there, id, POS, "is not in the dictionary"))
    checks += _limits(number, step.id, POS, step)
    return (read, For((number.id,), kept, tuple(checks))) if checks else (read,)


def _check_repeated(rows: Expression, switch: Expression, code: Expression) -> Body:
    wanted, events, tables = Name("wanted"), Name("len")(switch), Name("len")(rows)
    some = check(
        Formatted((wanted, " of ", events, " events")),
        wanted.compared("in", Items((expression(0), events))),
        REST,
        POS,
        "have a table: all or none must",
    )
    reason = Formatted(("for ", wanted, " events"))
    return (
        assign(wanted, switch.call("count", code)),
        some,
        check(Formatted((tables, " tables")), tables.equals(wanted), REST, POS, reason),
    )


def _each(function: str, part: str, number: Name, start: Expression, stop: Expression, *given: Expression) -> Body:
    """Reads one of several parts of known size."""
    text = Name("str")(number)
    read: Body = (Do(own(function)(TRACE, *given)), trace("consumed", REST))
    after: Body = () if start == POS else (assign(start, END),)
    where = trace("select", start, TRACE.call("extent", start, Name("size"), stop, text))
    return (where, *after, With(_group(text, part, ""), read))


def _numbered(number: Name, sizes: Expression, body: Body) -> Statement:
    return For((number.id, "size"), Name("enumerate")(sizes), body)


def _events(step: op.ReadEvents) -> Body:
    start, limit = Name("start"), Name("limit")
    bounds = Items((step.start or POS, step.limit or END))
    each = _each(step.function, step.part, K, start, limit, K)
    return (
        Assign((Items((start, limit)),), bounds),
        With(_group(Literal(step.id), step.part, step.about), (_numbered(K, own(step.sizes), each),)),
    )


def _repeated(step: op.ReadRepeated) -> Body:
    stop, number = Name("stop"), Name("g")
    each = _each(step.function, step.part, number, POS, stop)
    return (
        assign(stop, END),
        With(_group(Literal(step.id), step.part, step.about), (_numbered(number, own(step.sizes).at(K), each),)),
        trace("select", POS, stop),
    )

"""The methods of a dissector, one for each part of a message."""

from __future__ import annotations

from ..syntax.nodes import (
    Assign,
    Body,
    Branch,
    Call,
    Choice,
    Compare,
    Do,
    Expression,
    Formatted,
    Gathered,
    Items,
    Literal,
    Method,
    Name,
    Parameter,
    Return,
    Statement,
    While,
    With,
    assign,
    chain,
    object_type,
    own,
    plain_type,
    when,
)
from .dissector_steps import END, PLAIN, POS, REST, TRACE, K, N, check, dissector_steps, trace
from .reading_nodes import (
    BodyFunction,
    ColumnsFunction,
    DescribeFunction,
    PlannedRow,
    ReadParts,
    SectionsFunction,
    TablesFunction,
    TermsFunction,
)

NUMBER = plain_type("int")
PARAMETER = Parameter(TRACE.id, object_type("Trace"))
EVENT = Parameter(K.id, NUMBER)
COUNT = Parameter(N.id, NUMBER)
NOTHING = plain_type("None")


def dissector_methods(parts: ReadParts, dictionaries: tuple[str, ...]) -> tuple[Method, ...]:
    """All methods, in the order in which they are printed."""
    return (
        *map(_term, dictionaries),
        *map(_sections, (parts.root, *parts.sections)),
        *map(_columns, parts.columns),
        *map(_terms, parts.terms),
        *(() if parts.tables is None else (_tables(parts.tables),)),
        _body(parts.body),
        *(() if parts.describe is None else (_describe(parts.describe),)),
    )


def _method(name: str, about: str, body: Body, *parameters: Parameter) -> Method:
    return Method(name, (PARAMETER, *parameters), NOTHING, (about,), body)


def _term(dictionary: str) -> Method:
    number, terms = Name("number"), own(dictionary)
    there = Compare(Literal(0), (("<=", number), ("<", Name("len")(terms))))
    other = Choice(Literal("none"), number.compared("<", 0), Literal("?"))
    body: Body = (Return(Choice(terms.at(number), there, other)),)
    parameters = (Parameter(number.id, NUMBER),)
    return Method(f"{dictionary}_text", parameters, plain_type("str"), ("A term by its number.",), body)


def _sections(part: SectionsFunction) -> Method:
    given = (EVENT,) if any(one.name == K.id for one in part.parameters) else ()
    return _method(part.name, part.title or part.about, dissector_steps(part.operations), *given)


def _columns(part: ColumnsFunction) -> Method:
    return _method(part.name, part.about, dissector_steps(part.operations), COUNT)


def _terms(part: TermsFunction) -> Method:
    count = Name("count")
    body: tuple[Statement, ...] = when(POS.equals(END), (Return(),)) if part.omit else ()
    body += (
        assign(count, TRACE.call(part.count, Literal("count"), PLAIN, Literal("Number of terms."))),
        assign(own(part.section), TRACE.call("texts", count, Literal("entries"), Literal("The terms."))),
    )
    return _method(part.name, part.about, body)


def _tables(part: TablesFunction) -> Method:
    return _method(part.name, part.about, tuple(_row(part, row) for row in part.rows))


def _row(part: TablesFunction, row: PlannedRow) -> Statement:
    count, kept = Name("count"), own(row.attribute)
    counted = assign(count, TRACE.call(part.count, Literal("count"), PLAIN))
    numbers = TRACE.call("numbers", Literal(part.chunk), count, Literal("numbers"), PLAIN, Literal(""))
    if row.repeated:
        id = Formatted((f"{row.id}/", Name("len")(kept)))
        table = _table(id, "The sizes of the parts of one event.", (counted, Do(kept.call("append", numbers))))
        return While(POS.compared("<", END), (table,))
    checks: Body = ()
    if row.names:
        reason = f"where only {len(row.names)} is possible"
        checks = (check(count, count.equals(len(row.names)), Literal("count"), POS, reason),)
    elif row.events:
        checks = (check(count, count.compared(">", 0), Literal("count"), POS, "events in the message"),)
    return _table(Literal(row.id), ", ".join(row.names), (counted, *checks, assign(kept, numbers)))


def _table(id: Expression, about: str, body: Body) -> Statement:
    return With(TRACE.call("group", id, Literal("table"), Literal(about)), body)


def _body(part: BodyFunction) -> Method:
    code = Name("code")
    branches = []
    for case in part.cases:
        read: Statement = Return() if case.function is None else Do(own(case.function)(TRACE, K))
        branches.append(Branch(code.equals(case.code), (read,)))
    unknown = check(code, Literal(False), REST, POS, "is none of the types that are defined")
    return _method(part.name, part.about, (assign(code, own(part.switch).at(K)), *chain(branches, (unknown,))), EVENT)


def _describe(part: DescribeFunction) -> Method:
    types, flags, type, flag = map(Name, ("types", "flags", "type", "flag"))
    names, number, numbers = Name("names"), Name("number"), own(part.parts["name"])
    terms = part.name_terms
    codecs, kinds = Name("codecs"), Name("kinds")
    both = Call(Name("zip"), (types, flags), (("strict", Literal(True)),))
    body: Body = (
        check(N, N.compared(">", 0), Literal("name"), POS, "columns"),
        *dissector_steps(part.operations),
        Assign((Items((types, flags)),), Items((own(part.parts["type"]), own(part.parts["flags"])))),
        assign(codecs, Gathered(Name(part.values)(type, flag), (type.id, flag.id), both)),
        assign(names, numbers if terms is None else Gathered(own(f"{terms}_text")(number), (number.id,), numbers)),
        assign(kinds, Gathered(Name("TYPES").call("get", type, Literal("")), (type.id,), types)),
        trace("values", codecs, names, kinds, Literal("value"), Literal(VALUES)),
    )
    return _method(part.name, "Names, types, flags and values of a row image.", body, COUNT)


VALUES = "The values, null or as many bytes as the size says."

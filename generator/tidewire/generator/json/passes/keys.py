"""The keys of messages, `{CLASS: PART}`.

- A class with a key is carried. In an envelope every class has one, and that of rows is columns. Records have no key.
- A member of a key is a scalar, an object, or columns of a row; it says nothing of how it is read, as no reader looks.
- The message carries each field that its key has. What an event can lack is representable; names of tables are then
  written as in the message.
- Columns of a key use the value table of the rows, and rows that are cut down keep them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...facts import DDL_CLASS, DDL_TYPE
from ...model import COMMIT_TIMES
from ...passes.carriers import fits, has_field
from ...problems import Location, Problem, listed, problem, quoted
from ..around_model import FlaggedColumns
from ..model import OMIT, JsonProtocol, Member, ObjectMember, RowsMember, Scalar
from ..scalar_steps import NAMED
from .context import JsonContext, Standing

READ = ("reads", "may_miss", "accepts", "refused", "skip", "beside", "instead", "random")
"""Words of a member about readers, about other members, or about recordings."""


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol, carried = context.protocol, context.carried()
    if not protocol.keys:
        return []
    found: list[Problem] = []
    for cls, part in protocol.keys.items():
        if cls not in carried:
            text = f"no case carries events of class {quoted(cls)}"
            found.append(problem(part.location, text, f"Carried are {listed(carried)}."))
    if protocol.envelope is not None:
        found += _enveloped(context)
    if protocol.records is not None:
        text = "messages that are records have no key, and these have one"
        found.append(problem(protocol.records.location, text, "Say key: none in root:, or remove records:."))
    for part in protocol.key_parts:
        if part in protocol.objects and "unknown" in protocol.objects[part].words:
            found.append(_unread(protocol.objects[part].at("unknown"), "unknown"))
    for columns in protocol.flagged_columns.values():
        found += _columns(context, columns)
    for one in context.standing_in_keys:
        found += _member(context, one)
    return found


def _enveloped(context: JsonContext) -> Iterator[Problem]:
    protocol = context.protocol
    keyless = [cls for cls in context.carried() if cls not in map(str, protocol.keys)]
    if keyless:
        text = f"events of class {listed(map(quoted, keyless))} have no key, and messages in envelopes have one"
        yield problem(protocol.root.location, text, "Say CLASS: PART under key: in root:; object: [] has no members.")
    for cls, part in protocol.keys.items():
        if part in protocol.objects and context.spec.events.classes[cls].images:
            text = f"a reader takes the members of {quoted(part)} for columns of the row"
            yield problem(part.location, text, "Name columns: {flagged, values}.")


def _unread(location: Location, word: str) -> Problem:
    return problem(location, f"{word}: says nothing in a key, which no reader looks at", f"Remove {word}:.")


def _columns(context: JsonContext, columns: FlaggedColumns) -> Iterator[Problem]:
    """Columns are written as the rows are, whatever is left of them."""
    protocol = context.protocol
    rows = next((one.values for _, one in protocol.walk() if isinstance(one, RowsMember)), columns.values)
    if rows != columns.values:
        text = f"the rows are written by another value table, {quoted(rows)}"
        yield problem(columns.values.location, text, "Name the same.")
    for way in () if protocol.large is None else protocol.large.ways.values():
        if way.keep != columns.flagged:
            text = f"a row that is too long has no columns but those flagged {quoted(way.keep)}, and its key has others"
            yield problem(way.keep.location, text, f"Say keep: {columns.flagged}.")


def _member(context: JsonContext, one: Standing) -> Iterator[Problem]:
    member = one.member
    if isinstance(member, ObjectMember | Scalar):
        yield from (_unread(member.at(word), word) for word in READ if word in member.words)
    if isinstance(member, ObjectMember):
        yield from _object(context, one, member)
    elif not isinstance(member, Scalar):
        text = f"{quoted(member.id)} says something of columns or tables, which no key does"
        yield problem(member.location, text, "A key has scalars, objects, and columns of the row: part: COLUMNS.")
    else:
        for carrier in context.carriers_in(one):
            yield from (*fits(carrier), *has_field(context, carrier))
        if member.event is not None:
            yield from _field(context, one, member)


def _object(context: JsonContext, one: Standing, member: ObjectMember) -> Iterator[Problem]:
    if member.absent is not None:
        yield problem(member.at("absent"), "an object in a key is always there", "Remove absent:.")
    held = context.protocol.objects.get(member.part)
    if held is not None and "unknown" in held.words:
        yield _unread(held.at("unknown"), "unknown")
    rowless = [cls for cls in one.classes if not context.spec.events.classes[cls].images]
    if held is None and rowless:
        classes = listed(map(quoted, rowless))
        text = f"events of class {classes} have no rows, and {quoted(member.part)} is columns of one"
        yield problem(member.location, text, "Say of: in the member, without them.")


def _field(context: JsonContext, one: Standing, member: Scalar) -> Iterator[Problem]:
    """A field of the events in a key: whether the message carries it, and what is written where an event has none."""
    assert member.event is not None
    field = context.spec.events.fields[member.event]
    classes = [cls for cls in one.classes if field.name in context.spec.events.classes[cls].fields]
    names = {str(field.name)}
    if field.means == COMMIT_TIMES[1]:  # an encoder takes it from the other one
        names |= {str(other.name) for other in context.spec.events.fields.values() if other.means in COMMIT_TIMES}
    uncarried = [cls for cls in classes if not _is_carried(context, names, cls)]
    if uncarried:
        text = f"nothing in the message of class {listed(map(quoted, uncarried))} carries {quoted(field.name)}"
        yield problem(member.at("event"), text, "No reader looks at keys: say event: in a member of the message, too.")
        return
    if field.means in (DDL_CLASS, DDL_TYPE) and not any(_scalars(context, names, cls) for cls in classes):
        text = f"the text of the switch tells {quoted(field.name)}, also where an encoder has to conclude it"
        yield problem(member.at("event"), text, "A key has what the event has: remove it.")
        return
    lacking = [cls for cls in classes if not _is_sure(context, names, cls)]
    if lacking and member.absent is None:
        text = f"events of class {listed(map(quoted, lacking))} can have no {quoted(field.name)}"
        yield problem(member.at("event"), text, context.remedies.absent)
    nothing = _nothing_of(context.protocol, str(field.name))
    if member.absent not in (None, OMIT, nothing) and field.name in NAMED:
        text = f"without a {field.name} the message has {nothing}, and the key {member.absent}"
        yield problem(member.at("absent"), text, "Say the same in both.")


def _scalars(context: JsonContext, names: set[str], cls: str) -> list[Scalar]:
    """The scalars of messages of a class that carry one of these fields."""
    found = [one.member for one in context.standing if cls in one.classes]
    return [one for one in found if isinstance(one, Scalar) and one.event in names]


def _is_carried(context: JsonContext, names: set[str], cls: str) -> bool:
    """Whether encoders write one of these fields in messages of a class, and readers believe it."""
    scalars = _scalars(context, names, cls)
    if scalars and all(cls in one.zero for one in scalars):
        return False
    written = [one for one in context.meaning.carriers if not one.reads]
    return any(one.field.name in names and cls in one.classes for one in written)


def _is_sure(context: JsonContext, names: set[str], cls: str) -> bool:
    """Whether an encoder has something to write of each event of a class: it refuses those without these fields, or
    writes their table as the message does.
    """
    fields, needs = context.spec.events.fields, context.spec.events.classes[cls].needs
    if any(name in needs or name in NAMED or not fields[name].optional for name in names):
        return True
    for one in context.standing:
        member, around = one.member, (*one.path, one.member)
        if isinstance(member, Scalar) and member.event in names and cls in one.classes and not one.options:
            lacks = cls in (*member.omit_zero, *member.zero) or any(map(_may_be_left_out, around))
            if not lacks and fields[str(member.event)].means != "sent":
                return True
    return any(fields[name].means == "sent" for name in names)


def _may_be_left_out(member: Member) -> bool:
    return member.absent is not None or member.reads or bool(member.when_of)


def _nothing_of(protocol: JsonProtocol, name: str) -> str:
    """The JSON with which messages name no schema or no table."""
    named = (one for _, one in protocol.walk() if isinstance(one, Scalar) and one.event == name)
    absent = [one.absent for one in named][-1:]
    return '""' if not absent or absent[0] in (None, OMIT) else str(absent[0])

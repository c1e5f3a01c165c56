"""Descriptions of tables, where they come apart from rows.

- Where rows are `described`, some message has a description of its table, nothing else says what columns are, and the
  field `by` is carried by a member of every row. Else no part describes anything.
- A description of a table tells what has to be told of it, of its columns and indexes; what is told is of the type that
  it has there, and told once. No part is in itself, and none is in nothing.
- Members have an id and a name each. What can be left out or null is no name of something.
- Values that say their location (a codec that is `located`) are in rows that are `located`, a text of the events.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...problems import Problem, listed, problem, quoted
from ..described_model import TELLS, TOLD_ALWAYS, DescribedPart, EachMember, InnerMember, ToldMember
from ..member_types import BOOL, TEXT, TEXTS
from ..model import DeclaredMember, DescriptionMember, MappedMember, NamesMember, RowsMember, Scalar
from .context import JsonContext

NUMBERS = ("integer", "unsigned")


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    protocol = context.protocol
    members = [one for _, one in protocol.walk()]
    descriptions = [one for one in members if isinstance(one, DescriptionMember)]
    found: list[Problem] = []
    for part in protocol.parts_described.values():
        found += _members(part)
    found += _used(context, descriptions)
    if protocol.described is None:
        for one in descriptions:
            found.append(
                problem(
                    one.location, "no rows are read by what it describes", "Say described: {by: FIELD, flags: [...]}."
                )
            )
    else:
        found += _described(context, descriptions)
    for member in members:
        if isinstance(member, RowsMember):
            found += _located(context, member)
    for description in descriptions:
        found += _told(context, description)
    return found


def _described(context: JsonContext, descriptions: list[DescriptionMember]) -> Iterator[Problem]:
    protocol = context.protocol
    described = protocol.described
    assert described is not None
    members = [one for _, one in protocol.walk()]
    if not descriptions:
        yield problem(described.location, "no message describes a table", "Say part: and event: in a member.")
    for one in members:
        if isinstance(one, NamesMember | DeclaredMember | MappedMember):
            text = "a message says something of columns, which the description of their table says"
            yield problem(one.location, text, "Remove it, or described:.")
    carrying = [
        one for one in protocol.message.members.values() if isinstance(one, Scalar) and one.event == described.by
    ]
    with_rows = [cls for cls in context.carried() if context.spec.events.classes[cls].images]
    missing = [cls for cls in with_rows if not any(one.is_of(cls) for one in carrying)]
    if missing:
        text = f"no member of the message carries {quoted(described.by)} of events of class {listed(missing)}"
        yield problem(described.by.location, text, f"Say event: {described.by} in one.")
    elif context.spec.events.fields[described.by].type != "uint64":
        text = f"the field {quoted(described.by)} is no version: it is {context.spec.events.fields[described.by].type}"
        yield problem(described.by.location, text, "Name one of type uint64.")


def _members(part: DescribedPart) -> Iterator[Problem]:
    for again in part.again:
        text = f"a second member {quoted(again.id)}, the first is in line {part.members[again.id].location.line}"
        yield problem(again.id.location, text, "Give it another id.")
    names: dict[str, str] = {}
    for member in part.members.values():
        if member.name in names:
            text = f"a second member is {quoted(member.name)} in the message, the first is {quoted(names[member.name])}"
            yield problem(member.name.location, text, "A reader could not tell them apart; keep one.")
        names.setdefault(str(member.name), str(member.id))
        if isinstance(member, ToldMember) and member.tells in TELLS[part.describes]:
            yield from _type(part, member)


def _type(part: DescribedPart, member: ToldMember) -> Iterator[Problem]:
    wanted = TELLS[part.describes][member.tells]
    if member.type != wanted and not (member.type in NUMBERS and wanted in NUMBERS):
        how = {TEXTS: "list: {tells: ...}"}.get(wanted, f"type: {wanted}")
        yield problem(member.location, f"{quoted(member.tells)} is no {member.type}", f"Say {how}.")
    if member.numbers and member.tells != "default":
        yield problem(member.at("numbers"), f"{quoted(member.tells)} is no value of a column", "Remove numbers:.")
    if member.absent is not None and member.absent not in ("omit", "null"):
        yield problem(member.absent.location, f"{quoted(member.absent)} stands for nothing", "Say omit or null.")
    if member.absent is not None and member.tells in TOLD_ALWAYS[part.describes]:
        text = f"every {part.describes} has {quoted(member.tells)}"
        yield problem(member.absent.location, text, "Remove absent:.")
    if member.absent == "null" and member.type in (TEXTS, BOOL):
        text = "there is no null of it: nothing to tell is false, or no texts"
        yield problem(member.absent.location, text, "Say omit, or remove absent:.")


def _used(context: JsonContext, descriptions: list[DescriptionMember]) -> Iterator[Problem]:
    """Every part is in a description, and in none of its own."""
    parts = context.protocol.parts_described
    waiting = [str(one.part) for one in descriptions]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += [str(one.part) for one in parts[name].members.values() if not isinstance(one, ToldMember)]
    for name, part in parts.items():
        if name not in seen:
            yield problem(
                part.location, f"nothing holds the part {quoted(name)}", "Say part: in a member or remove it."
            )
        if _holds(parts, name, name, set()):
            yield problem(part.location, f"the part {quoted(name)} holds itself", "JSON cannot; leave one out.")


def _holds(parts: Mapping[str, DescribedPart], name: str, wanted: str, seen: set[str]) -> bool:
    for one in parts[name].members.values():
        if isinstance(one, ToldMember):
            continue
        if one.part == wanted:
            return True
        if one.part not in seen:
            seen.add(str(one.part))
            if _holds(parts, str(one.part), wanted, seen):
                return True
    return False


def _told(context: JsonContext, described: DescriptionMember) -> Iterator[Problem]:
    """What a description tells of a table and, by what it has an object for each of, of columns and indexes."""
    parts = context.protocol.parts_described
    if any(_holds(parts, name, name, set()) for name in parts):
        return
    yield from _told_by(parts, str(described.part))


def _told_by(parts: Mapping[str, DescribedPart], name: str) -> Iterator[Problem]:
    part = parts[name]
    told: dict[str, ToldMember | EachMember] = {}
    for member in _flat(parts, name):
        what = str(member.tells) if isinstance(member, ToldMember) else str(parts[member.part].describes)
        if what in told:
            text = f"{quoted(what)} is told already in line {told[what].location.line}"
            yield problem(member.location, text, "Two could disagree; keep one.")
        told.setdefault(what, member)
        if isinstance(member, EachMember):
            yield from _told_by(parts, str(member.part))
    needed = [*TOLD_ALWAYS[part.describes], *(("column",) if part.describes == "table" else ())]
    missing = [what for what in needed if what not in told]
    if missing:
        yield problem(part.location, f"nothing tells {listed(missing)} of a {part.describes}", "Say it in a member.")


def _flat(parts: Mapping[str, DescribedPart], name: str) -> Iterator[ToldMember | EachMember]:
    for member in parts[name].members.values():
        if isinstance(member, InnerMember):
            yield from _flat(parts, str(member.part))
        else:
            yield member


def _located(context: JsonContext, member: RowsMember) -> Iterator[Problem]:
    codecs = context.spec.primitives.codecs
    table = context.protocol.values[member.values]
    used = [codec for case in table.cases for codec in (case.codec, *case.flagged.values())]
    located = [one for one in used if codecs[one].located]
    if located and member.located is None:
        text = f"values of the codec {quoted(located[0])} say their location, which no field of the events takes"
        yield problem(member.location, text, "Say located: FIELD beside values:.")
    if member.located is None:
        return
    field = context.spec.events.fields[member.located]
    if not located:
        text = f"no value of the table {quoted(member.values)} says its location"
        yield problem(member.located.location, text, "Use a codec that does, or remove located:.")
    elif field.type != TEXT:
        text = f"the field {quoted(field.name)} is {field.type}, a location is text"
        yield problem(member.located.location, text, "Name another.")
    elif not member.single:
        yield problem(member.located.location, "several rows would have one location", "Have one row: by_column:.")

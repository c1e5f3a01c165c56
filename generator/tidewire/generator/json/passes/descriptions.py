"""Table descriptions that arrive in other messages than the rows.

- If rows are `described`, some message carries a description of its table, nothing else describes columns, and a member
  of every row carries the field `by`. Otherwise there are no described parts.
- With `described: none` rows are in objects, and mysql_types.yaml has a type for columns without one.
- A description contains the required facts about table, columns and indexes, each once and with the right type. No part
  contains itself, is unused, or occurs twice in one thing.
- Ids and names of members are unique. A member that may be omitted or null carries no name.
- Values with a location (a codec that is `located`) occur only in rows that are `located`, and all such rows have them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...model import Word
from ...problems import Location, Problem, listed, problem, quoted
from ..described_model import (
    CHANGES,
    INSIDE,
    ONE,
    TELLS,
    TOLD_ALWAYS,
    DescribedPart,
    EachMember,
    InnerMember,
    ToldMember,
)
from ..member_types import BOOL, NOTHING, TEXTS
from ..model import OMIT, DeclaredMember, DescriptionMember, MappedMember, NamesMember, RowsMember, Scalar
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
    found += _held(protocol.parts_described, [str(one.part) for one in descriptions])
    if protocol.untyped is not None:
        found += _untyped(context, protocol.untyped)
    elif protocol.described is None:
        for one in descriptions:
            text = "the protocol lacks described:, so no rows are read by what this describes"
            found.append(problem(one.location, text, "Say described: {by: FIELD, flags: [...]}."))
    else:
        found += _described(context, descriptions)
    for member in members:
        if isinstance(member, RowsMember):
            found += _located(context, member)
    return found


def _untyped(context: JsonContext, untyped: Location) -> Iterator[Problem]:
    protocol = context.protocol
    if protocol.envelope is not None or protocol.records is not None:
        what = "rows in envelopes" if protocol.envelope is not None else "rows as records"
        yield problem(untyped, f"{what} are read by the types of their columns", "Say what describes them.")
    if context.spec.mysql_types.undeclared is None:
        text = "no type of mysql_types.yaml is that of columns whose types nothing tells"
        yield problem(untyped, text, "Say undeclared: true in one.")


def _described(context: JsonContext, descriptions: list[DescriptionMember]) -> Iterator[Problem]:
    protocol = context.protocol
    described = protocol.described
    assert described is not None
    members = [one for _, one in protocol.walk()]
    if not descriptions and protocol.envelope is None:
        yield problem(described.location, "no message describes a table", "Say part: and event: in a member.")
    for one in members:
        if isinstance(one, NamesMember | DeclaredMember | MappedMember):
            text = "a message says something of columns, which the description of their table says"
            yield problem(one.location, text, "Remove it, or described:.")
    carrying = [one for one in context.standing if isinstance(one.member, Scalar) and one.member.event == described.by]
    with_rows = [cls for cls in context.carried() if context.spec.events.classes[cls].images]
    missing = [cls for cls in with_rows if not any(cls in one.classes for one in carrying)]
    if missing:
        text = f"no member of the message carries {quoted(described.by)} of events of class {listed(missing)}"
        yield problem(described.by.location, text, f"Say event: {described.by} in one.")
    elif context.spec.events.fields[described.by].type != "uint64":
        text = f"the field {quoted(described.by)} is no version: it is {context.spec.events.fields[described.by].type}"
        yield problem(described.by.location, text, "Name one of type uint64.")
    for standing in carrying if protocol.envelope is None else ():  # in envelopes rows may have no commit time
        classes = [cls for cls in with_rows if cls in standing.classes]
        instead = standing.member.words.get("instead") if classes else None
        if instead is not None:
            text = f"rows are read by {quoted(described.by)}, and this can be another number"
            yield problem(instead, text, "Remove instead:, or name another field in described: by.")
        if any(not one.required_of(cls) for one in (*standing.path, standing.member) for cls in classes):
            text = f"rows are read by {quoted(described.by)}, and a message can come without this"
            advice = "Remove what lets it miss (absent:, when:, may_miss:), here or around it, or name another field"
            yield problem(standing.member.location, text, f"{advice} in described: by.")


def _members(part: DescribedPart) -> Iterator[Problem]:
    for again in part.again:
        text = f"a second member {quoted(again.id)}, the first is in line {part.members[again.id].location.line}"
        yield problem(again.id.location, text, "Give it another id.")
    lines: dict[str, int] = {}
    for member in part.members.values():
        if member.name in lines:
            text = f"a second member is {quoted(member.name)} in the message, the first is in line {lines[member.name]}"
            yield problem(member.name.location, text, "A reader could not tell them apart; keep one.")
        lines.setdefault(str(member.name), member.location.line)
        if isinstance(member, ToldMember) and member.tells in TELLS[part.describes]:
            yield from _type(part, member)


def _type(part: DescribedPart, member: ToldMember) -> Iterator[Problem]:
    wanted = TELLS[part.describes][member.tells]
    if member.type != wanted and not (member.type in NUMBERS and wanted in NUMBERS):
        how = {TEXTS: "list: {tells: ...}"}.get(wanted, f"type: {wanted}")
        yield problem(member.location, f"{quoted(member.tells)} is no {member.type}", f"Say {how}.")
    if member.numbers and member.tells != "default":
        text = f"{quoted(member.tells)} is no value of a column, which could be a number for some types"
        yield problem(member.at("numbers"), text, "numbers: belongs beside tells: default only; remove it.")
    if member.silent and part.describes != "column":
        text = f"only columns have a type, and {part.describes} is none"
        yield problem(member.at("silent"), text, "silent: belongs in a part that describes a column; remove it.")
    if member.reads:
        if member.tells in TOLD_ALWAYS[part.describes]:
            text = f"every {part.describes} has {quoted(member.tells)}, and this is never written"
            yield problem(member.at("reads"), text, "Remove reads:.")
        if member.absent is not None:
            text = "what is never written can be missing, and nothing tells how it is written"
            yield problem(member.at("absent"), text, "Remove absent:, or reads:.")
    if member.tells == "position" and part.describes == "column" and member.absent is None and not member.reads:
        text = "a description can lack the position of a column, and no number stands for that"
        yield problem(member.location, text, "Say absent: omit or null.")
    if member.absent is None or member.reads:
        return
    if member.tells in TOLD_ALWAYS[part.describes]:
        text = f"every {part.describes} has {quoted(member.tells)}"
        yield problem(member.absent.location, text, "Remove absent:.")
    elif member.absent not in (OMIT, "null"):
        text = f"what has no {quoted(member.tells)} cannot be written as {quoted(member.absent)}"
        yield problem(member.absent.location, text, "Say omit or null.")
    elif member.absent == "null" and member.type in (TEXTS, BOOL) and part.describes not in CHANGES:
        text = "there is no null of it: nothing to tell is false, or no texts"
        yield problem(member.absent.location, text, "Say omit, or remove absent:.")


def _held(parts: Mapping[str, DescribedPart], described: list[str]) -> list[Problem]:
    """The problems of how described parts contain each other; every part must be contained in some description."""
    walk = _Walk(parts)
    for name in described:
        walk.thing(name)
    for name, part in parts.items():
        if name not in walk.seen:
            text = f"nothing holds the part {quoted(name)}"
            walk.found.append(problem(part.location, text, "Say part: in a member or remove it."))
    return walk.found


class _Walk:
    """Walks through the described parts, once for each table, column or index part.

    Attributes:
        seen: the parts that belong to a description.
        found: the problems.
    """

    def __init__(self, parts: Mapping[str, DescribedPart]) -> None:
        self.parts = parts
        self.seen: set[str] = set()
        self.found: list[Problem] = []
        self._things: set[str] = set()

    def thing(self, name: str) -> None:
        """Checks a part that describes a table, column or index, and the parts with further facts about it."""
        if name in self._things:
            return
        self._things.add(name)
        part = self.parts[name]
        told: dict[str, int] = {}
        self._inside(name, (name,), told, {})
        missing = [quoted(what) for what in TOLD_ALWAYS[part.describes] if what not in told]
        if missing:
            text = f"nothing tells {listed(missing)} of {ONE[part.describes]}"
            self.found.append(problem(part.location, text, "Say it in a member."))

    def _inside(self, name: str, around: tuple[str, ...], told: dict[str, int], held: dict[str, int]) -> None:
        """Collects the facts that a part's members state in `told`, and the parts that hold columns or indexes in
        `held`, each with its line.
        """
        self.seen.add(name)
        for member in self.parts[name].members.values():
            line = member.location.line
            if isinstance(member, ToldMember) and member.type == NOTHING:
                continue
            if isinstance(member, InnerMember) and self.parts[name].describes not in INSIDE:
                inner = str(member.part)
                if inner in around:
                    text = f"the part {quoted(inner)} holds itself"
                    self.found.append(problem(self.parts[inner].location, text, "JSON cannot; leave one out."))
                elif inner in held:
                    text = f"the part {quoted(inner)} tells its things already in line {held[inner]}"
                    self.found.append(problem(member.location, text, "Two could disagree; keep one."))
                else:
                    held[inner] = line
                    self._inside(inner, (*around, inner), told, held)
                continue
            what = str(member.tells) if isinstance(member, ToldMember) else str(self.parts[member.part].describes)
            if what in told:
                text = f"{quoted(what)} is told already in line {told[what]}"
                self.found.append(problem(member.location, text, "Two could disagree; keep one."))
            told.setdefault(what, line)
            if isinstance(member, EachMember):
                self.found += _of_columns("sorted", member.sorted, what, ("column",))
                self.found += _of_columns("hides", member.hides, what, ("column", "changed_column"))
            if not isinstance(member, ToldMember):
                self.thing(str(member.part))


def _of_columns(word: str, producers: Sequence[Word], what: str, things: Sequence[str]) -> Iterator[Problem]:
    """Reports a word about lists of columns in a list of other things."""
    if producers and what not in things:
        text = f"{word}: says how columns are listed, and each of these is {ONE[what]}"
        yield problem(producers[0].location, text, f"Remove {word}:.")


def _located(context: JsonContext, member: RowsMember) -> Iterator[Problem]:
    codecs = context.spec.primitives.codecs
    table = context.protocol.values[member.values]
    used = [codec for case in table.cases for codec in (case.codec, *case.flagged.values())]
    located = [one for one in used if codecs[one].located]
    if located and member.located is None:
        text = f"values of the codec {quoted(located[0])} say their location, which no field of the events takes"
        yield problem(member.location, text, "Use another codec, or say means: time_zone of a field in events.yaml.")

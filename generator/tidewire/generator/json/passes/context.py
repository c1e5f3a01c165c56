"""The context of a pass over a JSON protocol."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...facts import DDL_TYPE
from ...meaning import CarriedCase, Carrier, ColumnFact, Meaning, Remedies
from ...model import EventKind, ValueTable, Word
from ...passes.common import CommonContext, OptionUse
from ..connect_blocks import stated_of_blocks
from ..connect_words import NAMES
from ..member_types import BASE64, BOOL, INTEGER, TEXT, UNSIGNED
from ..model import (
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    JsonCase,
    JsonProtocol,
    Member,
    NamesMember,
    RowsMember,
    Scalar,
)
from ..statement_classes import Rest

NUMBERS = {INTEGER: (-(2**63), 2**63 - 1), UNSIGNED: (0, 2**64 - 1)}
"""The range of each numeric scalar type."""
PYTHON = {INTEGER: "int", UNSIGNED: "int", TEXT: "str", BOOL: "bool", BASE64: "bytes"}
"""The Python type of each scalar type."""


@dataclass(frozen=True)
class Standing:
    """A member in its place: the enclosing object members, the classes of events that have it, and the options without
    which it is omitted.
    """

    around: tuple[str, ...]
    """The classes of events that have what it lies in."""
    inside: str
    """The name of that: a member or a part."""
    path: tuple[Member, ...]
    member: Member
    classes: tuple[str, ...]
    options: tuple[Word, ...]


@dataclass(frozen=True)
class JsonContext(CommonContext):
    """One JSON protocol and its spec.

    The message's members and cases may be used by passes after `links` and `structure`, which check them.
    """

    protocol: JsonProtocol

    remedies = Remedies(
        carry="Say event: {} in a member.",
        absent="Say absent: what is written then, or of: whose it is.",
        image="Say images: {{{}: MEMBER}} in a case.",
        columns={"types": "Say by_column: {column: mysql_type} in a member."},
        of="Add the class to of:.",
    )
    wire = "json"
    partial_images = True

    @cached_property
    def cases(self) -> tuple[JsonCase | Rest, ...]:
        """The cases that are events, followed by the rest."""
        message = self.protocol.message
        found: list[JsonCase | Rest] = [one for one in message.all_cases if one.event is not None and not one.reads]
        return (*found, message.rest) if message.rest is not None else tuple(found)

    def kind(self, case: JsonCase | Rest) -> EventKind:
        """The kind of event of a case."""
        assert case.event is not None
        return self.spec.events.kinds[case.event]

    @cached_property
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        rows = next((one.location for _, one in self.protocol.walk() if isinstance(one, RowsMember)), None)
        return tuple(
            CarriedCase(
                case.location,
                case.at("kind"),
                f'kind "{(kind := self.kind(case)).name}"',
                self.spec.events.classes[kind.cls],
                (kind,),
                tuple(case.images) if isinstance(case, JsonCase) else (),
                rows,
                case.actions if isinstance(case, JsonCase) else (),
            )
            for case in self.cases
        )

    @cached_property
    def meaning(self) -> Meaning:
        members = [one for _, one in self.protocol.walk()]
        return Meaning(
            carried_cases=self.carried_cases,
            carriers=(*self._switched(), *(one for standing in self.standing for one in self.carriers_in(standing))),
            facts=tuple(one for standing in self.standing for one in self._fact(standing)),
            values=(*(one.values for one in members if isinstance(one, RowsMember)), *self._values_of_records()),
            flags=self.protocol.described.flags
            if self.protocol.described is not None
            else tuple(one.flagged for one in members if isinstance(one, NamesMember)),
        )

    def _values_of_records(self) -> tuple[Word, ...]:
        """The value table of the record encoding."""
        return () if self.protocol.records is None else (self.protocol.records.values,)

    def wire_of(self, table: ValueTable) -> str:
        records = self.protocol.records
        return "record" if records is not None and table.name == records.values else self.wire

    def _switched(self) -> Iterator[Carrier]:
        """The event fields that the switch carries: for the rest the class of the statement, for a case its action."""
        for case in self.protocol.message.cases.values():
            number = self.spec.events.meaning(DDL_TYPE)
            if case.action is not None and number is not None and case.event is not None:
                classes = (str(self.spec.events.kinds[case.event].cls),)
                what, limits = "a case", (0, 255)
                field = self.spec.events.fields[number]
                yield Carrier(field, case.at("const"), what, "int", limits, True, classes, (), True)
                break
        rest = self.protocol.message.rest
        if rest is not None:
            field, classes = self.spec.events.fields[rest.names], (str(self.kind(rest).cls),)
            yield Carrier(field, rest.at("names"), "the text of the switch", "str", None, True, classes, (), False)

    def carriers_in(self, one: Standing) -> Iterator[Carrier]:
        """The event fields that a member carries."""
        member = one.member
        if isinstance(member, Scalar) and member.event is not None and not member.again:
            yield Carrier(
                field=self.spec.events.fields[member.event],
                location=member.at("event"),
                what=f"a member of type {member.type}",
                python=PYTHON[member.type],
                range=NUMBERS.get(member.type),
                checked=True,
                classes=one.classes,
                options=one.options,
                absent=member.absent is not None or member.reads,
                reads=member.reads,
            )

        if isinstance(member, RowsMember):
            for word, what in (
                ("located", "the location of values"),
                ("utc", "the location of values"),
                ("known_by", "by what types are known"),
            ):
                name = getattr(member, word)
                if name is not None and member is self._first_with(word):
                    field = self.spec.events.fields[name]
                    yield Carrier(field, member.at(word), what, "str", None, True, one.classes, (), True)
        if isinstance(member, DescriptionMember):
            field = self.spec.events.fields[member.event]
            what, absent = "a description of a table", member.absent is not None
            yield Carrier(field, member.at("event"), what, "description", None, True, one.classes, one.options, absent)
            if isinstance(member, ChangesMember) and member.renamed is not None:
                field = self.spec.events.fields[member.renamed]
                yield Carrier(
                    field, member.at("event"), what, "description", None, True, one.classes, one.options, True
                )

    def _first_with(self, word: str) -> RowsMember | None:
        """The first row member that has this word; all that have it agree."""
        return next((one for one in self._rows if getattr(one, word) is not None), None)

    def _fact(self, one: Standing) -> Iterator[ColumnFact]:
        member = one.member
        described = self.protocol.described
        if described is not None and isinstance(member, RowsMember) and member is self._rows[0]:
            yield ColumnFact("types", described.by, described.location, described.location, one.classes, ())
        untyped = self.protocol.untyped
        if untyped is not None and isinstance(member, RowsMember):
            classes = one.classes if member is self._rows[0] else ()
            yield ColumnFact("types", Word("none", untyped), untyped, untyped, classes, ())
        if isinstance(member, DeclaredMember):
            yield ColumnFact("types", member.name, member.at("column"), member.location, one.classes, one.options)
        elif isinstance(member, NamesMember):
            what = f'flag "{member.flagged}"'
            yield ColumnFact(what, member.name, member.flagged.location, member.location, one.classes, one.options)

    @cached_property
    def _rows(self) -> list[RowsMember]:
        return [one for _, one in self.protocol.walk() if isinstance(one, RowsMember)]

    @cached_property
    def standing(self) -> tuple[Standing, ...]:
        """Every member of the message with its place, enclosing members first."""
        walked = self.protocol.walk()
        return tuple(self._standing(self.protocol.message_name, self.carried(), path, one) for path, one in walked)

    @cached_property
    def standing_in_keys(self) -> tuple[Standing, ...]:
        """The same of keys."""
        found = []
        for part in self.protocol.key_parts:
            classes = [str(cls) for cls, one in self.protocol.keys.items() if one == part and cls in self.carried()]
            found += [self._standing(part, classes, path, one) for path, one in self.protocol.walk_key(part)]
        return tuple(found)

    @staticmethod
    def _standing(part: str, classes: Sequence[str], path: tuple[Member, ...], member: Member) -> Standing:
        """A member of a part, which messages of these classes have."""
        around = tuple(cls for cls in classes if all(one.is_of(cls) for one in path))
        return Standing(
            around=around,
            inside=str(path[-1].id if path else part),
            path=path,
            member=member,
            classes=tuple(cls for cls in around if member.is_of(cls)),
            options=tuple(one.when for one in (*path, member) if one.when is not None),
        )

    def _options_of_blocks(self) -> Iterator[OptionUse]:
        for one in stated_of_blocks(self.protocol):
            if one.when is not None:
                yield OptionUse(one.when, "when", "bool")
            for name in one.braces:
                if name not in NAMES:
                    yield OptionUse(name, "option", "text")

    def option_uses(self) -> Iterator[OptionUse]:
        message = self.protocol.message
        for _, member in self.protocol.walk_all():
            for option in (*((member.when,) if member.when is not None else ()), *member.when_of.values()):
                yield OptionUse(option, "when", "bool")
            if isinstance(member, Scalar) and member.option is not None:
                yield OptionUse(member.option, "option", "text")
            if isinstance(member, DeclaredMember) and member.full is not None:
                yield OptionUse(member.full, "full", "bool")
        for case in (*message.cases.values(), *((message.rest,) if message.rest is not None else ())):
            if case.when is not None:
                yield OptionUse(case.when, "when", "bool")
        for envelope in self.protocol.envelopes.values():
            if envelope.unless is not None:
                yield OptionUse(envelope.unless, "connect.when", "bool")
        yield from self._options_of_blocks()
        if self.protocol.records is not None:
            yield OptionUse(self.protocol.records.option, "records.when", "choice")
        if self.protocol.unnamed is not None:
            yield OptionUse(self.protocol.unnamed, "unnamed", "text")
        if self.protocol.terminator is not None:
            yield OptionUse(self.protocol.terminator, "lines.option", "text")

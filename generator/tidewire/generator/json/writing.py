"""The plan of a JSON protocol's encoder: a function for each kind of event that writes the members in order.

Constant JSON is joined into one piece. JSON that is the same for all rows of a table (names and types of columns) is
prepared when the table is first seen: `RowMembers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from ..facts import COMMIT_TIMES, DDL_CLASS, DDL_TYPE, STATEMENT
from ..model import KIND_FIELD, EventClass, EventKind, Spec, Word
from ..plan.checks import EventChecks, unnamed
from ..plan.constants import kind_constants
from ..plan.events import EventColumn
from ..plan.names import NamesPlan, flag_constants
from ..plan.options import option_attribute, wire_options
from ..plan.ways import planned_ways
from ..syntax.calls import EVENT, EVENTS, RETURN_OK, int_at, null_at
from ..syntax.nodes import (
    BINT,
    INT,
    SIGNED,
    SIZE,
    Binary,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Gathered,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Return,
    Statement,
    all_of,
    any_of,
    chain,
    named,
    own,
    when,
)
from .around_model import Envelope
from .connect_blocks import BlockNode, key_blocks, planned_block, value_blocks
from .described import part_constant
from .envelope_methods import EnvelopeMethods
from .key_methods import KeyMethods, KeyPlanner
from .member_types import MICROSECONDS, THOUSAND
from .messages import MessagePlanner
from .model import (
    OMIT,
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
    Scalar,
    identifier,
)
from .scalar_steps import NAMED
from .sink_calls import ONE_EVENT, SINK, WRITER
from .writing_nodes import JsonEncoderPlan, PlannedEmpty, PlannedMember, WriteMessage

MOST_MICROSECONDS = (-(2**63) // THOUSAND + 1, (2**63 - 1) // THOUSAND)
"""The least and the greatest milliseconds that are microseconds of 64 bits."""


class JsonWritePlanner:
    """Plans the encoder of one protocol."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn], names: NamesPlan) -> None:
        self.spec = spec
        self.protocol = protocol
        self.spelling = protocol.spelling.of(next(iter(protocol.producers)))
        self.columns = tuple(columns)
        self.at = {one.name: one.constant for one in self.columns}
        self.changes = next((one for _, one in self.protocol.walk() if isinstance(one, ChangesMember)), None)
        self.columns_at = {one.name: named(one.constant) for one in self.columns}
        self.kind_names = kind_constants(spec.events)
        self.flag_names = flag_constants(spec)
        members = [member for _, member in protocol.walk()]
        self.printed = {
            member: f"{identifier(held.name)}_{member.identifier}"
            for held in protocol.objects.values()
            for member in held.members.values()
        }
        """By member its name in printed code, which is unique across objects."""
        self.described = [one for one in members if isinstance(one, NamesMember | DeclaredMember | MappedMember)]
        self.rows = [one for one in members if isinstance(one, RowsMember)]
        self.ways = planned_ways(spec, protocol, names)
        self.messages = MessagePlanner(spec, protocol, self.at, self.printed, [one.name for one in self.ways])

    def plan(self, module: str) -> JsonEncoderPlan:
        """The plan of the encoder."""
        protocol = self.protocol
        declared = [one for one in self.described if isinstance(one, DeclaredMember)]
        full = next((one.full for one in declared if one.full is not None), None)
        carriers = self._carriers()
        messages = self.messages.messages()
        sorting = next((one.sorted for one in self.rows), ())
        described = [one.part for _, one in protocol.walk() if isinstance(one, DescriptionMember)]
        class_field = str(self.spec.events.meaning(DDL_CLASS))
        return JsonEncoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            spelling=self.spelling,
            options=self._options(),
            values=self._values(),
            example=messages[0].method.name,
            takes="declared_or_undeclared"
            if self.spec.mysql_types.undeclared is not None and self.protocol.column_types
            else "declared",
            columns=self.columns,
            looking=(
                self.check_event(),
                *self.messages.scalars.statements.method(),
                self._has_message(messages),
                *self._sharing(),
            ),
            writing=(
                self._write_message(messages),
                *(one.method for one in messages),
                *self.messages.objects(),
                *self._keys(),
            ),
            members=tuple(self._member_of_rows(one) for one in self.described) if self.rows else (),
            full_option=None if full is None else str(full),
            full=Literal(False) if full is None else Name("encoder").attribute(option_attribute(full)),
            named_flags=self._named_flags(),
            empties=self._empties(),
            flags=Items(tuple(one.flag for one in self.ways)),
            absent=(self._absent(carriers, "schema"), self._absent(carriers, "table")),
            classes=tuple(self.spec.mysql_types.ddl_classes) if class_field in self.at else (),
            terminator=None if self.protocol.terminator is None else option_attribute(self.protocol.terminator),
            sorted=tuple(map(str, sorting)),
            sorting=own("producer").compared("in", Items(tuple(Literal(str(who)) for who in sorting))),
            part=part_constant(described[0]) if described else "",
            unless="" if self.protocol.envelope is None else self._unless(self.protocol.envelope),
            enveloped=self.protocol.envelope is not None,
            keyed=bool(self.protocol.keys),
            changes=self._changes(),
            mapping="" if self.changes is None else str(self.changes.mapping),
            value_blocks=self._blocks(value_blocks(protocol)),
            key_blocks=self._blocks(key_blocks(protocol)),
            unsent=_plain({} if protocol.connect is None else protocol.connect.unsent),
            nulls=_plain({} if protocol.connect is None else protocol.connect.nulls),
        )

    # ---- which events have messages

    def _has_message(self, messages: Sequence[WriteMessage]) -> Method:
        """The method that returns whether an event has a message with the current options."""
        optional = [one for one in messages if one.when is not None]
        found = [line for one in optional for line in when(one.kind_is, (Return(own(str(one.when))),))]
        for one in messages:
            if self.changes is not None and self.changes.is_of(one.cls):
                asked = (self.columns_at[str(self.spec.events.meaning(role))] for role in (DDL_TYPE, STATEMENT))
                found += when(one.kind_is, (Return(own("has_changes")(EVENT, *asked)),))
        kind = self._kind() if found else ()
        about = "Whether the event has a message with these options."
        return Method(
            "has_message",
            ONE_EVENT,
            BINT,
            (about,),
            (*kind, *found, Return(Literal(True))),
            raises=False,
            overrides=True,
        )

    @staticmethod
    def _unless(envelope: Envelope) -> str:
        return "" if envelope.unless is None else option_attribute(envelope.unless)

    def _keys(self) -> tuple[Method, ...]:
        """The methods that write keys and schema blocks."""
        if not self.protocol.keys:
            return ()
        keys = KeyPlanner(self.spec, self.protocol, self.at, self.printed, [one.name for one in self.ways])
        if self.protocol.envelope is not None:
            return EnvelopeMethods(self.protocol, keys, self.columns_at, self._kind).all()
        return (KeyMethods(self.protocol, keys, self._kind).write_key("The key of the event."),)

    def _kind(self) -> Body:
        """Reads the kind of the event."""
        return (Declare("kind", SIGNED, int_at(self.columns_at[KIND_FIELD])),)

    def _write_message(self, messages: Sequence[WriteMessage]) -> Method:
        """The method that writes the message of an event by its kind."""
        kinds = chain([Branch(one.kind_is, (Do(Call(own(one.method.name), (SINK, EVENT))),)) for one in messages], ())
        body = (*self._kind(), *kinds, *RETURN_OK)
        return Method("write_message", WRITER, INT, ("The message of an event.",), body, overrides=True)

    # ---- options and values that the encoder takes

    def _carriers(self) -> dict[str, Scalar]:
        return {
            str(one.event): one for _, one in self.protocol.walk() if isinstance(one, Scalar) and one.event is not None
        }

    def _options(self) -> tuple[tuple[str, str, str], ...]:
        """The encoder's options: all but those about what surrounds a message."""
        kinds = {"bool": ("bool", "bint"), "int": ("int", "Py_ssize_t")}
        return tuple(
            (option_attribute(one.name), *kinds.get(str(one.type), ("str", "str")))
            for one in wire_options(self.protocol)
        )

    def _absent(self, carriers: dict[str, Scalar], field: str) -> bytes:
        absent = carriers[field].absent if field in carriers else None
        return b'""' if absent is None or absent == OMIT else absent.encode()

    def _empties(self) -> tuple[PlannedEmpty, ...]:
        found = []
        for one in self.described:
            written = {str(who): self._empty(text) for who, text in one.empty.items()}
            if len(set(written.values())) > 1:
                found.append(PlannedEmpty(f"empty_{self.printed[one]}", tuple(written.items())))
        return tuple(found)

    @staticmethod
    def _empty(text: str) -> bytes:
        return b"" if text == OMIT else text.encode()

    def _empty_of(self, member: NamesMember | DeclaredMember | MappedMember) -> Expression:
        """What is written for a row without columns."""
        written = {self._empty(text) for text in member.empty.values()}
        if len(written) > 1:
            return Name("encoder").attribute(f"empty_{self.printed[member]}")
        nothing = b"[]" if isinstance(member, NamesMember) else b"{}"
        return Literal(written.pop() if written else nothing)

    def _member_of_rows(self, member: NamesMember | DeclaredMember | MappedMember) -> PlannedMember:
        protocol, spelling = Literal(str(self.protocol.name)), Name("SPELLING")
        empty = self._empty_of(member)
        column = Name("column")
        if isinstance(member, NamesMember):
            flagged = column.attribute("flags").masked(named(self.flag_names[member.flagged]))
            names = Gathered(column.attribute("name"), ("column",), Name("columns"), flagged)
            return self._spelled(member, "bytes", Name("names_json")(protocol, names, empty, spelling))
        if isinstance(member, MappedMember):
            named_by = Name("TYPES").call("mapped", column, Literal(str(member.mapping)))
            mappings = Gathered(named_by, ("column",), Name("kept"))
            return self._spelled(member, "MappedTexts", Name("MappedTexts")(Name("self"), mappings, empty, spelling))
        pair = Items((column.attribute("name"), Name("type")))
        types = Gathered(pair, ("column", "type"), Name("zip")(Name("kept"), Name("types")))
        return self._spelled(member, "bytes", Name("texts_json")(protocol, types, empty, spelling))

    def _spelled(self, member: Member, annotation: str, construction: Expression) -> PlannedMember:
        return PlannedMember(self.printed[member], annotation, construction)

    @staticmethod
    def _blocks(found: Mapping[str, BlockNode]) -> tuple[tuple[str, Expression], ...]:
        """The texts of schema blocks, by class of events."""
        return tuple((cls, planned_block(node)) for cls, node in found.items())

    def _changes(self) -> Expression | None:
        """The construction of the object that writes table changes; None if messages have none."""
        said = self.changes
        if said is None:
            return None
        kinds = (self._codes(said.classed, kind) for kind in ("CREATE", "ALTER", "DROP"))
        words = ((word, self._codes(said.lists, word)) for word in ("nothing", "no_table", "old_name"))
        return Call(Name("ChangeWords"), tuple(kinds), tuple((word, one) for word, one in words if one.values))

    def _codes(self, types: Mapping[Word, Sequence[str]], word: str) -> Items:
        """The codes of the DDL types below a word."""
        names = next((found for key, found in types.items() if key == word), ())
        return Items(tuple(Literal(self.spec.mysql_types.ddl_types[name].code) for name in names))

    def _named_flags(self) -> Expression:
        """The flags of the columns that messages list by name."""
        flags = dict.fromkeys(str(one.flagged) for one in self.described if isinstance(one, NamesMember))
        names = [named(self.flag_names[flag]) for flag in flags]
        if not names:
            return Literal(0)
        return Name("column").attribute("flags").masked(reduce(lambda both, one: Binary(both, "|", one), names))

    def gathered(self, cls: str, about: str) -> Method:
        """The method that returns whether an event is of the class that is collected."""
        return Method(
            "gathered",
            ONE_EVENT,
            BINT,
            (about,),
            (*self._kind(), Return(self.is_of(cls))),
            raises=False,
            overrides=True,
        )

    def _sharing(self) -> tuple[Method, ...]:
        """The method that decides which events share a value, where values end in a terminator."""
        batching = self.protocol.batching
        if batching is None or self.protocol.terminator is None:
            return ()
        fields = self.spec.events.fields
        same: list[str] = []
        for name in batching.by:
            if fields[name].means in ("tso", "physical"):
                same += [str(one.name) for one in fields.values() if one.means in ("tso", "physical")]
            else:
                same.append("table" if name in NAMED else str(name))
        gathered = (
            "Whether the event can share a value with others; where values end in a terminator, others have no message."
        )
        together = f"Whether two events share a value: they agree in {', '.join(map(str, batching.by))}."
        two = (*ONE_EVENT, Parameter("other", SIZE))
        agree = self._together(same, batching.apart)
        return (
            self.gathered(batching.gather, gathered),
            Method("together", two, BINT, (together,), agree, raises=False, overrides=True),
        )

    def is_of(self, cls: str) -> Expression:
        """Whether `kind` is a kind of this class with messages."""
        kinds = (kind for kind, _ in self.messages.carried_cases if kind.cls == cls)
        return any_of(tuple(Name("kind").equals(Name(self.kind_names[kind.name])) for kind in kinds))

    def _together(self, same: Sequence[str], apart: Mapping[Word, Sequence[str]]) -> Body:
        """Whether two events agree in the columns `same`, and for some producers in further ones."""

        def agree(names: Iterable[str]) -> Expression:
            found = (EVENTS.call("same_number", self.columns_at[name], EVENT, Name("other")) for name in names)
            return all_of(*found) or Literal(True)

        found: list[Statement] = []
        for who, names in apart.items():
            differ = all_of(own("producer").equals(Literal(str(who))), Not(agree(map(str, names))))
            found += when(differ, (Return(Literal(False)),))
        return (*found, Return(agree(dict.fromkeys(same))))

    def _values(self) -> str | None:
        """The value table of the row images; there is only one."""
        tables = list(dict.fromkeys(one.values for one in self.rows))
        if len(tables) > 1:
            raise ValueError(f"{tables[1].location}: rows are written with {tables[0]}, these with {tables[1]}")
        return str(tables[0]) if tables else None

    # ---- what an event has to have

    def check_event(self) -> Method:
        """The method that checks an event by its kind."""
        looking = EventChecks(self.protocol.title, self.columns_at)
        kinds = self.spec.events.kinds.values()
        found = [(kind, Name(self.kind_names[kind.name]), self._checks(kind, looking)) for kind in kinds]
        return looking.method(looking.kinds(found))

    def _checks(self, kind: EventKind, looking: EventChecks) -> Body | None:
        if not any(one is kind for one, _ in self.messages.carried_cases):
            return None
        cls = self.spec.events.classes[kind.cls]
        case = next((case for one, case in self.messages.carried_cases if one is kind), None)
        found: list[Statement] = []
        for image in cls.images:
            option = self.messages.option_of(kind, case, str(image))
            looked = looking.image(kind, str(image), image in self.messages.images(kind))
            found += looked if option is None else when(own(option), looked)
        for name in NAMED:
            if name in cls.needs:
                found += looking.missing(unnamed(name), kind, f"a {name}")
        for condition, name in self._needed(cls):
            found += looking.missing(condition, kind, name)
        found += self._together_told(cls)
        fine = {one.event for one in self.messages.members_of(cls.key) if one.unit == MICROSECONDS}
        for name in cls.fields:
            limits = MOST_MICROSECONDS if name in fine else self.spec.events.fields[name].range
            if limits is not None and name in self.columns_at:
                at = self.columns_at[name]
                outside = all_of(Not(null_at(at)), Not(int_at(at).between(*limits)))
                found += looking.refused(outside, f"{name} is {limits[0]} to {limits[1]}")
        statements = self.messages.scalars.statements
        if statements.cases(kind):
            switch = self.protocol.switch.name
            texts = ", ".join(str(one.text) for one in statements.cases(kind))
            reason = f"no text of `{switch}` stands for statements of its type: there are {texts}"
            found += looking.refused(Not(statements.known(kind)), reason)
        if case is None and self.protocol.message.rest is not None:
            found += self._class_checks(kind, str(self.protocol.message.rest.names), looking)
        return tuple(found)

    def _class_checks(self, kind: EventKind, names: str, looking: EventChecks) -> Body:
        """Checks that a statement has a class, or a type that determines it."""
        ddl_type = str(self.spec.events.meaning(DDL_TYPE))
        if self.spec.events.fields[names].means != DDL_CLASS:
            return looking.missing(null_at(self.columns_at[names]), kind, names)
        needs = looking.missing(null_at(self.columns_at[names]), kind, f"{ddl_type} or {names}")
        known = Call(own("check_class"), (EVENT, self.columns_at[names], Literal(names), Name("DDL_CLASSES")))
        return when(null_at(self.columns_at[ddl_type]), (*needs, Do(known)))

    def _needed(self, cls: EventClass) -> list[tuple[Expression, str]]:
        """The required fields of a class: the condition under which each is missing, and its name."""
        found: list[tuple[Expression, str]] = []
        tso = str(self.spec.events.meaning(COMMIT_TIMES[0]))
        for path, member in self.protocol.walk():
            if not isinstance(member, Scalar) or member.event is None or member.event in NAMED:
                continue
            field = self.spec.events.fields[member.event]
            if any(isinstance(one, ObjectMember) and one.absent is not None for one in path):
                continue  # either the whole object is present, or nothing of it
            if member.event not in cls.fields or not all(one.is_of(cls.key) for one in (*path, member)):
                continue
            if (
                member.absent is not None
                or any(one.reads for one in (*path, member))
                or cls.key in (*member.omit_zero, *member.zero)
                or not field.optional
                or field.means == "sent"
            ):
                continue
            options = dict.fromkeys(one.when for one in (*path, member) if one.when is not None)
            conditions: list[Expression] = [own(option_attribute(one)) for one in options]
            name = str(field.name)
            if field.means == "physical":
                conditions.append(null_at(self.columns_at[tso]))
                name = f"{tso} or {name}"
            missing = all_of(*conditions, null_at(self.columns_at[field.name]))
            assert missing is not None
            found.append((missing, name))
        always = (null_at(self.columns_at[tso]), tso) if tso in self.columns_at else None
        if always in found:
            # a field that is always required needs no check beside its milliseconds
            found = [one for one in found if one == always or tso not in one[1].split(" or ")]
        return list(dict.fromkeys(found))

    def _together_told(self, cls: EventClass) -> Iterator[Statement]:
        """Checks that an event has either all or none of the fields of an object that may be omitted."""
        for path, member in self.protocol.walk():
            if not isinstance(member, ObjectMember) or member.absent is None:
                continue
            if all(one.is_of(cls.key) for one in (*path, member)):
                columns = [self.columns_at[name] for name in self.messages.said_in(member, cls)]
                yield Do(Call(own("check_all_or_none"), (EVENT, Items(tuple(columns)))))


def _plain(said: Mapping[Word, Word]) -> dict[str, str]:
    """A map by producer, as plain strings for printing."""
    return {str(who): str(what) for who, what in said.items()}

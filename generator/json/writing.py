"""The plan of a JSON protocol's encoder: a function for each kind of events, its steps in the order of the members.

What is the same in every message of a kind is joined to one piece. What is the same for all rows of a table (names and
types of columns) is spelled when the table is first seen: `RowMembers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from ..facts import DDL_CLASS, DDL_TYPE
from ..model import KIND_FIELD, EventClass, EventKind, Spec, Word
from ..plan.checks import EventChecks
from ..plan.constants import kind_constants
from ..plan.events import EventColumn
from ..plan.names import NamesPlan, flag_constants
from ..plan.options import wire_options
from ..syntax.calls import EVENT, EVENTS, int_at, null_at
from ..syntax.nodes import (
    SIGNED,
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
    Name,
    Not,
    Return,
    Statement,
    all_of,
    any_of,
    chain,
    named,
    own,
    when,
)
from .carried import kept_flags
from .messages import NAME_BITS, NAMED, MessagePlanner
from .model import (
    OMIT,
    DeclaredMember,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    RowsMember,
    Scalar,
    identifier,
)
from .sink_calls import SINK
from .writing_nodes import JsonEncoderPlan, PlannedEmpty, PlannedLines, PlannedMember, PlannedWay, WriteMessage


class JsonWritePlanner:
    """Plans the encoder of one protocol."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn], names: NamesPlan) -> None:
        self.spec = spec
        self.protocol = protocol
        self.spelling = protocol.spelling.of(next(iter(protocol.producers)))
        self.columns = tuple(columns)
        self.at = {one.name: one.constant for one in self.columns}
        self.places = {one.name: named(one.constant) for one in self.columns}
        self.kind_names = kind_constants(spec.events)
        self.flag_names = flag_constants(spec)
        members = [member for _, member in protocol.walk()]
        self.printed = {
            member: f"{identifier(held.name)}_{member.identifier}"
            for held in protocol.objects.values()
            for member in held.members.values()
        }
        """The names of members in printed code, which tell those of different objects apart."""
        self.described = [one for one in members if isinstance(one, NamesMember | DeclaredMember | MappedMember)]
        self.rows = [one for one in members if isinstance(one, RowsMember)]
        self.ways = tuple(named(name) for name, _ in names.groups[-1].numbers)
        """The constants of the ways to choose the columns of a row image (`carried.ways`)."""
        self.messages = MessagePlanner(spec, protocol, self.at, self.printed, self.ways)

    def plan(self, module: str) -> JsonEncoderPlan:
        """The whole plan."""
        protocol = self.protocol
        declared = [one for one in self.described if isinstance(one, DeclaredMember)]
        full = next((one.full for one in declared if one.full is not None), None)
        carriers = self._carriers()
        messages = self.messages.messages()
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
            takes="told" if self.spec.mysql_types.untold is not None and self.protocol.column_types else "declared",
            columns=self.columns,
            checks=self.checks(),
            messages=messages,
            has_message=self._has_message(messages),
            write_message=chain([Branch(one.kind_is, self._write(one)) for one in messages], ()),
            shared=self.messages.objects(),
            members=tuple(self._member_of_rows(one) for one in self.described) if self.rows else (),
            full=None if full is None else (str(full), full.replace("-", "_")),
            declared=bool(declared),
            named_flags=self._named_flags(),
            mapped=any(isinstance(one, MappedMember) for one in self.described),
            empties=self._empties(),
            ways=self._ways(),
            absent=(self._absent(carriers, "schema"), self._absent(carriers, "table")),
            commit=self._commit(carriers),
            sent=self._sent(carriers),
            classes=tuple(self.spec.mysql_types.ddl_classes) if class_field in self.at else (),
            class_field=class_field,
            lines=self._lines(),
        )

    # ---- which events have messages

    def _has_message(self, messages: Sequence[WriteMessage]) -> Body:
        """Whether an event has a message with the options."""
        optional = [one for one in messages if one.when is not None]
        found = [line for one in optional for line in when(one.kind_is, (Return(own(str(one.when))),))]
        kind = (Declare("kind", SIGNED, int_at(self.places[KIND_FIELD])),) if optional else ()
        return (*kind, *found, Return(Literal(True)))

    @staticmethod
    def _write(message: WriteMessage) -> Body:
        return (Do(Call(own(message.method.name), (SINK, EVENT))),)

    def _ways(self) -> tuple[PlannedWay, ...]:
        """Which columns of a row image can be written."""
        all_columns, *others = self.ways
        found = zip(others, kept_flags(self.protocol), strict=True)
        return (
            PlannedWay(all_columns, Literal(0), "all"),
            *(PlannedWay(way, named(self.flag_names[flag]), f"those flagged {flag}") for way, flag in found),
        )

    # ---- what is read and taken

    def _carriers(self) -> dict[str, Scalar]:
        return {
            str(one.event): one for _, one in self.protocol.walk() if isinstance(one, Scalar) and one.event is not None
        }

    def _options(self) -> tuple[tuple[str, str, str], ...]:
        """The options that the encoder takes: all but those of what lies around a message."""
        kinds = {"bool": ("bool", "bint"), "int": ("int", "Py_ssize_t")}
        return tuple(
            (one.python_name, *kinds.get(str(one.type), ("str", "str"))) for one in wire_options(self.protocol)
        )

    def _commit(self, carriers: dict[str, Scalar]) -> tuple[Expression, Expression] | None:
        """The columns with the commit ts and with its physical part, where messages say the latter."""
        tso, physical = (self.spec.events.meaning(role) for role in ("tso", "physical"))
        return (self.places[tso], self.places[physical]) if physical in carriers and tso is not None else None

    def _sent(self, carriers: dict[str, Scalar]) -> Expression | None:
        """The column that says when a message was sent, where messages say it."""
        sent = self.spec.events.meaning("sent")
        return self.places[sent] if sent in carriers else None

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
        """What is written without columns."""
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
            mappings = Gathered(Name("mapped_type")(column, Literal(str(member.mapping))), ("column",), Name("kept"))
            return self._spelled(member, "MappedTexts", Name("MappedTexts")(own("rows"), mappings, empty, spelling))
        pair = Items((column.attribute("name"), Name("type")))
        types = Gathered(pair, ("column", "type"), Name("zip")(Name("kept"), Name("types")))
        return self._spelled(member, "bytes", Name("texts_json")(protocol, types, empty, spelling))

    def _spelled(self, member: Member, annotation: str, construction: Expression) -> PlannedMember:
        return PlannedMember(self.printed[member], annotation, construction)

    def _named_flags(self) -> Expression:
        """The flags whose columns messages name."""
        flags = dict.fromkeys(str(one.flagged) for one in self.described if isinstance(one, NamesMember))
        names = [named(self.flag_names[flag]) for flag in flags]
        return reduce(lambda both, one: Binary(both, "|", one), names) if names else Literal(0)

    def _lines(self) -> PlannedLines | None:
        batching, terminator = self.protocol.batching, self.protocol.terminator
        if batching is None or terminator is None:
            return None
        fields = self.spec.events.fields
        same: list[str] = []
        for name in batching.by:
            if fields[name].means in ("tso", "physical"):
                same += [str(one.name) for one in fields.values() if one.means in ("tso", "physical")]
            else:
                same.append("table" if name in NAMED else str(name))
        return PlannedLines(
            terminator.replace("-", "_"),
            self.is_of(batching.gather),
            tuple(str(name) for name in batching.by),
            self._together(same, batching.apart),
        )

    def is_of(self, cls: str) -> Expression:
        """Whether `kind` is a kind of the class that has messages."""
        kinds = (kind for kind, _ in self.messages.told if kind.cls == cls)
        return any_of(tuple(Name("kind").equals(Name(self.kind_names[kind.name])) for kind in kinds))

    def _together(self, same: Sequence[str], apart: Mapping[Word, Sequence[str]]) -> Body:
        """Whether two events agree in columns, and as some producers write in others besides."""

        def agree(names: Iterable[str]) -> Expression:
            found = (EVENTS.call("same_number", self.places[name], EVENT, Name("other")) for name in names)
            return all_of(*found) or Literal(True)

        found: list[Statement] = []
        for who, names in apart.items():
            differ = all_of(own("producer").equals(Literal(str(who))), Not(agree(map(str, names))))
            found += when(differ, (Return(Literal(False)),))
        return (*found, Return(agree(dict.fromkeys(same))))

    def _values(self) -> str | None:
        """The value table of the row images; they have one, as a row has one way to be written."""
        tables = list(dict.fromkeys(one.values for one in self.rows))
        if len(tables) > 1:
            raise ValueError(f"{tables[1].place}: rows are written with {tables[0]}, these with {tables[1]}")
        return str(tables[0]) if tables else None

    # ---- what an event has to have

    def checks(self) -> Body:
        """What is looked at in an event, by its kind."""
        looking = EventChecks(self.protocol.title, self.places, "check_image")
        kinds = self.spec.events.kinds.values()
        return looking.kinds([(kind, Name(self.kind_names[kind.name]), self._checks(kind, looking)) for kind in kinds])

    def _checks(self, kind: EventKind, looking: EventChecks) -> Body | None:
        if not any(one is kind for one, _ in self.messages.told):
            return None
        cls = self.spec.events.classes[kind.cls]
        case = next((case for one, case in self.messages.told if one is kind), None)
        found: list[Statement] = []
        for image in cls.images:
            found += looking.image(kind, str(image), image in self.messages.images(kind))
        for name in NAMED:
            if name in cls.needs:
                told = own("named").attribute("i64").at(Name("table")).masked(NAME_BITS[name])
                found += looking.missing(Not(told), kind, f"a {name}")
        for condition, name in self._needed(cls):
            found += looking.missing(condition, kind, name)
        for name in cls.fields:
            limits = self.spec.events.fields[name].range
            if limits is not None and name in self.places:
                at = self.places[name]
                outside = all_of(Not(null_at(at)), Not(int_at(at).between(*limits)))
                found += looking.refused(outside, f"{name} is {limits[0]} to {limits[1]}")
        if case is None and self.protocol.message.rest is not None:
            found += self._class_checks(kind, str(self.protocol.message.rest.names), looking)
        return tuple(found)

    def _class_checks(self, kind: EventKind, names: str, looking: EventChecks) -> Body:
        """The class of a statement is told, or follows from its type."""
        ddl_type = str(self.spec.events.meaning(DDL_TYPE))
        if self.spec.events.fields[names].means != DDL_CLASS:
            return looking.missing(null_at(self.places[names]), kind, names)
        needs = looking.missing(null_at(self.places[names]), kind, f"{ddl_type} or {names}")
        return when(null_at(self.places[ddl_type]), (*needs, Do(Call(own("check_class"), (EVENT,)))))

    def _needed(self, cls: EventClass) -> list[tuple[Expression, str]]:
        """The fields that messages of a class cannot do without: when they are missing, and their names."""
        found: list[tuple[Expression, str]] = []
        for path, member in self.protocol.walk():
            if not isinstance(member, Scalar) or member.event is None or member.event in NAMED:
                continue
            field = self.spec.events.fields[member.event]
            if member.event not in cls.fields or not all(one.is_of(cls.key) for one in (*path, member)):
                continue
            if member.absent is not None or cls.key in member.omit_zero or not field.optional or field.means == "sent":
                continue
            options = dict.fromkeys(one.when for one in (*path, member) if one.when is not None)
            conditions: list[Expression] = [own(one.replace("-", "_")) for one in options]
            name = str(field.name)
            if field.means == "physical":
                tso = next(str(one.name) for one in self.spec.events.fields.values() if one.means == "tso")
                conditions.append(null_at(self.places[tso]))
                name = f"{tso} or {name}"
            missing = all_of(*conditions, null_at(self.places[field.name]))
            assert missing is not None
            found.append((missing, name))
        return list(dict.fromkeys(found))

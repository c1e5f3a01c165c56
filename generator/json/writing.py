"""The plan of a JSON protocol's encoder: a function for each kind of events, its steps in the order of the members.

What is the same in every message of a kind is joined to one piece. What is the same for all rows of a table (names and
types of columns) is spelled when the table is first seen: `RowMembers`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..facts import DDL_CLASS, DDL_TYPE
from ..model import EventClass, EventKind, Spec
from ..plan.constants import kind_constants
from ..plan.events import EventColumn
from ..plan.names import flag_constants
from ..plan.options import wire_options
from ..texts import Code, literal
from .messages import NAMED, MessagePlanner
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
from .spelling import HTML
from .values import untold_codes
from .writing_nodes import (
    CheckedKind,
    JsonEncoderPlan,
    PlannedEmpty,
    PlannedLines,
    PlannedMember,
)


class JsonWritePlanner:
    """Plans the encoder of one protocol."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn]) -> None:
        self.spec = spec
        self.protocol = protocol
        self.html = protocol.escape == HTML
        self.columns = tuple(columns)
        self.at = {one.name: one.constant for one in self.columns}
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
        self.messages = MessagePlanner(spec, protocol, self.at, self.printed)

    def plan(self, module: str) -> JsonEncoderPlan:
        """The whole plan."""
        protocol = self.protocol
        declared = [one for one in self.described if isinstance(one, DeclaredMember)]
        full = next((one.full for one in declared if one.full is not None), None)
        carriers = self._carriers()
        return JsonEncoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            html=self.html,
            options=self._options(),
            values=self._values(),
            untold=self._untold(),
            takes="told" if self.spec.mysql_types.untold is not None and self.protocol.column_types else "declared",
            columns=self.columns,
            kinds=tuple(self._checks(kind) for kind in self.spec.events.kinds.values()),
            messages=self.messages.messages(),
            shared=self.messages.objects(),
            members=tuple(self._member_of_rows(one) for one in self.described) if self.rows else (),
            full=None if full is None else (str(full), full.replace("-", "_")),
            declared=bool(declared),
            named_flags=self._named_flags(),
            mapped=any(isinstance(one, MappedMember) for one in self.described),
            empties=self._empties(),
            ways=tuple((flag, self.flag_names[flag]) for flag in self.messages.ways),
            absent=(self._absent(carriers, "schema"), self._absent(carriers, "table")),
            commit=self._commit(carriers),
            sent=self._sent(carriers),
            classes=tuple(self.spec.mysql_types.ddl_classes) if self.spec.events.meaning(DDL_CLASS) in self.at else (),
            lines=self._lines(),
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

    def _commit(self, carriers: dict[str, Scalar]) -> tuple[str, str] | None:
        """The columns with the commit ts and with its physical part, where messages say the latter."""
        tso, physical = (self.spec.events.meaning(role) for role in ("tso", "physical"))
        return (self.at[tso], self.at[physical]) if physical in carriers and tso is not None else None

    def _sent(self, carriers: dict[str, Scalar]) -> str | None:
        """The column that says when a message was sent, where messages say it."""
        sent = self.spec.events.meaning("sent")
        return self.at[sent] if sent in carriers else None

    def _absent(self, carriers: dict[str, Scalar], field: str) -> str:
        absent = carriers[field].absent if field in carriers else None
        return '""' if absent is None or absent == OMIT else str(absent)

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

    def _empty_of(self, member: NamesMember | DeclaredMember | MappedMember) -> Code:
        """The expression for what is written without columns."""
        written = {self._empty(text) for text in member.empty.values()}
        if len(written) > 1:
            return Code(f"encoder.empty_{self.printed[member]}")
        nothing = b"[]" if isinstance(member, NamesMember) else b"{}"
        return literal(written.pop() if written else nothing)

    def _member_of_rows(self, member: NamesMember | DeclaredMember | MappedMember) -> PlannedMember:
        protocol, empty = literal(self.protocol.name), self._empty_of(member)
        if isinstance(member, NamesMember):
            bit = self.flag_names[member.flagged]
            names = f"[column.name for column in columns if column.flags & {bit}]"
            return self._spelled(member, "bytes", f"names_json({protocol}, {names}, {empty}, {self.html})")
        if isinstance(member, MappedMember):
            mappings = f"[mapped_type(column, {literal(member.mapping)}) for column in kept]"
            return self._spelled(member, "MappedTexts", f"MappedTexts(self.rows, {mappings}, {empty}, {self.html})")
        types = "[(column.name, type) for column, type in zip(kept, types)]"
        return self._spelled(member, "bytes", f"texts_json({protocol}, {types}, {empty}, {self.html})")

    def _spelled(self, member: Member, annotation: str, construction: str) -> PlannedMember:
        return PlannedMember(self.printed[member], annotation, (Code(construction),))

    def _named_flags(self) -> str:
        """The flags whose columns messages name, as an expression."""
        flags = dict.fromkeys(str(one.flagged) for one in self.described if isinstance(one, NamesMember))
        return " | ".join(self.flag_names[flag] for flag in flags)

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
            tuple(
                (self.kind_names[kind.name], str(kind.name))
                for kind, _ in self.messages.told
                if kind.cls == batching.gather
            ),
            tuple(self.at[name] for name in dict.fromkeys(same)),
            tuple(str(name) for name in batching.by),
            tuple((str(who), tuple(self.at[name] for name in names)) for who, names in batching.apart.items()),
        )

    def _values(self) -> str | None:
        """The value table of the row images; they have one, as a row has one way to be written."""
        tables = list(dict.fromkeys(one.values for one in self.rows))
        if len(tables) > 1:
            raise ValueError(f"{tables[1].place}: rows are written with {tables[0]}, these with {tables[1]}")
        return str(tables[0]) if tables else None

    def _untold(self) -> tuple[int, ...]:
        """The codes of types whose values are read only."""
        table = self._values()
        return () if table is None else untold_codes(self.spec, self.protocol.values[table])

    # ---- what an event has to have

    def _checks(self, kind: EventKind) -> CheckedKind:
        cls = self.spec.events.classes[kind.cls]
        case = next((case for one, case in self.messages.told if one is kind), None)
        carried = any(one is kind for one, _ in self.messages.told)
        images = tuple(
            (str(image), self.at[f"{image}_layout"], self.at[f"{image}_row"], image in self.messages.images(kind))
            for image in cls.images
        )
        rest = self.protocol.message.rest
        classes = None
        class_names: tuple[str, ...] = ()
        if carried and case is None and rest is not None:
            column = self.at[rest.names]
            ddl_type = str(self.spec.events.meaning(DDL_TYPE))
            told = self.spec.events.fields[rest.names].means == DDL_CLASS
            classes = (self.at.get(ddl_type, ""), column, told)
            class_names = (ddl_type, str(rest.names))
        fields = self.spec.events.fields
        return CheckedKind(
            name=str(kind.name),
            code=self.kind_names[kind.name],
            carried=carried,
            images=images if carried else (),
            named=tuple((name, bit) for name, bit in (("schema", 1), ("table", 2)) if name in cls.needs),
            needed=tuple(self._needed(cls)) if carried else (),
            classes=classes,
            class_names=class_names,
            ranges=tuple(
                (str(name), self.at[name], *fields[name].range)  # type: ignore[misc]
                for name in cls.fields
                if carried and fields[name].range is not None and name in self.at
            ),
        )

    def _needed(self, cls: EventClass) -> list[tuple[str, str, str]]:
        """The fields that messages of a class cannot do without: when they are missing, their names, the class."""
        found: list[tuple[str, str, str]] = []
        for path, member in self.protocol.walk():
            if not isinstance(member, Scalar) or member.event is None or member.event in NAMED:
                continue
            field = self.spec.events.fields[member.event]
            if member.event not in cls.fields or not all(one.is_of(cls.key) for one in (*path, member)):
                continue
            if member.absent is not None or cls.key in member.omit_zero or not field.optional or field.means == "sent":
                continue
            options = [one.when for one in (*path, member) if one.when is not None]
            conditions = [f"self.{one.replace('-', '_')}" for one in dict.fromkeys(options)]
            name = str(field.name)
            if field.means == "physical":
                tso = next(str(one.name) for one in self.spec.events.fields.values() if one.means == "tso")
                conditions.append(f"self.events.null_at({self.at[tso]}, event)")
                name = f"{tso} or {name}"
            conditions.append(f"self.events.null_at({self.at[field.name]}, event)")
            found.append((" and ".join(conditions), name, str(cls.key)))
        return list(dict.fromkeys(found))

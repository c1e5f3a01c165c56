"""The plan of a JSON protocol's decoder: a method for each object, and one for each class of events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..facts import PARTIAL
from ..model import EventClass, Spec
from ..plan.constants import apart, kind_constants
from ..plan.events import EventColumn
from ..plan.names import NamesPlan, names_of_all
from ..plan.values import PlannedValues, codec_modules, planned_values
from ..syntax.calls import EVENTS, RETURN_OK, ROW, missing
from ..syntax.nodes import (
    INT,
    NONE,
    SIZE,
    Body,
    Choice,
    Declare,
    Do,
    Expression,
    For,
    Items,
    Literal,
    Method,
    Name,
    Operand,
    Parameter,
    all_of,
    assign,
    object_type,
    own,
    walk,
    when,
)
from .described import part_constant, planned_parts
from .dissected_keys import key_members, key_shapes, keys_by_kind
from .event_puts import PARTS, EventPuts, counted, description_name
from .member_types import BASE64, BOOL, SECONDS, TEXT, THOUSAND, UNSIGNED
from .members import READER, has
from .message_methods import CURSOR, MESSAGE, MessageMethods
from .model import (
    ChangesMember,
    DeclaredMember,
    DescriptionMember,
    JsonObject,
    JsonProtocol,
    MappedMember,
    Member,
    NamesMember,
    ObjectMember,
    RowsMember,
    Scalar,
    identifier,
)
from .read_cases import CaseReader, put_name
from .reading_nodes import JsonDecoderPlan, KeptAttribute, ReadMember, ReadObject, reading_modes
from .shared_names import by_name, chosen
from .sharing import share_puts

CHECKED_TEXT = Name("invalid_text").equals(Literal("error"))
"""Whether invalid UTF-8 is an error."""

SIGNED = (-(2**63), 2**63 - 1)
ERRORS = ("COUNT", "ENUM", "MISSING", "ROWS", "TRAILING", "UNNAMED")
"""The kinds of errors that printed methods use."""


class JsonReadPlanner(EventPuts):
    """Plans the decoder of one protocol."""

    def __init__(self, spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn], names: NamesPlan) -> None:
        """`columns`: the event columns that are filled; `names`: the protocol's module of names."""
        self.spec = spec
        self.protocol = protocol
        self.fields: list[str] = []
        self.constants: list[str] = []
        self.objects: list[ReadObject] = []
        self.members: dict[Member, ReadMember] = {}
        self.holders: dict[Member, tuple[Member, ...]] = {member: path for path, member in protocol.walk()}
        self.columns = tuple(columns)
        self.rows: tuple[ReadMember, ...] = ()
        self.by_name = {one.name: one for one in self.columns}
        self.taken = {*names.names, *names_of_all(spec)}
        self.kind_names = kind_constants(spec.events)
        self.case_names = [name for name, _ in names.groups[1].numbers]
        self.by_type: dict[type, list[Member]] = {}
        self.envelope_fields: tuple[str, ...] = ()
        self.shared = chosen(spec, protocol.message)
        for _, member in protocol.walk():
            self.by_type.setdefault(type(member), []).append(member)

    def plan(self, module: str) -> JsonDecoderPlan:
        """The whole plan."""
        protocol = self.protocol
        self._objects()
        root = self.objects[0]
        declared = next((self.members[one] for one in self.by_type.get(DeclaredMember, [])), None)
        self.rows = tuple(self.members[one] for one in self.by_type.get(RowsMember, []))
        carrying = {str(one.event): self.members[one] for one in self._scalars()}
        reader = CaseReader(self.spec, protocol.message, self.members, self.case_names, self.kind_names)
        cases, texts, rest = reader.cases()
        apart = None if protocol.records is None else protocol.records.values
        tables = (one for one in protocol.values.values() if one.name != apart)
        values = tuple(planned_values(self.spec, table) for table in tables)
        described = next((one.part for one in self.holders if isinstance(one, DescriptionMember)), None)
        reading = MessageMethods(
            objects=tuple(self.objects),
            switch=self.members[protocol.switch],
            schema=carrying.get("schema"),
            table=carrying.get("table"),
            version=self._version(),
            version_holders=self._version_holders(),
            physical=next((one for one in carrying.values() if one.means == "physical"), None)
            if protocol.described is not None and self.spec.events.fields[protocol.described.by].means == "tso"
            else None,
            version_needed=any(
                self._is_version(one) and one.absent is None and not one.may_miss for one in self.members
            ),
            partial=next((one for one in carrying.values() if one.means == PARTIAL), None),
            learns=protocol.learns,
            untyped=protocol.untyped is not None,
            names=tuple(self.members[one] for one in self.by_type.get(NamesMember, [])),
            declared=declared,
            rows=self.rows,
            cases=cases,
            rest=rest,
            believed=dict(reader.believed()),
            unnamed=None if protocol.unnamed is None else str(protocol.unnamed),
            has_blocks=protocol.envelope is not None,
        )
        classes = self._classes()
        filled, shared = share_puts([self.puts(one, identifier(one.key)) for one in classes])
        events = [self._event(cls, one.body) for cls, one in zip(classes, filled, strict=True)]
        methods = (*reading.all(), *events, *shared)
        return JsonDecoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            fields=tuple(self.fields),
            constants=tuple(self.constants),
            values=values,
            modules=codec_modules(values),
            errors=self._errors(methods),
            root=root,
            objects=tuple(self.objects),
            kept=(*self._kept(carrying), *reading.kept),
            switch=reading.switch,
            tables=self._tables(declared or reading.version or root, values),
            undeclared=self._undeclared(),
            rows=self.rows,
            cases=cases,
            texts=texts,
            rest=rest,
            rest_names="" if protocol.message.rest is None else str(protocol.message.rest.names),
            methods=methods,
            framed=protocol.terminator is not None,
            parts=planned_parts(self.spec, protocol),
            skipped=tuple((one.constant, one.construction) for one in protocol.message.skipped.values()),
            described="" if described is None else part_constant(described),
            version="" if reading.version is None else reading.version.name,
            enveloped=protocol.envelope is not None,
            envelope_fields=self.envelope_fields,
            key_members=key_members(self.spec, protocol),
            key_shapes=key_shapes(self.spec, protocol),
            keys=keys_by_kind(self.spec, protocol),
            images=tuple(str(one.name) for one in self.by_type.get(RowsMember, [])),
            untyped=protocol.untyped is not None,
            known_by=self._known_by(),
            arguments=reading_modes(protocol),
        )

    def _known_by(self) -> str | None:
        """The event field that records how column types became known."""
        rows = (one for one in self.by_type.get(RowsMember, []) if isinstance(one, RowsMember))
        return next((str(one.known_by) for one in rows if one.known_by is not None), None)

    def _version(self) -> ReadMember | None:
        """The member with the version of the description that the rows are read with."""
        by = None if self.protocol.described is None else self.protocol.described.by
        return next((self.members[one] for one in self._scalars() if one.event == by), None)

    def _version_holders(self) -> tuple[ReadMember, ...]:
        """The objects that contain the version member."""
        member = next((one for one in self._scalars() if self._is_version(one)), None)
        return () if member is None else tuple(self.members[one] for one in self.holders[member])

    def _kept(self, carrying: Mapping[str, ReadMember]) -> tuple[KeptAttribute, ...]:
        """The decoder's attributes for parts of a message; where messages carry no names, one that is always empty."""
        found = [kept for held in self.objects for kept in held.kept]
        if not {"schema", "table"} <= set(carrying):
            found.append(KeptAttribute("nameless", "Part", Name("Part")()))
        return tuple(found)

    def _errors(self, methods: Sequence[Method]) -> tuple[str, ...]:
        """The kinds of errors that the module uses."""
        found = {one.id for one in walk(*methods) if isinstance(one, Name)} & set(ERRORS)
        ends = self.protocol.terminator is None and not self.protocol.learns
        return tuple(sorted(found | {"TRAILING"} if ends else found))

    def _tables(self, typed: ReadMember | ReadObject, values: Sequence[PlannedValues]) -> Expression:
        flags = self.spec.mysql_types.flags
        named_flags = [
            Literal(sum(flags[flag].bit for flag in one.flags))
            for one in self.by_type.get(NamesMember, [])
            if isinstance(one, NamesMember)
        ]
        return Name("Tables")(
            own("cache"),
            Name("given"),
            Name(typed.field),
            Name(values[0].name) if values else NONE,
            CHECKED_TEXT,
            Items(tuple(named_flags)) if self.protocol.described is None else NONE,
            len(self.rows),
            len(self.by_type.get(MappedMember, [])),
            *self._stored(),
        )

    def _stored(self) -> tuple[Expression, ...]:
        """Arguments: the store of descriptions, and the table of rows that name none."""
        store = NONE if self.protocol.described is None else own("store")
        option = self.protocol.unnamed
        if option is None:
            return () if store == NONE else (store,)
        given = Name(self.protocol.options[option].python_name)
        return store, Name("RowsWithoutTable")(Literal(str(self.protocol.name)), given, Literal(str(option)))

    # ---- the members

    def _scalars(self) -> list[Scalar]:
        scalars = (one for _, one in self.protocol.walk() if isinstance(one, Scalar))
        return [one for one in scalars if one.event is not None and not one.again]

    def _objects(self) -> None:
        """Plans the objects and their members. The fields of an object's members are consecutive; those of columns come
        last.
        """
        root = self.protocol.message
        if self.protocol.envelope is not None:
            self.envelope_fields = (
                self._field("KEY", "key"),
                self._field("PAYLOAD", "payload"),
                self._field("BLOCK", "schema"),
            )
        waiting = [(root, "", self._field(identifier(root.name).upper(), str(root.name)))]
        while waiting:
            held, path, own = waiting.pop(0)
            members: list[ReadMember] = []
            named: dict[str, str] = {}
            for member in held.members.values():
                constant = f"{identifier(held.name)}_{member.identifier}".upper()
                if member.name not in named:
                    named[member.name] = self._field(constant, f"{path}{member.name}".replace("{", "{{"))
                planned = self._member(held, member, [*named].index(member.name), named[member.name], constant)
                self.members[member] = planned
                members.append(planned)
                if isinstance(member, ObjectMember):
                    waiting.append((self.protocol.objects[member.part], f"{path}{member.name}/", planned.field))
            name = identifier(held.name)
            self.objects.append(
                ReadObject(
                    str(held.name),
                    f"read_{name}",
                    f"names_of_{name}",
                    own,
                    members[0].field if members else own,
                    by_name(members, self.protocol.switch.name, self.shared.texts_of(held)),
                    held.skip_unknown,
                    held.about or f"The members of {held.name}.",
                )
            )
        paths = dict(zip(self.constants, self.fields, strict=True))
        for planned in self.members.values():
            if planned.kind in ("declared", "rows"):
                inner = "{row}/{column}" if planned.kind == "rows" and not planned.single else "{column}"
                self._field(planned.column_field, f"{paths[planned.field]}/{inner}")
            elif planned.kind == "description":
                self._field(planned.column_field, f"{paths[planned.field]}{{path}}")

    def _field(self, name: str, path: str) -> str:
        (constant,) = apart([name], "FIELD", self.taken)
        self.taken.add(constant)
        self.constants.append(constant)
        self.fields.append(path)
        return constant

    def _member(self, held: JsonObject, member: Member, number: int, field: str, constant: str = "") -> ReadMember:
        nested = bool(self.holders[member])
        inside = [one for path, one in self.protocol.walk() if member in path]
        return ReadMember(
            number=number,
            name=str(member.name),
            kind=self._kind(member, nested),
            attribute=f"{identifier(held.name)}_{member.identifier}",
            field=field,
            about=member.about,
            identifies=any(map(_identifies, [member, *inside])),
            describes=any(isinstance(one, NamesMember | DeclaredMember) for one in [member, *inside])
            or any(map(self._is_version, [member, *inside])),
            outlines=isinstance(member, MappedMember) and not nested and self._undeclared() is not None,
            limits=self._limits(member),
            which=self.by_type[type(member)].index(member),
            column_field=f"COLUMN_OF_{constant if member in self.shared.functions else field}",
            functions=self.shared.functions.get(member, ()),
            function=self._function(member),
            at_once=not nested,
            single=isinstance(member, RowsMember) and member.single,
            omitted=isinstance(member, RowsMember) and member.empty is not None,
            misses=isinstance(member, RowsMember) and member.may_miss,
            whole=self._whole(member),
            accepts=member.accepted if isinstance(member, Scalar) else None,
            means=self.spec.events.fields[member.event].means or ""
            if isinstance(member, Scalar) and member.event is not None
            else "",
            unit=str(member.unit or "") if isinstance(member, Scalar) else "",
        )

    @staticmethod
    def _function(member: Member) -> str:
        """The method that reads an object; for a description, the part with its members."""
        if isinstance(member, DescriptionMember):
            return "" if isinstance(member, ChangesMember) else str(member.part)
        return f"read_{identifier(member.part)}" if isinstance(member, ObjectMember) else ""

    def _is_version(self, member: Member) -> bool:
        described = self.protocol.described
        return described is not None and isinstance(member, Scalar) and member.event == described.by

    def _whole(self, member: Member) -> bool:
        """Whether this member is the first row image of some kind, and so has all columns. The other image of an update
        may be partial.
        """
        if self.protocol.described is not None:
            return False  # a description also has columns that no row has: generated ones
        found = set()
        for case in self.protocol.message.all_cases:
            if case.event is not None:
                kind = self.spec.events.kinds[case.event]
                images = kind.images if kind.images is not None else self.spec.events.classes[kind.cls].images
                found |= {str(name) for image, name in case.images.items() if images and image == images[0]}
        return str(member.id) in found

    def _kind(self, member: Member, nested: bool) -> str:
        if isinstance(member, Scalar):
            if (member.event is None or member.again) and not member.switch:
                return "believed" if member.believed else "passed"
            if member.type in (TEXT, BASE64):
                return "text"
            if member.type == BOOL:
                return "boolean"
            column = self.by_name[str(member.event)]
            return "uinteger" if member.type == UNSIGNED and column.type == "uint64" else "integer"
        if isinstance(member, MappedMember):
            return "passed" if nested else "mapped"
        if isinstance(member, NamesMember):
            return "names"
        if isinstance(member, DeclaredMember):
            return "declared"
        if isinstance(member, DescriptionMember):
            return "description"
        return "rows" if isinstance(member, RowsMember) else "object"

    def _limits(self, member: Member) -> tuple[int, int] | None:
        """The range of a number, if the event field is narrower than the member's type."""
        if not isinstance(member, Scalar) or member.event is None or member.type in (TEXT, BASE64, BOOL):
            return None
        field = self.spec.events.fields[member.event]
        low, high = field.limits or SIGNED
        if member.unit == SECONDS:
            low, high = -(-low // THOUSAND), high // THOUSAND
        whole = (0, 2**64 - 1) if member.type == UNSIGNED and (low, high) == (0, 2**64 - 1) else SIGNED
        if member.type == UNSIGNED:
            low = max(low, 0)
        return None if (low, high) == whole else (max(low, whole[0]), min(high, whole[1]))

    # ---- the cases

    def _classes(self) -> list[EventClass]:
        root = self.protocol.message
        case_read = [case.event for case in root.all_cases if case.event is not None]
        case_read += [root.rest.event] if root.rest is not None else []
        kinds = self.spec.events.kinds
        return [self.spec.events.classes[name] for name in dict.fromkeys(kinds[event].cls for event in case_read)]

    def _undeclared(self) -> int | None:
        """The code of the undeclared column type; None if messages always declare types."""
        undeclared = self.spec.mysql_types.undeclared
        return undeclared.code if undeclared is not None and self.protocol.column_types else None

    # ---- events

    def cursor(self, member: Member) -> Name:
        return READER

    def image_row(self) -> Expression:
        return Name("k")

    def _event(self, cls: EventClass, puts: Body) -> Method:
        """The method that makes the events of a class."""
        images = [Name(str(one)) for one in cls.images]
        fields = [Name(f"{one.id}_field") for one in images]
        parameters = [CURSOR, MESSAGE, Parameter("kind", INT)]
        for image, field in zip(images, fields, strict=True):
            parameters += [Parameter(image.id, object_type("Rows", optional=True)), Parameter(field.id, INT)]
        rows, needed = EVENTS.attribute("rows"), self.needed(cls, READER)
        members = tuple(self.descriptions(cls).values())
        # Descriptions are stored after all other checks: a message with an error stores none.
        described = [line for one in members for line in self.described_by(one)[0]]
        described += [line for one in members for line in self._described(one, cls)]
        first, behind = self.parted(cls, puts)
        filled = (*first, *described, *behind, assign(rows, ROW.plus(1)))
        if images:
            count = Name("count")
            body: Body = (
                Declare(ROW.id, SIZE),
                Declare("k", SIZE),
                Declare(count.id, SIZE, Literal(-1)),
                *(
                    line
                    for at, image in enumerate(images)
                    for line in counted(image, fields[at], at > 0, self._columned(image, fields[at], images[0]))
                ),
                *needed,
                Do(EVENTS.call("reserve", rows.plus(count))),
                For(("k",), Name("range")(count), (assign(ROW, rows), *filled)),
                *self._unnamed(),
            )
        else:
            body = (Declare(ROW.id, SIZE, rows), *needed, Do(EVENTS.call("reserve", ROW.plus(1))), *filled)
        return Method(put_name(cls), tuple(parameters), INT, (cls.about,), (*body, *RETURN_OK))

    def _unnamed(self) -> Body:
        """Warns of rows without a table name once their events exist. For rows with an error, the error says so."""
        if self.protocol.unnamed is None:
            return ()
        said = Do(own("tables").call("stay_unnamed", own("table")))
        return when(own("table").attribute("partly_named"), (said,))

    def _columned(self, image: Name, field: Name, main: Name) -> Body:
        """Checks an image without columns. For the main image, the message must state that the table has no columns.
        The other image is checked only without a main one, in a delete: its handle key may be empty, but then the
        message must not describe columns.
        """
        columned = Do(image.call("columned", READER, own("table"), image == main, field))
        bare = image.attribute("bare").compared(">=", Literal(0))
        return when(bare if image == main else all_of(main.compared("is", NONE), bare), (columned,))

    def _described(self, member: DescriptionMember, cls: EventClass) -> Body:
        """Stores a description, or reads and stores those of a list."""
        planned, name = self.members[member], description_name(member)
        field = Name(planned.field)
        if isinstance(member, ChangesMember):
            given = (READER, own(planned.attribute), field, Name(planned.column_field))
            found = own("changed")(*given, own("table"), *self._times())
        else:
            _, told, start = self.described_by(member)
            found = own("learned")(told, field, start)
        absent = when(Name(name).compared("<", 0), (missing(READER, field),)) if member.required_of(cls.key) else ()
        return (Declare(name, SIZE, found), *absent)

    def described_by(self, member: DescriptionMember) -> tuple[Body, Expression, Operand]:
        """The statements that read a description, the description, and the offset where it starts."""
        if isinstance(member, ChangesMember):
            return (), NONE, 0
        planned, name = self.members[member], Name(member.identifier)
        found = own("described")(READER, own(planned.attribute), Name(planned.field), Name(planned.column_field))
        return (assign(name, found),), name, own(planned.attribute).attribute("start")

    def _times(self) -> tuple[Expression, ...]:
        """The commit time of the event for the lookup of a description: whether it has a TSO, the TSO, whether it has
        milliseconds, the milliseconds.
        """
        carrying = {self.members[one].means: one for one in self._scalars()}
        found: list[Expression] = []
        for meaning in ("tso", "physical"):
            if meaning not in carrying:
                found += [Literal(False), Literal(0)]
                continue
            member = carrying[meaning]
            around = tuple(has(self.members[one]) for one in self.holders[member])
            planned = self.members[member]
            said = all_of(*around, has(planned)) or has(planned)
            found += [said, Choice(own(planned.attribute), said, Literal(0))]
        return tuple(found)


def _identifies(member: Member) -> bool:
    return isinstance(member, Scalar) and not member.again and (member.switch or member.event in PARTS)

"""The plan of a decoder of records: a method for each record that reads its fields in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...facts import PARTIAL
from ...model import EventClass, Spec
from ...plan.events import EventColumn
from ...plan.names import NamesPlan
from ...plan.values import codec_modules, planned_values
from ...syntax.calls import EVENTS, RETURN_OK, ROW, missing
from ...syntax.nodes import (
    INT,
    NONE,
    SIZE,
    And,
    Body,
    Branch,
    Declare,
    Do,
    Expression,
    If,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Operand,
    Parameter,
    Return,
    Statement,
    Type,
    all_of,
    any_of,
    assign,
    chain,
    named,
    object_type,
    own,
    walk,
    when,
)
from ..described import planned_records, record_constant
from ..members import has
from ..model import DescriptionMember, JsonCase, JsonProtocol, Member, ObjectMember, RowsMember, identifier
from ..reading import ERRORS, JsonReadPlanner
from ..reading_nodes import KeptAttribute, ReadMember
from ..sharing import Put, share_puts
from .model import Record, RecordField, Records
from .reading_nodes import RecordDecoderPlan

READER = Name("r")
CURSOR = Parameter("r", object_type("RecordCursor"))
MESSAGE = Parameter("message", SIZE)
SYMBOL = own("symbol")
"""The number of the enum symbol that selects the case of a class."""
TYPES = {"JsonCursor": "RecordCursor", "Rows": "RecordRows", "Rows | None": "RecordRows | None"}
"""The types of the parameters of methods that make events: those for JSON, and those for records."""


class RecordReadPlanner(JsonReadPlanner):
    """Plans the decoder of one protocol's records. How events are made is planned as for JSON objects."""

    def __init__(
        self,
        spec: Spec,
        protocol: JsonProtocol,
        records: Records,
        columns: Sequence[EventColumn],
        names: NamesPlan,
    ) -> None:
        super().__init__(spec, protocol, columns, names)
        self.records = records
        self.symbols: tuple[str, ...] = ()

    def _columned(self, image: Name, field: Name, main: Name) -> Body:
        """Checks that rows have columns, as for JSON objects. A partial row may have none."""
        carrying = (self.members[one] for one in self._scalars())
        partial = next((one for one in carrying if one.means == PARTIAL), None)
        asked: list[Expression] = [] if image == main else [main.compared("is", NONE)]
        if partial is not None:
            asked.append(Not(And((has(partial), own(partial.attribute)))))
        columned = (Do(image.call("columned", READER, field)),)
        return when(all_of(*asked), columned)

    def _unnamed(self) -> Body:
        """A record always names its table."""
        return ()

    def plan_records(self, module: str) -> RecordDecoderPlan:
        """The plan of the decoder."""
        protocol, records = self.protocol, self.records
        self._objects()
        self.rows = tuple(self.members[one] for one in self.by_type.get(RowsMember, []))
        self.symbols = self._statement_symbols()
        classes = self._classes()
        filled, shared = share_puts([self.puts(one, identifier(one.key)) for one in classes])
        events = [self._event(cls, one.body) for cls, one in zip(classes, filled, strict=True)]
        inner = [self._read_object(one) for one in self.by_type.get(ObjectMember, []) if isinstance(one, ObjectMember)]
        methods = (self._read_whole(), *map(self._read_kind, records.kinds), *inner, *events, *shared)
        values = planned_values(self.spec, protocol.values[records.values])
        version = self._version()
        assert version is not None, "rows of records say by which description they are read"
        return RecordDecoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=records.about,
            fields=tuple(self.fields),
            constants=tuple(self.constants),
            values=values,
            modules=codec_modules((values,)),
            errors=self._errors_of(methods),
            kinds=Name("bytes")(Items(tuple(map(Name, self._branches())))),
            branches=tuple(dict.fromkeys(self._branches())),
            symbols=tuple(one.encode() for one in self.symbols),
            kept=tuple(self._kept_of_records()),
            descriptions=tuple(one.attribute for one in self.members.values() if one.kind == "description"),
            version=version.field,
            members=len(self.rows),
            methods=tuple(map(_of_records, methods)),
            parts=planned_records(self.spec, protocol, records),
            described=record_constant(self._table_record()),
            example=next(f"read_{identifier(str(one.of))}" for one in records.kinds if self._has_rows(one)),
        )

    # ---- what is kept

    def _kept_of_records(self) -> Iterator[KeptAttribute]:
        for member, planned in self.members.items():
            if member is self.protocol.switch:
                continue  # its value is an enum symbol
            if planned.kind == "text":
                yield KeptAttribute(planned.attribute, "Part", Name("Part")())
            elif planned.kind == "rows":
                yield KeptAttribute(f"rows_in_{planned.attribute}", "RecordRows", Name("RecordRows")(Name("KINDS")))
            elif planned.kind == "description":
                yield KeptAttribute(planned.attribute, "object", NONE)
            elif planned.kind == "object" or planned.storage is not None:
                yield KeptAttribute(f"has_{planned.attribute}", "bint", Literal(False))
                if planned.storage is not None:
                    yield KeptAttribute(planned.attribute, planned.storage, Literal(0))
            else:
                assert planned.kind == "passed", member

    @staticmethod
    def _errors_of(methods: Sequence[Method]) -> tuple[str, ...]:
        found = {one.id for one in walk(*methods) if isinstance(one, Name)} & set(ERRORS)
        return tuple(sorted(found))

    def _branches(self) -> tuple[str, ...]:
        """The runtime's names for the branches of a value."""
        fields = (one for record in self.records.types.values() for one in record.fields.values())
        branches = next(one.map for one in fields if one.map)
        held = {str(one.name): f"{one.holds}" for one in self.records.types.values() if one.holds is not None}
        return tuple(f"{held.get(str(one), str(one))}_value".upper() for one in branches)

    def _statement_symbols(self) -> tuple[str, ...]:
        """The symbols of the enum for classes of statements; empty if there is none."""
        rest = self.protocol.message.rest
        if rest is None:
            return ()
        record = self.records.of_class(str(self.spec.events.kinds[rest.event].cls))
        field = record.fields[str(self.protocol.switch.id)]
        return tuple(str(one) for one in self.records.enums[str(field.type)])

    def _table_record(self) -> str:
        member = next(one for one in self.by_type[DescriptionMember] if isinstance(one, DescriptionMember))
        return str(self.records.of_part(str(member.part)).name)

    def _has_rows(self, record: Record) -> bool:
        return any(one.map for one in record.fields.values())

    # ---- reading

    def _read_whole(self) -> Method:
        """The method that reads the root record and the record in it."""
        records, message = self.records, self.records.message
        field = Name(self.members[self.protocol.switch].field)
        branch = Name("branch")
        body: list[Statement] = [
            Do(READER.call("same_branch", records.branch, field), comment=f"{records.root}"),
            Declare(branch.id, INT, READER.call("branch", len(records.kinds), field)),
            Do(READER.call("same_branch", branch, field), comment="the record in it"),
        ]
        names = [str(one.name) for one in records.kinds]
        for at, one in enumerate(records.kinds):
            call = Return(own(f"read_{identifier(str(one.of))}")(READER, Name("message")))
            last = at == len(names) - 1
            body += (call,) if last else (If((Branch(branch.equals(at), (call,), names[at]),)),)
        about = f"One Kafka value: a {message.name}, which is one of {', '.join(names)}."
        return Method("read_whole", (CURSOR, MESSAGE), INT, (about,), tuple(body))

    def _read_kind(self, record: Record) -> Method:
        """The method that reads the record of a class of events and makes the event."""
        cls = str(record.of)
        held = self.protocol.message
        body: list[Statement] = []
        for field in record.fields.values():
            body += self._take(record, field, held.members[str(field.id)], cls)
        root = Name(self.constants[0])
        of = self.spec.events.classes[cls]
        if not of.images and not self.descriptions(of):
            # Nothing in it names a table: the table of the previous message must not be used.
            body.append(assign(own("table"), own("tables").call("of", NONE, NONE)))
        body += [Do(READER.call("consumed", root)), *self._make_events_of(cls), *RETURN_OK]
        about = of.about
        return Method(f"read_{identifier(cls)}", (CURSOR, MESSAGE), INT, (f"{record.name}. {about}",), tuple(body))

    def _read_object(self, member: ObjectMember) -> Method:
        """The method that reads a nested record."""
        held = self.protocol.objects[member.part]
        record = self.records.of_part(str(member.part))
        body: list[Statement] = []
        for field in record.fields.values():
            body += self._take(record, field, held.members[str(field.id)], "")
        planned = self.members[member]
        return Method(planned.function, (CURSOR,), INT, (f"{record.name}. {held.about}",), (*body, *RETURN_OK))

    def _take(self, record: Record, field: RecordField, member: Member, cls: str) -> Body:
        """Reads one field."""
        planned = self.members[member]
        constant, kept = Name(planned.field), own(planned.attribute)
        given = READER.call("given", constant)
        if member is self.protocol.switch:
            count = len(self.records.enums[str(field.type)])
            return (assign(SYMBOL, READER.call("branch", count, constant)),)
        if planned.kind == "rows":
            return self._take_rows(planned, field, cls)
        if planned.kind == "description":
            read = own("reader").call("read", READER, constant, Name(planned.column_field))
            if not field.optional:
                return (assign(kept, read),)
            return when(given, (assign(kept, read),), (assign(kept, NONE),))
        if planned.kind == "object":
            there = own(f"has_{planned.attribute}")
            call = Do(own(planned.function)(READER))
            if not field.optional:
                return (assign(there, Literal(True)), call)
            return (assign(there, given), *when(there, (call,)))
        if planned.kind == "text":
            start, end = kept.attribute("start"), kept.attribute("end")
            text = Do(READER.call("text", kept, constant))
            nothing = when(end.equals(start), (assign(start, Literal(-1)),)) if member.omitted else ()
            if field.optional:
                return when(given, (text, *nothing), (assign(start, Literal(-1)),))
            return (text, *nothing)
        value = self._number(planned, field)
        if planned.kind == "passed":
            return (Do(value, comment=str(member.name)),)
        there = own(f"has_{planned.attribute}")
        if field.optional:
            return (assign(there, given), *when(there, (assign(kept, value),)))
        return (assign(there, Literal(True)), assign(kept, value))

    def _number(self, planned: ReadMember, field: RecordField) -> Expression:
        """Reads a number or a boolean."""
        constant = Name(planned.field)
        if field.type == "boolean":
            return READER.call("boolean", constant)
        if field.type == "int":
            return READER.call("int32", constant)
        if planned.limits is not None:
            return READER.call("between", *map(Literal, planned.limits), constant)
        return READER.call("natural" if planned.kind == "uinteger" else "varint", constant)

    def _take_rows(self, planned: ReadMember, field: RecordField, cls: str) -> Body:
        """Reads a row image if the kind of event has it; otherwise skips it."""
        rows = own(f"rows_in_{planned.attribute}")
        constant, column = Name(planned.field), Name(planned.column_field)
        read = Do(
            rows.call("read", READER, own("table"), own("cache"), Name("message"), planned.which, constant, column)
        )
        passed = Do(rows.call("pass_over", READER, constant))
        clear = Do(rows.call("clear"))
        wanted = any_of(
            tuple(SYMBOL.equals(number) for number, case in self._row_cases(cls) if self._image(case, planned))
        )
        body: Body = when(wanted, (read,), (passed,))
        first = next(one for one in self.rows)
        told = self._told() if planned is first else ()
        if field.optional:
            return (*told, *when(READER.call("given", constant), body, (clear,)))
        return (*told, *body)

    def _told(self) -> Body:
        """Sets the table of the rows, and the version of its description."""
        carrying = {str(one.event): self.members[one] for one in self._scalars()}
        schema, table, version = carrying["schema"], carrying["table"], self._version()
        assert version is not None
        names = [own(one.attribute) for one in (schema, table)]
        found = own("find_table")(READER, *names, Name(schema.field), Name(table.field))
        nameless = own("table").attribute("table").at(1).compared("is", NONE)
        given: tuple[Operand, ...] = (READER, own("table"), Literal(True), own(version.attribute), Name(version.field))
        return (
            assign(own("table"), found),
            *when(nameless, (missing(READER, Name(table.field)),)),
            Do(own("read_by")(*given)),
        )

    def _row_cases(self, cls: str) -> Iterator[tuple[int, JsonCase]]:
        """The cases of a class of events, each with the number of its enum symbol."""
        record = self.records.of_class(cls)
        field = record.fields.get(str(self.protocol.switch.id))
        if field is None:
            return
        symbols = [str(one) for one in self.records.enums[str(field.type)]]
        kinds = self.spec.events.kinds
        for case in self.protocol.message.cases.values():
            if case.event is not None and kinds[case.event].cls == cls and str(case.text) in symbols:
                yield symbols.index(str(case.text)), case

    def _image(self, case: JsonCase, planned: ReadMember) -> bool:
        members = self.protocol.message.members
        return any(self.members[members[str(id)]] is planned for id in case.images.values())

    # ---- events

    def _make_events_of(self, cls: str) -> Body:
        """Makes the event of a record."""
        root = Name(self.constants[0])
        kinds = self.spec.events.kinds
        images = self.spec.events.classes[cls].images
        make = own(f"put_{identifier(cls)}")
        told = list(self._row_cases(cls)) if images else []
        if not told:
            kind = next(kinds[name] for name in self._kinds_of(cls))
            return (Do(make(READER, Name("message"), named(self.kind_names[kind.name]))),)
        branches = []
        for number, case in told:
            kind = kinds[str(case.event)]
            given: list[Operand] = [READER, Name("message"), named(self.kind_names[kind.name])]
            for image in images:
                id = next((id for name, id in case.images.items() if name == image), None)
                if id is None:
                    given += [NONE, root]
                else:
                    planned = self.members[self.protocol.message.members[str(id)]]
                    given += [own(f"rows_in_{planned.attribute}"), Name(planned.field)]
            branches.append(Branch(SYMBOL.equals(number), (Do(make(*given)),), str(case.text)))
        return chain(branches)

    def _kinds_of(self, cls: str) -> list[str]:
        root, kinds = self.protocol.message, self.spec.events.kinds
        found = [str(case.event) for case in root.cases.values() if case.event is not None]
        found += [] if root.rest is None else [str(root.rest.event)]
        return [name for name in found if kinds[name].cls == cls]

    def _put(self, column: EventColumn, cls: EventClass, carrying: object, commit: object) -> Put:
        rest = self.protocol.message.rest
        if rest is not None and rest.names == column.name and self.spec.events.kinds[rest.event].cls == cls.key:
            text = Name("SYMBOLS").at(SYMBOL)
            put = Do(EVENTS.call("put_image", named(column.constant), ROW, text), comment=column.name)
            return Put(column.name, put)
        return super()._put(column, cls, carrying, commit)  # type: ignore[arg-type]

    def described_by(self, member: DescriptionMember) -> tuple[Body, Expression, Operand]:
        return (), own(self.members[member].attribute), 0  # already read with the record


def _of_records(method: Method) -> Method:
    """The same method, with the cursor and row types of records."""
    return replace(
        method,
        parameters=tuple(
            replace(one, type=Type(TYPES[one.type.annotation], TYPES[one.type.c]))
            if one.type.annotation in TYPES
            else one
            for one in method.parameters
        ),
    )

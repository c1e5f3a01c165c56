"""The plan of the decoder of a protocol of registered records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from ..json.model import identifier
from ..json.reading_nodes import ReadingMode, reading_modes
from ..meaning import images_of
from ..model import KIND_FIELD, EventClass, EventKind, Spec
from ..plan.constants import kind_constants
from ..plan.events import EventColumn
from ..plan.names import NamesPlan, flag_constants
from ..plan.package import module_name
from ..syntax.calls import RETURN_OK, ROW, fail
from ..syntax.nodes import (
    BINT,
    INT,
    SIZE,
    UNSIGNED,
    And,
    Body,
    Branch,
    Call,
    Declare,
    Do,
    Expression,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Parameter,
    Return,
    Statement,
    Table,
    any_of,
    assign,
    chain,
    object_type,
    own,
    uses,
    when,
)
from .forms import (
    RuntimePart,
    planned_objects,
    planned_others,
    planned_records,
)
from .many import ManyRowsPlanner
from .marked import MarkMethods
from .model import MARK_WITH_NUMBER, InnerRecord, RecordCase, RegisteredProtocol, ValueMark
from .names import CASES, FieldNames, field_names, names_in
from .puts import COLUMNS, DECLARED, put_int, put_null, put_uint
from .scalar_puts import ScalarPuts

KEY, READER, MESSAGE, CASE = Name("key"), Name("r"), Name("message"), Name("case")
KEY_CURSOR = Parameter(KEY.id, object_type("RecordCursor"))
CURSOR = Parameter(READER.id, object_type("RecordCursor"))
HAS_KEY, HAS_VALUE = Name("has_key"), Name("has_value")
KEYED = (KEY_CURSOR, Parameter(HAS_KEY.id, BINT))
ONE_MESSAGE = Parameter(MESSAGE.id, SIZE)


@dataclass(frozen=True)
class RegisteredDecoderPlan:
    """A decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    names: FieldNames
    parameters: str
    connect: bool
    """Whether schemas are translated from Kafka Connect schemas."""
    modes: tuple[ReadingMode, ...]
    """The options that choose how values are read."""
    unnamed: ReadingMode | None
    """The option that names the table of rows without a table name; None: there is none."""
    records: tuple[RuntimePart, ...]
    objects: tuple[RuntimePart, ...]
    switch: str
    """The switch field, and its possible texts."""
    operations: tuple[bytes, ...]
    row: str
    """The constants of the records of value and key."""
    row_key: str
    key_flag: Expression
    """The flag of the key's columns."""
    nullable: bool
    """Whether schemas contain which columns are nullable."""
    cases: Expression | None
    """The cases of records by switch text; None: rows are read one by one."""
    others: Expression | None
    """The messages without a row; None: there are none."""
    package_of_others: str | None
    """The module of the protocol of these messages."""
    kinds: Expression
    """Constants and codes of their kinds of events."""
    errors: tuple[str, ...]
    """The kinds of errors that the module uses."""
    methods: tuple[Method, ...]

    @property
    def part_classes(self) -> tuple[str, ...]:
        """The classes of the runtime with which records are described."""
        calls = [one.construction for one in self.records]
        names = ("UNREAD", "RecordInside", "RecordPart", "RowColumns", "ScalarField")
        return tuple(name for name in names if any(uses(name, one) for one in calls))

    @property
    def puts_unsigned(self) -> bool:
        """Whether a method stores an unsigned number."""
        return any(uses("put_uint", one) for one in self.methods)

    @property
    def slots(self) -> tuple[str, ...]:
        """The constants that number the record fields with data of the event."""
        return tuple(self.names.slots.values())


class RegisteredReadPlanner:
    """Plans the decoder of one protocol."""

    def __init__(
        self, spec: Spec, protocol: RegisteredProtocol, columns: Sequence[EventColumn], names: NamesPlan
    ) -> None:
        self.spec = spec
        self.protocol = protocol
        self.columns = tuple(columns)
        self.names = field_names(spec, protocol, names)
        self.cases = names_in(names, CASES)
        self.kind_names = kind_constants(spec.events)
        self.marks = MarkMethods(spec, protocol, self.columns, self.names)
        self.scalars = ScalarPuts(spec, protocol, self.columns, self.names, self.cases)
        usual = [one for one in self.columns if not self._is_rare(one)]
        self.many = ManyRowsPlanner(spec, protocol, usual, self.names, self.scalars)

    def plan(self, module: str) -> RegisteredDecoderPlan:
        """Plans the module."""
        protocol, key = self.protocol, self.protocol.row_key
        assert key is not None, "messages have keys"
        flags = flag_constants(self.spec)
        told = next(iter(protocol.key_flags), None)
        others = protocol.value.others
        missing = protocol.row.missing is None
        modes = reading_modes(protocol)
        return RegisteredDecoderPlan(
            source=protocol.file,
            protocol=str(protocol.name),
            module=module,
            title=protocol.title,
            about=protocol.about,
            names=self.names,
            parameters=str(protocol.schemas.parameters),
            connect=protocol.schemas.connect is not None,
            modes=tuple(one for one in modes if not one.names_table),
            unnamed=next((one for one in modes if one.names_table), None),
            records=planned_records(protocol, self.names),
            objects=planned_objects(protocol, self.names),
            switch=str(protocol.switches[0].name),
            operations=tuple(text.encode() for text in protocol.row.cases),
            row=self.names.parts[protocol.row.part],
            row_key=self.names.parts[key.part],
            key_flag=Literal(0) if told is None else Name(flags[told]),
            nullable="nullable" in protocol.described_flags,
            cases=self.many.cases(self.kind_names),
            others=None if others is None else planned_others(self.spec, protocol, others),
            package_of_others=None if others is None else module_name(others.protocol),
            kinds=Table(tuple((Literal(name), Name(self.kind_names[name])) for name in self._others())),
            errors=("MISSING",) if protocol.row.rows and missing else () if protocol.row.rows else ("MISSING", "ROWS"),
            methods=tuple(self._methods()),
        )

    def _others(self) -> tuple[str, ...]:
        """The kinds of events whose messages have no row."""
        others = self.protocol.value.others
        return () if others is None else tuple(map(str, others.kinds))

    def _methods(self) -> Iterator[Method]:
        yield self._read_message()
        for mark in self.protocol.value.marks:
            yield self._read_deleted(mark) if self.marks.has_rows(mark) else self.marks.method(mark)
        yield self._put_row()
        yield from self.many.put_rows()
        yield from self._fill_rows()
        for kind in self._of_keys():
            yield self._put_row_of_key(kind)
        if any(not self.marks.has_rows(mark) for mark in self.protocol.value.marks):
            yield self.marks.put_no_row()

    def _kind(self, name: str) -> EventKind:
        return self.spec.events.kinds[name]

    def _class(self, kind: EventKind) -> EventClass:
        return self.spec.events.classes[kind.cls]

    def _of_keys(self) -> list[EventKind]:
        """The kinds of events whose rows are identified by keys."""
        told = [str(mark.event) for mark in self.protocol.value.marks if self.marks.has_rows(mark)]
        tombstone = self.protocol.value.tombstone
        return [self._kind(name) for name in dict.fromkeys([*([str(tombstone)] if tombstone else []), *told])]

    # ---- kinds of messages

    def _read_message(self) -> Method:
        value = Name(self.names.value)
        key = Name(self.names.key)
        nothing = Return(Call(own("put_nothing")))
        tombstone = self.protocol.value.tombstone
        gone: Body = (nothing,)
        if tombstone is not None:
            kind = self._kind(tombstone)
            gone = (*when(Not(HAS_KEY), (nothing,)), self._read_key(), Return(self._put_key(kind, None)))
        marks: list[Statement] = []
        for mark in self.protocol.value.marks:
            given = (KEY, HAS_KEY, READER, MESSAGE) if self.marks.has_rows(mark) else (READER, MESSAGE)
            marks += when(_begins(mark), (Return(own(_reader(mark))(*given)),))
        read = own("read_row")(KEY, HAS_KEY, key, READER, value, MESSAGE)
        rows: Body = (Do(read),)
        if self.protocol.value.others is not None:
            stranger = own("read_connect_message")(KEY, HAS_KEY, key, READER, value, MESSAGE)
            rows = when(read, (Return(stranger),))
        body = (*when(Not(HAS_VALUE), gone), *marks, *rows, Return(own("put_row")(READER, MESSAGE)))
        parameters = (*KEYED, CURSOR, Parameter(HAS_VALUE.id, BINT), ONE_MESSAGE)
        about = "A key and a value, each of which may be null."
        return Method("read_message", parameters, INT, (about,), body, overrides=True)

    def _read_key(self) -> Do:
        return Do(own("read_key")(KEY, Name(self.names.key), MESSAGE))

    def _read_deleted(self, mark: ValueMark) -> Method:
        """The method for a marked value that deletes the row of the key."""
        kind = self._kind(mark.event)
        number = own("marked_number")(READER, Name(self.names.marks[mark]))
        body = (
            self.marks.past(),
            Declare("number", UNSIGNED, number),
            *when(Not(HAS_KEY), (Return(Call(own("put_nothing"))),)),
            self._read_key(),
            Return(self._put_key(kind, mark)),
        )
        return Method(_reader(mark), (*KEYED, CURSOR, ONE_MESSAGE), INT, (mark.about or str(mark.id),), body)

    def _carried_of(self, kind: EventKind) -> list[str]:
        """The event fields in the marks of a kind: one or none."""
        marks = [one for one in self.protocol.value.marks if one.event == kind.name]
        return [str(one.carries) for one in marks if one.carries is not None]

    def _put_key(self, kind: EventKind, mark: ValueMark | None) -> Expression:
        given: list[Expression] = [MESSAGE]
        for _ in self._carried_of(kind):
            given += [Literal(mark is not None), Literal(0) if mark is None else Name("number")]
        return own(_of_key(kind))(*given)

    # ---- events of rows

    def _put_row(self) -> Method:
        """The method that creates the event of a record."""
        row, spec = self.protocol.row, self.spec
        cases = list(row.cases.values())
        cls = self._class(self._kind(cases[0].event))
        (switch,) = self.protocol.switches
        operation = own("operation")(READER, Name(self.names.slots[switch]), Name(self.names.scalars[switch]))
        untold = next((one for one in cases if one.event == row.missing), None)
        unknown = fail(READER, "MISSING", Name(self.names.scalars[switch]), READER.attribute("pos"), 1, 0)
        branches = [
            Branch(CASE.equals(Name(name)), self._put_case(case, cls))
            for name, case in zip(self.cases, cases, strict=True)
            if case is not untold
        ]
        last = cases[-1] if untold is None else untold
        if untold is None:
            branches.pop()
        comment = str(last.text) if untold is None else f"{last.text}, and where nothing tells it"
        otherwise = Branch(None, self._put_case(last, cls), comment)
        (decided,) = chain([*branches, otherwise]) if branches else self._put_case(last, cls)[:1]
        record = Name("record")
        body = (
            DECLARED,
            Declare(record.id, object_type("RecordReader"), own("record")),
            Declare(ROW.id, SIZE, COLUMNS.attribute("rows")),
            Declare(CASE.id, INT, operation),
            *(when(CASE.compared("<", 0), (unknown,)) if untold is None else ()),
            *self.scalars.texts(),
            *when(ROW.plus(1).compared(">", COLUMNS.attribute("room")), (Do(COLUMNS.call("reserve", ROW.plus(1))),)),
            put_int(self._at("message"), MESSAGE),
            *self._accepted(),
            decided,
            *self._columns(cls, record, self._put, [one for one in self.columns if not self._is_rare(one)]),
            *self._rare(cls, record),
            assign(COLUMNS.attribute("rows"), ROW.plus(1)),
            Return(Literal(1)),
        )
        about = str(spec.events.classes[cls.key].about)
        return Method("put_row", (CURSOR, ONE_MESSAGE), INT, (about,), body, overrides=True)

    def _accepted(self) -> Iterator[Statement]:
        """Checks that constant texts are among the accepted ones."""
        for scalar in self.protocol.scalars:
            if scalar.accepts:
                texts = (scalar.const, *scalar.accepts)
                accepted = Items(tuple(Literal(str(one).encode()) for one in texts))
                given = (READER, Name(self.names.slots[scalar]), accepted, Name(self.names.scalars[scalar]))
                yield Do(own("accept")(*given))
            elif scalar.refused:
                slot = Name(self.names.slots[scalar])
                field = Name(self.names.scalars[scalar])
                refused = own("state_nothing")(READER, slot, field)
                if not scalar.states:
                    refused = own("accept")(READER, slot, Items(()), field)
                there = Name("record").attribute("slots").at(slot).attribute("given")
                yield from when(there, (Do(refused),))

    def _put(self, column: EventColumn) -> Body:
        return self.scalars.put(column) if self.scalars.is_put(column) else ()

    def _is_rare(self, column: EventColumn) -> bool:
        """Whether most rows have no value for this column."""
        rows = self.protocol.rows[0]
        said = column.name in (rows.known_by, rows.utc)
        return said or (self.scalars.is_put(column) and self.scalars.is_rare(column))

    def _rare(self, cls: EventClass, record: Name) -> Iterator[Statement]:
        """Fills the columns that only some rows have, after rows without them."""
        columns = [one for one in self.columns if self._is_rare(one)]
        rows = self.protocol.rows[0]
        conditions = list(self.scalars.has_rare())
        if rows.known_by is not None or rows.utc is not None:
            conditions.append(record.attribute("told"))
        if columns:
            fill = Do(own("fill_rare")(own("without_rare"), ROW))
            yield from when(
                any_of(tuple(conditions)),
                (
                    *when(own("without_rare").compared("<", ROW), (fill,)),
                    assign(own("without_rare"), ROW),
                    *self._columns(cls, record, self._put, columns),
                    assign(own("without_rare"), ROW.plus(1)),
                ),
            )

    def _fill_rows(self) -> Iterator[Method]:
        """The methods that fill, for many rows at once, the columns that `put_row` leaves out."""
        never = [one for one in self.columns if self._is_told(one) and not self.scalars.is_put(one)]
        rare = [one for one in self.columns if self._is_rare(one)]
        yield self._filling("fill_rows", never, "Nothing in the columns for which no record has a field.")
        yield self._filling("fill_rare", rare, "Nothing in the columns for which few rows have something.")

    def _filling(self, name: str, columns: list[EventColumn], about: str) -> Method:
        stop = Name("stop")
        fills = (Do(COLUMNS.call("fill_null", Name(one.constant), ROW, stop)) for one in columns)
        parameters = (Parameter(ROW.id, SIZE), Parameter(stop.id, SIZE))
        body = (DECLARED, *fills, *RETURN_OK) if columns else RETURN_OK
        return Method(name, parameters, INT, (about,), body, overrides=True)

    def _is_told(self, column: EventColumn) -> bool:
        """Whether a record field may fill the column."""
        rows = self.protocol.rows[0]
        found = column.name in ("table", KIND_FIELD, rows.known_by, rows.utc)
        return self.marks.is_field(column) and not found

    def _put_case(self, case: RecordCase, cls: EventClass) -> Body:
        """Stores the kind of the event and its row images."""
        record, kind = Name("record"), self._kind(case.event)
        places = self.protocol.images
        second = places[1] if len(places) > 1 else None
        held = {str(image): places.index(self._place(id)) for image, id in case.images.items()}
        found: list[Statement] = [put_int(self._at(KIND_FIELD), Name(self.kind_names[case.event]))]
        if second is not None and self.protocol.row.rows and 1 not in held.values():
            found.append(Do(record.call("forget_inner")))
        for image in map(str, cls.images):
            prefix = "inner_" if held.get(image) == 1 else ""
            layout, row = record.attribute(f"{prefix}layout"), record.attribute(f"{prefix}row")
            if image == str(images_of(self.spec, kind)[0]) and not self.protocol.row.rows:
                field = Name(self.names.value)
                missing = fail(READER, "MISSING", field, READER.attribute("pos"), 1, 0)
                found += when(row.compared("<", 0), (missing,))
            found += self.marks.put_image(image, (layout, row) if image in held else None)
        if not self.protocol.row.rows:
            others = [number for number in range(len(places)) if number not in held.values()]
            found += [line for number in others for line in self._no_row(number)]
        return tuple(found)

    def _no_row(self, number: int) -> Body:
        """Checks that an image which the event's kind lacks is null, so that no row is lost."""
        row = Name("record").attribute("inner_row" if number == 1 else "row")
        lost = fail(READER, "ROWS", Name(self.names.value), READER.attribute("pos"), 0, 0)
        return when(row.compared(">=", 0), (lost,))

    def _place(self, id: str) -> InnerRecord | None:
        """Where the row image of a field is: in a nested record, or (None) in the record itself."""
        field = self.protocol.row.fields[id]
        return field if isinstance(field, InnerRecord) else None

    def _put_row_of_key(self, kind: EventKind) -> Method:
        """The method that creates the event of a key."""
        cls, record = self._class(kind), own("key_record")
        carried = self._carried_of(kind)
        parameters = [ONE_MESSAGE]
        for name in carried:
            parameters += [Parameter(f"has_{identifier(name)}", BINT), Parameter(identifier(name), UNSIGNED)]

        def put(column: EventColumn) -> Body:
            if column.name not in carried:
                return (put_null(Name(column.constant)),)
            there, number = Name(f"has_{identifier(column.name)}"), Name(identifier(column.name))
            return when(there, (put_uint(Name(column.constant), number),), (put_null(Name(column.constant)),))

        images = images_of(self.spec, kind)
        place = (record.attribute("layout"), record.attribute("row"))
        body = (
            *self.marks.begin(),
            put_int(self._at(KIND_FIELD), Name(self.kind_names[kind.name])),
            *self._columns(cls, record, put),
            *(line for one in cls.images for line in self.marks.put_image(str(one), place if one in images else None)),
            *self.marks.end(),
        )
        about = f"An event of kind {kind.name}, of whose row the key alone says what it was."
        return Method(_of_key(kind), tuple(parameters), INT, (about,), body)

    def _columns(
        self,
        cls: EventClass,
        record: Expression,
        put: Callable[[EventColumn], Body],
        columns: Sequence[EventColumn] | None = None,
    ) -> Iterator[Statement]:
        """Stores the columns other than kind and row images; all, or those given."""
        key = self.protocol.row_key
        assert key is not None, "messages have keys"
        rows = (key.rows if record == own("key_record") else self.protocol.rows)[0]
        for column in self.columns if columns is None else columns:
            if column.name == "table":
                yield put_int(Name(column.constant), own("position_of")(record))
            elif column.name == rows.known_by:
                yield Do(own("put_types")(Name(column.constant), ROW, record))
            elif column.name == rows.utc:
                yield Do(own("put_utc")(Name(column.constant), ROW, record))
            elif self.marks.is_field(column) and column.name != KIND_FIELD:
                yield from put(column)

    def _at(self, name: str) -> Expression:
        return Name(next(one.constant for one in self.columns if one.name == name))


def _begins(mark: ValueMark) -> Expression:
    """The condition that a value is this mark; the length is checked too if records may begin with the same byte."""
    begins = READER.call("begins", mark.byte)
    if not mark.is_told_by_length:
        return begins
    return And((begins, READER.attribute("end").equals(MARK_WITH_NUMBER)))


def _reader(mark: ValueMark) -> str:
    return f"read_{mark.identifier}"


def _of_key(kind: EventKind) -> str:
    return f"put_{identifier(kind.name)}_of_key"

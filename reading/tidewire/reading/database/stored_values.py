"""Values as the database prints them, in the types of a table's columns: exactly as changes of the same rows become
values of that table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnType, storage
from tidewire.reading.database.dumped_text import Cell, RawRows
from tidewire.reading.kernels.convert import Converted, State
from tidewire.reading.labels import LABELLED, as_labels, labels_of
from tidewire.reading.options import ReadOptions
from tidewire.reading.typed import Conversion, converter
from tidewire.reading.types import TIMESTAMP, SchemaError, Wanted, target_type
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import Column
from tidewire.runtime.shortened import shown


class Unfit(NamedTuple):
    """A value that the table's column cannot hold: it is null in the batch.

    Attributes:
        row: its row in the batch.
        column: the table's column.
        reason: the value, and what does not fit.
    """

    row: int
    column: str
    reason: str


class TypedRows(NamedTuple):
    """Rows in the types of a table.

    Attributes:
        batch: the rows.
        unfit: values that the table cannot hold.
    """

    batch: pa.RecordBatch
    unfit: list[Unfit]


class _Step(NamedTuple):
    """How a column is made."""

    column: Column
    wanted: Wanted
    stored: Callable[[Sequence[Cell]], tuple[pa.Array, list[int]]]
    """From cells to the values of a change, and the rows whose text is no value of the type."""
    conversion: Conversion


class StoredValues:
    """Converts the rows of one table.

    Attributes:
        schema: of the batches.
    """

    def __init__(
        self, columns: Sequence[Column], wanted: Sequence[Wanted], options: ReadOptions, timezone: str | None
    ) -> None:
        """
        Args:
            columns: of the source, with their declared types.
            wanted: the table's columns; each has one of the source.
            options: as for the changes that the table is made of.
            timezone: in which the source prints TIMESTAMP values; None if it is not known.

        Raises:
            SchemaError: a column cannot have the type of the table's, or has TIMESTAMP values of an unknown time zone.
        """
        known = {one.name.lower(): one for one in columns}
        self._options = options
        self._timezone = timezone
        self._steps = [self._step(known[one.name.lower()], one) for one in wanted]
        self.schema = pa.schema([pa.field(one.name, one.target.arrow) for one in wanted])

    def batch(self, rows: RawRows) -> TypedRows:
        """The rows in the types of the table.

        Raises:
            SchemaError: they lack a column.
        """
        places = {name.lower(): at for at, name in enumerate(rows.names)}
        arrays, unfit = [], []
        for step in self._steps:
            place = places.get(step.column.name.lower())
            if place is None:
                raise SchemaError(f"rows have no column {step.column.name!r}: they have {', '.join(rows.names)}")
            cells = rows.columns[place]
            stored, wrong = step.stored(cells)
            made = step.conversion.convert(stored)
            arrays.append(made.array)
            unfit += [Unfit(row, step.wanted.name, _reason(step, cells[row], None)) for row in wrong]
            unfit += self._lost(step, cells, made)
        return TypedRows(pa.RecordBatch.from_arrays(arrays, schema=self.schema), unfit)

    def _lost(self, step: _Step, cells: Sequence[Cell], made: Converted) -> list[Unfit]:
        if made.states is None:
            return []
        allowed = State.NO_DAY if self._options.zero_date == "null" else State.VALUE
        states = made.states.to_pylist()
        return [
            Unfit(row, step.wanted.name, _reason(step, cells[row], State(state)))
            for row, state in enumerate(states)
            if state > allowed
        ]

    def _step(self, column: Column, wanted: Wanted) -> _Step:
        labels = labels_of(column.mysql_type)
        target = wanted.target.arrow
        stored = _stored(column, labels)
        if column.type == ColumnType.TIMESTAMP:
            if self._timezone is None:
                raise SchemaError(
                    f"column {column.name!r} has TIMESTAMP values, and it is not known in which time zone they are"
                    " printed: say it (of a dump, dumpling --params time_zone=+00:00 prints UTC)"
                )
            if target != TIMESTAMP and self._timezone != self._options.timezone:
                stored = partial(_moved, column=column, from_zone=self._timezone, to_zone=self._options.timezone)
        kind = _KINDS.get(storage(column.type, column.flags), pa.utf8())
        if column.type in LABELLED and target == pa.utf8() and self._options.enum == "label":
            conversion = Conversion(partial(as_labels, column, labels=labels))
        else:
            conversion = converter(column, kind, wanted.target, self._timezone or "UTC")
        return _Step(column, wanted, stored, conversion)


_KINDS = {"int": pa.int64(), "uint": pa.uint64(), "float": pa.float64(), "bytes": pa.binary()}


def _stored(column: Column, labels: tuple[str, ...]) -> Callable[[Sequence[Cell]], tuple[pa.Array, list[int]]]:
    kind = storage(column.type, column.flags)
    if column.type in LABELLED:
        numbers = {label.encode(): at for at, label in enumerate(labels, 1)}
        # MySQL stores 0 for a value that is no label, and prints it as an empty text
        one = partial(_label, numbers={b"": 0, **numbers})
        several = partial(_labels, numbers={label: 1 << at - 1 for label, at in numbers.items()})
        return partial(_each, read=one if column.type == ColumnType.ENUM else several, kind=pa.uint64())
    if column.type == ColumnType.BIT:
        return partial(_each, read=_bits, kind=pa.uint64())
    if column.type == ColumnType.FLOAT:
        return partial(_parsed, read=_single, kind=pa.float32(), into=pa.float64())
    if kind == "bytes":
        return _as_it_is
    if kind == "text":
        return partial(_parsed, read=bytes.decode, kind=pa.utf8(), into=pa.utf8())
    read: Callable[[bytes], object] = float if kind == "float" else int
    return partial(_parsed, read=read, kind=_KINDS[kind], into=_KINDS[kind])


def _as_it_is(cells: Sequence[Cell]) -> tuple[pa.Array, list[int]]:
    return column_of(list(cells), pa.binary()), []


def _parsed(
    cells: Sequence[Cell], read: Callable[[bytes], object], kind: pa.DataType, into: pa.DataType
) -> tuple[pa.Array, list[int]]:
    """Text as a type of Arrow: all of it at once, or where some of it is none, value by value."""
    try:
        return column_of(list(cells), pa.binary()).cast(pa.utf8()).cast(kind).cast(into), []
    except pa.ArrowInvalid:
        found, wrong = _each(cells, read, kind)
        return found.cast(into), wrong


def _each(cells: Sequence[Cell], read: Callable[[bytes], object], kind: pa.DataType) -> tuple[pa.Array, list[int]]:
    """Values one by one, and the rows of those that cannot be read or that the type cannot hold."""
    values: list[object] = []
    wrong = []
    for row, cell in enumerate(cells):
        value: object = None
        if cell is not None:
            try:
                value = read(cell)
            except (ValueError, KeyError):
                wrong.append(row)
        values.append(value)
    try:
        return column_of(values, kind), wrong
    except OverflowError:
        beyond = [row for row, value in enumerate(values) if value is not None and not _has_room(value, kind)]
        for row in beyond:
            values[row] = None
        return column_of(values, kind), sorted([*wrong, *beyond])


def _has_room(value: object, kind: pa.DataType) -> bool:
    try:
        column_of([value], kind)
    except OverflowError:
        return False
    return True


def _label(cell: bytes, numbers: Mapping[bytes, int]) -> int:
    return numbers[cell]


def _labels(cell: bytes, numbers: Mapping[bytes, int]) -> int:
    return sum(numbers[one] for one in cell.split(b",")) if cell else 0


def _bits(cell: bytes) -> int:
    return int.from_bytes(cell, "big")


def _single(cell: bytes) -> float:
    return float(pc.cast(column_of([cell.decode()], pa.utf8()), pa.float32())[0].as_py())


def _moved(cells: Sequence[Cell], column: Column, from_zone: str, to_zone: str) -> tuple[pa.Array, list[int]]:
    """TIMESTAMP texts of one time zone as those of another one; dates that do not exist stay as they are."""
    texts, wrong = _parsed(cells, bytes.decode, pa.utf8(), pa.utf8())
    times = converter(column, pa.utf8(), target_type(TIMESTAMP), from_zone).convert(texts).array
    local = pc.local_timestamp(times.cast(pa.timestamp("us", to_zone)))
    seconds = pc.strftime(pc.floor_temporal(local, unit="second").cast(pa.timestamp("s")), "%Y-%m-%d %H:%M:%S")
    moved = pc.binary_join_element_wise(seconds, pc.utf8_slice_codeunits(texts, 19), "")
    return pc.if_else(pc.is_null(times), texts, moved), wrong


def _reason(step: _Step, cell: Cell, state: State | None) -> str:
    text = shown((cell or b"").decode("utf-8", "backslashreplace"))
    why = {State.NO_DAY: "is a date that does not exist", State.NO_ROOM: "does not fit"}.get(
        State.VALUE if state is None else state, "is no value of"
    )
    return f"{text} {why}{'' if state == State.NO_DAY else ' ' + step.wanted.target.name}"

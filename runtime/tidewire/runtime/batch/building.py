"""Converts event objects made in Python to the columns that encoders take.

Values are put directly into the columns' memory. The cache entry of a row's columns is found by the identity of their
tuple, since events of one table mostly share it; another object is compared with the last tuple, and looked up only if
it differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.arrow.decimal_texts import has_other
from tidewire.runtime.arrow.storage import BYTES, INT, TEXT, UINT
from tidewire.runtime.batch import Column
from tidewire.runtime.batch.built_rows import (
    RANGES,
    BuiltRows,
    RowSchema,
    Storage,
    check_columns,
    name_of,
    names_of,
    said,
)
from tidewire.runtime.batch.columns_cache import ColumnsCache
from tidewire.runtime.batch.decimals import with_spelled_decimals
from tidewire.runtime.batch.event_batches import EventBatches
from tidewire.runtime.batch.event_columns import EventColumns
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.batch.partial_rows import why_refused
from tidewire.runtime.errors import ArgumentError, EncodeError
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables import DescribedTable

FIELDS = {"int64": INT, "uint64": UINT, "bool": INT, "text": TEXT, "bytes": BYTES, "description": INT}
ARROW = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "bool": pa.int64(),
    "text": pa.utf8(),
    "bytes": pa.binary(),
    "description": pa.int64(),
}

MOST_TYPES = 256
"""The most event classes whose fields a builder caches; beyond that all are dropped."""

_MISSING = object()


class Field:
    """An event field: the position of its column, its name and its type."""

    def __init__(self, position: int, name: str, kind: str) -> None:
        self.position = position
        self.name = name
        self.kind = kind
        self.storage = FIELDS[kind]
        self.truth = kind == "bool"
        self.describes = kind == "description"


class Fields:
    """The fields that events of a class can have, and those that they cannot.

    Attributes:
        named: fields whose presence an event marks by a bit each, instead of having them all (`there`).
    """

    def __init__(self, there: list[Field], absent: list[Field], named: list[Field]) -> None:
        self.there = there
        self.absent = absent
        self.named = named


class EventBuilder:
    """Collects event objects in columns. Threads may share it: it caches columns, never events.

    Args:
        fields: name and type of each column of `EventColumns.events`, in order: int64, uint64, bool (stored as 0 and
            1), text, bytes, or description (stored as an index).
        kinds: code of each kind of event.
        storage: gives the storage of a column by its type and flags.
        rare: the positions of columns that few protocols carry.

    Attributes:
        names: the names of the columns; `storages` has the storage of each, and `schema` the Arrow schema.
    """

    def __init__(
        self, fields: Sequence[tuple[str, str]], kinds: Mapping[str, int], storage: Storage, rare: Sequence[int] = ()
    ) -> None:
        self.rare = tuple(rare)
        self.kinds = dict(kinds)
        self.storage = storage
        self.names = tuple([name for name, _ in fields])
        self.storages = [FIELDS[kind] for _, kind in fields]
        self.schema = pa.schema([(name, ARROW[kind]) for name, kind in fields])
        self.batches = EventBatches(self.schema, range(len(fields)))
        self.positions = {name: position for position, (name, _) in enumerate(fields)}
        own = {"message", "kind", "table", *(f"{side}_{part}" for side in ("new", "old") for part in ("layout", "row"))}
        self.fields = [Field(position, name, kind) for position, (name, kind) in enumerate(fields) if name not in own]
        self.describing = [field.name for field in self.fields if field.describes]
        self.shapes = ColumnsCache()
        self.fields_of: dict[type, Fields] = {}

    def build(self, events: Iterable[Any]) -> EventColumns:
        """The events as columns, in their order.

        Raises:
            EncodeError: an event lacks something or has a value that its column's type cannot hold.
            ArgumentError: they are not events.
        """
        building: Building = Building(self)
        if isinstance(events, list | tuple):
            building.out.reserve(len(events))
        elif not isinstance(events, Iterable):
            raise ArgumentError(f"events are given as a list of them, or as decoding gave them, not as {said(events)}")
        for index, event in enumerate(events):
            building.add(index, event)
        return building.finish()

    def fields_said(self, kind: Any) -> Fields:
        """The fields of an event class."""
        found: Fields | None = self.fields_of.get(kind)
        if found is None:
            there = self.fields
            plain = kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")
            if plain and kind.__dictoffset__ == 0:  # the type defines all of its attributes
                there = [field for field in there if hasattr(kind, field.name)]
            if len(self.fields_of) >= MOST_TYPES:
                self.fields_of.clear()
            absent = [field for field in self.fields if field not in there]
            names = (
                getattr(kind, "NAMED", ()) if hasattr(kind, "said_by_name") and len(there) < len(self.fields) else ()
            )
            by_name = {field.name: field for field in there}
            named = [by_name[name] for name in names]
            found = Fields([field for field in there if field not in named], absent, named)
            self.fields_of[kind] = found
        return found

    def shape(self, index: cython.Py_ssize_t, columns: tuple[Column, ...]) -> RowSchema:
        """The checked columns of a row image.

        Raises:
            EncodeError: the columns of the event with this index are invalid.
        """
        found: RowSchema | None = self.shapes.find(columns)
        if found is None:
            try:
                hash(columns)
            except TypeError as error:
                raise EncodeError("events", index, None, f"its columns cannot be told from others: {error}") from None
            check_columns(index, columns)
            found = RowSchema(columns, self.storage)
            self.shapes.remember(columns, found)
        return found


class GivenColumns:
    """The columns that events of a table list; their row images have values for all or some of them.

    Attributes:
        shape: the schema of rows with all columns; None until it is needed.
        rows: the rows that have all columns.
        part: the rows with the same subset of columns as the last partial row.
        parts: partial rows by their subset: a byte for each column, 1 or 0.
    """

    def __init__(self, columns: tuple[Column, ...], names: list[str], shape: RowSchema | None) -> None:
        self.columns = columns
        self.names = names
        self.shape = shape
        self.rows: BuiltRows | None = None
        self.part: BuiltRows | None = None
        self.parts: dict[bytes, BuiltRows] = {}


class TableRows:
    """The rows of one table.

    Attributes:
        given: the last tuple of columns, and `last` its entry.
        known: entries by their shape, or by the tuple while no row has had all columns.
        rows: by the columns that they have.
    """

    def __init__(self, number: cython.Py_ssize_t) -> None:
        self.number = number
        self.given: tuple[Column, ...] | None = None
        self.last: GivenColumns | None = None
        self.known: dict[Any, GivenColumns] = {}
        self.rows: dict[RowSchema, BuiltRows] = {}


class Building:
    """A batch of events under construction."""

    def __init__(self, builder: EventBuilder) -> None:
        self.builder = builder
        self.out = Columns(builder.storages)
        positions = builder.positions
        self.message, self.kind, self.table = positions["message"], positions["kind"], positions["table"]
        self.new_layout, self.new_row = positions["new_layout"], positions["new_row"]
        self.old_layout, self.old_row = positions["old_layout"], positions["old_row"]
        self.tables: dict[tuple[str | None, str | None], TableRows] = {}
        self.layouts: list[BuiltRows] = []
        self.descriptions: dict[DescribedTable, int] = {}
        self.last_schema: object = _MISSING
        self.last_name: object = _MISSING
        self.last_table: TableRows | None = None

    def add(self, index: cython.Py_ssize_t, event: Any) -> cython.int:
        """Appends an event."""
        out: Columns = self.out
        row: cython.Py_ssize_t = out.rows
        field: Field
        code = self.code(index, event)
        table: TableRows = self.table_of(index, getattr(event, "schema", None), getattr(event, "table", None))
        out.reserve(row + 1)
        out.put_null(self.message, row)
        out.put_int(self.kind, row, code)
        out.put_int(self.table, row, table.number)
        new = getattr(event, "new", _MISSING)
        self.put_image(index, event, None if new is _MISSING else new, table, self.new_layout, self.new_row)
        self.put_image(index, event, getattr(event, "old", None), table, self.old_layout, self.old_row)
        if new is _MISSING:
            columns = _columns(index, event)
            if columns and not self.described(event, columns):
                out.put_int(self.new_layout, row, self.rows_of(index, table, columns).number)
        fields: Fields = self.builder.fields_said(type(event))
        for field in fields.absent:
            out.put_null(field.position, row)
        for field in fields.there:
            value = getattr(event, field.name, None)
            if value is None:
                out.put_null(field.position, row)
            else:
                self.put_field(index, field, value)
        if fields.named:
            said: cython.ulonglong = event.said_by_name()
            for field in fields.named:
                if said & 1:
                    self.put_field(index, field, getattr(event, field.name))
                else:
                    out.put_null(field.position, row)
                said >>= 1
        out.rows = row + 1
        return 0

    def described(self, event: Any, columns: tuple[Column, ...]) -> cython.bint:
        """Whether the columns of an event without rows are those of its description, which are then stored only
        once.
        """
        for name in self.builder.describing:
            found = getattr(event, name, None)
            if isinstance(found, DescribedTable) and tuple(found.row_columns()) == columns:
                return True
        return False

    def code(self, index: cython.Py_ssize_t, event: Any) -> int:
        """The code of the event's kind."""
        kind = getattr(event, "kind", "")
        code = self.builder.kinds.get(kind) if isinstance(kind, str) else None
        if code is None:
            legal = ", ".join(self.builder.kinds)
            raise EncodeError("events", index, None, f"{shown(event)} is no event: its kind is none of {legal}")
        return code

    def table_of(self, index: cython.Py_ssize_t, schema: Any, name: Any) -> TableRows:
        """The rows of the event's table in this batch."""
        if self.last_table is not None and _same(schema, self.last_schema) and _same(name, self.last_name):
            return self.last_table
        names = (name_of(index, "schema", schema), name_of(index, "table", name))
        found: TableRows | None = self.tables.get(names)
        if found is None:
            found = TableRows(len(self.tables))
            self.tables[names] = found
        self.last_schema = schema
        self.last_name = name
        self.last_table = found
        return found

    # ---- rows

    def put_image(
        self,
        index: cython.Py_ssize_t,
        event: Any,
        image: Any,
        table: TableRows,
        layout: cython.int,
        position: cython.int,
    ) -> cython.int:
        """Puts a row image of the event, and its layout and row number into the event's columns."""
        known: GivenColumns
        rows: BuiltRows | None
        columns: tuple[Column, ...] = ()
        if image is None:
            self.out.put_int(layout, self.out.rows, -1)
            self.out.put_int(position, self.out.rows, -1)
            return 0
        if type(image) is not dict:
            if not isinstance(image, Mapping):
                raise EncodeError("events", index, None, f"its rows are mappings of names to values, not {said(image)}")
            lacks = getattr(image, "lacks", ())
            if lacks:
                raise EncodeError("events", index, None, why_refused(lacks))
            columns = _columns(index, image)
        if not columns:
            columns = _columns(index, event)
            if not columns and len(image):
                reason = "its rows are plain mappings and it has no columns: give columns=[Column(...), ...]"
                raise EncodeError("events", index, None, reason)
        known = self.known_columns(index, table, columns)
        rows = known.rows
        if rows is None or not rows.take(index, image):
            rows = known.part
            if rows is None or not rows.take(index, image):
                rows = self.search(index, image, table, known)
        self.out.put_int(layout, self.out.rows, rows.number)
        self.out.put_int(position, self.out.rows, rows.rows - 1)
        return 0

    def known_columns(self, index: cython.Py_ssize_t, table: TableRows, columns: tuple[Column, ...]) -> GivenColumns:
        """What is cached for the columns that an event lists."""
        found: GivenColumns | None = table.last
        if found is not None and table.given is columns:
            return found
        if found is None or found.columns != columns:
            found = self.looked_up(index, table, columns)
        table.given = columns
        table.last = found
        return found

    def looked_up(self, index: cython.Py_ssize_t, table: TableRows, columns: tuple[Column, ...]) -> GivenColumns:
        """Like `known_columns`, for a tuple that differs from the previous event's."""
        found: GivenColumns | None = None
        shape: RowSchema | None = self.builder.shapes.find(columns)
        key: Any = columns if shape is None else shape
        try:
            found = table.known.get(key)
        except TypeError:  # an unhashable key may be a column that the row does not have
            return GivenColumns(columns, names_of(index, columns), None)
        if found is None:
            found = GivenColumns(columns, names_of(index, columns) if shape is None else shape.names, shape)
            table.known[key] = found
        return found

    def search(self, index: cython.Py_ssize_t, image: Any, table: TableRows, known: GivenColumns) -> BuiltRows:
        """Puts a row image whose columns differ from the last ones. Returns the rows that it was put into."""
        rows: BuiltRows | None
        columns: tuple[Column, ...] = known.columns
        shape: RowSchema | None = known.shape
        if shape is not None and known.rows is None:
            rows = table.rows.get(shape)
            if rows is None:
                rows = BuiltRows(table.number, shape, len(self.layouts))
            if rows.take(index, image):
                self.keep(table, rows)
                known.rows = rows
                return rows
        mask = bytes([name in image for name in known.names])
        rows = known.parts.get(mask)
        if rows is not None and rows.take(index, image):
            known.part = rows
            return rows
        present = tuple([column for column, there in zip(columns, mask, strict=True) if there])
        whole: cython.bint = len(present) == len(columns)
        rows = self.rows_of(index, table, columns if whole else present)
        if len(present) != len(image):
            stray = next((name for name in image if name not in set(known.names)), None)
            raise EncodeError("events", index, stray, "the row has it, the event's columns do not")
        if whole:
            known.rows = rows
        else:
            known.parts[mask] = known.part = rows
        if not rows.take(index, image):
            raise EncodeError("events", index, None, f"{shown(image)} changes while it is read")
        return rows

    def rows_of(self, index: cython.Py_ssize_t, table: TableRows, columns: tuple[Column, ...]) -> BuiltRows:
        """The rows that have exactly these columns."""
        shape: RowSchema = self.builder.shape(index, columns)
        rows: BuiltRows | None = table.rows.get(shape)
        if rows is None:
            rows = BuiltRows(table.number, shape, len(self.layouts))
            self.keep(table, rows)
        return rows

    def keep(self, table: TableRows, rows: BuiltRows) -> cython.int:
        """Adds these rows to the table and to the batch."""
        if rows.number == len(self.layouts):
            table.rows[rows.shape] = rows
            self.layouts.append(rows)
        return 0

    # ---- fields

    def put_field(self, index: cython.Py_ssize_t, field: Field, value: Any) -> cython.int:
        """Puts a field of the event; raises an error if its column cannot hold the value."""
        out: Columns = self.out
        row: cython.Py_ssize_t = out.rows
        try:
            if field.truth:
                if isinstance(value, bool):
                    return out.put_int(field.position, row, value)
            elif field.describes:
                if isinstance(value, DescribedTable):
                    number = self.descriptions.setdefault(value, len(self.descriptions))
                    return out.put_int(field.position, row, number)
            elif field.storage == INT:
                if isinstance(value, int):
                    return out.put_int(field.position, row, value)
            elif field.storage == UINT:
                if isinstance(value, int):
                    return out.put_uint(field.position, row, value)
            elif field.storage == TEXT:
                if isinstance(value, str):
                    return out.put_text(field.position, row, value if type(value) is str else str.__str__(value))
            elif isinstance(value, bytes | bytearray | memoryview):
                return out.put_image(field.position, row, bytes(memoryview(value)))
        except (OverflowError, ValueError):
            pass
        raise EncodeError("events", index, None, f"{field.name} is {_field(field.kind)}, not {said(value)}")

    def finish(self) -> EventColumns:
        """The collected events."""
        rows: BuiltRows
        others: cython.bint = False
        layouts = []
        for rows in self.layouts:
            if rows.unspeakable is not None:
                _, _, event, name, value = min(rows.unspeakable)
                raise EncodeError("events", event, name, f"{value} is not text that UTF-8 can hold")
            others = others or (bool(rows.shape.decimals) and has_other(rows))
            layouts.append(Layout.of(rows.table, rows.shape.columns, rows, False))
        described = list(self.descriptions)
        found = EventColumns.of(self.out, self.builder.batches, list(self.tables), layouts, [], [], described)
        if others:
            found, wrong = with_spelled_decimals(found)
            for one in wrong:
                raise EncodeError("events", one.event, one.column, one.detail)
        return found


def _columns(index: cython.Py_ssize_t, owner: Any) -> tuple[Column, ...]:
    """The columns that an event or a row image has; empty if it has none."""
    columns = getattr(owner, "columns", None)
    if type(columns) is tuple:
        return columns
    try:
        return tuple(columns) if columns else ()
    except TypeError:
        raise EncodeError("events", index, None, f"its columns are a sequence of Column, not {said(columns)}") from None


def _same(one: object, other: object) -> cython.bint:
    """Whether two names are certainly equal; False for subclasses of str, whose comparison is arbitrary."""
    if one is other:
        return True
    return type(one) is str and type(other) is str and one == other


def _field(kind: str) -> str:
    """The values that a field of that type can have, in words."""
    if kind == "bool":
        return "true or false"
    if kind in ("bytes", "text"):
        return kind
    if kind == "description":
        return "a TableDescription"
    low, high = RANGES[FIELDS[kind]]
    return f"an integer from {low} to {high}"

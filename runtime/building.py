"""Event objects to columns: what encoders take when they are given events that Python code made.

Values are put straight into the columns' memory. Which columns a row has is found by the identity of the tuple that
says so, since events of one table mostly share it; only a tuple that was not seen before is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime.batch import Column
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.event_batches import EventBatches
from tidewire.runtime.parts import said

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.tidewire.runtime.columns import Columns
    from cython.cimports.tidewire.runtime.event_columns import EventColumns
    from cython.cimports.tidewire.runtime.layout import Layout
    from cython.cimports.tidewire.runtime.rows import Row
    from cython.cimports.tidewire.runtime.storage_numbers import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
else:
    from tidewire.runtime.columns import Columns
    from tidewire.runtime.event_columns import EventColumns
    from tidewire.runtime.layout import Layout
    from tidewire.runtime.rows import Row
    from tidewire.runtime.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT

Storage = Callable[[int, int], str]
"""Type code and flags -> what a column of them stores: int, uint, float, text, bytes or nothing."""

STORAGES = {"int": INT, "uint": UINT, "float": FLOAT, "text": TEXT, "bytes": BYTES, "nothing": NOTHING}
FIELDS = {"int64": INT, "uint64": UINT, "bool": INT, "text": TEXT, "bytes": BYTES}
ARROW = {"int64": pa.int64(), "uint64": pa.uint64(), "bool": pa.int64(), "text": pa.utf8(), "bytes": pa.binary()}
RANGES = {INT: (-(2**63), 2**63 - 1), UINT: (0, 2**64 - 1)}
WANTED = {
    INT: "int",
    UINT: "int",
    FLOAT: "float or int",
    TEXT: "str or bytes",
    BYTES: "bytes or bytearray or memoryview",
}

MOST_KNOWN = 256
"""Tuples of columns that a builder remembers from batch to batch, and types of events; at more, all are forgotten."""
WIDEST_KNOWN = 512
"""Columns above which a tuple is not remembered."""

_MISSING = object()


class Shape:
    """The columns of a row image. Shapes of equal columns are equal."""

    def __init__(self, given: tuple[Column, ...]) -> None:
        self.given = given
        self.digest = hash(given)

    def describe(self, storage: Storage) -> cython.int:
        """What the columns, which have been checked, store."""
        self.columns = self.given
        if any(type(column) is not Column for column in self.given):
            self.columns = tuple([Column(*column) for column in self.given])
        self.names = [column.name for column in self.columns]
        self.storages = [STORAGES[storage(column.type, column.flags)] for column in self.columns]
        return 0

    def __hash__(self) -> int:
        return self.digest

    def __eq__(self, other: object) -> bool:
        shape: Shape
        if not isinstance(other, Shape):
            return NotImplemented
        shape = other
        return self.given == shape.given


class BuiltRows(Columns):
    """The row images of one table and shape while they are gathered."""

    def __init__(self, table: cython.Py_ssize_t, shape: Shape, number: cython.Py_ssize_t) -> None:
        Columns.__init__(self, shape.storages)
        self.table = table
        self.shape = shape
        self.number = number


class EventBuilder:
    """Gathers event objects into columns.

    Args:
        fields: name and type of each column of `EventColumns.events`, in order: int64, uint64, bool (kept as 0 and 1),
            text or bytes.
        kinds: code of each kind of event.
        storage: what a column of a type and flags stores.
    """

    def __init__(self, fields: Sequence[tuple[str, str]], kinds: Mapping[str, int], storage: Storage) -> None:
        self.kinds = dict(kinds)
        self.storage = storage
        self.storages = [FIELDS[kind] for _, kind in fields]
        self.batches = EventBatches(pa.schema([(name, ARROW[kind]) for name, kind in fields]), range(len(fields)))
        self.places = {name: place for place, (name, _) in enumerate(fields)}
        own = {"message", "kind", "table", *(f"{side}_{part}" for side in ("new", "old") for part in ("layout", "row"))}
        self.fields = [(place, name, kind) for place, (name, kind) in enumerate(fields) if name not in own]
        self.shapes: dict[int, Shape] = {}
        self.equal: dict[Shape, Shape] = {}
        self.fields_of: dict[type, list[tuple[int, str, str]]] = {}

    def build(self, events: Iterable[Any]) -> EventColumns:
        """The events as columns, in their order.

        Raises:
            EncodeError: an event lacks something or has a value that its column's type cannot hold.
        """
        building: Building = Building(self)
        for index, event in enumerate(events):
            building.add(index, event)
        return building.finish()

    def fields_said(self, kind: Any) -> list[tuple[int, str, str]]:
        """The fields that events of a type can have: their place, name and type."""
        found = self.fields_of.get(kind)
        if found is None:
            found = self.fields
            plain = kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")
            if plain and kind.__dictoffset__ == 0:  # all its attributes are there for the whole type
                found = [one for one in found if hasattr(kind, one[1])]
            if len(self.fields_of) >= MOST_KNOWN:
                self.fields_of.clear()
            self.fields_of[kind] = found
        return found

    def remember(self, shape: Shape) -> cython.int:
        """Finds the shape from now on by its equals, and by the identity of its tuple: that is kept, so that nothing
        else can have it.
        """
        if len(shape.names) <= WIDEST_KNOWN:
            if len(self.equal) >= MOST_KNOWN:
                self.shapes.clear()
                self.equal.clear()
            self.equal[shape] = shape
            self.shapes[id(shape.given)] = shape
        return 0


class Building:
    """A batch of events while it is gathered."""

    def __init__(self, builder: EventBuilder) -> None:
        self.builder = builder
        self.out = Columns(builder.storages)
        places = builder.places
        self.message, self.kind, self.table = places["message"], places["kind"], places["table"]
        self.new_layout, self.new_row = places["new_layout"], places["new_row"]
        self.old_layout, self.old_row = places["old_layout"], places["old_row"]
        self.tables: dict[tuple[str | None, str | None], int] = {}
        # for each table the rows by shape, by the identity of its columns, and by that with which of them are there;
        # and under None those of the last row that had all columns
        self.known: list[dict[Any, BuiltRows]] = []
        self.layouts: list[BuiltRows] = []
        self.alive: list[tuple[Column, ...]] = []
        self.values: list[Any] = []
        self.unspeakable: list[tuple[int, int, int, int, str, str]] = []
        self.last_schema: object = _MISSING
        self.last_name: object = _MISSING
        self.last_table = 0

    def add(self, index: cython.Py_ssize_t, event: Any) -> cython.int:
        """One event more."""
        out: Columns = self.out
        row: cython.Py_ssize_t = out.rows
        builder: EventBuilder = self.builder
        code = self.code(index, event)
        table: cython.Py_ssize_t = self.place(index, getattr(event, "schema", None), getattr(event, "table", None))
        out.reserve(row + 1)
        out.put_null(self.message, row)
        out.put_int(self.kind, row, code)
        out.put_int(self.table, row, table)
        self.put_image(index, event, getattr(event, "new", None), table, self.new_layout, self.new_row)
        self.put_image(index, event, getattr(event, "old", None), table, self.old_layout, self.old_row)
        if hasattr(event, "columns") and not hasattr(event, "new") and event.columns:
            columns = tuple(event.columns)
            out.put_int(self.new_layout, row, self.rows_of(index, table, columns).number)
        fields = builder.fields_said(type(event))
        if len(fields) < len(builder.fields):
            for place, _, _ in builder.fields:
                out.put_null(place, row)
        for place, name, kind in fields:
            value = getattr(event, name, None)
            if value is None:
                out.put_null(place, row)
            else:
                self.put_field(index, place, name, kind, value)
        out.rows = row + 1
        return 0

    def code(self, index: cython.Py_ssize_t, event: Any) -> int:
        """The code of the event's kind."""
        kind = getattr(event, "kind", "")
        code = self.builder.kinds.get(kind) if isinstance(kind, str) else None
        if code is None:
            legal = ", ".join(self.builder.kinds)
            raise EncodeError("events", index, None, f"{event!r} is no event: its kind is none of {legal}")
        return code

    def place(self, index: cython.Py_ssize_t, schema: Any, name: Any) -> cython.Py_ssize_t:
        """The number of the table among those of the batch."""
        if schema is self.last_schema and name is self.last_name:
            return self.last_table
        names = (_name(index, "schema", schema), _name(index, "table", name))
        found = self.tables.get(names)
        if found is None:
            found = len(self.tables)
            self.tables[names] = found
            self.known.append({})
        self.last_schema = schema
        self.last_name = name
        self.last_table = found
        return self.last_table

    # ---- rows

    def put_image(
        self,
        index: cython.Py_ssize_t,
        event: Any,
        image: Any,
        table: cython.Py_ssize_t,
        layout: cython.int,
        place: cython.int,
    ) -> cython.int:
        """A row image of the event, and where it lies."""
        rows: BuiltRows
        at: cython.Py_ssize_t
        c: cython.int
        if image is None:
            self.out.put_int(layout, self.out.rows, -1)
            self.out.put_int(place, self.out.rows, -1)
            return 0
        if type(image) is not dict:
            lacks = getattr(image, "lacks", ())
            if lacks:
                raise EncodeError("events", index, None, said(lacks))
        rows = self.find(index, event, image, table)
        at = rows.rows
        rows.reserve(at + 1)
        for c in range(rows.width):
            self.put_value(index, rows, c, at, self.values[c])
        rows.rows = at + 1
        self.out.put_int(layout, self.out.rows, rows.number)
        self.out.put_int(place, self.out.rows, at)
        return 0

    def find(self, index: cython.Py_ssize_t, event: Any, image: Any, table: cython.Py_ssize_t) -> BuiltRows:
        """The rows to which this one belongs; its values are in `values`."""
        rows: BuiltRows | None
        shape: Shape | None
        known: dict[Any, BuiltRows] = self.known[table]
        columns = None if type(image) is dict else getattr(image, "columns", None)
        if not columns:
            columns = event.columns
        if not columns and len(image):
            reason = "its rows are plain mappings and it has no columns: give columns=[Column(...), ...]"
            raise EncodeError("events", index, None, reason)
        if type(columns) is not tuple:
            columns = tuple(columns)
        rows = known.get(id(columns))
        if rows is None:
            shape = self.builder.shapes.get(id(columns))
            if shape is not None and self.fetch(image, shape):
                rows = self.keep(known, table, shape)
                known[None] = rows
                return rows
            rows = known.get(None)
            if rows is not None and rows.shape.given == columns:
                columns = rows.shape.given
            else:
                rows = None
        if rows is not None and self.fetch(image, rows.shape):
            return rows
        mask = (id(columns), bytes([column.name in image for column in columns]))
        rows = known.get(mask)
        if rows is not None and self.fetch(image, rows.shape):
            return rows
        present = tuple([column for column in columns if column.name in image])
        whole: cython.bint = len(present) == len(columns)
        rows = self.rows_of(index, table, columns if whole else present)
        if len(present) != len(image):
            names = {column.name for column in columns}
            stray = next((name for name in image if name not in names), None)
            raise EncodeError("events", index, stray, "the row has it, the event's columns do not")
        if whole:
            known[None] = rows
        else:
            known[mask] = rows
            self.alive.append(columns)
        if not self.fetch(image, rows.shape):
            raise EncodeError("events", index, None, f"{image!r} changes while it is read")
        return rows

    def rows_of(self, index: cython.Py_ssize_t, table: cython.Py_ssize_t, columns: tuple[Column, ...]) -> BuiltRows:
        """The rows that have exactly these columns."""
        known: dict[Any, BuiltRows] = self.known[table]
        try:
            shape: Shape = Shape(columns)
        except TypeError as error:
            raise EncodeError("events", index, None, f"its columns cannot be told from others: {error}") from None
        found: Shape | None = self.builder.equal.get(shape)
        if found is None:
            _check_columns(index, columns)
            shape.describe(self.builder.storage)
            self.builder.remember(shape)
            found = shape
        return self.keep(known, table, found)

    def keep(self, known: dict[Any, BuiltRows], table: cython.Py_ssize_t, shape: Shape) -> BuiltRows:
        """The rows of a table that have a shape."""
        rows: BuiltRows | None = known.get(shape)
        if rows is None:
            rows = BuiltRows(table, shape, len(self.layouts))
            known[shape] = rows
            known[id(rows.shape.given)] = rows
            self.layouts.append(rows)
        return rows

    def fetch(self, image: Any, shape: Shape) -> cython.bint:
        """Whether a row image has these columns and no others; then its values are in `values`."""
        k: cython.Py_ssize_t
        names: list[str] = shape.names
        width: cython.Py_ssize_t = len(names)
        values: list[Any] = self.values
        whole: dict[str, Any]
        if len(image) != width:
            return False
        if type(image) is Row and image.columns is shape.columns:
            self.values = image.values()
            return True
        while len(values) < width:
            values.append(None)
        if type(image) is dict:
            whole = image
            for k in range(width):
                value = whole.get(names[k], _MISSING)
                if value is _MISSING:
                    return False
                values[k] = value
            return True
        for k in range(width):
            if names[k] not in image:
                return False
            values[k] = image[names[k]]
        return True

    # ---- values

    def put_value(
        self, index: cython.Py_ssize_t, rows: BuiltRows, c: cython.int, at: cython.Py_ssize_t, value: Any
    ) -> cython.int:
        """A value of a row image, if its column can hold it."""
        storage: cython.int = rows.cells[c].storage
        if value is None:
            return rows.put_null(c, at)
        try:
            if storage >= TEXT:
                if storage != BYTES and isinstance(value, str):
                    return rows.put_text(c, at, value if type(value) is str else str.__str__(value))
                if type(value) is bytes:
                    if storage == TEXT:
                        rows.cells[c].storage = RAW_TEXT
                    return rows.put_image(c, at, value)
                if storage != BYTES and isinstance(value, bytes):
                    rows.cells[c].storage = RAW_TEXT
                if isinstance(value, bytes) or (storage == BYTES and isinstance(value, bytearray | memoryview)):
                    return rows.put_image(c, at, bytes(memoryview(value)))
            elif storage == FLOAT:
                if type(value) is float:
                    return rows.put_float(c, at, value)
                if isinstance(value, float | int):
                    return rows.put_float(c, at, _exact_float(value))
            elif storage != NOTHING and isinstance(value, int):
                if storage == INT:
                    return rows.put_int(c, at, value)
                return rows.put_uint(c, at, value)
        except UnicodeEncodeError:
            # said at the end, when no event has anything worse
            self.unspeakable.append((rows.number, c, at, index, rows.shape.names[c], repr(value)))
            return rows.put_null(c, at)
        except (OverflowError, ValueError) as error:
            return _refuse(index, rows.shape.names[c], storage, value, error)
        return _refuse(index, rows.shape.names[c], storage, value, None)

    def put_field(self, index: cython.Py_ssize_t, place: cython.int, name: str, kind: str, value: Any) -> cython.int:
        """A field of the event, if its column can hold it."""
        out: Columns = self.out
        row: cython.Py_ssize_t = out.rows
        storage: cython.int = out.cells[place].storage
        try:
            if kind == "bool":
                if isinstance(value, bool):
                    return out.put_int(place, row, value)
            elif storage == INT:
                if isinstance(value, int):
                    return out.put_int(place, row, value)
            elif storage == UINT:
                if isinstance(value, int):
                    return out.put_uint(place, row, value)
            elif storage == TEXT:
                if isinstance(value, str):
                    return out.put_text(place, row, value if type(value) is str else str.__str__(value))
            elif isinstance(value, bytes | bytearray | memoryview):
                return out.put_image(place, row, bytes(memoryview(value)))
        except (OverflowError, ValueError):
            pass
        raise EncodeError("events", index, None, f"{name} is {_field(kind)}, not {_said(value)}")

    def finish(self) -> EventColumns:
        """Everything that was gathered."""
        rows: BuiltRows
        if self.unspeakable:
            _, _, _, event, name, value = min(self.unspeakable)
            raise EncodeError("events", event, name, f"{value} is not text that UTF-8 can hold")
        layouts = []
        for rows in self.layouts:
            layouts.append(Layout.of(rows.table, rows.shape.columns, rows, False))
        return EventColumns.of(self.out, self.builder.batches, list(self.tables), layouts, [], [])


def _field(kind: str) -> str:
    """What a field of that type can be."""
    if kind == "bool":
        return "true or false"
    if kind in ("bytes", "text"):
        return kind
    low, high = RANGES[FIELDS[kind]]
    return f"an integer from {low} to {high}"


def _check_columns(index: int, columns: Sequence[Column]) -> None:
    """Columns have names that differ, and types and flags that are numbers."""
    known: set[str] = set()
    for column in columns:
        try:
            name, kind, flags, declared = column
        except (TypeError, ValueError):
            raise EncodeError("events", index, None, f"{column!r} is no Column") from None
        if not isinstance(name, str) or not _encodable(name):
            raise EncodeError("events", index, None, f"{name!r} is no name of a column")
        if not (declared is None or (isinstance(declared, str) and _encodable(declared))):
            raise EncodeError("events", index, name, f"mysql_type {declared!r} is not text")
        if not (isinstance(kind, int) and isinstance(flags, int)):
            raise EncodeError("events", index, name, f"type {kind!r} and flags {flags!r} are not integers")
        if name in known:
            raise EncodeError("events", index, name, "its name is given twice")
        known.add(name)


def _name(index: int, what: str, value: Any) -> str | None:
    """A schema's or a table's name; an empty one is no name."""
    if value is None or (isinstance(value, str) and _encodable(value)):
        return value or None
    raise EncodeError("events", index, None, f"{value!r} is no name of a {what}")


def _encodable(value: Any) -> bool:
    """Whether a text has no lone surrogates."""
    try:
        return value.encode() is not None
    except UnicodeEncodeError:
        return False


def _exact_float(value: Any) -> float:
    """The number as a float.

    Raises:
        ValueError: no float is that number.
    """
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if isinstance(value, int) and number != value:
        raise ValueError(f"a float cannot hold {_said(value)}")
    return number


def _said(value: object) -> str:
    """A value for an error; Python writes no integers of thousands of digits."""
    try:
        return str(int(value)) if isinstance(value, int) and not isinstance(value, bool) else repr(value)
    except ValueError:
        return f"an integer of {int(value).bit_length()} bits" if isinstance(value, int) else type(value).__name__


def _refuse(index: int, column: Any, storage: int, value: object, error: Exception | None) -> int:
    """Raises the error of a value that its column cannot hold.

    Args:
        index: of the event.
        column: its name.
        storage: of the column.
        value: what was given.
        error: what went wrong with a value of the right type.
    """
    if storage == NOTHING:
        reason = f"its type has no values, only null; {_said(value)} was given"
    elif error is None:
        wanted = WANTED[TEXT if storage == RAW_TEXT else storage]
        reason = f"{wanted} is expected, not {type(value).__name__} ({_said(value)})"
    elif storage in RANGES:
        low, high = RANGES[storage]
        reason = f"{_said(value)} is not between {low} and {high}"
    else:
        reason = str(error)
    raise EncodeError("events", index, column, reason)

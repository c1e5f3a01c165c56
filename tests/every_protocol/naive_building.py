"""Event objects to columns, plainly: lists of values that pyarrow makes arrays of, and every row's columns looked up by
what they are. What `tidewire.runtime.batch.building` does is held against this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from tidewire.runtime.batch import Column, EventColumns, Layout
from tidewire.runtime.batch.partial_rows import why_refused
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.tables import DescribedTable

Storage = Callable[[int, int], str]
"""Type code and flags -> what a column of them stores: int, uint, float, text, bytes or nothing."""

_ARROW = {
    "int": pa.int64(),
    "uint": pa.uint64(),
    "float": pa.float64(),
    "text": pa.utf8(),
    "bytes": pa.binary(),
    "nothing": pa.null(),
}
_FIELDS = {
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "bool": pa.int64(),
    "text": pa.utf8(),
    "bytes": pa.binary(),
    "description": pa.int64(),
}
_PYTHON: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "uint": (int,),
    "float": (float, int),
    "text": (str, bytes),
    "bytes": (bytes, bytearray, memoryview),
    "nothing": (),
}
_RANGES: dict[str, tuple[int, int]] = {"int": (-(2**63), 2**63 - 1), "uint": (0, 2**64 - 1)}


class _Images:
    """The rows of one layout while they are gathered."""

    def __init__(self, table: int, columns: tuple[Column, ...], storages: Sequence[str]) -> None:
        self.table = table
        self.columns = columns
        self.storages = storages
        self.values: list[list[Any]] = [[] for _ in columns]
        self.events: list[int] = []
        self.num_rows = 0

    def add(self, event: int, row: Mapping[str, Any]) -> int:
        for column, storage, values in zip(self.columns, self.storages, self.values, strict=True):
            values.append(_checked(event, column.name, storage, row[column.name]))
        self.events.append(event)
        self.num_rows += 1
        return self.num_rows - 1

    def finish(self) -> Layout:
        arrays = [self._array(*one) for one in zip(self.columns, self.storages, self.values, strict=True)]
        return Layout(self.table, self.columns, arrays, self.num_rows)

    def _array(self, column: Column, storage: str, values: list[Any]) -> pa.Array:
        try:
            return _array(storage, values)
        except UnicodeEncodeError:
            event, value = next(
                (event, value) for event, value in zip(self.events, values, strict=True) if not _encodable(value)
            )
            raise EncodeError("events", event, column.name, f"{value!r} is not text that UTF-8 can hold") from None


class NaiveBuilder:
    """Gathers event objects into columns.

    Args:
        fields: name and type of each column of `EventColumns.events`, in order: int64, uint64, bool (kept as 0 and 1),
            text, bytes, or description (kept as an index).
        kinds: code of each kind of event.
        storage: what a column of a type and flags stores.
    """

    def __init__(self, fields: Sequence[tuple[str, str]], kinds: Mapping[str, int], storage: Storage) -> None:
        self._fields = fields
        self._kinds = kinds
        self._storage = storage

    def build(self, events: Iterable[Any]) -> EventColumns:
        """The events as columns, in their order.

        Raises:
            EncodeError: an event lacks something or has a value that its column's type cannot hold.
        """
        columns: dict[str, list[Any]] = {name: [] for name, _ in self._fields}
        tables: dict[tuple[str | None, str | None], int] = {}
        layouts: dict[tuple[int, tuple[Column, ...]], tuple[int, _Images]] = {}
        descriptions: dict[DescribedTable, int] = {}
        for index, event in enumerate(events):
            code = self._kinds.get(getattr(event, "kind", ""))
            if code is None:
                raise EncodeError(
                    "events", index, None, f"{event!r} is no event: its kind is none of {', '.join(self._kinds)}"
                )
            names = (
                _name(index, "schema", getattr(event, "schema", None)),
                _name(index, "table", getattr(event, "table", None)),
            )
            table = tables.setdefault(names, len(tables))
            own = {"message": None, "kind": code, "table": table}
            for side in ("new", "old"):
                layout, row = -1, -1
                image = getattr(event, side, None)
                if image is not None:
                    if getattr(image, "lacks", ()):
                        raise EncodeError("events", index, None, why_refused(image.lacks))
                    layout, images = self._layout(layouts, index, table, event, image)
                    row = images.add(index, image)
                own[side + "_layout"], own[side + "_row"] = layout, row
            said = getattr(event, "table_after", None)
            own_columns = said is None or tuple(said.row_columns()) != tuple(getattr(event, "columns", ()))
            if hasattr(event, "columns") and not hasattr(event, "new") and event.columns and own_columns:
                key = (table, tuple(event.columns))
                own["new_layout"] = self._known(layouts, key)[0]
            for name, kind in self._fields:
                value = own[name] if name in own else getattr(event, name, None)
                if kind == "description" and isinstance(value, DescribedTable):
                    value = descriptions.setdefault(value, len(descriptions))
                elif kind == "description" and value is not None:
                    raise EncodeError("events", index, None, f"{name} is a TableDescription, not {value!r}")
                columns[name].append(_field(index, name, kind, value))
        batch = pa.RecordBatch.from_arrays(
            [pa.array(columns[name], _FIELDS[kind]) for name, kind in self._fields], [name for name, _ in self._fields]
        )
        return EventColumns(
            batch, list(tables), [images.finish() for _, images in layouts.values()], descriptions=list(descriptions)
        )

    def _layout(
        self,
        layouts: dict[tuple[int, tuple[Column, ...]], tuple[int, _Images]],
        index: int,
        table: int,
        event: Any,
        image: Mapping[str, Any],
    ) -> tuple[int, _Images]:
        columns = getattr(image, "columns", None) or event.columns
        if not columns and len(image):
            raise EncodeError(
                "events",
                index,
                None,
                "its rows are plain mappings and it has no columns: give columns=[Column(...), ...]",
            )
        present = tuple(column for column in columns if column.name in image)
        if (table, present) not in layouts:
            known: set[str] = set()
            for name, kind, flags, declared in present:
                if not isinstance(name, str) or not _encodable(name):
                    raise EncodeError("events", index, None, f"{name!r} is no name of a column")
                if not (declared is None or (isinstance(declared, str) and _encodable(declared))):
                    raise EncodeError("events", index, name, f"mysql_type {declared!r} is not text")
                if not (isinstance(kind, int) and isinstance(flags, int)):
                    raise EncodeError("events", index, name, f"type {kind!r} and flags {flags!r} are not integers")
                if name in known:
                    raise EncodeError("events", index, name, "its name is given twice")
                known.add(name)
        if len(present) != len(image):
            known = {column.name for column in columns}
            stray = next(name for name in image if name not in known)
            raise EncodeError("events", index, stray, "the row has it, the event's columns do not")
        return self._known(layouts, (table, present))

    def _known(
        self, layouts: dict[tuple[int, tuple[Column, ...]], tuple[int, _Images]], key: tuple[int, tuple[Column, ...]]
    ) -> tuple[int, _Images]:
        found = layouts.get(key)
        if found is None:
            table, columns = key
            columns = tuple(Column(*column) for column in columns)
            storages = [self._storage(column.type, column.flags) for column in columns]
            found = (len(layouts), _Images(table, columns, storages))
            layouts[key] = found
        return found


def _field(index: int, name: str, kind: str, value: Any) -> Any:
    if value is None:
        return None
    if kind == "bool":
        if isinstance(value, bool):
            return int(value)
        raise EncodeError("events", index, None, f"{name} is true or false, not {value!r}")
    if kind == "bytes":
        if isinstance(value, bytes | bytearray | memoryview):
            return bytes(value)
        raise EncodeError("events", index, None, f"{name} is bytes, not {value!r}")
    if kind == "text":
        if isinstance(value, str) and _encodable(value):
            return value
        raise EncodeError("events", index, None, f"{name} is text, not {value!r}")
    low, high = _RANGES["int" if kind == "int64" else "uint"]
    if isinstance(value, int) and low <= value <= high:
        return value
    raise EncodeError("events", index, None, f"{name} is an integer from {low} to {high}, not {value!r}")


def _name(index: int, what: str, value: Any) -> str | None:
    """A schema's or a table's name; an empty one is no name."""
    if value is None or (isinstance(value, str) and _encodable(value)):
        return value or None
    raise EncodeError("events", index, None, f"{value!r} is no name of a {what}")


def _encodable(value: Any) -> bool:
    """Whether a text has no lone surrogates."""
    try:
        return not isinstance(value, str) or value.encode() is not None
    except UnicodeEncodeError:
        return False


def _checked(index: int, column: str, storage: str, given: Any) -> Any:
    """The value, if a column of that storage can hold it."""
    if given is None:
        return None
    value: object = given
    kinds = _PYTHON[storage]
    if not isinstance(value, kinds):
        if not kinds:
            raise EncodeError("events", index, column, f"its type has no values, only null; {value!r} was given")
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise EncodeError("events", index, column, f"{wanted} is expected, not {type(value).__name__} ({value!r})")
    if storage in _RANGES:
        low, high = _RANGES[storage]
        number = int(given)
        if not low <= number <= high:
            raise EncodeError("events", index, column, f"{value} is not between {low} and {high}")
        return number
    if storage == "float":
        return _exact_float(index, column, given)
    return value


def _exact_float(index: int, column: str, value: float) -> float:
    """The number as a float, if it is one."""
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if isinstance(value, int) and number != value:
        raise EncodeError("events", index, column, f"a float cannot hold {value}")
    return number


def _array(storage: str, values: list[Any]) -> pa.Array:
    if storage == "text" and any(isinstance(value, bytes) for value in values):
        return pa.array([value.encode() if isinstance(value, str) else value for value in values], pa.binary())
    return pa.array(values, _ARROW[storage])

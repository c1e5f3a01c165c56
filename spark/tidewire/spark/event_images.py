"""Converts the row images of an event frame to layouts, the input of encoders."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import VariantVal

from tidewire.mysql import ColumnFlag, storage
from tidewire.runtime.arrow.columns import ARROW_TYPES
from tidewire.runtime.arrow.literals import column_of, constant, filled
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
from tidewire.runtime.batch import Column, Layout
from tidewire.runtime.errors import EncodeError
from tidewire.spark.kernels.variant_reader import ObjectReader, VariantError

_CODECS = {"int": INT, "uint": UINT, "float": FLOAT, "text": TEXT, "bytes": BYTES, "nothing": NOTHING}
_ARROW = {name: ARROW_TYPES[codec] for name, codec in _CODECS.items()}


class Codes:
    """The distinct combinations of some columns, numbered from 0 in order of first appearance."""

    def __init__(self, columns: list[pa.Array]) -> None:
        encoded = [column.dictionary_encode("encode") for column in columns]
        combined = encoded[0].indices.cast(pa.int64())
        for more in encoded[1:]:
            factor = constant(len(more.dictionary), pa.int64())
            combined = pc.add(pc.multiply(combined, factor), more.indices.cast(pa.int64()))
        self._columns = columns
        unique = combined.dictionary_encode()
        self.codes: pa.Array = unique.indices.cast(pa.int64())
        self.first: list[int] = [pc.index(combined, value).as_py() for value in unique.dictionary]
        """The first row of each combination."""

    def values(self) -> list[tuple[Any, ...]]:
        """The values of each combination."""
        return [tuple(column[row].as_py() for column in self._columns) for row in self.first]


class GroupedImages:
    """The row images of a batch of events, grouped by table and columns."""

    def __init__(self, protocol: str, rows: int, table: pa.Array, column: Any, done: int) -> None:
        self._protocol, self._rows, self._done = protocol, rows, done
        columns, old_columns = column("columns"), column("old_columns")
        old_columns = pc.if_else(pc.is_valid(old_columns), old_columns, columns)
        self.layouts: list[Layout] = []
        self._known: dict[tuple[int, tuple[Column, ...]], int] = {}
        # new and old images are separate entries; a bootstrap has columns and no row
        self._sides = [
            self._side(table, column(name), listed) for name, listed in (("new", columns), ("old", old_columns))
        ]
        bootstrap = pc.equal(column("kind"), constant("bootstrap", pa.utf8()))
        if pc.any(bootstrap).as_py():
            self._bootstraps(table, columns, bootstrap)

    def image_columns(self) -> list[pa.Array]:
        """The columns new_layout, new_row, old_layout and old_row."""
        return [column for side in self._sides for column in side]

    def _side(self, table: pa.Array, image: pa.Array, listed: pa.Array) -> list[pa.Array]:
        at = pc.indices_nonzero(pc.is_valid(image)).cast(pa.int64())
        none = pa.repeat(constant(-1, pa.int64()), self._rows)
        if len(at) == 0:
            return [none, none]
        image, listed, table = image.take(at), listed.take(at), table.take(at)
        unlisted = pc.is_null(listed)
        if pc.any(unlisted).as_py():
            row = at[pc.index(unlisted, constant(True, pa.bool_())).as_py()].as_py()
            raise EncodeError(
                self._protocol,
                self._done + row,
                None,
                "it has a row image and no `columns` that list name, type and flags",
            )
        groups = Codes([table, listed.field("value"), listed.field("metadata")])
        order, layout, row = [], [], []
        for code, first in enumerate(groups.first):
            members = pc.indices_nonzero(pc.equal(groups.codes, constant(code, pa.int64())))
            found = self._columns(at[first].as_py(), listed[first].as_py())
            number, base = self._layout(table[first].as_py(), found)
            self._fill(number, found, image.take(members), at.take(members))
            order.append(members.cast(pa.int64()))
            layout.append(pa.repeat(constant(number, pa.int64()), len(members)))
            row.append(column_of(range(base, base + len(members)), pa.int64()))
        back = pc.array_sort_indices(at.take(pa.concat_arrays(order)))
        entry = pc.index_in(column_of(range(self._rows), pa.int64()), value_set=at)
        return [filled(pa.concat_arrays(part).take(back).take(entry), -1) for part in (layout, row)]

    def _columns(self, event: int, listed: dict[str, bytes]) -> tuple[Column, ...]:
        try:
            found = VariantVal(listed["value"], listed["metadata"]).toPython()
            return tuple(
                Column(str(one["name"]), int(one["type"]), int(one["flags"]), _declared(one.get("mysql_type")))
                for one in found
            )
        except (KeyError, TypeError, ValueError, IndexError, AttributeError):
            raise EncodeError(
                self._protocol,
                self._done + event,
                None,
                "`columns` is an array of objects {name, type, flags}; this one is not",
            ) from None

    def _layout(self, table: int, columns: tuple[Column, ...]) -> tuple[int, int]:
        """The number of a layout, and how many rows it already has."""
        key = (table, columns)
        if key not in self._known:
            self._known[key] = len(self.layouts)
            empty = [column_of([], _ARROW[storage(column.type, column.flags)]) for column in columns]
            self.layouts.append(Layout(table, columns, empty, 0))
        number = self._known[key]
        return number, self.layouts[number].num_rows

    def _fill(self, number: int, columns: tuple[Column, ...], image: pa.Array, events: pa.Array) -> None:
        codecs = [_codec(column) for column in columns]
        try:
            reader = ObjectReader([column.name for column in columns], codecs)
            arrays = reader.read(image.field("value"), image.field("metadata"))
        except VariantError as error:
            raise EncodeError(
                self._protocol, self._done + events[error.row].as_py(), None, f"row image: {error.reason}"
            ) from None
        layout = self.layouts[number]
        layout.arrays = [_appended(*pair) for pair in zip(layout.arrays, arrays, strict=True)]
        layout.num_rows += len(image)

    def _bootstraps(self, table: pa.Array, columns: pa.Array, bootstrap: pa.Array) -> None:
        new = self._sides[0][0].to_pylist()
        for event in pc.indices_nonzero(bootstrap).to_pylist():
            if columns[event].is_valid:
                found = self._columns(event, columns[event].as_py())
                new[event], _ = self._layout(table[event].as_py(), found)
        self._sides[0][0] = column_of(new, pa.int64())


def _declared(text: Any) -> str | None:
    return None if text is None else str(text)


def _codec(column: Column) -> int:
    """The codec by which a column's values are read; text may contain bytes that are not UTF-8."""
    stored = storage(column.type, column.flags)
    if stored == "text" and storage(column.type, column.flags | ColumnFlag.BINARY) == "bytes":
        return RAW_TEXT
    return _CODECS[stored]


def _appended(before: pa.Array, more: pa.Array) -> pa.Array:
    if before.type == pa.utf8() and more.type == pa.binary():
        try:
            more = more.cast(pa.utf8())
        except pa.ArrowInvalid:
            before = before.cast(pa.binary())
    elif before.type == pa.binary():
        more = more.cast(pa.binary())
    return pa.concat_arrays([before, more]) if len(before) else more

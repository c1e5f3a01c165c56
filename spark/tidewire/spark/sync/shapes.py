"""The shape of a table's rows: their own columns, with Spark types. Each staged file has one shape."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, Self

from pyspark.sql.types import DataType, DecimalType, Row, StructField, StructType

from tidewire.mysql import TYPES, ColumnFlag, ColumnType
from tidewire.reading.infer import digits_seen, full_type
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import CANDIDATES, MOST_DIGITS, SchemaError
from tidewire.runtime.arrow.storage import BYTES
from tidewire.runtime.batch import Column, Layout
from tidewire.schemas import ROW_METADATA
from tidewire.spark.arrow_types import spark_type
from tidewire.spark.infer import merged
from tidewire.spark.sync.reserved import RESERVED, TAKEN

METADATA = tuple(name for name in ROW_METADATA.names if name != "_commit_timestamp")
"""The columns that follow a table's columns in a staged file; the time is that of the version."""
_TYPES: dict[str, DataType] = {kind.simpleString(): kind for kind in (spark_type(one.arrow) for one in CANDIDATES)}
_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


class ShapeColumn(NamedTuple):
    """A column of rows."""

    name: str
    type: str
    """The Spark type, in SQL syntax."""
    mysql_type: str | None
    """The declared type, with parameters if the protocol carries them; None if it carries no type."""
    key: bool
    """Whether it is part of the handle key, by which the source identifies the row."""

    @property
    def kind(self) -> DataType:
        """The Spark type."""
        found = _DECIMAL.fullmatch(self.type)
        return DecimalType(int(found[1]), int(found[2])) if found else _TYPES[self.type]


class Shape(NamedTuple):
    """The columns of rows, in order.

    A DECIMAL whose precision and scale the protocol does not carry is decimal(38, s) with the largest scale of its
    values in the file, because the source writes all digits of the scale; STRING where 38 digits are not enough.
    """

    columns: tuple[ShapeColumn, ...]
    lacks: str = ""
    """Why the rows are partial; empty if they are complete. A delete needs only its key."""

    @property
    def keys(self) -> tuple[ShapeColumn, ...]:
        """The handle key; empty if rows have none."""
        return tuple(column for column in self.columns if column.key)

    def struct(self) -> StructType:
        """The columns as a Spark schema."""
        return StructType([StructField(column.name, column.kind, True) for column in self.columns])

    def text(self) -> str:
        """The shape as a text for `StagedRows`; equal shapes have equal texts."""
        columns = [[name, kind, mysql_type, int(key)] for name, kind, mysql_type, key in self.columns]
        return json.dumps([columns, self.lacks] if self.lacks else [columns], ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def parse(cls, text: str) -> Self:
        """The shape with this text."""
        columns, *lacks = json.loads(text)
        return cls(tuple(ShapeColumn(name, kind, said, bool(key)) for name, kind, said, key in columns), *lacks)


class Scales:
    """The digits of DECIMAL columns whose precision the protocol does not carry, as seen by a task. Earlier maxima are
    kept, so that rows of one table get one shape.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[object, str], tuple[int, int]] = {}

    def of(self, table: object, layout: Layout) -> tuple[tuple[int, int] | None, ...]:
        """For each column of the layout its digits before and after the decimal point; None for other columns."""
        found: list[tuple[int, int] | None] = []
        for at, column in enumerate(layout.columns):
            if not undeclared(column):
                found.append(None)
                continue
            whole, scale = digits_seen(layout.arrays[at])
            before = self._seen.get((table, column.name.lower()), (0, 0))
            digits = max(whole, before[0]), max(scale, before[1])
            self._seen[table, column.name.lower()] = digits
            # the digits before the point matter only if there are too many
            found.append((0 if sum(digits) <= MOST_DIGITS else digits[0], digits[1]))
        return tuple(found)


def undeclared(column: Column) -> bool:
    """Whether a column is a DECIMAL of unknown precision."""
    if column.type != ColumnType.DECIMAL:
        return False
    full = full_type(column.mysql_type)
    return full is None or full.length is None


@lru_cache(maxsize=4096)
def _some_undeclared(columns: tuple[Column, ...]) -> bool:
    return any(undeclared(column) for column in columns)


def shape_of(table: object, layout: Layout, options: ReadOptions, scales: Scales) -> Shape:
    """The shape of a layout's rows, taken as complete.

    Raises:
        SchemaError: they cannot be rows of a Spark table: the names of two columns differ only in case, a name is
            reserved for staged files, or labels are requested but unknown.
    """
    columns = layout.columns
    digits: tuple[tuple[int, int] | None, ...] = ()
    if _some_undeclared(columns):
        digits = scales.of(table, layout)
    raw = tuple(storage == BYTES for storage in layout.storages())
    return _shape(columns, raw, digits, options)


def declared_shape(columns: Sequence[Column], options: ReadOptions) -> Shape:
    """The shape of the rows of a described table (`TableDescription.row_columns`).

    Raises:
        SchemaError: they cannot be rows of a Spark table, as in `shape_of`.
    """
    raw = tuple(TYPES.storage(one.type, one.flags) == "bytes" for one in columns)
    return _shape(tuple(columns), raw, (), options)


@lru_cache(maxsize=4096)
def _shape(
    columns: tuple[Column, ...],
    raw: tuple[bool, ...],
    digits: Sequence[tuple[int, int] | None],
    options: ReadOptions,
) -> Shape:
    rows = [
        Row(
            name=column.name,
            version=0,
            type=column.type,
            flags=column.flags,
            mysql_type=column.mysql_type,
            digits=seen[0] if seen else None,
            scale=seen[1] if seen else None,
            text=not bytes_there,
        )
        for column, bytes_there, seen in zip(columns, raw, digits or [None] * len(columns), strict=True)
    ]
    struct = merged(rows, options)
    for field in struct:
        if field.name.lower() in RESERVED:
            raise SchemaError(f"its column {field.name!r} {TAKEN}")
    return Shape(
        tuple(
            ShapeColumn(
                field.name,
                field.dataType.simpleString(),
                column.mysql_type or (TYPES.type_text(column.type, column.flags) if TYPES.has(column.type) else None),
                bool(column.flags & ColumnFlag.HANDLE_KEY),
            )
            for field, column in zip(struct, columns, strict=True)
        )
    )

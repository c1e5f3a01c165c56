"""Infers the columns of a table from its changes: names, order, types and other attributes."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnFlag, ColumnType, Declared, declared, spark_type, type_text
from tidewire.reading.labels import LABELLED, labels_of
from tidewire.reading.options import ReadOptions
from tidewire.reading.tables import alike_in_case
from tidewire.reading.types import CANDIDATES, INTERVAL, MOST_DIGITS, VARIANT, SchemaError, sql_name
from tidewire.reading.whole import incomplete
from tidewire.runtime.arrow.literals import constant
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.tso import TSO_SHIFT

_UNSIGNED = pa.decimal128(20, 0)
_TYPES = {one.name.lower(): one.arrow for one in CANDIDATES} | {sql_name(_UNSIGNED).lower(): _UNSIGNED}
_DATED = (ColumnType.DATE, ColumnType.NEWDATE, ColumnType.DATETIME, ColumnType.TIMESTAMP)
_INTEGERS = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), _UNSIGNED)


class SeenColumn(Protocol):
    """What a batch shows about a column."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> int: ...
    @property
    def flags(self) -> Any: ...
    @property
    def mysql_type(self) -> str | None: ...
    @property
    def version(self) -> int: ...
    @property
    def digits(self) -> int | None: ...
    @property
    def scale(self) -> int | None: ...
    @property
    def text(self) -> bool: ...


class TableColumn(NamedTuple):
    """A column of a table."""

    name: str
    type: pa.DataType
    facts: dict[str, Any]
    """Known attributes besides the type."""


def columns_seen(decoded: EventColumns, wanted: Collection[int]) -> dict[tuple[int, Column], dict[str, Any]]:
    """What a batch shows about the columns of some tables, by index of the table and column.

    A table may have many layouts, for example if old images contain changed columns only; they share most columns.
    """
    found: dict[tuple[int, Column], dict[str, Any]] = {}
    for at, layout in enumerate(decoded.layouts):
        if layout.table in wanted:
            version, whole = _use(decoded, at)
            for position, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=True)):
                seen = {"version": version, "whole": whole, "position": position, **_seen(column, array)}
                before = found.get((layout.table, column))
                found[layout.table, column] = seen if before is None else both(before, seen)
    return found


def latest_first(row: Any) -> tuple[bool, int, int]:
    """Sort key of a `SeenColumn`: those of complete rows first, then the latest, then by position in the table."""
    return not row.whole, -row.version, row.position


def merge(seen: Sequence[SeenColumn], options: ReadOptions) -> list[TableColumn]:
    """Merges observations of columns, sorted by `latest_first`, into the columns of a table.

    Raises:
        SchemaError: no type holds all types that a column had, or a row has columns whose names differ only in case.
    """
    names: dict[str, str] = {}
    at: dict[tuple[str, int], str] = {}
    facts: dict[str, dict[str, Any]] = {}
    types: dict[str, pa.DataType] = {}
    digits: dict[str, list[Digits]] = {}
    for row in seen:
        key = row.name.lower()
        names.setdefault(key, row.name)
        # rows of one commit ts use one spelling of a name; later rows may use another one
        other = at.setdefault((key, row.version), row.name)
        if other != row.name:
            raise SchemaError(alike_in_case(other, row.name))
        facts.setdefault(key, _facts(row))
        kind = _type(row, options)
        digits.setdefault(key, []).append(_digits_of(row, kind))
        types[key] = kind if key not in types else common(row.name, types[key], kind)
    for key, kind in types.items():
        if pa.types.is_decimal128(kind) and kind not in _INTEGERS:
            types[key] = _decimal(digits[key])
    return [TableColumn(names[key], kind, facts[key]) for key, kind in types.items()]


class Digits(NamedTuple):
    """Digits of a decimal before and after the point."""

    whole: int
    scale: int
    exact: bool
    """Whether the digits were declared; otherwise they are the maximum in the values seen."""


def _digits_of(row: SeenColumn, kind: pa.DataType) -> Digits:
    """The digits of a column of one layout; 20 for an integer column that was a decimal in other layouts."""
    full = _full(row)
    if row.type == ColumnType.DECIMAL and full is not None and full.length is not None:
        scale = full.decimals or 0
        return Digits(full.length - scale, scale, True)
    if row.digits is None:
        return Digits(20 if kind in _INTEGERS else 0, 0, True)
    return Digits(row.digits, row.scale or 0, False)


def _decimal(seen: list[Digits]) -> pa.DataType:
    """The decimal type that holds them all; of maximum precision unless all were declared."""
    whole, scale = max(one.whole for one in seen), max(one.scale for one in seen)
    if whole + scale > MOST_DIGITS:
        return pa.utf8()
    return pa.decimal128(whole + scale if all(one.exact for one in seen) else MOST_DIGITS, scale)


def _full(row: SeenColumn) -> Declared | None:
    """The parsed declared type of a column; None if the protocol does not carry it."""
    return full_type(row.mysql_type)


def full_type(mysql_type: str | None) -> Declared | None:
    """A parsed declared type; None if it is absent or malformed."""
    if mysql_type is None:
        return None
    try:
        return declared(mysql_type)
    except ValueError:
        return None


def _facts(row: SeenColumn) -> dict[str, Any]:
    """The attributes of a column that are kept in the metadata of its Arrow field."""
    flags = ColumnFlag(int(row.flags) & 0xFF)
    found: dict[str, Any]
    try:
        kind = type_text(row.type, flags & ColumnFlag.BINARY)
    except ValueError:
        kind = str(row.type)
    found = {"tidb_type": kind, "handle_key": ColumnFlag.HANDLE_KEY in flags, "unsigned": ColumnFlag.UNSIGNED in flags}
    full = _full(row)
    if full is not None:
        found["mysql_type"] = row.mysql_type
        if full.members:
            found["members"] = list(full.members)
    return found


def _type(row: SeenColumn, options: ReadOptions) -> pa.DataType:
    """The Arrow type of a column of one layout."""
    if row.type == ColumnType.DECIMAL:
        return pa.decimal128(MOST_DIGITS, row.scale or 0)
    if row.type in _DATED and options.zero_date == "string":
        return pa.utf8()
    if row.type == ColumnType.TIME and options.time == "interval":
        return INTERVAL
    if row.type == ColumnType.JSON and options.json == "variant":
        return VARIANT
    if row.type in LABELLED and options.enum == "label":
        if not labels_of(row.mysql_type):
            raise SchemaError(
                f"column {row.name!r}: the messages do not say the labels of this {ColumnType(row.type).name}, for "
                "which option enum=label asks; leave the option out, or give a schema with STRING for it and the "
                "labels as `members` in the field's metadata"
            )
        return pa.utf8()
    text = spark_type(row.type, int(row.flags))
    if text == "string" and not row.text:
        text = "binary"
    return _TYPES[text]


def common(name: str, one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type that holds the values of both types."""
    if one == other:
        return one
    if one in _INTEGERS and other in _INTEGERS:
        return _INTEGERS[max(_INTEGERS.index(one), _INTEGERS.index(other))]
    exact = [kind for kind in (one, other) if pa.types.is_decimal128(kind)]
    if exact and all(kind in exact or kind in _INTEGERS for kind in (one, other)):
        return pa.decimal128(MOST_DIGITS, max(kind.scale for kind in exact))
    if {one, other} == {pa.float32(), pa.float64()}:
        return pa.float64()
    if {one, other} == {pa.utf8(), pa.binary()}:
        return pa.binary()
    if pa.utf8() in (one, other):
        return pa.utf8()
    raise SchemaError(
        f"column {name!r} was {sql_name(other)} and became {sql_name(one)}: no type holds both; give the schema, with "
        "STRING for it, or read the messages before and after the change apart"
    )


def _use(decoded: EventColumns, layout: int) -> tuple[int, bool]:
    """The last commit ts at which a layout was used, and whether its rows are complete. Rows with only the handle key
    are not (also in deletes), nor are old images whose new image has another layout.
    """
    events = decoded.events
    number = constant(layout, pa.int64())
    new, old = (pc.equal(events.column(name), number) for name in ("new_layout", "old_layout"))
    used = events.filter(pc.or_(new, old))
    physical = pc.max(used.column("commit_ms")).as_py() or 0
    version = pc.max(used.column("commit_ts")).as_py() or physical << TSO_SHIFT
    alone = pc.less(events.column("new_layout"), constant(0, pa.int64()))
    only_keys = all(column.flags & ColumnFlag.HANDLE_KEY for column in decoded.layouts[layout].columns)
    whole = pc.and_not(new if only_keys else pc.or_(new, pc.and_(old, alone)), incomplete(decoded))
    return max(0, min(version, (1 << 63) - 1)), bool(pc.any(whole).as_py())


def _seen(column: Column, array: pa.Array) -> dict[str, Any]:
    """The digits that the values of a DECIMAL have, and whether a column of texts or bytes has texts."""
    whole, scale = digits_seen(array) if column.type == ColumnType.DECIMAL else (None, None)
    return {"digits": whole, "scale": scale, "text": array.type != pa.binary()}


def both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Merges what two layouts show about a column: the position in the preferred one, and the maximum digits."""
    first = max(one, other, key=lambda seen: (seen["whole"], seen["version"]))
    most = {name: None if one[name] is None else max(one[name], other[name]) for name in ("digits", "scale")}
    return {**first, **most, "text": one["text"] and other["text"]}


def digits_seen(array: pa.Array) -> tuple[int, int]:
    """The maximum numbers of digits before and after the point in a decimal column."""
    plain = pc.replace_substring_regex(array, "^-?0*", "")
    point = pc.find_substring(plain, ".")
    length = pc.binary_length(plain)
    zero, one = constant(0, length.type), constant(1, length.type)
    whole = pc.if_else(pc.less(point, zero), length, point)
    scale = pc.if_else(pc.less(point, zero), zero, pc.subtract(pc.subtract(length, point), one))
    return pc.max(whole).as_py() or 0, pc.max(scale).as_py() or 0

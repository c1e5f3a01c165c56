"""Converts a column of changes to a column of a table: the possible types, and the conversions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.messages.singles import singles
from tidewire.mysql import UNDECLARED, ColumnFlag, ColumnType, storage, type_text
from tidewire.reading import undeclared
from tidewire.reading.kernels.convert import Bits, Converted, State, Texts
from tidewire.reading.kernels.picked import Picked
from tidewire.reading.types import CANDIDATES, INTERVAL, TIMESTAMP, SchemaError, TargetType
from tidewire.runtime.arrow.literals import column_of, constant, filled
from tidewire.runtime.batch import Column

Convert = Callable[[pa.Array], Converted]
Usual = Callable[[Picked, int], pa.Array | None]


class Conversion(NamedTuple):
    """The conversion of a column to another type."""

    convert: Convert
    """Converts the whole column, and returns the state of each value."""
    usual: Usual | None = None
    """Converts some rows of the column with this number in one pass; None if a value does not fit."""


_DATES = (ColumnType.DATE, ColumnType.NEWDATE)
_INTEGERS = {pa.int8(): 8, pa.int16(): 16, pa.int32(): 32, pa.int64(): 64}


def converter(column: Column, stored: pa.DataType, wanted: TargetType, timezone: str) -> Conversion:
    """The conversion of a column to another type.

    Args:
        column: name, MySQL type and flags.
        stored: int64, uint64, float64, utf8, binary or null.
        timezone: in which TIMESTAMP values are written.

    Raises:
        SchemaError: the column cannot be converted to that type.
    """
    found = _converter(column, stored, wanted, timezone)
    if found is not None:
        return found
    possible = [kind.name for kind in CANDIDATES if _converter(column, stored, kind, timezone) is not None]
    raise SchemaError(
        f"column {column.name!r}: {_type_name(column)} values (stored as {stored}) cannot be {wanted.name}; "
        f"declare {', '.join(possible)} and cast afterwards"
    )


def _type_name(column: Column) -> str:
    """The name of the type in SQL: LONGTEXT, or LONGBLOB if the column is binary."""
    try:
        return type_text(column.type, column.flags & ColumnFlag.BINARY).upper()
    except ValueError:
        return f"type {column.type}"


def _converter(column: Column, stored: pa.DataType, wanted: TargetType, timezone: str) -> Conversion | None:
    found = _of_type(column, stored, wanted, timezone)
    if found is not None and column.type == ColumnType.FLOAT and stored == pa.float64():
        width = wanted.arrow if pa.types.is_floating(wanted.arrow) else None
        return _exact(width, partial(_single, convert=found.convert))
    return found


def _exact(target: pa.DataType | None, convert: Convert) -> Conversion:
    """The conversion of a FLOAT, whose values must be 32-bit floats; in one pass only if the target is a float of some
    width (otherwise None).
    """
    return Conversion(convert, None if target is None else lambda picked, c: picked.floats(c, True, target))


def _of_type(column: Column, stored: pa.DataType, wanted: TargetType, timezone: str) -> Conversion | None:
    kind, target = column.type, wanted.arrow
    if stored == pa.null():
        return Conversion(partial(_nothing, target=target))
    if target == pa.utf8():
        if stored == pa.utf8():
            return Conversion(_as_it_is, lambda picked, c: picked.copied(c, stored))
        return Conversion(partial(_to_string, single=kind == ColumnType.FLOAT))
    if target == pa.binary():
        if stored == pa.binary():
            return Conversion(_as_it_is, lambda picked, c: picked.copied(c, stored))
        if kind == ColumnType.BIT:
            return Conversion(_bit_string)
        return Conversion(_to_binary) if stored == pa.utf8() else None
    if kind == UNDECLARED and target != INTERVAL:
        found = undeclared.converter(target, lambda array: _to_instant(Texts(array), timezone))
        return None if found is None else Conversion(found)
    if stored in (pa.int64(), pa.uint64()):
        return _from_integer(stored, target)
    if stored == pa.float64():
        if target == pa.float32():
            return Conversion(_to_float)
        if target == pa.float64():
            return Conversion(_as_it_is, lambda picked, c: picked.floats(c, False, stored))
        return None
    if storage(kind, column.flags) == "text":
        return _from_text(kind, wanted, timezone)
    return None


def _from_integer(stored: pa.DataType, target: pa.DataType) -> Conversion | None:
    if target == pa.bool_():
        return Conversion(_to_boolean)
    width = _INTEGERS.get(target)
    if width is not None:
        low = 0 if stored == pa.uint64() else -(1 << width - 1)
        high = (1 << width - 1) - 1
        convert = partial(_to_integer, low=low, high=high, target=target)
        return Conversion(convert, lambda picked, c: picked.integers(c, low, high, target))
    if pa.types.is_decimal128(target):
        most = 10 ** (target.precision - target.scale) - 1
        least, top = (0, (1 << 64) - 1) if stored == pa.uint64() else (-(1 << 63), (1 << 63) - 1)
        return Conversion(partial(_to_integer, low=max(-most, least), high=min(most, top), target=target))
    return None


def _from_text(kind: int, wanted: TargetType, timezone: str) -> Conversion | None:
    target = wanted.arrow
    if kind in _DATES and target == pa.date32():
        return _parsed(Texts.dates)
    if kind in (ColumnType.DATETIME, ColumnType.TIMESTAMP) and target == pa.timestamp("us"):
        return _parsed(Texts.datetimes)
    if kind == ColumnType.TIMESTAMP and target == TIMESTAMP:
        return _parsed(partial(_to_instant, timezone=timezone))
    if kind in (ColumnType.TIME, UNDECLARED) and target == INTERVAL:
        return _parsed(partial(_to_interval, unit=wanted.unit))
    if kind == ColumnType.DECIMAL and pa.types.is_decimal128(target):
        precision, scale = target.precision, target.scale
        return _parsed(lambda texts: texts.decimals(precision, scale))
    return None


def _parsed(read: Callable[[Texts], Converted]) -> Conversion:
    """The conversion of a column of texts by a function that parses them."""

    def usual(picked: Picked, c: int) -> pa.Array | None:
        array, states = read(Texts.of(picked, c))
        return array if states is None else None

    return Conversion(lambda array: read(Texts(array)), usual)


# ---- whole columns


def _as_it_is(array: pa.Array) -> Converted:
    return Converted(array, None)


def _single(array: pa.Array, convert: Convert) -> Converted:
    """A FLOAT column: a double that is not exactly a 32-bit float is damaged, and null whatever the target type."""
    fits = singles(array)
    if pc.all(fits).as_py() is not False:
        return convert(array)
    made = convert(pc.if_else(fits, array, constant(None, array.type)))
    states = pc.if_else(fits, constant(State.VALUE, pa.uint8()), constant(State.NO_SINGLE, pa.uint8()))
    return Converted(made.array, filled(states, State.NULL))


def _nothing(array: pa.Array, target: pa.DataType) -> Converted:
    return Converted(pa.nulls(len(array), target), None)


def _to_binary(array: pa.Array) -> Converted:
    return Converted(array.cast(pa.binary()), None)


def _bit_string(array: pa.Array) -> Converted:
    return Converted(Bits(array).bytes(), None)


def _to_boolean(array: pa.Array) -> Converted:
    return Converted(pc.not_equal(array, constant(0, array.type)), None)


def _to_string(array: pa.Array, single: bool) -> Converted:
    """Integers as digits, floats as the shortest text that reads back the same, bytes as UTF-8."""
    if single:
        array = array.cast(pa.float32(), safe=False)
    try:
        return Converted(array.cast(pa.utf8()), None)
    except pa.ArrowInvalid:
        return _kept(array, is_text(array), State.NO_TEXT, pa.utf8())


def is_text(array: pa.Array) -> pa.Array:
    """bool: whether a binary value is UTF-8; null for null. Value by value: for columns that are known to be mixed."""

    def one(value: bytes | None) -> bool | None:
        if value is None:
            return None
        try:
            value.decode()
        except UnicodeDecodeError:
            return False
        return True

    return column_of([one(value) for value in array.to_pylist()], pa.bool_())


def _to_integer(array: pa.Array, low: int, high: int, target: pa.DataType) -> Converted:
    """A narrower integer, or a decimal."""
    if target.bit_width < 64:
        try:
            return Converted(array.cast(target), None)
        except pa.ArrowInvalid:
            pass
    fits = pc.and_(pc.greater_equal(array, constant(low, array.type)), pc.less_equal(array, constant(high, array.type)))
    if pc.all(fits).as_py() is False:
        return _kept(array, fits, State.NO_ROOM, target)
    return Converted(_cast_integer(array, target), None)


def _cast_integer(array: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_decimal(target):
        array = array.cast(pa.decimal128(20, 0))
    return array.cast(target)


def _to_float(array: pa.Array) -> Converted:
    """Values that came from a float32 are unchanged, others are rounded to the nearest; values beyond its range are
    refused.
    """
    narrow = array.cast(pa.float32(), safe=False)
    fits = pc.or_(pc.is_finite(narrow), pc.invert(pc.is_finite(array)))
    if pc.all(fits).as_py() is False:
        return _kept(array, fits, State.NO_ROOM, pa.float32())
    return Converted(narrow, None)


def _kept(array: pa.Array, fits: pa.Array, state: State, target: pa.DataType) -> Converted:
    """The values that fit; others are null and get that state."""
    kept = pc.if_else(fits, array, constant(None, array.type))
    states = pc.if_else(fits, constant(State.VALUE, pa.uint8()), constant(state, pa.uint8()))
    states = pc.fill_null(states, constant(State.NULL, pa.uint8()))
    if pa.types.is_floating(target):
        return Converted(kept.cast(target, safe=False), states)
    return Converted(_cast_integer(kept, target), states)


def _to_interval(texts: Texts, unit: int) -> Converted:
    """Times as intervals; `unit` is the interval type's smallest unit in microseconds. Times that need a smaller unit
    do not fit.
    """
    made = texts.times()
    if unit == 1:
        return made
    micros, one = made.array.cast(pa.int64()), constant(unit, pa.int64())
    even = filled(pc.equal(pc.multiply(pc.divide(micros, one), one), micros), True)
    if pc.all(even).as_py() is not False:
        return made
    plain = pc.if_else(pc.is_valid(micros), constant(State.VALUE, pa.uint8()), constant(State.NULL, pa.uint8()))
    states = plain if made.states is None else made.states
    kept = pc.if_else(even, micros, constant(None, pa.int64())).cast(pa.duration("us"))
    return Converted(kept, pc.if_else(even, states, constant(State.NO_ROOM, pa.uint8())))


def _to_instant(texts: Texts, timezone: str) -> Converted:
    local, states = texts.datetimes()
    return Converted(instants(local, timezone), states)


def instants(local: pa.Array, timezone: str) -> pa.Array:
    """Wall-clock times of a time zone as instants.

    A time that the clock shows twice, or skips, is read with the offset before the change: the earlier of the two
    instants, or the time as if the clock had not been put forward.
    """
    if timezone in ("UTC", "Etc/UTC", "Z"):
        return local.cast(TIMESTAMP)
    try:
        return pc.assume_timezone(local, timezone, ambiguous="earliest", nonexistent="raise").cast(TIMESTAMP)
    except pa.ArrowInvalid:
        before = pc.assume_timezone(local, timezone, ambiguous="earliest", nonexistent="earliest")
        offset = pc.subtract(pc.local_timestamp(before), before.cast(TIMESTAMP).cast(pa.timestamp("us")))
        return pc.subtract(local, offset).cast(TIMESTAMP)

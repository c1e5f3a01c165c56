"""Columns whose types messages do not declare: their text is converted to the type in the schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.messages.options import COLUMN_TYPES
from tidewire.mysql import ColumnFlag, ColumnType, type_text
from tidewire.reading.kernels.convert import Converted, State, Texts
from tidewire.reading.options import ReadOptions
from tidewire.reading.table_names import quoted
from tidewire.reading.types import TIMESTAMP, Wanted
from tidewire.runtime.arrow.literals import constant

INTEGERS = {8: pa.int8(), 16: pa.int16(), 32: pa.int32(), 64: pa.int64()}
_NUMBER = r"^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$"
_MOST_DIGITS = 38


def with_binary(
    options: ReadOptions, known: set[str], table: tuple[str, str], columns: Sequence[Wanted]
) -> ReadOptions:
    """Options with which columns that the schema declares BINARY are read as bytes, if messages do not declare their
    types.

    Args:
        options: the reader's options; column types in them take precedence over the schema.
        known: names of the protocol's options.
        table: schema and name.
        columns: the schema.
    """
    binary = [column.name for column in columns if column.target.arrow == pa.binary()]
    if not binary or COLUMN_TYPES.name not in known:
        return options
    blob = type_text(ColumnType.BLOB, ColumnFlag.BINARY)
    listed = ", ".join(f"{quoted(name)} {blob}" for name in dict.fromkeys(name.lower() for name in binary))
    codec = dict(options.codec)
    given = codec.get(COLUMN_TYPES.name, "")
    codec[COLUMN_TYPES.name] = f"{quoted(table[0])}.{quoted(table[1])} ({listed}); {given}"
    return replace(options, codec=tuple(sorted(codec.items())))


def converter(wanted: pa.DataType, instants: Callable[[pa.Array], Converted]) -> Callable[[pa.Array], Converted] | None:
    """The conversion of text to a type other than STRING and BINARY; None if there is none.

    Args:
        instants: converts wall-clock times to instants.
    """
    if pa.types.is_decimal128(wanted):
        return partial(_decimals, precision=wanted.precision, scale=wanted.scale)
    if wanted == pa.bool_():
        return _booleans
    if pa.types.is_floating(wanted):
        return partial(_floats, target=wanted)
    if wanted == pa.date32():
        return lambda array: Texts(array).dates()
    if wanted == pa.timestamp("us"):
        return lambda array: Texts(array).datetimes()
    if wanted == TIMESTAMP:
        return instants
    return partial(_integers, target=wanted) if wanted in INTEGERS.values() else None


def _decimals(array: pa.Array, precision: int, scale: int) -> Converted:
    return Texts(_spelled(array)).decimals(precision, scale)


def _integers(array: pa.Array, target: pa.DataType) -> Converted:
    """Integers, ``true`` and ``false``."""
    numbers, states = _decimals(array, _MOST_DIGITS, 0)
    least, most = -(1 << target.bit_width - 1), (1 << target.bit_width - 1) - 1
    fits = pc.and_(
        pc.greater_equal(numbers, constant(least, numbers.type)), pc.less_equal(numbers, constant(most, numbers.type))
    )
    kept = pc.if_else(fits, numbers, constant(None, numbers.type)).cast(target)
    if pc.all(fits).as_py() is False:
        wide = pc.fill_null(pc.invert(fits), False)
        states = _states(array) if states is None else states
        states = pc.if_else(wide, constant(State.NO_ROOM, pa.uint8()), states)
    return Converted(kept, states)


def _booleans(array: pa.Array) -> Converted:
    """Whether numbers are not 0."""
    numbers, states = _decimals(array, _MOST_DIGITS, 0)
    return Converted(pc.not_equal(numbers, constant(0, numbers.type)), states)


def _floats(array: pa.Array, target: pa.DataType) -> Converted:
    """The nearest float of that width."""
    plain = _spelled(array).cast(pa.utf8(), safe=False)
    right = pc.match_substring_regex(plain, _NUMBER)
    values = pc.if_else(right, plain, constant(None, pa.utf8())).cast(target)
    finite = pc.is_finite(values)
    if pc.all(right).as_py() is not False and pc.all(finite).as_py() is not False:
        return Converted(values, None)
    states = pc.if_else(right, _states(array), constant(State.NO_TEXT, pa.uint8()))
    states = pc.if_else(pc.fill_null(finite, True), states, constant(State.NO_ROOM, pa.uint8()))
    return Converted(
        pc.if_else(pc.fill_null(finite, False), values, constant(None, target)), pc.fill_null(states, State.NULL)
    )


def _spelled(array: pa.Array) -> pa.Array:
    """The texts, ``true`` and ``false`` as 1 and 0."""
    for text, digit in (("true", "1"), ("false", "0")):
        same = pc.equal(array, constant(text, array.type))
        if pc.any(same).as_py():
            array = pc.if_else(same, constant(digit, array.type), array)
    return array


def _states(array: pa.Array) -> pa.Array:
    """The states of values that were all converted."""
    return pc.if_else(pc.is_valid(array), constant(State.VALUE, pa.uint8()), constant(State.NULL, pa.uint8()))

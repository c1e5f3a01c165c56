"""Columns that are made in one pass, held against those that are converted a step after the other."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.reading.kernels.convert import State
from tidewire.reading.kernels.picked import Picked
from tidewire.reading.typed import Conversion, converter
from tidewire.reading.types import CANDIDATES, SchemaError, TargetType, target_type
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.columns import ARROW_TYPES
from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, RAW_TEXT, TEXT, UINT
from tidewire.runtime.batch import Column

pytestmark = pytest.mark.codec

EDGES = [sign * (1 << bits) + more for bits in (0, 7, 8, 15, 16, 31, 32, 63) for sign in (1, -1) for more in (-1, 0, 1)]
whole = st.sampled_from(EDGES)
texts = {
    ColumnType.DATE: ["2020-02-29", "2021-02-29", "0000-00-00", "9999-12-31", "x", ""],
    ColumnType.DATETIME: ["2020-02-29 23:59:59.999999", "0000-00-00 00:00:00", "2020-01-01 00:00:00", "2020-01-01"],
    ColumnType.TIMESTAMP: [
        "2020-02-29 23:59:59.5",
        "2020-03-29 02:30:00",
        "1969-12-31 23:59:59",
        "2020-02-30 00:00:00",
    ],
    ColumnType.TIME: ["00:00:00", "-838:59:59.999999", "12:00:00.5", "99", "839:00:00"],
    ColumnType.DECIMAL: ["0", "-1.50", "12345678.90", "99999999.994", "1" * 38, "9" * 65, "-0.00", "1e2"],
    ColumnType.VARCHAR: ["", "a", "\u00e9\u4e2d" * 20, "2020-01-01", "1"],
}
CASES: list[tuple[int, int, int, st.SearchStrategy[Any]]] = [
    (ColumnType.INT, 0, INT, whole.filter(lambda v: -(1 << 63) <= v < 1 << 63)),
    (ColumnType.BIGINT, ColumnFlag.UNSIGNED, UINT, whole.filter(lambda v: 0 <= v < 1 << 64)),
    (ColumnType.BIT, ColumnFlag.UNSIGNED, UINT, st.sampled_from([0, 1, 255, 256, (1 << 64) - 1])),
    (ColumnType.FLOAT, 0, FLOAT, st.floats(width=32) | st.sampled_from([0.1, -0.0, 1e300, float("inf")])),
    (ColumnType.DOUBLE, 0, FLOAT, st.floats()),
    *((kind, 0, TEXT, st.sampled_from(found)) for kind, found in texts.items()),
    (ColumnType.BLOB, ColumnFlag.BINARY, BYTES, st.binary(max_size=40)),
    (ColumnType.VARCHAR, 0, RAW_TEXT, st.sampled_from([b"", b"a", b"\xff", "\u00e9".encode()])),
]
"""Type, flags and storage of a column, and values that it may have."""


def conversion(column: Column, storage: int, wanted: TargetType) -> Conversion | None:
    """How the column becomes that type; None when it cannot, or not in one pass."""
    try:
        found = converter(column, ARROW_TYPES[storage], wanted, "Europe/Berlin")
    except SchemaError:
        return None
    return None if found.usual is None else found


@pytest.mark.parametrize("wanted", [*CANDIDATES, target_type(pa.decimal128(10, 2))], ids=lambda one: one.name)
@given(data=st.data())
def test_the_same_values_come_of_both_ways(wanted: TargetType, data: st.DataObject) -> None:
    """Or none come in one pass, where a value does not fit."""
    tried = [case for case in CASES if conversion(Column("c", *case[:2]), case[2], wanted) is not None]
    for kind, flags, storage, values in tried:
        found = conversion(Column("c", kind, flags), storage, wanted)
        assert found is not None
        assert found.usual is not None
        given = data.draw(st.lists(st.none() | values, max_size=12) | st.lists(values, max_size=12))
        array = pa.array(given, ARROW_TYPES[storage]).slice(data.draw(st.integers(0, 2)))
        rows = data.draw(st.lists(st.integers(0, len(array) - 1), max_size=20)) if len(array) else []
        picks = pa.array(rows, pa.int32())
        array_whole, states = found.convert(array)
        made = found.usual(Picked(ColumnReader([array], [storage]), picks), 0)
        bad = states is not None and pc.any(pc.greater(states.take(picks), int(State.VALUE))).as_py()
        assert (made is None) == bool(bad)
        if made is not None:
            made.validate(full=True)
            assert made.type == array_whole.type
            assert repr(made.to_pylist()) == repr(array_whole.take(picks).to_pylist())
            assert made.null_count == sum(array[row].as_py() is None for row in rows)


def test_what_is_made_in_one_pass() -> None:
    """The types that nearly all columns are declared as."""
    kinds = [*CANDIDATES, target_type(pa.decimal128(10, 2))]
    found = {
        ColumnType(case[0]).name: {
            one.name.lower() for one in kinds if conversion(Column("c", *case[:2]), case[2], one)
        }
        for case in CASES[:-1]
    }
    whole_numbers = {"tinyint", "smallint", "int", "bigint"}
    assert found == {
        "INT": whole_numbers,
        "BIGINT": whole_numbers,
        "BIT": whole_numbers,
        "FLOAT": {"float", "double"},
        "DOUBLE": {"double"},
        "DATE": {"date", "string"},
        "DATETIME": {"timestamp_ntz", "string"},
        "TIMESTAMP": {"timestamp_ntz", "timestamp", "string"},
        "TIME": {"interval day to second", "string"},
        "DECIMAL": {"decimal(38,0)", "decimal(10,2)", "string"},
        "VARCHAR": {"string"},
        "BLOB": {"binary"},
    }

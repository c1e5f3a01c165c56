"""VARIANT objects: what is written reads back, here and in PySpark; what others write is read, or refused in words."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.types import VariantVal

from tidewire.runtime.arrow.storage import BYTES, FLOAT, INT, NOTHING, RAW_TEXT, TEXT, UINT
from tidewire.spark.kernels.variant import Objects
from tidewire.spark.kernels.variant_reader import ObjectReader, VariantError

pytestmark = pytest.mark.codec

KINDS: dict[int, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    INT: (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-40000, 40000)),
    UINT: (pa.uint64(), st.integers(0, 2**64 - 1) | st.integers(0, 300)),
    FLOAT: (pa.float64(), st.floats(allow_nan=False)),
    TEXT: (pa.utf8(), st.text(max_size=100)),
    BYTES: (pa.binary(), st.binary(max_size=100)),
    NOTHING: (pa.null(), st.none()),
}

Table = tuple[list[str], list[int], list[pa.Array], int]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Columns of all kinds with nulls, under names in any order."""
    names = draw(st.lists(st.text(max_size=8), unique=True, max_size=9))
    rows = draw(st.integers(0, 6))
    codecs = [draw(st.sampled_from(sorted(KINDS))) for _ in names]
    arrays = []
    for codec in codecs:
        kind, values = KINDS[codec]
        arrays.append(pa.array(draw(st.lists(values | st.none(), min_size=rows, max_size=rows)), kind))
    return names, codecs, arrays, rows


def written(names: Sequence[str], arrays: Sequence[pa.Array], rows: int) -> list[dict[str, bytes]]:
    """Value and metadata of each object."""
    found: list[dict[str, bytes]] = Objects(names, arrays, rows).struct().to_pylist()
    return found


def read(names: Sequence[str], codecs: Sequence[int], objects: Sequence[tuple[bytes, bytes]]) -> list[pa.Array]:
    """The columns of objects given as value and metadata."""
    values = pa.array([value for value, _ in objects], pa.binary())
    metadata = pa.array([names for _, names in objects], pa.binary())
    return ObjectReader(names, codecs).read(values, metadata)


@settings(deadline=None)  # the first example may wait for an import
@given(tables())
def test_objects_read_back_as_they_were_written(table: Table) -> None:
    names, codecs, arrays, rows = table
    objects = Objects(names, arrays, rows).struct()
    found = ObjectReader(names, codecs).read(objects.field("value"), objects.field("metadata"))
    assert [array.to_pylist() for array in found] == [array.to_pylist() for array in arrays]
    assert [array.type for array in found] == [array.type for array in arrays]


@settings(deadline=None)  # the first example may wait for an import
@given(tables())
def test_pyspark_reads_what_is_written(table: Table) -> None:
    names, _, arrays, rows = table
    for row, one in enumerate(written(names, arrays, rows)):
        found = VariantVal(one["value"], one["metadata"]).toPython()
        assert found == {name: array[row].as_py() for name, array in zip(names, arrays, strict=True)}


@pytest.mark.parametrize("columns", [255, 256, 300])
def test_objects_of_many_columns(columns: int) -> None:
    names = [f"c{k}" for k in range(columns)]
    arrays = [pa.array([k, -k], pa.int64()) for k in range(columns)]
    objects = Objects(names, arrays, 2).struct()
    found = ObjectReader(names, [INT] * columns).read(objects.field("value"), objects.field("metadata"))
    assert found == arrays
    first = objects.to_pylist()[0]
    assert VariantVal(first["value"], first["metadata"]).toPython() == {f"c{k}": k for k in range(columns)}


@pytest.mark.parametrize("size", [0, 63, 64, 250, 70_000])
def test_texts_around_every_width_of_an_offset(size: int) -> None:
    arrays = [pa.array(["x" * size], pa.utf8()), pa.array([b"\xff" * size], pa.binary()), pa.array([7], pa.int64())]
    objects = Objects(["t", "b", "n"], arrays, 1).struct()
    found = ObjectReader(["n", "t", "b"], [INT, TEXT, BYTES]).read(objects.field("value"), objects.field("metadata"))
    assert found == [arrays[2], arrays[0], arrays[1]]


def test_text_that_is_not_utf8_is_binary_value_by_value() -> None:
    mixed = pa.array([b"abc", b"\xff", None], pa.binary())
    objects = Objects(["t"], [mixed], 3, {0: pa.array([1, 0, None], pa.uint64())}).struct()
    found = [VariantVal(one["value"], one["metadata"]).toPython() for one in objects.to_pylist()]
    assert found == [{"t": "abc"}, {"t": b"\xff"}, {"t": None}]
    again = ObjectReader(["t"], [RAW_TEXT]).read(objects.field("value"), objects.field("metadata"))
    assert again == [mixed]


@pytest.mark.parametrize("values", [[1], [None]])
def test_fields_of_other_arrow_types_are_refused(values: list[int | None]) -> None:
    expected = "fields of objects have the Arrow types null, int64, uint64, double, string, binary, not int32"
    with pytest.raises(TypeError, match=expected):
        Objects(["a"], [pa.array(values, pa.int32())], 1)


def foreign(value: bytes) -> tuple[bytes, bytes]:
    """An object of another writer: the one field `a` with this value."""
    return bytes([0x02, 1, 0, 0, len(value)]) + value, b"\x01\x01\x00\x01a"


def decimal(width: int, scale: int, unscaled: int) -> bytes:
    """A decimal of 4, 8 or 16 bytes."""
    return bytes([{4: 8, 8: 9, 16: 10}[width] << 2, scale]) + unscaled.to_bytes(width, "little", signed=True)


@pytest.mark.parametrize(
    ("codec", "value", "expected"),
    [
        (INT, decimal(4, 2, 1200), 12),
        (INT, decimal(16, 0, -(2**63)), -(2**63)),
        (UINT, decimal(8, 0, 5), 5),
        (UINT, decimal(16, 0, 2**64 - 1), 2**64 - 1),
        (FLOAT, decimal(4, 1, 15), 1.5),
        (FLOAT, decimal(16, 20, 10**20 + 1), 1.0),
        (FLOAT, b"\x38" + struct.pack("<f", 0.5), 0.5),
        (FLOAT, b"\x0c\x80", -128.0),
        (TEXT, b"\x40\x02\x00\x00\x00ab", "ab"),
    ],
)
def test_what_other_writers_write_for_the_same_value(codec: int, value: bytes, expected: object) -> None:
    assert read(["a"], [codec], [foreign(value)])[0].to_pylist() == [expected]


@pytest.mark.parametrize(
    ("codec", "value", "sentence"),
    [
        (INT, b"\x05a", "column 'a' takes an integer of 64 bits, this value of type string is none"),
        (INT, decimal(4, 2, 1201), "this value of type decimal16 is none"),
        (INT, decimal(16, 0, 2**63), "an integer of 64 bits"),
        (UINT, b"\x0c\xff", "an integer from 0 to 2\\^64 - 1"),
        (FLOAT, b"\x18" + (2**53 + 1).to_bytes(8, "little"), "a number that a double holds exactly"),
        (TEXT, b"\x2c\x00\x00\x00\x00", "takes a string, this value of type date"),
        (BYTES, b"\x05a", "takes binary"),
        (TEXT, b"\x03\x00\x00", "an object or array"),
        (TEXT, b"\x05\xff", "not a VARIANT object that can be read"),
        (TEXT, b"\x15a", "not a VARIANT object that can be read"),
    ],
)
def test_values_that_do_not_fit_are_refused(codec: int, value: bytes, sentence: str) -> None:
    good = foreign(b"\x00")
    with pytest.raises(VariantError, match=sentence) as caught:
        read(["a"], [codec], [good, foreign(value)])
    assert caught.value.row == 1


def test_objects_that_are_not_what_their_columns_say() -> None:
    (one,) = written(["a", "b"], [pa.array([1], pa.int64()), pa.array([2], pa.int64())], 1)
    pair = one["value"], one["metadata"]
    with pytest.raises(VariantError, match="lacks the column 'c'"):
        read(["a", "b", "c"], [INT] * 3, [pair])
    with pytest.raises(VariantError, match="has a field that its columns do not list: 'a'"):
        read(["a"], [INT], [pair])
    with pytest.raises(VariantError, match="a VARIANT that is no object"):
        read(["a"], [INT], [(b"\x00", pair[1])])
    with pytest.raises(VariantError, match="the field 'a' twice"):
        read(["a"], [INT], [(b"\x02\x02\x00\x00\x00\x01\x02\x00\x00", b"\x01\x01\x00\x01a")])
    with pytest.raises(VariantError, match="metadata of version 2"):
        read(["a"], [INT], [(pair[0], b"\x02" + pair[1][1:])])


def mutations(value: bytes, metadata: bytes) -> list[tuple[bytes, bytes]]:
    """Every truncation and many changed bytes."""
    cut = [(value[:n], metadata) for n in range(len(value))] + [(value, metadata[:n]) for n in range(len(metadata))]
    flips: list[tuple[bytes, bytes]] = []
    change: Callable[[bytes, int, int], bytes] = lambda b, at, to: b[:at] + bytes([to]) + b[at + 1 :]  # noqa: E731
    for to in (0x00, 0x01, 0x3F, 0x7F, 0x80, 0xFF):
        flips += [(change(value, at, to), metadata) for at in range(len(value))]
        flips += [(value, change(metadata, at, to)) for at in range(len(metadata))]
    return cut + flips


def test_damaged_objects_raise_one_kind_of_error_or_read_as_something() -> None:
    names, codecs = ["id", "name", "f", "raw", "big"], [INT, TEXT, FLOAT, BYTES, UINT]
    arrays = [
        pa.array([1000], pa.int64()),
        pa.array(["n" * 70], pa.utf8()),
        pa.array([1.5], pa.float64()),
        pa.array([b"\x00\xff"], pa.binary()),
        pa.array([2**64 - 1], pa.uint64()),
    ]
    (one,) = written(names, arrays, 1)
    refused = 0
    for pair in mutations(one["value"], one["metadata"]):
        try:
            read(names, codecs, [pair])
        except VariantError:
            refused += 1
    assert refused > len(one["value"]) + len(one["metadata"])

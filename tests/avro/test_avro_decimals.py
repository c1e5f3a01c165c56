"""DECIMAL as bytes: 256-bit numbers in two's complement, compared with Python's integers."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avro.images import values_of
from tidewire import avro
from tidewire.events import Events, RowChange
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.codec

LEAST, MOST = -(1 << 255), (1 << 255) - 1
"""What 32 bytes have room for."""
SCALES = st.integers(0, 30)
SPECIAL = [0, *(sign * (1 << bits) + more for bits in range(0, 256, 4) for sign in (1, -1) for more in (-1, 0, 1))]
NUMBERS = st.one_of(
    st.sampled_from([one for one in SPECIAL if LEAST <= one <= MOST]),
    st.integers(0, 77).flatmap(lambda digits: st.integers(-(10**digits), 10**digits)),
)
HEAD = b"\0\0\0\0\1"


def plain(number: int, scale: int) -> str:
    """A number with so many of its digits behind the point."""
    digits = str(abs(number)).rjust(scale + 1, "0")
    text = f"{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}" if scale else digits
    return f"-{text}" if number < 0 else text


def fewest(number: int) -> bytes:
    """Two's complement in as few bytes as it takes, the highest first."""
    size = next(size for size in range(1, 200) if -(1 << (8 * size - 1)) <= number < 1 << (8 * size - 1))
    return number.to_bytes(size, "big", signed=True)


def written(text: str, scale: int) -> bytes:
    """The bytes of a decimal, without their length."""
    column = Column("a", ColumnType.DECIMAL, 0, f"decimal(65,{scale})")
    event = RowChange(kind="insert", columns=[column], new={"a": text}, schema="d", table="t", commit_ts=0)
    (message,) = avro.encode([event], schemas=MemorySchemas())
    assert message.value is not None
    assert message.value[5] == 2 * len(message.value[6:])
    return message.value[6:]


def schemas_of(scale: int) -> MemorySchemas:
    """Of records with a decimal."""
    kind = {"type": "bytes", "logicalType": "decimal", "precision": 65, "scale": scale}
    text = json.dumps({"type": "record", "name": "t", "fields": [{"name": "a", "type": kind}]})
    return MemorySchemas([RegisteredSchema(1, "s", 1, text)])


def read(image: bytes, scale: int) -> Any:
    """The value of a column that is these bytes."""
    (event,) = avro.decode(HEAD + bytes([2 * len(image)]) + image, schemas=schemas_of(scale))
    return values_of(event)["a"]


@given(NUMBERS, SCALES)
def test_numbers_of_any_size_are_written_and_read(number: int, scale: int) -> None:
    image = fewest(number)
    assert written(plain(number, scale), scale) == image
    assert read(image, scale) == plain(number, scale)


@given(NUMBERS, SCALES, st.integers(0, 32))
def test_bytes_that_are_more_than_it_takes_are_read(number: int, scale: int, more: int) -> None:
    image = fewest(number)
    filled = (b"\xff" if number < 0 else b"\0") * min(more, 32 - len(image)) + image
    assert read(filled, scale) == plain(number, scale)


@pytest.mark.parametrize("as_arrays", [True, False], ids=["arrays", "lists"])
@pytest.mark.parametrize("scale", [*range(41), 65])
def test_numbers_of_any_size_among_others(scale: int, as_arrays: bool) -> None:
    """In a batch, where most of them are written straight into their column; in as many bytes as it takes, and more."""
    edges = [one for one in SPECIAL if LEAST <= one <= MOST]
    edges += [sign * 10**digits + more for digits in range(41) for sign in (1, -1) for more in (-1, 0, 1)]
    numbers = [(number, more) for number in edges for more in (0, 1, 8)]
    Random(scale).shuffle(numbers)
    images = [(fewest(number), number < 0, more) for number, more in numbers]
    filled = [(b"\xff" if below else b"\0") * min(more, 32 - len(image)) + image for image, below, more in images]
    values = [HEAD + bytes([2 * len(image)]) + image for image in filled]
    keys = [HEAD + b"\0"] * len(values)
    given = (pa.array(values, pa.binary()), pa.array(keys, pa.binary())) if as_arrays else (values, keys)
    found = Events(avro.Decoder(schemas=schemas_of(scale)).decode(*given))
    assert [values_of(event)["a"] for event in found] == [plain(number, scale) for number, _ in numbers]


@given(NUMBERS, SCALES, st.integers(0, 40), st.integers(0, 30))
def test_digits_that_lack_are_zeros_and_those_too_many_are_cut_off_downwards(
    number: int, scale: int, behind: int, zeros: int
) -> None:
    """linkedin/goavro, logical_type.go: a quotient of big integers that is rounded down."""
    text = ("-" if number < 0 else "") + "0" * zeros + plain(abs(number), behind)
    shifted = number * 10 ** (scale - behind) if scale >= behind else number // 10 ** (behind - scale)
    if zeros and len(str(abs(number))) > 65:
        with pytest.raises(EncodeError, match="is no DECIMAL: it has more digits"):
            written(text, scale)
    elif LEAST <= shifted <= MOST:
        assert written(text, scale) == fewest(shifted)
    else:
        with pytest.raises(EncodeError, match="takes more than 32 bytes"):
            written(text, scale)


@pytest.mark.parametrize(
    "number", [LEAST - 1, MOST + 1, 10**80, -(10**80), 10**250], ids=lambda number: f"{number:.0e}"
)
def test_numbers_that_no_reader_takes_are_not_written(number: int) -> None:
    """The length of what takes 64 bytes and more would take two bytes itself."""
    with pytest.raises(EncodeError, match=f"'{str(number)[:40]}...' takes more than 32 bytes"):
        written(str(number), 0)


def test_zero_has_no_sign() -> None:
    assert {written(text, 2) for text in ("0", "-0", "-0.00", "0.009", "-0.000")} == {b"\0"}
    assert written("-0.001", 2) == b"\xff"


def test_bytes_of_no_decimal_are_refused() -> None:
    for size in (0, 33):
        with pytest.raises(DecodeError, match="a decimal has 1 to 32"):
            read(bytes(size), 0)


def test_a_column_has_as_many_digits_behind_the_point_as_its_schema_says() -> None:
    assert read(b"\x01", 65) == "0." + "0" * 64 + "1"
    assert read(b"\x80" + bytes(31), 65) == plain(LEAST, 65)

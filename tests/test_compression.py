"""Compressed messages: what TiCDC wrote is read, and nothing else takes more than it may."""

from __future__ import annotations

import base64
import json
import pickle
from typing import Any

import lz4.frame
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidewire.messages.delivery import unpacking
from tidewire.messages.delivery.compression import CompressionError, compress, decompress, guess
from tidewire.messages.delivery.items import Packing
from tidewire.messages.delivery.unpack_budget import Allowance
from tidewire.messages.delivery.unpacking import paired, unpack
from tidewire.runtime.errors import DecodeError

TEXT = b'{"id":0,"database":"test","table":"big","pkNames":null,"isDdl":true}'
NAMES = ("snappy", "lz4")
HOSTILE_LENGTH = b"\xff\xff\xff\xff\x0f"  # 4 GiB - 1, as a uvarint


def unpack_all(name: str, values: Any, most: int = 1 << 30) -> tuple[pa.Array, list[DecodeError]]:
    errors: list[DecodeError] = []
    pieces = [found for found, _ in unpack("p", Packing(name), paired(values, None), Allowance(most), errors)]
    return pa.concat_arrays(pieces), errors


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=2000) | st.binary(min_size=1, max_size=4).map(lambda part: part * 5000))
def test_what_is_compressed_comes_back(name: str, data: bytes) -> None:
    assert decompress(name, compress(name, data)) == data


def test_none_is_no_compression() -> None:
    assert compress("none", TEXT) is TEXT
    assert decompress("none", TEXT) is TEXT


def test_a_frame_has_the_header_of_the_producers() -> None:
    # version 1, independent blocks, a checksum of the content, no length. The blocks are as small as the message allows
    assert compress("lz4", TEXT)[:5].hex() == "04224d1864"


@pytest.mark.parametrize("name", NAMES)
@given(cut=st.integers(0, 200), at=st.integers(0, 200), bit=st.integers(0, 7))
def test_a_damaged_message_is_refused_or_was_not_hurt(name: str, cut: int, at: int, bit: int) -> None:
    whole = compress(name, TEXT * 3)
    with pytest.raises(CompressionError):
        decompress(name, whole[: min(cut, len(whole) - 1)])
    hurt = bytearray(whole)
    hurt[at % len(hurt)] ^= 1 << bit
    try:
        plain = decompress(name, bytes(hurt))
    except CompressionError:
        return
    # snappy has no checksum
    assert name == "snappy" or plain == TEXT * 3


def test_a_length_is_not_believed() -> None:
    with pytest.raises(CompressionError, match="at most 66 are possible") as caught:
        decompress("snappy", HOSTILE_LENGTH + b"abc")
    assert (caught.value.needed, caught.value.available) == ((1 << 32) - 1, 66)


def test_a_length_that_never_ends_is_no_length() -> None:
    with pytest.raises(CompressionError, match="does not begin with its length") as caught:
        decompress("snappy", b"\xff" * 20)
    assert caught.value.offset == 5


@pytest.mark.parametrize("name", NAMES)
def test_no_message_gets_longer_than_allowed(name: str) -> None:
    bomb = compress(name, bytes(1 << 20))
    assert len(decompress(name, bomb, 1 << 20)) == 1 << 20
    with pytest.raises(CompressionError):
        decompress(name, bomb, (1 << 20) - 1)


def test_the_length_in_a_frame_is_not_believed_either() -> None:
    frame = bytearray(lz4.frame.compress(TEXT, store_size=True))
    frame[6:14] = (1 << 40).to_bytes(8, "little")
    with pytest.raises(CompressionError):
        decompress("lz4", bytes(frame))


def test_bytes_behind_a_frame_are_left_over() -> None:
    frame = compress("lz4", TEXT)
    with pytest.raises(CompressionError, match="left over behind the lz4 frame: 3") as caught:
        decompress("lz4", frame + b"abc")
    assert caught.value.offset == len(frame)


def test_a_batch_goes_on_behind_a_bad_message() -> None:
    good = compress("lz4", TEXT)
    plain, errors = unpack_all("lz4", [good, b"nonsense", None, good])
    assert plain.to_pylist() == [TEXT, None, None, TEXT]
    (error,) = errors
    assert (error.message, error.code, error.offset, error.field) == (1, "compressed", 0, "message")
    assert "magic number" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_an_arrow_array_is_as_good_as_a_list() -> None:
    values = pa.chunked_array([[compress("snappy", TEXT)], [None]], pa.binary())
    plain, errors = unpack_all("snappy", values)
    assert (plain.to_pylist(), errors) == ([TEXT, None], [])


def test_the_messages_of_a_batch_share_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "PIECE", 1)
    values = [compress("lz4", TEXT)] * 3
    plain, errors = unpack_all("lz4", values, 2 * len(TEXT))
    assert plain.to_pylist() == [TEXT, TEXT, None]
    assert "decode fewer messages at once or set max-unpacked-bytes to more" in str(errors[0])
    allowance = Allowance(2 * len(TEXT), divides=True)
    pieces = unpack("p", Packing("lz4"), paired(values, None), allowance, errors)
    assert [len(piece) for piece, _ in pieces] == [1, 1], "a piece at a time"
    assert (allowance.stop, allowance.left, len(errors)) == (2, 0, 1)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_too_long_costs_what_comes_behind_it_nothing(name: str) -> None:
    plain, errors = unpack_all(name, [compress(name, TEXT), compress(name, bytes(1 << 20)), compress(name, TEXT)], 4096)
    assert plain.to_pylist() == [TEXT, None, TEXT]
    assert [error.message for error in errors] == [1]


def test_the_other_compression_is_named() -> None:
    _, errors = unpack_all("snappy", [compress("lz4", TEXT), TEXT])
    assert "it looks like lz4" in str(errors[0])
    assert "it looks like no compression" in str(errors[1])


@pytest.mark.parametrize(
    ("value", "name"),
    [(compress("lz4", TEXT), "lz4"), (compress("snappy", TEXT), "snappy"), (TEXT, "none"), (b"", None), (b"hm", None)],
)
def test_guess(value: bytes, name: str | None) -> None:
    assert guess(value) == name


# The same message, as TiCDC of the new architecture sent it (pierrec/lz4, golang/snappy).
RECORDED = {
    "lz4": (
        "BCJNGGRwuTgBAAD1bXsiaWQiOjAsImRhdGFiYXNlIjoidGVzdCIsInRhYmxlIjoicCIsInBrTmFtZXMiOm51bGwsImlzRGRsIjp0"
        "cnVlLCJ0eXBlIjoiQ1JFQVRFIiwiZXMiOjE3OTUyMjU2MjMxMjAsInRzIjoxNzY3MzIzMDQ1Njc4LCJzcWw1APZFIFRBQkxFIGB0"
        "ZXN0YC5gcGAgKGBpZGAgSU5UIFBSSU1BUlkgS0VZLGB2YCBWQVJDSEFSKDEwKSkgUEFSVElUSU9OIEJZIFJBTkdFIChgaWRgKSAo"
        "GwD4DGBwMGAgVkFMVUVTIExFU1MgVEhBTiAoMTApLCUAHzElAAEbMiUAH20lAAH0BU1BWFZBTFVFKSkiLCJzcWxUeXBlKgErbXkR"
        "AEBkYXRhHQDgbGwsIm9sZCI6bnVsbH0AAAAARa5sbQ=="
    ),
    "snappy": (
        "hwPwe3siaWQiOjAsImRhdGFiYXNlIjoidGVzdCIsInRhYmxlIjoicCIsInBrTmFtZXMiOm51bGwsImlzRGRsIjp0cnVlLCJ0eXBl"
        "IjoiQ1JFQVRFIiwiZXMiOjE3OTUyMjU2MjMxMjAsInRzIjoxNzY3MzIzMDQ1Njc4LCJzcWwVNRwgVEFCTEUgYAF58GxgLmBwYCAo"
        "YGlkYCBJTlQgUFJJTUFSWSBLRVksYHZgIFZBUkNIQVIoMTApKSBQQVJUSVRJT04gQlkgUkFOR0UgKGBpZGApIChQQVJUSVRJT04g"
        "YHAwYCBWQUxVRVMgTEVTUyBUSEFOICgxMCksLiUAADEBXD4lAAAyOiUAAG1OJQAITUFYBRUsKSkiLCJzcWxUeXBlMSoEbXk6EQAh"
        "aBEMJG9sZCI6bnVsbH0="
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_what_a_producer_wrote_is_read(name: str) -> None:
    message = base64.b64decode(RECORDED[name])
    plain = decompress(name, message)
    assert json.loads(plain)["isDdl"] is True
    assert compress(name, plain) != message, "else conformance needs no reason for other bytes"
    assert guess(message) == name

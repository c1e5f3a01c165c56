"""Frames and objects of Open Protocol that are truncated, damaged, duplicated or reordered."""

from __future__ import annotations

import json
from itertools import permutations

import pytest
from timed import spent

from open_protocol.sending import only, read, refused, row, written
from open_protocol.wire import VERSION, Made, cell, column, frame, frames, insert, key, message
from tidewire import open_protocol
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec

# --- lengths

ONE = insert(c=column(3, 1))


@pytest.mark.parametrize(
    ("made", "part"),
    [
        (Made(b"", ONE.value), "key"),
        (Made(ONE.key[:7], ONE.value), "key"),
        (Made(ONE.key[:8] + bytes(3), ONE.value), "key"),
        (Made(ONE.key[:-1], ONE.value), "key"),
        (Made(ONE.key, ONE.value[:-1]), "value"),
        (Made(ONE.key, ONE.value[:7]), "value"),
        *(
            (Made(ONE.key, size.to_bytes(8, "big") + ONE.value[8:]), "value")
            for size in (2**63, 2**64 - 1, 2**56, 2**31, len(ONE.value))
        ),
    ],
)
def test_messages_that_are_cut_or_told_longer_than_they_are(made: Made, part: str) -> None:
    refused(made, "truncated", part)


@pytest.mark.parametrize("version", [0, 2, 1 << 56, 2**63 - 1])
def test_other_versions(version: int) -> None:
    error = refused(Made(version.to_bytes(8, "big") + ONE.key[8:], ONE.value), "const", "key")
    assert str(version) in str(error)


def test_as_many_values_as_keys() -> None:
    head, body = frame(frames(ONE.key[8:])[0]), ONE.value
    for made in (
        Made(ONE.key + head, body), Made(ONE.key, body + body), Made(VERSION, body), Made(ONE.key, b""),
        Made(ONE.key, body + b"\0"),
        Made(VERSION + frame(b'{"ts":1,"t":3}') + ONE.key[8:], body),
    ):  # fmt: skip
        with pytest.raises(DecodeError) as caught:
            read(made)
        assert caught.value.part in ("key", "value")


@pytest.mark.parametrize(
    "content", [b"", b"null", b"[]", b"1", b"{", b'{"u":{}} x', b'{"u":{}}{}', b"\xff", b"\xef\xbb\xbf{}"]
)
def test_frames_that_hold_no_object(content: bytes) -> None:
    with pytest.raises(DecodeError) as caught:
        read(message((key(), content)))
    assert caught.value.part == "value"
    with pytest.raises(DecodeError) as caught:
        read(message((content, {"u": {"c": column(3, 1)}})))
    assert caught.value.part == "key"


def test_a_frame_is_not_read_beyond_its_end() -> None:
    """An object that is cut within its frame is not completed by the bytes of the next one."""
    cut = Made(ONE.key * 1, frame(b'{"u":{"c":{"t":3,"f":0,"v":1}}'))
    refused(Made(VERSION + ONE.key[8:] * 2, cut.value + frame(b"}")), "truncated", "value")
    digits = message((key(), b'{"u":{"c":{"t":3,"f":0,"v":1'), (key(), b"}}}"))
    with pytest.raises(DecodeError):
        read(digits)


def test_a_value_of_a_watermark() -> None:
    with pytest.raises(DecodeError) as caught:
        read(message((key(3), b"{}")))
    assert caught.value.part == "value"


# --- order, names that come twice, and what is missing


def test_the_order_of_columns_and_members_does_not_matter() -> None:
    names = {"t": 15, "h": True, "f": 10, "v": "x"}
    for order in permutations(names):
        made = insert(b={name: names[name] for name in order}, a=column(3, 1))
        event = only(made)
        assert dict(event.new) == {"b": "x", "a": 1}
        assert {one.name: tuple(one)[1:3] for one in event.new.columns} == {"b": (15, 10), "a": (3, 0)}


def test_classic_columns_are_sorted_by_their_bytes_and_new_ones_are_not() -> None:
    names = ["ü", "b", "a", "B", "\U0001f600", "\uffff", "_"]
    event = row(columns=[Column(name, 3, 0) for name in names], new=dict.fromkeys(names, 1))
    assert list(json.loads(written(event)[1])["u"]) == sorted(names, key=str.encode)
    assert list(json.loads(written(event, producer="ticdc")[1])["u"]) == names


@pytest.mark.parametrize(
    ("made", "code", "part"),
    [
        (message((key(), b'{"u":{"a":{"t":3,"f":0,"v":1},"a":{"t":3,"f":0,"v":2}}}')), "duplicate", "value"),
        (message((key(), b'{"u":{"a":{"t":3,"t":3,"f":0,"v":1}}}')), "duplicate", "value"),
        (message((key(), b'{"u":{"a":{"t":3,"f":0,"v":1}},"u":{}}')), "duplicate", "value"),
        (message((b'{"ts":1,"ts":1,"scm":"s","tbl":"t","t":1}', {"u": {"a": column(3, 1)}})), "duplicate", "key"),
        (message((key(), b'{"u":{"a":{"f":0,"v":1}}}')), "missing", "value"),
        (message((key(), b'{"u":{"a":{"t":3,"f":0}}}')), "missing", "value"),
        (message((b'{"scm":"s","tbl":"t","t":1}', {"u": {"a": column(3, 1)}})), "missing", "key"),
        (message((b'{"ts":1,"scm":"s","tbl":"t"}', {"u": {"a": column(3, 1)}})), "missing", "key"),
        (message((key(2), b'{"q":"x"}')), "missing", "value"),
        (message((key(2), b'{"t":3}')), "missing", "value"),
        (message((key(), b'{"u":{"a":{"t":256,"f":0,"v":null}}}')), "outside", "value"),
        (message((key(), b'{"u":{"a":{"t":-1,"f":0,"v":null}}}')), "outside", "value"),
        (message((key(), b'{"u":{"a":{"t":3,"f":18446744073709551616,"v":1}}}')), "outside", "value"),
        (message((key(ts=2**64), {"u": {"a": column(3, 1)}})), "outside", "key"),
        (message((key(2), {"q": "x", "t": 256})), "outside", "value"),
        (message((key(), b'{"u":{"t":8,"f":65,"v":1}}')), "kind", "value"),
    ],
)
def test_what_comes_twice_or_is_missing_or_too_large(made: Made, code: str, part: str) -> None:
    refused(made, code, part)


def test_other_kinds_of_messages_are_refused_by_name() -> None:
    error = refused(message((key(4), b"{}")), "enum", "key")
    assert "4" in str(error)


def test_null_and_empty_are_two_things() -> None:
    batch = open_protocol.decode_batch([None, ONE.value, b""], [ONE.key, ONE.key, VERSION])
    assert batch.tombstones == [0]
    assert len(list(batch)) == 1
    missing = open_protocol.decode_batch([ONE.value], None)
    assert missing.errors[0].part == "key"


def test_columns_of_a_name_that_is_a_member_of_columns() -> None:
    made = insert(t=column(3, 1), f=column(3, 2), v=column(15, "x"), h=column(3, 3), u=column(3, 4))
    assert dict(only(made).new) == {"t": 1, "f": 2, "v": "x", "h": 3, "u": 4}


def test_types_without_values() -> None:
    for kind in (0, 6, 255, 17, 200, 244):
        assert only(cell(kind, None)).new["c"] is None
        with pytest.raises(DecodeError):
            read(cell(kind, 1))


def test_a_length_is_not_believed() -> None:
    """Nothing is allocated on the word of a length."""
    decode = open_protocol.Decoder().attempt
    made = insert(c=column(3, 1))
    for told in (2**31, 2**40, 2**62, 2**64 - 1):
        for broken in (
            Made(made.key, told.to_bytes(8, "big") + made.value[8:]),
            Made(made.key[:8] + told.to_bytes(8, "big") + made.key[16:], made.value),
        ):
            held, _ = spent(lambda made=broken: decode([made.value], [made.key]))  # type: ignore[misc]
            own, _ = spent(lambda: decode([made.value], [made.key]))
            assert held < own + (1 << 20)

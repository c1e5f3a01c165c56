"""The values that the reader of Open Protocol accepts and refuses, compared with a second, naive reader."""

from __future__ import annotations

import json
import struct
from random import Random

import flattened
import pytest
from fuzz.keyed_inputs import halves, joined
from hypothesis import given
from hypothesis import strategies as st

from open_protocol.sending import only, refused, row, sent
from open_protocol.twin import flat, read
from open_protocol.wire import Made, cell, column, compact, frame, insert, key, message
from tidewire.open_protocol.decoder import Decoder
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.errors import DecodeError

pytestmark = pytest.mark.codec


def decoded(*made: Made) -> EventColumns:
    """Messages by a decoder that has seen nothing."""
    return Decoder().decode(*halves([joined(one) for one in made]))


@given(st.text())
def test_any_text(text: str) -> None:
    for kind in (15, 12, 245):
        assert only(cell(kind, json.dumps(text).encode())).new["c"] == text
        assert only(cell(kind, text)).new["c"] == text
    for content in (json.dumps("t" + text).encode(), compact("t" + text)):
        made = message((b'{"ts":1,"scm":"s","tbl":%s,"t":1}' % content, b'{"u":{%s:{"t":3,"f":0,"v":1}}}' % content))
        event = only(made)
        assert (event.table, dict(event.new)) == ("t" + text, {"t" + text: 1})


@given(st.binary())
def test_any_bytes_there_and_back(data: bytes) -> None:
    for kind in (15, 252):
        (made,) = sent(row(columns=[Column("c", kind, 1)], new={"c": data}))
        assert only(made).new["c"] == data
        assert read(*made)[0].new == (("c", kind, 1, data),)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_any_float_there_and_back(number: float) -> None:
    assert struct.pack("<d", only(cell(5, repr(number).encode())).new["c"]) == struct.pack("<d", number)
    for producer in ("tiflow", "ticdc"):
        (made,) = sent(row(columns=[Column("c", 5, 1)], new={"c": number}), producer=producer)
        assert struct.pack("<d", only(made).new["c"]) == struct.pack("<d", number)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_any_float32_there_and_back(number: float) -> None:
    for producer in ("tiflow", "ticdc"):
        (made,) = sent(row(columns=[Column("c", 4, 1)], new={"c": number}), producer=producer)
        assert struct.pack("<d", only(made).new["c"]) == struct.pack("<d", number)


@given(st.integers(-(2**64), 2**65))
def test_any_integer(number: int) -> None:
    for flags, low, high in ((0, -(2**63), 2**63 - 1), (128, 0, 2**64 - 1)):
        made = cell(8, number, flags)
        if low <= number <= high:
            assert only(made).new["c"] == number
        else:
            assert refused(made, "outside", "value").field.endswith("c/v")


def test_objects_cut_anywhere_within_their_frame() -> None:
    """What follows in the neighbouring frame completes nothing."""
    body = compact({"u": {"a": column(15, "x", 1), "b": column(5, 1.5), "c": column(3, 12)}})
    for size in range(len(body)):
        cut = Made(message((key(), b""), (key(), b""))[0], frame(body[:size]) + frame(body[size:]))
        with pytest.raises(DecodeError) as caught:
            only(cut)
        assert caught.value.part == "value"
        assert caught.value.offset <= 8 + size


def test_columns_may_be_described_otherwise_from_message_to_message() -> None:
    """As after ALTER TABLE: other types, flags, order and columns, and back again, in any number of batches."""
    decoder = Decoder()
    chance = Random(1)
    kinds = [
        (3, 0, 7),
        (8, 128, 2**64 - 1),
        (15, 0, "x"),
        (15, 1, "\\xff"),
        (252, 1, "/w=="),
        (5, 0, 1.5),
        (12, 65, "t"),
    ]
    for _ in range(30):
        made = []
        for _ in range(20):
            names = chance.sample("abcdefgh", chance.randrange(1, 8))
            described = {name: chance.choice(kinds) for name in names}
            image = {
                name: column(kind, None if chance.random() < 0.2 else value, flags)
                for name, (kind, flags, value) in described.items()
            }
            old = dict(chance.sample(list(image.items()), chance.randrange(len(image) + 1)))
            made.append(message(*[(key(table=chance.choice("xy")), {"u": image, "p": old})] * chance.choice((1, 1, 3))))
        found = decoder.decode(*halves([joined(one) for one in made]))
        assert list(flattened.outcomes(flat(found), found, 20)) == [read(*one) for one in made]


def test_a_bad_message_leaves_nothing_behind() -> None:
    """Not the good events before the bad one of the same message, nor names, nor tables."""
    good = insert(c=column(3, 1))
    row_of = {"u": {"c": column(3, 1)}}
    bad = [
        message((key(), row_of), (key(), {"u": {"c": column(3, "x")}})),
        message((key(table="other"), row_of), (key(), b'{"u":{"c":{"t":15,"f":2,"v":"x"}},}')),
        message((key(), {"u": {"d": column(5, 1)}}), (key(4), row_of)),
        Made(good.key, good.value + bytes(8)),
    ]
    columns = decoded(*(one for pair in zip(bad, [good] * 4, strict=True) for one in pair))
    assert [error.message for error in columns.errors] == [0, 2, 4, 6]
    assert columns.events["message"].to_pylist() == [1, 3, 5, 7]
    assert columns.tables == [("s", "t")]
    (layout,) = columns.layouts
    assert layout.arrays[0].to_pylist() == [1, 1, 1, 1]
    layout.arrays[0].validate(full=True)

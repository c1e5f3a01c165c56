"""The fast path for rows with schemas already seen in the batch, also between other messages."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from avro.recordings import STREAMS, messages, schemas
from tidewire import avro
from tidewire.events import Events, RowChange
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import ColumnType
from tidewire.runtime.arrow import storage
from tidewire.runtime.batch import Column
from tidewire.runtime.registered.plans import RegisteredImages

pytestmark = pytest.mark.codec

TEXT = {"type": "record", "name": "t", "fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]}
NUMBERS = {"type": "record", "name": "n", "fields": [{"name": "i", "type": "int"}, {"name": "l", "type": "long"}]}
FLOATS = {"type": "record", "name": "f", "fields": [{"name": "f", "type": "float"}, {"name": "d", "type": "double"}]}
SCHEMAS = MemorySchemas(
    [RegisteredSchema(id, "s", id, json.dumps(one)) for id, one in enumerate((TEXT, NUMBERS, FLOATS), 1)]
)
HEAD = b"\0\0\0\0\1"
KEY = HEAD + b"\0\0"


def written(*texts: bytes) -> bytes:
    """A record of texts, each shorter than 64 bytes."""
    return HEAD + b"".join(bytes([2 * len(text)]) + text for text in texts)


def rows(values: Sequence[bytes], as_arrays: bool) -> tuple[list[dict[str, Any]], dict[int, str]]:
    """The rows of messages, and by their numbers the errors of those that are refused."""
    keys = [KEY] * len(values)
    decoder = avro.Decoder(schemas=SCHEMAS)
    given = (pa.array(values, pa.binary()), pa.array(keys, pa.binary())) if as_arrays else (values, keys)
    found = decoder.attempt(*given)
    changes = [event for event in Events(found) if isinstance(event, RowChange)]
    return [dict(change.new or {}) for change in changes], {e.message or 0: e.code for e in found.errors}


def varint(number: int, bytes_more: int = 0) -> bytes:
    """A number as Avro has it, zigzag; with more bytes than it needs, which say nothing."""
    rest, found = 2 * number if number >= 0 else -2 * number - 1, []
    while rest > 0x7F or bytes_more > 0:
        bytes_more -= rest <= 0x7F
        found.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*found, rest])


@pytest.mark.parametrize("as_arrays", [True, False], ids=["arrays", "lists"])
def test_numbers_of_every_length(as_arrays: bool) -> None:
    """With and without bytes of other messages behind them, cut, and longer than they need to be."""
    head = HEAD[:4] + b"\2"
    known = [number for k in range(64) for number in (2**k - 1, -(2**k), 2**k // 3)]
    written = [(number if -(2**31) <= number < 2**31 else 0, number) for number in known]
    good = [head + varint(i, more) + varint(long) for i, long in written for more in (0, 1, 3)]
    wrong = [head + varint(long) + varint(long) for long in known if not -(2**31) <= long < 2**31]
    cut = [value[:-1] for value in good]
    far = [(8, 1, 2**55), (8, 2, 2**56), (9, 1, 2**62), (9, 2, None), (10, 1, None)]
    long = {head + b"\0" + b"\x80" * size + bytes([end]): number for size, end, number in far}
    values = [*good, *wrong, *cut, *long]
    order = list(range(len(values)))
    for seed in range(3):
        Random(seed).shuffle(order)
        found, errors = rows([values[at] for at in order], as_arrays)
        expected = []
        for number, at in enumerate(order):
            if at < len(good):
                expected.append(dict(zip("il", written[at // 3], strict=True)))
            elif at < len(good) + len(wrong):
                assert errors.pop(number) == "outside"
            elif values[at] not in long:
                assert errors.pop(number) == "truncated"
            elif long[values[at]] is None:
                assert errors.pop(number) == "overflow"
            else:
                expected.append({"i": 0, "l": long[values[at]]})
        assert errors == {}
        assert found == expected


@pytest.mark.parametrize("as_arrays", [True, False], ids=["arrays", "lists"])
def test_floats_and_cut_ones(as_arrays: bool) -> None:
    head = HEAD[:4] + b"\3"
    known = [0.0, -0.0, 1.5, -(2.0**-149), 2.0**127, float("inf"), float("-inf")]
    records = [head + struct.pack("<fd", one, other) for one in known for other in known]
    values = [record[:size] for record in records for size in range(5, 18)]
    Random(1).shuffle(values)
    found, errors = rows(values, as_arrays)
    whole = [value for value in values if len(value) == 17]
    assert [head + struct.pack("<fd", row["f"], row["d"]) for row in found] == whole
    assert errors == {k: "truncated" for k, value in enumerate(values) if len(value) < 17}


@pytest.mark.parametrize("as_arrays", [True, False], ids=["arrays", "lists"])
def test_texts_of_every_length_with_something_else_at_every_place(as_arrays: bool) -> None:
    """Short texts of ASCII are copied as a block, where such a block lies in the buffer; others are not."""
    values: list[bytes] = []
    for size in range(41):
        values.append(written(b"x" * size, b"y" * size))
        for place in range(size):
            text = b"abcdefghijklmnopqrstuvwxyz0123456789!?.,:"[:size]
            values.append(written(text[:place] + "é".encode() + text[place:], text))
            values.append(written(text, text[:place] + b"\xff" + text[place + 1 :]))
    chance = Random(1)
    for _ in range(3):  # which one is the last of the buffer
        chance.shuffle(values)
        found, errors = rows(values, as_arrays)
        wrong = {number for number, value in enumerate(values) if b"\xff" in value}
        assert errors == dict.fromkeys(wrong, "utf8")
        texts = [value for value in values if b"\xff" not in value]
        assert len(found) == len(texts)
        for row, value in zip(found, texts, strict=True):
            assert written(row["a"].encode(), row["b"].encode()) == value


@pytest.mark.parametrize("stream", STREAMS, ids=lambda stream: f"{stream.parent.name}-{stream.stem}")
def test_events_are_those_of_each_message_alone(stream: Any) -> None:
    """Rows between statements, watermarks, tombstones and messages that are cut: columns of events that no record has a
    field for are filled for many rows at once."""
    chance = Random(str(stream.name))
    recorded = [(message.value, message.key) for message in messages(stream)]
    pairs = [chance.choice(recorded) for _ in range(60)]
    pairs += [(value and value[: chance.randrange(len(value))], key) for value, key in pairs[:12]]
    chance.shuffle(pairs)
    decoder = avro.Decoder(schemas=schemas(stream))
    together = decoder.attempt([value for value, _ in pairs], [key for _, key in pairs])
    single = avro.Decoder(schemas=schemas(stream))
    alone = [single.attempt([value], [key]) for value, key in pairs]
    assert list(map(repr, Events(together))) == [repr(event) for one in alone for event in Events(one)]
    assert [error.message for error in together.errors] == [k for k, one in enumerate(alone) if one.errors]


def test_a_row_of_another_layout_between_rows_of_one() -> None:
    column = Column("a", ColumnType.INT, 0, "int")
    wide = Column("b", ColumnType.VARCHAR, 0, "varchar(9)")
    kept = MemorySchemas()
    events = [
        RowChange(
            kind="insert",
            schema="d",
            table="t" if number % 3 else "u",
            commit_ts=0,
            columns=[column] if number % 3 else [column, wide],
            new={"a": number} if number % 3 else {"a": number, "b": str(number)},
        )
        for number in range(300)
    ]
    sent = avro.encode(events, schemas=kept)
    found = avro.decode_batch([one.value for one in sent], [one.key for one in sent], schemas=kept)
    rows_found = [dict(one.new or {}) for one in found if isinstance(one, RowChange)]
    assert rows_found == [dict(one.new or {}) for one in events]


def test_images_are_alike_where_columns_are_and_hold_the_same() -> None:
    """Rows before and after lie in one layout where they are alike: of a spec with two forms of the same column, which
    hold it as a text and as a number, a hostile schema could have one each.
    """
    column, other = Column("a", ColumnType.DECIMAL, 0, "decimal(9,2)"), Column("b", ColumnType.INT, 0, "int")
    texts, floats, more = (
        RegisteredImages(("d", "t"), columns, storages, 1)
        for columns, storages in (
            ((column,), [storage.TEXT]),
            ((column,), [storage.FLOAT]),
            ((column, other), [storage.TEXT, storage.INT]),
        )
    )
    assert texts.is_like(RegisteredImages(("d", "t"), (column,), [storage.TEXT], 1))
    assert not texts.is_like(floats)
    assert not texts.is_like(more)

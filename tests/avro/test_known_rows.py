"""Rows by schemas that the batch has had are read without a call for each step, and in between other messages."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from avro.recordings import STREAMS, messages, schemas
from tidewire import avro
from tidewire.events import Events, RowChange
from tidewire.mysql import ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.registry import MemorySchemas, RegisteredSchema

pytestmark = pytest.mark.codec

TEXT = {"type": "record", "name": "t", "fields": [{"name": "a", "type": "string"}, {"name": "b", "type": "string"}]}
SCHEMAS = MemorySchemas([RegisteredSchema(1, "s", 1, json.dumps(TEXT))])
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

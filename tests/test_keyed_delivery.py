"""Messages with keys that hold several events: claim checks, rows that are too long and compression of items."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from functools import partial
from typing import Any

import fsspec
import keyed
import pyarrow as pa
import pytest
from keyed import Encoder, message, packed, row, rows_of

from tidewire.events import ROLES, Events, RowChange
from tidewire.messages.delivery.claims import ClaimFiles, unwrap, wrap
from tidewire.messages.delivery.compression import CompressionError, compress
from tidewire.messages.delivery.items import Packing
from tidewire.messages.delivery.message_reader import MessageReader
from tidewire.messages.delivery.message_writer import Limit, MessageWriter, Way
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.wire.messages import keys_of

WAYS = {"cut": Way(2, "handle_key_only", False), "stored": Way(2, "claim_check", True)}
LOCATION = "s3://bucket/dir/{}.json"
COMPRESSIONS = ("none", "snappy", "lz4")


@pytest.fixture
def memory() -> Iterator[Any]:
    """The empty memory:// filesystem."""
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    storage.pseudo_dirs[:] = [""]
    yield storage
    storage.store.clear()


def files() -> ClaimFiles:
    return ClaimFiles("p", "claim-check", "memory://claims", False)


def reader(compression: str = "none", claims: bool = False, most: int = 1 << 20) -> MessageReader:
    packing = Packing(compression, keyed.PREFIX)
    return MessageReader("p", keyed.Decoder(), ROLES, packing, "squeeze", files() if claims else None, most, keyed=True)


def writer(chosen: str, most: int, compression: str = "none", store: ClaimFiles | None = None) -> MessageWriter:
    encoder = Encoder(most, Packing(compression).compressor())
    limit = Limit(most, 36, "large", chosen, WAYS)
    return MessageWriter("p", encoder.write, limit=limit, store=store, alone=partial(encoder.write, alone=True))


def rows(columns: EventColumns) -> list[tuple[Any, ...]]:
    """Commit ts and row of each event, and what it says of its being whole."""
    return [
        (
            event.commit_ts,
            *((dict(event.new or {}), event.handle_key_only) if isinstance(event, RowChange) else ()),
        )
        for event in Events(columns)
    ]


def whole(*numbers: int) -> list[tuple[Any, ...]]:
    return [(number, {"id": number, "body": "x" * 500}, None) for number in numbers]


# --- reading


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_items_are_decompressed_each_on_its_own(compression: str) -> None:
    key, value = message(row(1, 1, "a" * 400), row(2, 2, "b"))
    assert (len(packed(compression, value)) < 100) == (compression != "none")
    found = reader(compression).decode([packed(compression, value), None], [key, key])
    assert rows(found) == [(1, {"id": 1, "body": "a" * 400}, None), (2, {"id": 2, "body": "b"}, None)]
    assert (found.errors, found.tombstones) == ([], [1])


def test_an_item_that_is_damaged_is_named_and_costs_its_neighbours_nothing() -> None:
    key, value = message(row(1, 1, "a" * 400), row(2, 2, "b" * 400))
    good = packed("lz4", value)
    hurt = bytearray(good)
    at = good.rindex(b"\x04\x22\x4d\x18")
    hurt[at] ^= 1
    found = reader("lz4").decode([good, bytes(hurt), good], [key] * 3)
    assert found.events.column("message").to_pylist() == [0, 0, 2, 2]
    (error,) = found.errors
    assert (error.message, error.part, error.field, error.offset) == (1, "value", "1", at)
    assert "magic number" in str(error)
    assert str(error).startswith("p value 1: ")


def test_items_that_are_compressed_otherwise_are_guessed() -> None:
    key, value = message(row(1, 1, "a" * 400))
    (error,) = reader("lz4").decode([packed("snappy", value)], [key]).errors
    assert error.detail.endswith("it looks like snappy")
    (error,) = reader("none").decode([packed("snappy", value)], [key]).errors
    assert error.detail == "no JSON; it looks like snappy: set squeeze=snappy"


@pytest.mark.parametrize("compression", ["snappy", "lz4"])
def test_what_items_become_is_bounded_together(compression: str) -> None:
    key, value = message(*(row(n, n, "x" * 1000) for n in range(4)))
    sent = packed(compression, value)
    assert len(rows(reader(compression, most=len(value)).decode([sent], [key]))) == 4
    other_key, other = message(row(9, 9, "y"))
    found = reader(compression, most=3000).decode([sent, packed(compression, other)], [key, other_key])
    assert [(error.message, "max-unpacked-bytes" in error.detail) for error in found.errors] == [(0, True)]
    with pytest.raises(CompressionError):
        Packing(compression, keyed.PREFIX).unpack(sent, 3000)


def test_frames_that_do_not_fit_are_left_to_the_decoder() -> None:
    packing = Packing("snappy", keyed.PREFIX)
    for rest in (b"", b"\0", b"\0\0\0\x05abc", b"\xff" * 9):
        assert packing.unpack(keyed.frame(compress("snappy", b"abc")) + rest) == keyed.frame(b"abc") + rest


def test_a_key_is_needed_and_a_null_one_is_none() -> None:
    key, value = message(row(1, 1, "a"))
    found = reader().decode([value, value, value, None], [key, None, b"", None])
    assert rows(found) == [(1, {"id": 1, "body": "a"}, None)]
    assert [(error.message, error.part, error.code) for error in found.errors] == [
        (1, "key", "missing"),
        (2, "key", "const"),
    ]
    assert "give it with the value" in str(found.errors[0])
    assert [error.code for error in reader().decode([value]).errors] == ["missing"]
    with pytest.raises(ValueError, match="there are 1 keys for 2 values"):
        reader().decode([value, value], [key])


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_claim_checks_among_other_rows_are_fetched_with_their_keys(memory: Any, compression: str) -> None:
    for number in (1, 3):
        key, value = message(row(number, number, "x" * 500))
        memory.pipe_file(f"/claims/{number}.json", wrap(packed(compression, value), key))
    key, value = message(
        row(1, 1, location=LOCATION.format(1)), row(2, 2, "x" * 500), row(3, 3, location=LOCATION.format(3))
    )
    assert rows(reader(compression, claims=True).decode([packed(compression, value)], [key])) == whole(1, 2, 3)


def test_a_file_that_is_not_there_costs_the_whole_message_and_no_other(memory: Any) -> None:
    key, value = message(row(1, 1, location=LOCATION.format(1)), row(2, 2, "x" * 500))
    other = message(row(5, 5, "x" * 500))
    found = reader(claims=True).decode([value, other[1]], [key, other[0]])
    assert rows(found) == whole(5)
    assert [error.message for error in found.errors] == [0]


def test_a_file_without_a_key_is_refused(memory: Any) -> None:
    memory.pipe_file("/claims/1.json", wrap(message(row(1, 1, "a"))[1], None))
    key, value = message(row(1, 1, location=LOCATION.format(1)))
    (error,) = reader(claims=True).decode([value], [key]).errors
    assert "what lies there cannot be read: p key: it is missing" in str(error)


def test_parts_of_batches_keep_keys_beside_values() -> None:
    sent = [message(row(n, n, "x" * 500)) for n in range(20)]
    values, keys = [packed("snappy", value) for _, value in sent], [key for key, _ in sent]
    for own, theirs in ((values, keys), (pa.array(values), pa.array(keys))):
        parts = list(reader("snappy", most=2000).parts(own, theirs, lambda columns, *_: columns))
        assert len(parts) > 5
        assert [found for part in parts for found in rows(part)] == whole(*range(20))
        assert [n for part in parts for n in part.events.column("message").to_pylist()] == list(range(20))


@pytest.mark.parametrize("item", [b"", b"\0"])
def test_many_small_items_take_no_more_memory_than_they_are(item: bytes) -> None:
    value = keyed.frame(item) * 100_000
    tracemalloc.start()
    found = Packing("snappy", keyed.PREFIX).unpack(value)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == keyed.frame(b"") * 100_000
    assert most < 3 * len(value)


# --- writing


def read_again(batch: pa.RecordBatch, compression: str = "none", claims: bool = False) -> list[tuple[Any, ...]]:
    return rows(reader(compression, claims).decode(batch.column("value"), batch.column("key")))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_what_is_written_is_read(compression: str) -> None:
    batch = writer("none", 4096, compression).encode(rows_of(5, 500, 5, 5))
    assert batch.column("events").to_pylist() == [3, 2]
    assert batch.column("key").null_count == 0
    assert [len(found[1]["body"]) for found in read_again(batch, compression)[:4]] == [5, 500, 5, 5]


def test_long_rows_are_cut_down_inside_their_batches() -> None:
    batch = writer("cut", 160).encode(rows_of(5, 500, 5, 500))
    assert batch.column("events").to_pylist() == [3, 2], "what was cut down is short, and shares messages"
    found = read_again(batch)
    assert found == [
        (0, {"id": 0, "body": "x" * 5}, None), (1, {"id": 1}, 1), (2, {"id": 2, "body": "x" * 5}, None),
        (3, {"id": 3}, 1), (99,),
    ]  # fmt: skip


@pytest.mark.parametrize("compression", ["none", "lz4"])
def test_long_rows_are_stored_alone_with_their_keys(memory: Any, compression: str) -> None:
    columns = rows_of(5, 500, 5) if compression == "none" else Events.of(_noisy()).columns
    batch = writer("stored", 260, compression, files()).encode(columns)
    assert batch.column("events").to_pylist()[0] > 1
    (name,) = memory.ls("/claims", detail=False)
    stored = unwrap(memory.cat_file(name))
    (event,) = rows(reader(compression).decode([stored.value], [stored.key]))
    assert event[0] == 1
    assert read_again(batch, compression, claims=True) == rows(columns)


def _noisy() -> list[RowChange]:
    """Rows of which the second does not become shorter by compression."""
    noise = "".join(chr(0x4E00 + n * n * 7 % 20000) for n in range(300))
    return [
        RowChange("insert", n, "s", "t", {"id": n, "body": body}, columns=[keyed.ID, keyed.BODY])
        for n, body in enumerate(["x" * 2000, noise, "y"])
    ]


def test_a_short_row_stays_in_an_image_that_a_long_one_shares() -> None:
    columns = rows_of(5, 500)
    assert len(columns.layouts) == 1
    writer("cut", 160).encode(columns)
    assert [len(layout.columns) for layout in columns.layouts] == [2], "what was given is as it was"
    assert columns.events.column("handle_key_only").null_count == columns.num_events


def test_long_rows_are_refused_with_the_remedies() -> None:
    for made in (writer("none", 160).encode, writer("none", 160).messages):
        with pytest.raises(EncodeError) as caught:
            made(rows_of(5, 500))
        assert caught.value.event == 1
        assert "set large to cut or stored, or allow more bytes" in caught.value.reason
    with pytest.raises(EncodeError) as caught:
        writer("cut", 60).encode(rows_of(1, 500))
    assert caught.value.event == 0
    assert "even cut down (large=cut)" in caught.value.reason


def test_a_refused_row_leaves_nothing_in_the_store(memory: Any) -> None:
    with pytest.raises(EncodeError):
        writer("stored", 60, store=files()).encode(rows_of(1, 500))
    writer("stored", 160, store=files()).prepare(rows_of(1, 500))
    assert not memory.exists("/claims")


def test_a_few_messages_are_the_same_as_a_batch() -> None:
    for columns in (rows_of(5, 5), rows_of(5, 500, 5)):
        batch = writer("cut", 160).encode(columns)
        assert writer("cut", 160).messages(columns) == [tuple(one.values()) for one in batch.to_pylist()]


def test_keys_of_an_array_are_as_many_as_its_values() -> None:
    assert keys_of([b"a", b"b"], None).to_pylist() == [None, None]  # type: ignore[union-attr]
    assert keys_of(pa.array([b"a"]), [None]) == [None]

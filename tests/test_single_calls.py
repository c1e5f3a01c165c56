"""One message a call: decoders and encoders that threads keep, and events that need no Arrow."""

from __future__ import annotations

import gc
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from described import VERSION, schemas_of, tables_of

import tidewire
from tidewire import canal_json, craft, open_protocol
from tidewire.events import Column, Event, Events, RowChange, Watermark
from tidewire.messages import codec_pool
from tidewire.messages.codec_pool import CodecPool, small
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.event_batches import EventBatches
from tidewire.runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.codec

COLUMNS = [
    Column("id", 8, 11),
    Column("n", 8, 128),
    Column("f", 5, 64),
    Column("name", 15, 64),
    Column("raw", 15, 65),
    Column("none", 15, 64),
]
CODECS: list[Any] = [craft, canal_json, open_protocol]


def change(k: int, kind: str = "update") -> RowChange:
    """An event that no other is like."""
    row = {"id": -k, "n": 2**63 + k, "f": k / 8, "name": f"n\u00e4me {k}", "raw": bytes([k % 256, 255]), "none": None}
    old = {**row, "name": None, "f": 0.0}
    return RowChange(
        kind, (k + 1) << 18, "s", f"t{k % 3}", row, old if kind == "update" else None, columns=COLUMNS, sent_ms=5
    )


def plain(events: Events | list[Event]) -> list[Any]:
    """What decoding has to give back."""
    return [
        (e.kind, e.commit_time, e.schema, e.table, e.new and dict(e.new), e.old and dict(e.old))  # type: ignore[attr-defined]
        for e in events
    ]


@pytest.mark.parametrize("codec", CODECS)
def test_what_a_call_gave_stays_as_it_is(codec: Any) -> None:
    """Later calls use the same decoder, and none of its memory that was given away."""
    events = [change(k, "insert" if k % 4 == 0 else "update") for k in range(60)]
    messages = [codec.encode([event])[0] for event in events]
    found = [codec.decode(message.value, message.key) for message in messages]
    for message in messages:
        codec.decode_batch([message.value, messages[0].value, b"bad"], [message.key, messages[0].key, message.key])
    gc.collect()
    assert [plain(one) for one in found] == [plain([event]) for event in events]
    columns = [one.columns for one in found]
    for one, event in zip(columns, events, strict=True):
        one.events.validate(full=True)
        assert one.events.num_rows == one.num_events == 1
        assert plain(Events(one)) == plain([event])
        assert plain(Events(pickle.loads(pickle.dumps(one)))) == plain([event])
        (layout,) = one.layouts if event.old is None else one.layouts[:1]
        assert layout.to_batch().column("id")[0].as_py() == event.new["id"]  # type: ignore[index]
    assert [plain(one) for one in found] == [plain([event]) for event in events]


@pytest.mark.parametrize("codec", [one.load() for one in tidewire.protocols().values()])
def test_events_of_a_few_messages_need_no_arrow(codec: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise AssertionError("a batch was made")

    for name in ("batch", "parts"):  # interpreted; compiled
        monkeypatch.setattr(EventBatches, name, refused)
    columns = [
        Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY),
        Column("name", ColumnType.VARCHAR, ColumnFlag.NULLABLE),
    ]
    told = {} if codec.FACTS.registry is None else {"enable_tidb_extension": True}
    given = {"options": codec.Options(**told), **tables_of(codec, columns)}
    rows = [{"id": k, "name": f"n\u00e4me {k}"} for k in range(20)]
    written = [
        RowChange("insert", (k + 1) << 18, "s", f"t{k % 3}", row, columns=columns, table_version=VERSION)
        for k, row in enumerate(rows)
    ]
    writing = {"options": given["options"], **schemas_of(codec)}
    messages = codec.encode(written, **writing)
    singly = [codec.decode(message.value, message.key, **given) for message in messages]
    assert [dict(event.new) for events in singly for event in events] == rows
    events = codec.decode_batch(*zip(*[(m.value, m.key) for m in messages], strict=True), **given)
    assert [dict(event.new) for event in events] == rows
    assert [message.value for message in codec.encode(events, **writing)] == [message.value for message in messages]
    with pytest.raises(AssertionError, match="a batch was made"):
        _ = events.columns.events


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("policy", ["error", "replace", "bytes"])
def test_texts_that_are_none_are_the_same_with_and_without_arrow(codec: Any, policy: str) -> None:
    written = RowChange(
        "insert", 1 << 18, "s", "t", {"a": b"x\xff", "b": "y"}, columns=[Column("a", 15, 0), Column("b", 15, 0)]
    )
    if codec is craft:
        key, value = codec.encode([written])[0][:2]
    else:
        key, value = codec.encode([change(1, "insert")])[0][:2]
        value = value.replace(b"n\xc3\xa4me", b"n\xff\xffme" if key else b"n\xffme")  # a frame keeps its length
    options = codec.Options(invalid_text=policy)
    if policy == "error":
        with pytest.raises(DecodeError):
            codec.decode(value, key, options=options)
        return
    light: Any
    heavy: Any
    (light,) = codec.decode(value, key, options=options)
    events = codec.decode(value, key, options=options)
    for layout in events.columns.layouts:
        assert layout.arrays
    (heavy,) = Events(EventColumns(events.columns.events, events.columns.tables, events.columns.layouts))
    assert dict(light.new) == dict(heavy.new)
    assert any(isinstance(v, bytes) or "\ufffd" in str(v) for v in light.new.values())


def test_options_have_decoders_of_their_own() -> None:
    value = craft.encode([RowChange("insert", 1, "s", "t", {"a": b"\xff"}, columns=[Column("a", 15, 0)])])[0].value
    assert value is not None
    for _ in range(3):
        assert craft.decode(value, options=craft.Options(invalid_text="bytes"))[0].new["a"] == b"\xff"
        assert craft.decode(value, options=craft.Options(invalid_text="replace"))[0].new["a"] == "\ufffd"
        with pytest.raises(DecodeError):
            craft.decode(value)


class Codec:
    """Something that is kept."""

    def __init__(self, options: object) -> None:
        self.options = options
        self.reusable = options != "files"


def test_what_is_kept_and_for_whom() -> None:
    kept: CodecPool[Any, Codec] = CodecPool(Codec)
    one = kept.take("a")
    other = kept.take("a")  # within the first call
    assert one is not other
    kept.give("a", one)
    assert kept.take("a") is one
    assert kept.take("a") is not one  # it was not given back, as after an error
    files = kept.take("files")
    kept.give("files", files)
    assert kept.take("files") is not files
    assert kept.take([]).options == []  # what has no hash is not kept


def test_only_the_codecs_that_were_used_lately_are_kept() -> None:
    kept: CodecPool[Any, Codec] = CodecPool(Codec)
    codecs = [kept.take(k) for k in range(codec_pool.MOST_KEPT + 1)]
    for k, codec in enumerate(codecs):
        kept.give(k, codec)
        if k:
            kept.give(0, kept.take(0))
    assert kept.take(0) is codecs[0]
    assert kept.take(1) is not codecs[1]
    assert kept.take(2) is codecs[2]


def test_threads_have_their_own() -> None:
    kept: CodecPool[Any, Codec] = CodecPool(Codec)
    mine = kept.take(None)
    kept.give(None, mine)
    theirs: list[Codec] = []
    thread = threading.Thread(target=lambda: theirs.append(kept.take(None)))
    thread.start()
    thread.join()
    assert theirs[0] is not mine
    assert kept.take(None) is mine


@pytest.mark.parametrize("codec", CODECS)
def test_threads_decode_and_encode_at_once(codec: Any) -> None:
    wrong: list[object] = []

    def work(first: int) -> None:
        try:
            for k in range(first, first + 60):
                (message,) = codec.encode([change(k)])
                events = codec.decode(message.value, message.key)
                columns = events.columns.events if k % 3 == 0 else None
                if plain(events) != plain([change(k)]) or (columns is not None and columns.num_rows != 1):
                    wrong.append(k)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(100 * n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_calls_with_much_have_decoders_of_their_own() -> None:
    assert small([])
    assert small([b"x"] * codec_pool.MOST_EVENTS)
    assert not small([b"x"] * (codec_pool.MOST_EVENTS + 1))
    assert not small([b"x" * codec_pool.MOST_BYTES])
    assert small([None, b""])
    assert small(pa.array([b"x"], pa.binary()))
    assert not small(pa.array([b"x" * codec_pool.MOST_BYTES], pa.binary()))
    assert not small(iter([]))


def test_a_codec_that_failed_is_not_used_again() -> None:
    """What it wrote or read of the event that was refused does not come back."""
    good, bad = change(1), Watermark(None)
    first = [message.value for message in craft.encode([good])]
    for _ in range(3):
        with pytest.raises(EncodeError):
            craft.encode([good, bad])
        with pytest.raises(DecodeError):
            craft.decode(first[0][:-1])  # type: ignore[index]
        assert [message.value for message in craft.encode([good])] == first
        assert plain(craft.decode(first[0])) == plain([good])


def test_decoding_within_encoding() -> None:
    """Events that are made while they are asked for may use the codec that asks."""

    def events() -> Iterator[Event]:
        for k in range(5):
            (message,) = canal_json.encode([change(k)])
            yield from canal_json.decode(message.value)

    assert [plain(canal_json.decode(m.value)) for m in canal_json.encode(events())] == [
        plain([change(k)]) for k in range(5)
    ]


def test_batches_are_equal_however_they_lie() -> None:
    messages = [
        message.value for message in craft.encode([change(k) for k in range(5)], craft.Options(max_batch_size=2))
    ]
    one, other = craft.decode_batch(messages).columns, craft.decode_batch(messages).columns
    assert one.events.num_rows == 5
    assert one == other
    assert one == EventColumns(other.events, other.tables, other.layouts)
    assert one != craft.decode_batch(messages[:1]).columns
    assert repr(one).startswith("EventColumns(events=")


def test_sequences_of_bytes_that_are_no_lists() -> None:
    messages = [
        message.value for message in craft.encode([change(k) for k in range(5)], craft.Options(max_batch_size=2))
    ]
    expected = plain(craft.decode_batch(messages))
    for values in (tuple(messages), pa.array(messages, pa.binary()), [bytearray(m or b"") for m in messages]):
        given: Any = values
        assert plain(craft.decode_batch(given)) == expected
    batch = craft.decode_batch([messages[0], None, b"", messages[1]])
    assert batch.tombstones == [1]
    assert [error.message for error in batch.errors] == [2]
    assert batch.columns.events["message"].to_pylist() == [0, 0, 3, 3]
    decode_batch: Any = craft.decode_batch
    with pytest.raises(TypeError):
        decode_batch([5])

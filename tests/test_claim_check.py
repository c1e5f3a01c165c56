"""Messages that lie in files: found, read in their place, and never taken for something that they are not."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest
from written import Written

from tidewire.events import ROLES, Events, RowChange, Watermark
from tidewire.messages.delivery.claims import Claimed, ClaimError, ClaimFiles, Unclaimed, file_name, unwrap, wrap
from tidewire.messages.delivery.compression import compress
from tidewire.messages.delivery.items import Packing
from tidewire.messages.delivery.message_reader import MessageReader
from tidewire.messages.delivery.message_writer import Limit, MessageWriter, Way
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.errors import DecodeError, EncodeError, OptionError

ID = Column("id", 3, 2)
BODY = Column("body", 252, 64)
LOCATION = "s3://bucket/dir/{}.json"


class Decoder:
    """The protocol of `decoded`, as a printed decoder reads it."""

    def decode(self, values: Any) -> EventColumns:
        return decoded(values)

    def decode_pieces(self, pieces: Iterable[Any]) -> EventColumns:
        return decoded([value for values in pieces for value in values])


def decoded(values: Any) -> EventColumns:
    """A protocol of tests: a message is JSON, events are [commit ts, table, id, body or null, location or null]."""
    events: list[Any] = []
    messages: list[int] = []
    errors: list[DecodeError] = []
    for at, value in enumerate(values):
        text = value.as_py() if isinstance(value, pa.Scalar) else value
        try:
            found = json.loads(text or b"")
        except ValueError:
            errors.append(DecodeError("p", "message", 0, "syntax", "no JSON", message=at))
            continue
        for commit_ts, table, row_id, body, location in found:
            columns = [ID] if body is None else [ID, BODY]
            row = {"id": row_id} if body is None else {"id": row_id, "body": body}
            partial = body is None and location is None
            events.append(
                Watermark(commit_ts)
                if table is None
                else RowChange(
                    "insert", commit_ts, "s", table, row, columns=columns, claim_check=location,
                    handle_key_only=partial or None,
                )
            )  # fmt: skip
            messages.append(at)
    made = Events.of(events).columns
    place = made.events.schema.get_field_index("message")
    numbered = made.events.set_column(place, made.events.schema.field(place), pa.array(messages, pa.int64()))
    return EventColumns(numbered, made.tables, made.layouts, errors)


def message(*events: Sequence[Any]) -> bytes:
    return json.dumps(events).encode()


def whole(commit_ts: int, row_id: int, table: str = "t") -> bytes:
    return message([commit_ts, table, row_id, "x" * 9, None])


def pointer(commit_ts: int, row_id: int, name: str | None = None, table: str = "t") -> bytes:
    return message([commit_ts, table, row_id, None, LOCATION.format(name or row_id)])


@pytest.fixture
def memory() -> Iterator[Any]:
    """The empty memory:// filesystem."""
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    storage.pseudo_dirs[:] = [""]
    yield storage
    storage.store.clear()


def message_reader(url: str, raw: bool = False, compression: str = "none") -> MessageReader:
    return MessageReader(
        "p", Decoder(), ROLES, Packing(compression), "squeeze", ClaimFiles("p", "claim-check", url, raw)
    )


def rows(columns: EventColumns) -> list[tuple[Any, ...]]:
    return [
        (event.commit_ts, getattr(event, "table", None), dict(getattr(event, "new", None) or {}))
        for event in Events(columns)
    ]


BODY_TEXT = "x" * 9


@pytest.mark.parametrize("raw", [False, True])
def test_a_file_takes_the_place_of_the_message_that_points_to_it(memory: Any, raw: bool) -> None:
    for row_id in (1, 3):
        data = whole(row_id, row_id)
        memory.pipe_file(f"/claims/{row_id}.json", data if raw else wrap(data, None))
    values = [pointer(1, 1), whole(2, 2), pointer(3, 3), message([4, None, 0, None, None])]
    columns = message_reader("memory://claims", raw).decode(values)
    assert columns.errors == []
    assert rows(columns) == [
        *((n, "t", {"id": n, "body": BODY_TEXT}) for n in (1, 2, 3)),
        (4, None, {}),
    ]
    assert columns.events.column("message").to_pylist() == [0, 1, 2, 3]
    assert columns.events.column("claim_check").null_count == 4
    assert [layout.num_rows for layout in columns.layouts] == [3], "one layout, and none that no event is of"


def test_without_files_an_event_says_that_it_is_not_whole() -> None:
    (event,) = Events(MessageReader("p", Decoder(), ROLES).decode([pointer(1, 1)]))
    assert isinstance(event, RowChange)
    assert event.new is not None
    assert (event.claim_check, dict(event.new)) == (LOCATION.format(1), {"id": 1})


def test_files_are_compressed_as_messages_are(memory: Any) -> None:
    memory.pipe_file("/claims/1.json", wrap(compress("lz4", whole(1, 1)), b"key"))
    columns = message_reader("memory://claims", compression="lz4").decode([compress("lz4", pointer(1, 1))])
    assert rows(columns) == [(1, "t", {"id": 1, "body": BODY_TEXT})]


def test_a_directory_is_as_good_as_a_url(tmp_path: Path) -> None:
    (tmp_path / "1.json").write_bytes(wrap(whole(1, 1), None))
    for url in (str(tmp_path), f"{tmp_path}/", f"file://{tmp_path}"):
        assert rows(message_reader(url).decode([pointer(1, 1)])) == [(1, "t", {"id": 1, "body": BODY_TEXT})]


def test_each_file_is_fetched_once_and_several_at_a_time(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    fetch = type(memory).cat_file

    def counted(self: Any, path: str, **more: Any) -> Any:
        asked.append(path)
        return fetch(self, path, **more)

    monkeypatch.setattr(type(memory), "cat_file", counted)
    for row_id in range(40):
        memory.pipe_file(f"/claims/{row_id}.json", wrap(whole(row_id, row_id), None))
    values = [pointer(row_id, row_id) for row_id in (*range(40), 7)]
    columns = message_reader("memory://claims").decode(values)
    assert [row[2]["id"] for row in rows(columns)] == [*range(40), 7]
    assert len(asked) == 40


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (None, "there is no such file below memory://claims"),
        (b"", "no object with key and value in base64"),
        (b"[]", "no object with key and value in base64"),
        (b'{"key":null}', "no object with key and value in base64"),
        (b'{"key":null,"value":"%%"}', "no object with key and value in base64"),
        (b"[" * 100_000, "no object with key and value in base64"),
        (wrap(b"hm", None), "what lies there cannot be read: p message: no JSON"),
        (wrap(b"[]", None), "it has no event"),
        (wrap(pointer(1, 1), None), "it points to another file"),
        (wrap(message([1, "t", 1, None, None]), None), "it has the row's handle key only"),
        (wrap(whole(2, 1), None), "it is another event: its commit_ts differs"),
        (wrap(whole(1, 1, "u"), None), "it is another event: its table differs"),
        (wrap(message([1, None, 1, None, None]), None), "it is another event"),
    ],
)
def test_a_file_that_is_missing_or_wrong_is_an_error_of_its_message(
    memory: Any, data: bytes | None, reason: str
) -> None:
    if data is not None:
        memory.pipe_file("/claims/1.json", data)
    memory.pipe_file("/claims/3.json", wrap(whole(3, 3), None))
    values = [whole(0, 0), pointer(1, 1), b"hm", pointer(3, 3)]
    columns = message_reader("memory://claims").decode(values)
    assert [row[2]["id"] for row in rows(columns)] == [0, 3]
    error, other = columns.errors
    assert isinstance(error, ClaimError)
    assert reason in str(error)
    assert (error.message, error.code, other.message) == (1, "claim", 2)
    assert (error.schema, error.table, error.commit_ts, error.key) == ("s", "t", 1, {"id": 1})
    assert error.location == LOCATION.format(1)
    assert "s.t(id=1) at 1 lies in 's3://bucket/dir/1.json'" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_message_is_undone_whole(memory: Any) -> None:
    memory.pipe_file("/claims/2.json", wrap(whole(2, 2), None))
    several = message(*json.loads(pointer(1, 1)), *json.loads(pointer(2, 2)), *json.loads(whole(3, 3)))
    columns = message_reader("memory://claims").decode([several, whole(4, 4)])
    assert [row[2]["id"] for row in rows(columns)] == [4]
    assert [error.message for error in columns.errors] == [0]


def test_a_backend_that_fails_is_an_error_of_the_message(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, path: str, **more: Any) -> Any:
        raise TimeoutError("too slow")

    monkeypatch.setattr(type(memory), "cat_file", fail)
    (error,) = message_reader("memory://claims").decode([pointer(1, 1)]).errors
    assert "could not be fetched: TimeoutError: too slow" in str(error)


@pytest.mark.parametrize(
    "location",
    [
        *(
            "",
            "s3://bucket/",
            "a/..",
            "..",
            "s3://b/.",
            "a\\b",
            "a\0b",
            "a\nb",
            "a\x7fb",
            "a\x85b",
            "a\u2028b",
            "\u202eb",
        ),
        *("..%2fsecret", "a%00", "a.json?x=y", "a.json#x", "C:a", "zip::a", "s3://b/x/..%2f..%2fsecret"),
    ],
)
def test_a_location_that_names_no_file(memory: Any, location: str) -> None:
    with pytest.raises(Unclaimed):
        file_name(location)
    (error,) = message_reader("memory://claims").decode([message([1, "t", 1, None, location])]).errors
    assert "name of a file" in str(error)


@pytest.mark.parametrize("location", ["s3://b/../../../etc/passwd", "/etc/passwd", "memory://other/passwd", "passwd"])
def test_nothing_outside_of_the_directory_is_asked_for(tmp_path: Path, location: str) -> None:
    files = ClaimFiles("p", "claim-check", str(tmp_path), True)
    (tmp_path / "passwd").write_bytes(b"ours")
    assert files.fetch([location]) == [Claimed(None, b"ours")]


def test_a_url_that_nobody_knows_is_a_wrong_option() -> None:
    with pytest.raises(OptionError, match=re.escape("p: option claim-check: 'nope://x' cannot be used")):
        ClaimFiles("p", "claim-check", "nope://x", False)


def test_key_and_value_are_wrapped_as_go_writes_them() -> None:
    assert wrap(b"\xff\xfe", None) == b'{"key":null,"value":"//4="}'
    assert wrap(b"", b"k") == b'{"key":"aw==","value":""}'
    assert unwrap(wrap(b"v", b"k")) == Claimed(b"k", b"v")


# --- writing ----------------------------------------------------------------------------------------------------------


def encode(columns: EventColumns) -> Written:
    """The other direction of `decode`, one message for each event."""
    values = [
        message([e.commit_ts, e.table, e.new["id"], e.new.get("body"), e.claim_check])
        if isinstance(e, RowChange) and e.new is not None
        else message([e.commit_ts, None, 0, None, None])
        for e in Events(columns)
    ]
    return Written([(None, value, event, 1) for event, value in enumerate(values)])


WAYS = {"cut": Way(2, "handle_key_only", False), "stored": Way(2, "claim_check", True)}


def changes(*sizes: int) -> EventColumns:
    events: list[Any] = [
        RowChange("insert", n, "s", "t", {"id": n, "body": "x" * size}, columns=[ID, BODY])
        for n, size in enumerate(sizes)
    ]
    return Events.of([*events, Watermark(99)]).columns


def message_writer(chosen: str, most: int, compression: str = "none", store: ClaimFiles | None = None) -> MessageWriter:
    return MessageWriter("p", encode, Packing(compression), Limit(most, 36, "large", chosen, WAYS), store)


def test_a_row_that_is_too_long_is_refused_with_the_remedies() -> None:
    with pytest.raises(EncodeError) as caught:
        message_writer("none", 100).encode(changes(5, 500))
    assert caught.value.event == 1
    assert caught.value.reason == (
        "its message takes 559 bytes and may have 100: set large to cut or stored, or allow more bytes"
    )


def test_only_rows_have_a_greatest_length() -> None:
    assert message_writer("none", 80).encode(changes()).num_rows == 1
    assert message_writer("none", 36).encode(changes()).num_rows == 1


def test_a_message_of_just_that_length_is_sent() -> None:
    length = encode(changes(500)).longest() + 36
    assert message_writer("none", length).encode(changes(500)).num_rows == 2
    with pytest.raises(EncodeError):
        message_writer("none", length - 1).encode(changes(500))


def test_a_row_that_is_too_long_is_cut_down() -> None:
    batch = message_writer("cut", 100).encode(changes(5, 500, 5))
    found = Events(decoded(batch.column("value")))
    assert [len(event.new) for event in found[:3]] == [2, 1, 2]
    assert [event.handle_key_only for event in found[:3]] == [None, True, None]


def test_a_row_that_is_too_long_even_then_is_refused() -> None:
    with pytest.raises(EncodeError, match=re.escape("even cut down (large=cut) its message takes")):
        message_writer("cut", 40).encode(changes(500))


def test_a_row_that_is_too_long_is_stored(memory: Any) -> None:
    files = ClaimFiles("p", "place", "memory://claims/dir/", False)
    batch = message_writer("stored", 200, store=files).encode(changes(5, 500, 5))
    assert len(memory.ls("/claims/dir")) == 1
    sent = Events(decoded(batch.column("value")))
    assert re.fullmatch(r"memory://claims/dir/[0-9a-f-]{36}\.json", sent[1].claim_check)
    read = message_reader("memory://claims/dir").decode(batch.column("value"))
    assert rows(read) == rows(changes(5, 500, 5))


def test_what_is_stored_is_compressed_as_well(memory: Any) -> None:
    files = ClaimFiles("p", "place", "memory://claims", True)
    batch = message_writer("stored", 170, "snappy", files).encode(changes(5, 9999))
    read = message_reader("memory://claims", True, "snappy").decode(batch.column("value"))
    assert rows(read) == rows(changes(5, 9999))


def test_nothing_is_stored_of_rows_that_are_refused(memory: Any) -> None:
    files = ClaimFiles("p", "place", "memory://claims", True)
    with pytest.raises(EncodeError, match="even cut down"):
        message_writer("stored", 100, store=files).encode(changes(500))
    assert not memory.exists("/claims")


def test_what_cannot_be_stored_is_not_sent(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Any, path: str, value: bytes, **more: Any) -> Any:
        raise PermissionError("no")

    monkeypatch.setattr(type(memory), "pipe_file", fail)
    files = ClaimFiles("p", "place", "memory://claims", True)
    with pytest.raises(EncodeError, match=r"claims/.*\.json could not be written: PermissionError: no"):
        message_writer("stored", 200, store=files).encode(changes(500))


def test_what_looks_compressed_is_said_to() -> None:
    (error,) = MessageReader("p", Decoder(), ROLES, option="squeeze").decode([compress("lz4", whole(1, 1))]).errors
    assert "it looks like lz4: set squeeze=lz4" in str(error)

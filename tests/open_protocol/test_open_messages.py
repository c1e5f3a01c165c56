"""Messages of Open Protocol by TiCDC's encoders with all options, and others that topics may contain."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import recorded

from open_protocol.sending import AA, BB, NAME, PRIMARY, only, parts, read, refused, row, sent, written
from open_protocol.wire import VERSION, Made, column, frame, frames, key, message
from tidewire.events import Ddl, Event, Watermark
from tidewire.runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.codec

# --- how long a message may be, and where batches are cut


def test_the_longest_message_that_is_allowed() -> None:
    """TiCDC counts both objects, their lengths, the version and 36 bytes around a record."""
    event = row(columns=[AA, BB], new={"a": "aa", "b": "bb"}, commit_ts=1)
    head, body = written(event)
    limit = len(head) + len(body) + 36 + 16 + 8
    assert len(sent(event, max_message_bytes=limit)) == 1
    with pytest.raises(EncodeError, match=str(limit)):
        sent(event, max_message_bytes=limit - 1)


def test_batches_are_cut_by_count() -> None:
    events = [row(new={"id": k, "name": "x"}, commit_ts=k) for k in range(10)]
    assert [len(parts(made)) for made in sent(*events, max_batch_size=4)] == [4, 4, 2]
    assert [len(parts(made)) for made in sent(*events, max_batch_size=1)] == [1] * 10
    assert [len(parts(made)) for made in sent(*events)] == [10]
    assert [len(parts(made)) for made in sent(*events * 2)] == [16, 4]


def test_batches_are_cut_by_bytes_before_the_row_that_is_too_much() -> None:
    events = [row(new={"id": k, "name": "x"}, commit_ts=k) for k in range(1, 9)]
    head, body = written(events[0])
    each = len(head) + len(body) + 16
    assert [len(parts(made)) for made in sent(*events, max_message_bytes=44 + 3 * each)] == [3, 3, 2]
    assert [len(parts(made)) for made in sent(*events, max_message_bytes=44 + 3 * each - 1)] == [2, 2, 2, 2]


# --- statements and watermarks


def test_a_watermark_is_a_key_and_an_empty_frame() -> None:
    (made,) = sent(Watermark(77))
    assert made == Made(VERSION + frame(b'{"ts":77,"t":3}'), bytes(8))
    assert read(made) == [Watermark(77)]
    assert read(Made(made.key, b"")) == [Watermark(77)]


def test_statements_without_a_table() -> None:
    event = Ddl(5, "s", None, 1, "create database s")
    assert written(event) == ('{"ts":5,"scm":"s","t":2}', '{"q":"create database s","t":1}')
    assert written(event, producer="ticdc")[0] == '{"ts":5,"scm":"s","tbl":"","t":2}'
    for producer in ("tiflow", "ticdc"):
        assert only(sent(event, producer=producer)[0]) == event


def test_a_key_of_the_version_alone_has_no_events() -> None:
    assert read(Made(VERSION, b"")) == []


def test_a_message_may_hold_several_statements_and_watermarks() -> None:
    """As other producers batch them; TiCDC never does."""
    made = message(
        (key(2, 1), {"q": "a", "t": 3}), (key(3, 2), b""), (key(1, 3), {"u": {"c": column(3, 1)}}), (key(3, 4), b"")
    )
    assert [(type(event).__name__, event.commit_ts) for event in read(made)] == [
        ("Ddl", 1), ("Watermark", 2), ("RowChange", 3), ("Watermark", 4),
    ]  # fmt: skip
    many = message(*((key(3, ts), b"") for ts in range(40)))
    assert read(many) == [Watermark(ts) for ts in range(40)]
    assert read(Made(many.key, b"")) == read(many)


def test_one_row_of_a_batch_lies_in_a_partition() -> None:
    event = row(new={"id": 1, "name": None})
    other = row(new={"id": 2, "name": None}, partition_id=0)
    (made,) = sent(event, other)
    assert [("ptn" in json.loads(head)) for head, _ in parts(made)] == [False, True]
    assert [one.partition_id for one in read(made)] == [None, 0]


# --- row ids and partitions


def test_row_ids() -> None:
    for row_id in (1, -1, 2**63 - 1, -(2**63)):
        event = row(new={"id": 1, "name": None}, row_id=row_id)
        assert json.loads(written(event)[0])["rid"] == row_id
        assert only(sent(event)[0]).row_id == row_id
        assert "rid" not in json.loads(written(event, producer="ticdc")[0])
    for nothing in (0, None):
        event = row(new={"id": 1, "name": None}, row_id=nothing)
        assert "rid" not in json.loads(written(event)[0])
    assert json.loads(written(row(new={"id": 1, "name": None}, partition_id=0))[0])["ptn"] == 0


def test_the_order_of_a_keys_members() -> None:
    event = row(new={"id": 1, "name": None}, partition_id=7, row_id=9)
    assert written(event)[0] == '{"ts":1,"scm":"test","tbl":"t","rid":9,"ptn":7,"t":1}'
    assert written(event, producer="ticdc")[0] == '{"ts":1,"scm":"test","tbl":"t","t":1,"ptn":7}'


# --- old rows

UPDATE = row("update", new={"id": 1, "name": "b"}, old={"id": 1, "name": "a"})
SAME = row("update", new={"id": 1, "name": "a"}, old={"id": 1, "name": "a"})


def test_old_rows_may_be_left_out() -> None:
    assert list(json.loads(written(UPDATE)[1])) == ["u", "p"]
    assert list(json.loads(written(UPDATE, output_old_value=False)[1])) == ["u"]
    (made,) = sent(UPDATE, output_old_value=False)
    assert only(made).kind == "insert"


def test_old_rows_of_changed_columns() -> None:
    _, body = written(UPDATE, only_output_updated_columns=True)
    assert json.loads(body)["p"] == {"name": {"t": 15, "f": 64, "v": "a"}}
    (made,) = sent(UPDATE, only_output_updated_columns=True)
    found = only(made)
    assert (found.kind, dict(found.old)) == ("update", {"name": "a"})


def test_an_update_that_changes_nothing() -> None:
    """Classic TiCDC leaves the old row out, so that it reads as an insert; the new one writes an empty one."""
    assert list(json.loads(written(SAME, only_output_updated_columns=True)[1])) == ["u"]
    (made,) = sent(SAME, only_output_updated_columns=True, producer="ticdc")
    assert json.loads(parts(made)[0][1])["p"] == {}
    assert only(made).kind == "update"


def test_a_deleted_row_beside_others_is_an_error() -> None:
    both = message((key(), {"u": {"a": column(3, 1)}, "p": {"a": column(3, 2)}, "d": {"a": column(3, 3)}}))
    with pytest.raises(DecodeError, match="messages of this kind have no rows"):
        only(both)
    none = message((key(), {"u": {"a": column(3, 1)}, "d": {}}))
    assert only(none).kind == "insert"


@pytest.mark.parametrize("body", [b"{}", b'{"d":{}}', b'{"u":null}', b'{"p":{}}'])
def test_a_row_without_a_row(body: bytes) -> None:
    refused(message((key(), body)), "missing", "value")


# --- handle keys, claim checks

DELETE = row("delete", old={"id": 1, "name": "x" * 400})


def test_deletes_of_handle_keys() -> None:
    assert json.loads(written(DELETE, delete_only_output_handle_key_columns=True)[1]) == {
        "d": {"id": {"t": 3, "h": True, "f": PRIMARY, "v": 1}}
    }
    keyless = row("delete", columns=[NAME], old={"name": "x"})
    told = "no column to be written: delete-only-output-handle-key-columns keeps only those flagged handle_key, so"
    with pytest.raises(EncodeError, match=told):
        written(keyless, delete_only_output_handle_key_columns=True)


def test_rows_that_are_too_long_are_cut_to_their_handle_key() -> None:
    long = row(new={"id": 1, "name": "x" * 400})
    short = row(new={"id": 2, "name": "y"})
    options = {"large_message_handle_option": "handle-key-only", "max_message_bytes": 400}
    (made,) = sent(long, short, **options)
    (head, body), (other, _) = parts(made)
    assert head == '{"ts":1,"scm":"test","tbl":"t","t":1,"ohk":true}'
    assert list(json.loads(body)["u"]) == ["id"]
    assert "ohk" not in other
    assert [(event.handle_key_only, dict(event.new)) for event in read(made)] == [
        (True, {"id": 1}), (None, {"id": 2, "name": "y"}),
    ]  # fmt: skip
    told = "none of its columns has the flag 2, and large-message-handle-option=handle-key-only keeps those alone"
    with pytest.raises(EncodeError, match=told):
        sent(row(columns=[NAME], new={"name": "x" * 400}), **options)


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_claim_checks_go_there_and_back(tmp_path: Path, producer: str) -> None:
    long = row("update", new={"id": 1, "name": "x" * 400}, old={"id": 1, "name": "y" * 400})
    short = row(new={"id": 2, "name": "y"})
    (made,) = sent(
        short, long, producer=producer, large_message_handle_option="claim-check", max_message_bytes=500,
        claim_check_storage_uri=str(tmp_path),
    )  # fmt: skip
    (_, _), (head, body) = parts(made)
    assert {name: list(image) for name, image in json.loads(body).items()} == {"u": ["id"], "p": ["id"]}
    assert ('"ohk":true,"ohk":false,"ccl":' in head) == (producer == "ticdc")
    assert len(list(tmp_path.iterdir())) == 1
    pointing = read(made)
    assert [event.claim_check is None for event in pointing] == [True, False]
    whole = read(made, claim_check=str(tmp_path))
    assert [(event.kind, dict(event.new)) for event in whole] == [
        ("insert", {"id": 2, "name": "y"}), ("update", {"id": 1, "name": "x" * 400}),
    ]  # fmt: skip
    assert dict(whole[1].old) == {"id": 1, "name": "y" * 400}
    next(tmp_path.iterdir()).unlink()
    with pytest.raises(DecodeError) as caught:
        read(made, claim_check=str(tmp_path))
    assert caught.value.code == "claim"


def test_a_claim_check_of_an_update_of_other_columns(tmp_path: Path) -> None:
    """Of its handle key nothing has changed: what points to the file has no old row, and the file has one."""
    long = row("update", new={"id": 1, "name": "x" * 400}, old={"id": 1, "name": "y" * 400})
    (made,) = sent(
        long, only_output_updated_columns=True, large_message_handle_option="claim-check", max_message_bytes=500,
        claim_check_storage_uri=str(tmp_path),
    )  # fmt: skip
    assert only(made).kind == "insert"
    whole = only(made, claim_check=str(tmp_path))
    assert (whole.kind, dict(whole.old)) == ("update", {"name": "y" * 400})


# --- compression


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
def test_rows_and_statements_are_compressed_each_for_itself(codec: str) -> None:
    events: list[Event] = [
        row(new={"id": 1, "name": "x" * 300}),
        row(new={"id": 2, "name": "y" * 300}),
        Ddl(5, "s", "t", 3, "create table t " + "z" * 300),
        Watermark(6),
    ]
    options = {"large_message_handle_compression": codec}
    packed, plain = sent(*events, **options), sent(*events)
    assert [one.key for one in packed] == [one.key for one in plain]
    assert [len(one.value) < 300 for one in packed] == [True] * 3
    assert packed[2].value == bytes(8)
    for one, other in zip(packed, plain, strict=True):
        assert [recorded.inflated(codec, item) for item in frames(one.value)] == frames(other.value)
        assert read(one, **options) == read(other)
    with pytest.raises(DecodeError) as caught:
        read(packed[0], large_message_handle_compression={"snappy": "lz4", "lz4": "snappy"}[codec])
    assert caught.value.part == "value"
    with pytest.raises(DecodeError):
        read(packed[0])

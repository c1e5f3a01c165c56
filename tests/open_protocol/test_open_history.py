"""The forms of the protocol in releases of TiCDC, and in other writers and readers."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import events, tidewire
from json_twin import MalformedError

from open_protocol import twin
from open_protocol.sending import only, read, refused
from open_protocol.wire import VERSION, Made, column, compact, frame, frames, insert, key, message
from tidewire import open_protocol
from tidewire.events import Ddl, Watermark
from tidewire.reading.files.formats import Input
from tidewire.reading.files.pairs import pairs
from tidewire.reading.files.streams import DamagedError

pytestmark = pytest.mark.codec

NAMED = {"id": {"t": 3, "h": True, "v": 1}}
SHAPES: dict[str, tuple[Made, tuple[str, str, dict[str, object], int | None]]] = {
    "4.0.0: no flags, old row nor row id; strings in base64": (
        message((key(), {"u": NAMED | {"c": {"t": 15, "v": "w6Q="}}})),
        ("insert", "t", {"id": 1, "c": "ä"}, None),
    ),
    "4.0.0: deleted": (message((key(), {"d": NAMED})), ("delete", "t", {"id": 1}, None)),
    "4.0.2: the partition": (
        message((key(ptn=9), {"u": NAMED | {"c": {"t": 254, "v": "YQ=="}}})),
        ("insert", "t", {"id": 1, "c": "a"}, 9),
    ),
    "4.0.2: null": (message((key(), {"u": {"c": {"t": 15, "v": None}}})), ("insert", "t", {"c": None}, None)),
    "4.0.5: flags, strings as they are": (
        message((key(rid=4), {"u": {"c": column(15, "w6Q=", 64)}})),
        ("insert", "t", {"c": "w6Q="}, None),
    ),
    "new: members in another order, handle key of a cut row": (
        message((b'{"ts":5,"scm":"s","tbl":"t","t":1,"ohk":true,"ptn":3}', {"u": NAMED})),
        ("insert", "t", {"id": 1}, 3),
    ),
    "new: an old row without columns": (
        message((key(), {"u": {"c": column(3, 1)}, "p": {}})),
        ("update", "t", {"c": 1}, None),
    ),
    "new: columns as the table has them, nothing escaped": (
        message((key(), {"u": {"z": column(15, "<&>\u2028"), "a": column(3, 1)}})),
        ("insert", "t", {"z": "<&>\u2028", "a": 1}, None),
    ),
    "new: YEAR without its flag": (insert(y=column(13, 2024)), ("insert", "t", {"y": 2024}, None)),
    "members that nobody knows": (
        message((key(tid=1, x={"y": [1]}), {"u": {"c": column(3, 1) | {"w": [{}]}}, "zz": None})),
        ("insert", "t", {"c": 1}, None),
    ),
    "white space, and a BIT above an int64": (
        message(
            (b'{ "ts" : 5 ,"scm":"s", "tbl":"t","t":1 }', b' {"u" : {"b":{"t":16,"f":1,"v":18446744073709551615} } }')
        ),
        ("insert", "t", {"b": 2**64 - 1}, None),
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_rows_of_every_release(shape: str) -> None:
    made, (kind, table, values, partition) = SHAPES[shape]
    event = only(made)
    image = event.old if kind == "delete" else event.new
    assert (event.kind, event.table, dict(image), event.partition_id) == (kind, table, values, partition)


def test_statements_and_watermarks_of_every_release() -> None:
    """Of a batch, too, and with an empty Kafka value instead of one of an empty frame."""
    marks = Made(message((key(3), b""), (key(3, ts=6), b"")).key, b"")
    assert [(type(event), event.commit_ts) for event in read(marks)] == [(Watermark, 5), (Watermark, 6)]
    said = message(
        (key(2), {"q": "a", "t": 3}), (key(2, table=None), {"q": "b", "t": 1}), (key(2, table=""), {"q": "c", "t": 1})
    )
    assert [(type(event), event.query, event.table) for event in read(said)] == [
        (Ddl, "a", "t"), (Ddl, "b", None), (Ddl, "c", None),
    ]  # fmt: skip


def test_a_claim_check_that_says_what_it_is_twice() -> None:
    """The new encoder: the row has its handle key only, and then that it has not."""
    made = message((b'{"ts":5,"scm":"s","tbl":"t","t":1,"ohk":true,"ohk":false,"ccl":"/x/a.json"}', {"u": NAMED}))
    event = only(made)
    assert (event.claim_check, bool(event.handle_key_only)) == ("/x/a.json", False)


def test_both_times_it_says_whether_it_is() -> None:
    """As Go reads it, who does not take 0 for false, whatever comes behind it."""
    made = message((b'{"ts":5,"scm":"s","tbl":"t","t":1,"ohk":0,"ohk":false,"ccl":"/x/a.json"}', {"u": NAMED}))
    with pytest.raises(MalformedError, match="ohk"):
        twin.read(made.key, made.value)
    error = refused(made, "kind", "key")
    assert str(error) == "open-protocol key 0/ohk: `0` where true or false is expected (offset 56)"


# --- files in which key and value take turns


EVENTS = [
    (key(), {"u": {"c": column(3, 1)}}), (key(2), {"q": "create table t(c int)", "t": 3}), (key(3, ts=9), b""),
    (key(ts=10), {"d": {"c": column(3, 1)}}),
]  # fmt: skip


def mixed(head: bytes) -> bytes:
    """A file of these events."""
    parts = [one if isinstance(one, bytes) else compact(one) for both in EVENTS for one in both]
    return head + b"".join(map(frame, parts))


@pytest.mark.parametrize("head", [VERSION, b""], ids=["with its version", "without"])
def test_files_with_keys_and_values_in_turn(head: bytes, tmp_path: Path) -> None:
    whole = message(*EVENTS)
    (tmp_path / "whole.hex").write_text(f"{whole.key.hex()}:{whole.value.hex()}\n")
    (tmp_path / "log").write_bytes(mixed(head))
    for protocol in (["open-protocol"], []):
        found = tidewire("decode", *protocol, "--from", "pairs", tmp_path / "log")
        assert found.exit_code == 0, found.stderr
        wanted = events(tidewire("decode", "open-protocol", tmp_path / "whole.hex"))
        assert [one | {"message": 0} for one in events(found)] == [one | {"message": 0} for one in wanted]
        assert [one["op"] for one in wanted] == ["insert", "ddl", "watermark", "delete"]


@pytest.mark.parametrize("size", [1, 7, 8, 9, 100, 10**6])
@pytest.mark.parametrize("head", [VERSION, b""])
def test_such_a_file_may_arrive_in_any_pieces(head: bytes, size: int) -> None:
    data = mixed(head)
    found = [
        one for some in pairs("f", (data[k : k + size] for k in range(0, len(data), size)), VERSION) for one in some
    ]
    assert [(one.location, one.problem) for one in found] == [(f"f:{k}", None) for k in range(1, 5)]
    for one, (_, value) in zip(found, EVENTS, strict=True):
        assert one.key is not None
        assert one.value is not None
        assert one.key[:8] == VERSION
        assert frames(one.value) == [value if isinstance(value, bytes) else compact(value)]
        assert len(list(open_protocol.decode(one.value, one.key))) == 1


def test_what_is_cut_off_or_lies_about_its_length_costs_what_follows_alone() -> None:
    data = mixed(VERSION)
    good = len(message(EVENTS[0]).key) + len(message(EVENTS[0]).value)
    for rest in (b"\0", data[good : good + 9], b"\0" * 15):
        first, bad = (one for some in pairs("f", [data[:good] + rest], VERSION) for one in some)
        assert first.problem is None
        assert bad == Input("f:2", None, None, bad.problem)
        assert bad.problem is not None
        assert bad.problem.startswith(f"{len(rest)} bytes from byte {good} on are no key and value")
    for rest in (b"\xff" * 8, b"\xff" * 100):
        with pytest.raises(DamagedError, match="the length of a key or value is"):
            list(pairs("f", [data[:good] + rest], VERSION))
    assert list(pairs("f", [], VERSION)) == []

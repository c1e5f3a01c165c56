"""The result for a message does not depend on blocks, labels, keys and descriptions in earlier messages."""

from __future__ import annotations

import json
import re
import time
from typing import Any

import pytest

from debezium.blocks import ID, KEY, NAME, Field, field, message
from tidewire import debezium
from tidewire.events import Ddl
from tidewire.runtime.json import connect_keys
from tidewire.runtime.tables.store import MOST_IN_TURN

pytestmark = pytest.mark.codec

VALUE = field("int32", None, "int")
GOOD = message({"id": 1, "v": 2}, [ID, VALUE])
BLOCK = GOOD[GOOD.index(b',"schema":') :]
SCHEMA_FIRST = b'{"schema":' + BLOCK.removeprefix(b',"schema":')[:-1] + b',"payload":'
PAYLOAD = GOOD[len(b'{"payload":') : -len(BLOCK)]
KEYED = b'{"payload":{"id":1},"schema":{"type":"struct","fields":[{"type":"int32","field":"id"}]}}'


def nested(depth: int) -> bytes:
    """So many arrays in one another."""
    return b"[" * depth + b"]" * depth


def outcome(decoder: debezium.Decoder, value: bytes, key: bytes = KEY) -> Any:
    """What comes out of a message."""
    found = decoder.decode([value], [key])
    return found.events.num_rows, [(one.code, one.field, one.offset, str(one)) for one in found.errors]


@pytest.mark.parametrize(
    ("value", "events"),
    [
        (b'{"payload":' + PAYLOAD + b" \n" + BLOCK, 1),
        (b'{"payload": ' + PAYLOAD + BLOCK + b" ", 1),
        (SCHEMA_FIRST + b" " + PAYLOAD + b" } ", 1),
        (b'{"payload":' + PAYLOAD + b',"x":1' + BLOCK, 0),
        (b'{"payload":' + PAYLOAD + b',"payload":{}' + BLOCK, 0),
        (b'{"payload":' + PAYLOAD.replace(b'"op":"c"', b'"op":5') + b',"x":1' + BLOCK, 0),
        (b'{"payload":' + PAYLOAD.replace(b'"op":"c"', b'"op":5')[:-1] + BLOCK, 0),
        (b'{"payload":5' + BLOCK, 0),
        (b'{"payload":null' + BLOCK, 0),
        (b'{"payload":' + PAYLOAD + b"x" + BLOCK, 0),
        (b'{"payload":{}' + PAYLOAD + BLOCK, 0),
        (SCHEMA_FIRST + PAYLOAD + b',"payload":{}}', 0),
        (SCHEMA_FIRST + PAYLOAD + b',"x":1}', 0),
        (SCHEMA_FIRST + b"[]}", 0),
        (b'{"payload":' + PAYLOAD.replace(b'"transaction":null', b'"transaction":' + nested(512)) + BLOCK, 1),
        (b'{"payload":' + PAYLOAD.replace(b'"transaction":null', b'"transaction":' + nested(513)) + BLOCK, 0),
        (b'{"payload":' + PAYLOAD.replace(b'"ts_ms":4194304', b'"ts_ms":4194304,"x":' + nested(512)) + BLOCK, 1),
        (b'{"payload":' + PAYLOAD.replace(b'"ts_ms":4194304', b'"ts_ms":4194304,"x":' + nested(513)) + BLOCK, 0),
        # a payload of its own, which has members of these names
        (b'{"payload":{},"ts_ms":1,"op":"m","source":{"commit_ts":1}' + BLOCK, 1),
    ],
    ids=range(19),
)
def test_a_known_block_changes_nothing(value: bytes, events: int) -> None:
    fresh, other = debezium.Decoder(), debezium.Decoder()
    assert outcome(other, GOOD) == (1, [])
    assert outcome(other, SCHEMA_FIRST + PAYLOAD + b"}") == (1, [])
    first = outcome(fresh, value)
    assert first == outcome(other, value) == outcome(other, value)
    assert first[0] == events
    assert outcome(other, GOOD) == (1, [])


@pytest.mark.filterwarnings("ignore::tidewire.runtime.wire.strange_keys.StrangeKeyWarning")
@pytest.mark.parametrize("key", [KEY, KEYED])
@pytest.mark.parametrize("spoiled", [lambda key: key + b"x", lambda key: key + b"{}", lambda key: key[:-1]])
def test_a_key_has_an_end(key: bytes, spoiled: Any) -> None:
    """One that has none says nothing of the handle key, whatever keys came before, and costs no row."""
    decoder = debezium.Decoder()
    for _ in range(2):
        assert outcome(decoder, GOOD, spoiled(key)) == (1, [])
        assert handle_keys(decoder, spoiled(key)) == []
        assert handle_keys(decoder, key + b" ") == ["id"]


@pytest.mark.filterwarnings("ignore::tidewire.runtime.wire.strange_keys.StrangeKeyWarning")
@pytest.mark.parametrize(
    "key", [b'{"payload":{"id":"\xff"}}', b'{"id":"\xff"}', KEYED.replace(b'{"id":1}', b'{"id":["\xed\xa0\x80"]}')]
)
def test_a_key_is_text(key: bytes) -> None:
    decoder = debezium.Decoder()
    assert outcome(decoder, GOOD, KEYED) == (1, [])
    assert outcome(decoder, GOOD, key) == (1, [])
    assert handle_keys(decoder, key) == []


def handle_keys(decoder: debezium.Decoder, key: bytes) -> list[str]:
    """The columns of which a row's key tells that they are of the handle."""
    (layout,) = decoder.decode([GOOD], [key]).layouts
    return [one.name for one in layout.columns if one.flags & 2]


def test_what_is_no_payload_is_a_column_of_a_key() -> None:
    decoder = debezium.Decoder()
    key = KEYED.replace(b'{"id":1}', b"5")
    assert handle_keys(debezium.Decoder(), key) == []
    assert handle_keys(decoder, KEYED) == ["id"]
    assert handle_keys(decoder, key) == []


def test_keys_with_many_columns_forget_no_handle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect_keys, "MOST_KEYS", 3)
    decoder = debezium.Decoder()
    for number in range(10):
        assert handle_keys(decoder, KEYED) == ["id"]
        assert handle_keys(decoder, b'{"payload":{"k%d":1}}' % number) == []


def test_an_op_that_is_null_is_none_wherever_it_stands() -> None:
    source = b'"source":{"db":"s","table":"t","commit_ts":7}'
    said = [b'"op":null', source, b'"ts_ms":5', b'"ddl":"drop table t"']
    for turn in range(4):
        value = b'{"payload":{' + b",".join(said[turn:] + said[:turn]) + b"}}"
        (event,) = debezium.decode_batch([value], [KEY])
        assert isinstance(event, Ddl)
        assert event.query == "drop table t"


def test_labels_are_the_columns_whatever_was_read() -> None:
    said = field("string", NAME + "data.EnumSet", "set", allowed="x,y")
    decoder = debezium.Decoder()
    for text, rows in (("", 1), ("x,", 0), ("x,,y", 0), (",", 0), ("x,y", 1), ("x,y,", 0)):
        assert outcome(decoder, message({"id": 1, "v": text}, [ID, said]))[0] == rows


def test_labels_that_are_more_than_a_set_has_cost_no_more() -> None:
    def made(count: int, text: str) -> bytes:
        allowed = ",".join(f"a{k}" for k in range(count))
        return message({"id": 1, "v": text}, [ID, field("string", NAME + "data.EnumSet", "set", allowed=allowed)])

    assert outcome(debezium.Decoder(), made(65, "a63"))[0] == 1
    assert outcome(debezium.Decoder(), made(65, "a64"))[1][0][0] == "value"
    began = time.process_time()
    assert outcome(debezium.Decoder(), made(30_000, "a1"))[0] == 1
    assert time.process_time() - began < 20, "a number of 30,000 bits for each label takes minutes"


def statement(column: str, commit_ts: int = 1 << 40) -> bytes:
    """A statement after which a table has this column alone."""
    columns: list[Field] = [{"name": column, "typeName": "INT", "position": 1}]
    change = {"type": "ALTER", "id": '"s"."t"', "table": {"columns": columns}}
    source = {"db": "s", "table": "t", "commit_ts": commit_ts}
    payload = {"source": source, "ts_ms": 5, "ddl": "alter table t", "tableChanges": [change]}
    return json.dumps({"payload": payload}).encode()


def test_descriptions_of_one_moment_come_to_an_end() -> None:
    decoder = debezium.Decoder()
    values = [statement(f"c{k}") for k in range(MOST_IN_TURN + 2)]
    found = decoder.decode(values, [KEY] * len(values))
    assert [(error.message, error.code) for error in found.errors] == [
        (MOST_IN_TURN, "contradiction"),
        (MOST_IN_TURN + 1, "contradiction"),
    ]
    assert [one.version for one in decoder.tables] == [(1 << 40) + k for k in range(MOST_IN_TURN)]
    again = decoder.decode(values[:3], [KEY] * 3)
    assert [one.version for one in again.descriptions] == [1 << 40, (1 << 40) + 1, (1 << 40) + 2]
    assert decoder.decode([statement("d", 2**64 - 1)], [KEY]).errors == []
    (error,) = decoder.decode([statement("e", 2**64 - 1)], [KEY]).errors
    assert error.code == "contradiction"


def test_many_changes_in_one_message_take_time_for_each() -> None:
    change = json.loads(statement("c"))["payload"]["tableChanges"][0]
    payload = json.loads(statement("c"))["payload"]
    began = time.process_time()
    for count in (50, 200):
        columns = [{"columns": [{"name": f"c{k}", "typeName": "INT", "position": 1}]} for k in range(count)]
        payload["tableChanges"] = [change | {"table": one} for one in columns]
        (event,) = debezium.decode_batch([json.dumps({"payload": payload}).encode()], [KEY])
        assert isinstance(event, Ddl)
    assert time.process_time() - began < 20


def test_milliseconds_beyond_all_times_are_the_last_one() -> None:
    decoder = debezium.Decoder()
    decoder.decode([statement("c", 1 << 40), statement("d", 2 << 40)], [KEY] * 2)
    row = b'{"payload":{"source":{"db":"s","table":"t","ts_ms":%d},"ts_ms":5,"op":"c","after":{"%b":1}}}'
    for milliseconds, column in ((1 << 22, b"c"), (1 << 23, b"d"), (1 << 46, b"d"), (2**63 - 1, b"d"), (-1, b"d")):
        assert outcome(decoder, row % (milliseconds, column)) == (1, [])


def test_a_type_that_is_none_says_nothing_where_a_block_does() -> None:
    decoder = debezium.Decoder()
    told = statement("v").replace(b'"INT"', b'"NOSUCH"')
    assert outcome(decoder, told) == (1, [])
    plain = field("int64", NAME + "time.Timestamp")
    exact = field("int64", NAME + "time.Timestamp", "datetime")
    for said in (plain, exact):
        assert outcome(decoder, message({"id": 1, "v": 0}, [ID, said], commit_ts=2 << 40)) == (1, [])
    bare = b'{"payload":{"source":{"db":"s","table":"t","commit_ts":%d},"ts_ms":5,"op":"c","after":{"v":1}}}' % (
        2 << 40
    )
    assert outcome(decoder, bare)[0] == 0


FULL = (
    b'{"payload":{"source":{"version":"2.4.0.Final","connector":"TiCDC","name":"default","ts_ms":4194304,"snapshot":"false",'
    b'"db":"s","table":"t","server_id":0,"gtid":null,"file":"","pos":0,"row":0,"thread":0,"query":null,'
    b'"commit_ts":1099511627776,"cluster_id":"default"},"ts_ms":5,"transaction":null,"op":"m"}}'
)
"""A message in whose source most members say nothing of the event."""


@pytest.mark.parametrize(
    ("was", "now", "events"),
    [
        (b'"pos":0', b'"pos":1', 1),
        (b'"query":null', b'"query":null ', 1),
        (b'"name":"default"', b'"name":"\xff"', 0),
        (b'"name":"default"', b'"name":"default" ', 1),
        (b'"snapshot":"false"', b'"snapshot":"false","name":1', 0),
        (b'"server_id":0', b'"server_id":00', 0),
        (b'"server_id":0', b'"server_id":0.5', 1),
        (b'"query":null', b'"query":nullx', 0),
        (b'"query":null', b'"query":null}', 0),
        (b'"query":null,', b'"query":null', 0),
        (b'"thread":0,"query":null', b'"thread":0,"query":null,"thread":0', 0),
        (b'"server_id":0,"gtid":null', b'"gtid":null,"server_id":0', 1),
        (b'"gtid":null', b'"gtid":null,"ts_us":1', 1),
        (b'"cluster_id":"default"', b'"cluster_id":"default","commit_ts":1', 0),
        (b'"file":""', b'"file":"' + b"x" * 1000 + b'"', 1),
        (b'"file":""', b'"file":' + nested(300), 1),
        (b'"version":"2.4.0.Final",', b"", 1),
        (b'"server_id":0,"gtid":null,"file":"","pos":0,', b"", 1),
    ],
    ids=range(18),
)
def test_members_that_say_nothing_are_read_as_if_they_came_first(was: bytes, now: bytes, events: int) -> None:
    assert FULL.count(was) == 1
    value = FULL.replace(was, now)
    fresh, other = debezium.Decoder(), debezium.Decoder()
    first = outcome(fresh, value)
    assert first[0] == events
    for _ in range(3):
        assert outcome(other, FULL) == (1, [])
        assert outcome(other, value) == first
    for turn in range(40):  # more often than a member may change before nobody remembers it
        assert outcome(other, FULL.replace(b'"pos":0', b'"pos":%d' % turn)) == (1, [])
    assert outcome(other, value) == first
    assert outcome(other, FULL) == (1, [])


@pytest.mark.parametrize(
    "spoiled", [lambda one: one[:-1] + b'x,"schema":null}', lambda one: one + b"x", lambda one: one[:-1]]
)
def test_nothing_is_learned_of_a_message_that_does_not_end(spoiled: Any) -> None:
    value = spoiled(statement("c"))
    known = debezium.Decoder()
    assert outcome(known, message({"id": 1}, [ID], table="other")) == (1, [])
    assert outcome(known, b'{"payload":{"source":{"commit_ts":7},"ts_ms":5,"op":"m"}}') == (1, [])
    for decoder in (debezium.Decoder(), known):
        assert outcome(decoder, value)[0] == 0
        assert not len(decoder.tables)


BARE = b'{"payload":{"id":1}}'
HEARTBEAT = b'{"payload":{"ts_ms":1,"ts_us":null}}'
WATERMARK = b'{"payload":{"source":{"db":"s","table":"t","commit_ts":5},"ts_ms":1,"op":"m"}}'


def damaged(text: bytes) -> list[bytes]:
    """The text with one byte less or one more, anywhere."""
    shorter = [text[:at] + text[at + 1 :] for at in range(len(text))]
    pieces = (b",", b"}", b"{", b'"', b"0", b"x")
    longer = [text[:at] + more + text[at:] for at in range(len(text) + 1) for more in pieces]
    return shorter + longer


def is_json(text: bytes) -> bool:
    """Whether the standard library can read it."""
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("value", [GOOD, HEARTBEAT, WATERMARK], ids=["row", "heartbeat", "watermark"])
@pytest.mark.parametrize("key", [BARE, KEYED, b'{"id":1,"b":"x"}'], ids=["bare", "block", "no envelope"])
@pytest.mark.filterwarnings("ignore::tidewire.runtime.wire.strange_keys.StrangeKeyWarning")
def test_a_damaged_key_costs_nothing_whatever_came_before(key: bytes, value: bytes) -> None:
    alone: tuple[int, list[Any]] = (debezium.Decoder().decode([value]).num_events, [])
    warm = debezium.Decoder()
    for one in filter(re.compile(rb'\{ *["}]').match, damaged(key)):
        warm.decode([GOOD, GOOD], [key, key])
        found = outcome(warm, value, one)
        assert found == outcome(debezium.Decoder(), value, one), one
        assert found == alone, one
        assert warm.decode([GOOD], [key]).num_events == 1


@pytest.mark.parametrize("value", [HEARTBEAT, WATERMARK], ids=["heartbeat", "watermark"])
def test_a_damaged_value_is_an_error_whatever_came_before(value: bytes) -> None:
    warm = debezium.Decoder()
    for one in damaged(value):
        warm.decode([value, GOOD, value], [None, KEYED, None])
        found = outcome(warm, one, b"")
        assert found == outcome(debezium.Decoder(), one, b""), one
        assert is_json(one) or found[1], one

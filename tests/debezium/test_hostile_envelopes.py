"""Messages that are malformed, huge or many: a bad one loses only its own event, and its error names the place."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import pytest

from debezium.blocks import ID, KEY, Field, field, message
from tidewire import debezium
from tidewire.events import Column, RowChange
from tidewire.names import HANDLE_KEY
from tidewire.runtime.connect.reading import MOST_FIELDS
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

VALUE = field("int32", None, "int")
GOOD = message({"id": 1, "v": 2}, [ID, VALUE])
DESCRIBED = TableDescription(
    *("s", "t", [ColumnDescription("id", "int"), ColumnDescription("v", "int")]),
    [IndexDescription("primary", ("id",), True, True, False)],
)
"""The table of it."""
TABLES = 1000
MOST_HELD = 256 << 20
"""Bytes that are held of blocks with a thousand columns, of which each takes almost a megabyte."""


def read(*values: bytes, key: bytes = KEY) -> list[Any]:
    """The events of messages that are right."""
    found = debezium.decode_batch(list(values), [key] * len(values))
    assert not found.errors
    return list(found)


def errors(value: bytes, key: bytes = KEY) -> list[str]:
    """The errors of a message between two good ones, which keep their events."""
    found = debezium.decode_batch([GOOD, value, GOOD], [KEY, key, KEY])
    assert [getattr(one, "new", None) for one in found] == [{"id": 1, "v": 2}] * 2
    assert {error.message for error in found.errors} == {1}
    return [str(error) for error in found.errors]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (message({"id": 1, "w": 2}, [ID, VALUE]), "after/w"),
        (message({"id": 1, "v": "x"}, [ID, VALUE]), "after/v"),
        (message({"id": 1, "v": {"a": 1}}, [ID, VALUE]), "after/v"),
        (message([1], [ID, VALUE]), "after"),
        (message(None, [ID, VALUE]), "after"),
        (message({"id": 1}, [ID], op="x"), "op"),
        (message({"id": 1}, [ID], op="d"), "after: messages of this kind have no rows"),
        (message({"id": 1, "v": 2}, [ID, {"type": "int32", "optional": True}]), "has no name"),
        (GOOD.replace(b'"schema":{"type"', b'"schema":{"type"}{'), "offset"),
        (GOOD[:-1], "offset"),
        (GOOD + b"}", "offset"),
        (GOOD.replace(b',"schema":', b',"payload":{},"schema":'), "payload"),
        (b"[]", "object"),
        (b"\xff", "offset"),
        (b"", "offset"),
    ],
    ids=range(15),
)
def test_a_bad_message_costs_one_event(value: bytes, said: str) -> None:
    (error,) = errors(value)
    assert said in error


def test_blocks_that_are_huge_or_deep_are_refused() -> None:
    many: list[Field] = [{"type": "int32", "optional": True, "field": f"c{k}"} for k in range(MOST_FIELDS + 1)]
    (error,) = errors(message({"id": 1}, many))
    assert f"at most {MOST_FIELDS}" in error
    deep = GOOD.replace(b'"version":1', b'"version":' + b"[" * 100_000 + b"]" * 100_000)
    (error,) = errors(deep)
    assert "deep" in error


def test_a_block_of_many_columns_is_read() -> None:
    names = [f"c{k}" for k in range(4096)]
    fields: list[Field] = [{"tidb_type": "int", "type": "int32", "optional": True, "field": name} for name in names]
    (event,) = read(message(dict.fromkeys(names, 7), fields), key=b'{"payload":{}}')
    assert event.new == dict.fromkeys(names, 7)


def test_what_has_no_value_is_a_tombstone() -> None:
    found = debezium.Decoder().decode([GOOD, None, GOOD], [KEY, KEY, None])
    assert (found.tombstones, found.errors, found.events.num_rows) == ([1], [], 2)


@pytest.mark.parametrize(
    "value",
    [
        b'{"ts_ms":1}',
        b'{"payload":{"ts_ms":1}}',
        b'{"status":"BEGIN","id":"1","event_count":null,"data_collections":null,"ts_ms":5}',
    ],
)
def test_heartbeats_and_transactions_are_passed(value: bytes) -> None:
    found = debezium.Decoder().decode([value, GOOD], [b'{"serverName":"native"}', KEY])
    assert (found.errors, found.events.num_rows) == ([], 1)


def test_an_update_without_its_old_row_has_none() -> None:
    value = message({"id": 1, "v": 2}, [ID, VALUE], op="u").replace(b'"before":null,', b"")
    (event,) = read(value)
    assert (event.kind, event.new, event.old) == ("update", {"id": 1, "v": 2}, None)


def test_a_column_that_is_declared_twice_is_one() -> None:
    value = message({"id": 1, "v": 2}, [ID, VALUE, VALUE])
    (event,) = read(value)
    assert event.new == {"id": 1, "v": 2}


def rounds(count: int) -> list[bytes]:
    """Rows of a thousand tables, each of which has a block of its own, in turn."""
    fields = [ID, *({**VALUE, "field": f"c{k}"} for k in range(10))]
    row: dict[str, Any] = {"id": 1} | {f"c{k}": k for k in range(10)}
    once = [message(row, fields, table=f"t{k}") for k in range(TABLES)]
    return once * count


def spent(decoder: debezium.Decoder, values: list[bytes]) -> float:
    """Seconds that the messages take."""
    began = time.process_time()
    for at in range(0, len(values), TABLES):
        assert decoder.decode(values[at : at + TABLES], [KEY] * TABLES).events.num_rows == TABLES
    return time.process_time() - began


@pytest.mark.once
def test_blocks_of_a_thousand_tables_in_turn_take_time_for_each_message() -> None:
    decoder = debezium.Decoder()
    spent(decoder, rounds(1))
    few = min(spent(decoder, rounds(2)) for _ in range(3))
    many = min(spent(decoder, rounds(8)) for _ in range(3))
    assert many < 8 * few, "four times the messages are to take four times as long, and eight times is far more"


@pytest.mark.once
def test_blocks_that_never_come_again_are_forgotten() -> None:
    decoder, held = debezium.Decoder(), 0
    fields = [ID, *({**VALUE, "field": f"c{n}_NUMBER"} for n in range(1000))]
    made = message({"id": 1}, fields)
    tracemalloc.start()
    try:
        for number in range(320):
            found = decoder.decode([made.replace(b"NUMBER", b"%d" % number)], [KEY])
            assert not found.errors
            held = max(held, tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert held < MOST_HELD, held


@pytest.mark.parametrize("member", [b"tableChanges", b"ddl", b"before", b"transaction", b"x"])
def test_what_nobody_reads_is_text(member: bytes) -> None:
    for rest in (b'"op":"m"', b'"op":"c","after":{"id":1}'):
        value = b'{"payload":{"source":{"db":"s","table":"t","commit_ts":5},"ts_ms":5,%b,"%b":?},"schema":%b' % (
            rest, member, GOOD[GOOD.index(b'"schema":') + 9 :],
        )  # fmt: skip
        quoted = b'"a"' if member == b"ddl" else b'[{"id":"a"}]'
        wrong = [one.code for one in debezium.decode_batch([value.replace(b"?", quoted)], [KEY]).errors]
        lost = member in (b"before", b"ddl")  # a row, or a statement
        assert wrong == (["rows"] if lost else [])
        (error,) = debezium.decode_batch([value.replace(b"?", quoted.replace(b"a", b"\xff"))], [KEY]).errors
        assert error.code == "utf8"


def said(found: Any) -> list[tuple[Any, ...]]:
    """What errors say, but for the number of their message."""
    return [(error.field, error.offset, error.code, error.detail, error.part) for error in found.errors]


@pytest.mark.parametrize("bare", [False, True], ids=["with a block", "without"])
def test_errors_are_the_same_behind_messages_that_were_like_theirs(bare: bool) -> None:
    """A message with the block of the one before is read without it, and one without a block as the one before: what is
    wrong with it is told of all of its bytes."""
    good = GOOD[: GOOD.index(b',"schema":')] + b"}" if bare else GOOD
    payload = good.index(b',"schema":') if not bare else len(good)
    store = TableStore([DESCRIBED])
    decoder = debezium.Decoder(tables=store)
    wrong = [good[:k] + bytes([byte]) + good[k + 1 :] for k in range(0, payload, 7) for byte in b'"{},x']
    wrong += [good[:k] + good[k + 1 :] for k in range(0, payload, 3)]
    wrong += [good + b"}", good[:-1], b" " + good, GOOD, GOOD[: GOOD.index(b',"schema":')] + b"}"]
    compared = 0
    for value in wrong:
        alone = debezium.Decoder(tables=store).decode([value], [KEY])
        behind = decoder.decode([good, value, good], [KEY, KEY, KEY])
        assert said(behind) == said(alone), value
        assert {error.message for error in behind.errors} <= {1}
        assert behind.events.num_rows == 2 + alone.events.num_rows
        compared += len(alone.errors)
    assert compared > len(wrong) / 2


def test_messages_with_and_without_blocks_take_turns() -> None:
    store = TableStore([DESCRIBED])
    bare = GOOD[: GOOD.index(b',"schema":')] + b"}"
    first = b'{"schema":' + GOOD[GOOD.index(b',"schema":') + 10 : -1] + b"," + bare[1:]
    values = [GOOD, bare, bare, GOOD, first, bare, first, first, GOOD] * 3
    found = debezium.decode_batch(values, [KEY] * len(values), tables=store)
    assert not found.errors
    rows: list[Any] = list(found)
    assert [row.new for row in rows] == [{"id": 1, "v": 2}] * len(values)
    assert [row.types_from for row in rows] == [None if b"schema" in value else "described" for value in values]


def test_blocks_that_begin_alike_are_told_apart() -> None:
    """More of them than are compared one by one."""
    kinds = [f"c{number:02}" for number in range(40)]
    values = [message({"id": 1, name: 2}, [ID, {**VALUE, "field": name}]) for name in kinds] * 2
    assert [list(one.new) for one in read(*values)] == [["id", name] for name in kinds] * 2


def test_a_slash_in_the_name_of_a_column_is_no_path() -> None:
    columns = [Column("id/x", 3, HANDLE_KEY, "int")]
    (sent,) = debezium.encode([RowChange("insert", 1 << 40, "s", "t", new={"id/x": 1}, columns=columns)])
    for key, path in ((sent.key, "payload/id/x"), (b'{"id/x":1}', "id/x")):
        values = [one for one in debezium.dissect(sent.value, key) if one.type == "value"]
        assert [(one.path, one.column, one.meaning) for one in values] == [
            (path, "id/x", "int"),
            ("payload/after/id/x", "id/x", "int"),
        ]

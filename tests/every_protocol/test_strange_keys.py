"""Keys from another converter: rows are read without them, with one warning."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from debezium_avro.envelopes import ENVELOPE, record
from debezium_avro.envelopes import KEY as RECORD_KEY
from debezium_avro.envelopes import known as schemas_of
from debezium_avro.recordings import framed

from tidewire import avro, debezium, debezium_avro
from tidewire.mysql import ColumnFlag
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.wire.strange_keys import StrangeKeyWarning
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

BLOCK = {"type": "struct", "fields": [{"type": "int32", "optional": False, "field": "id"}]}
ROW = {
    "schema": {"type": "struct", "fields": [{**BLOCK, "field": "before"}, {**BLOCK, "field": "after"}]},
    "payload": {"before": None, "after": {"id": 1}, "op": "c", "ts_ms": 1, "source": {"db": "s", "table": "t"}},
}
VALUE = json.dumps(ROW).encode()
LONG = (5).to_bytes(8, "big")
"""As LongConverter writes it."""
STRANGE = {
    "text": b"Struct{id=1}",
    "map": b"{id=1}",
    "empty": b"",
    "number": b"1",
    "json text": b'"a"',
    "list": b"[1]",
    "null": b"null",
    "true": b"true",
    "long": LONG,
    "integer": (5).to_bytes(4, "big"),
    "no text": b"\xff\xfe",
    "zero": b"\0",
    "envelope of a number": b'{"schema":{"type":"int32","optional":false},"payload":1}',
    "envelope of a text": b'{"payload":"a","schema":{"type":"string","optional":false}}',
    "avro": framed(1, RECORD_KEY, {"id": 1}),
}
OBJECT = b'{"payload":{"id":1}}'


def said(found: list[Any]) -> list[str]:
    return [str(one.message) for one in found if one.category is StrangeKeyWarning]


@pytest.mark.parametrize("key", STRANGE.values(), ids=STRANGE)
def test_a_row_is_read_without_a_key_that_is_no_object(key: bytes) -> None:
    decoder = debezium.Decoder()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for keys in ([key, OBJECT, key], [key] * 3):
            found = decoder.decode([VALUE, VALUE, None], keys)
            assert (found.num_events, found.errors, found.tombstones) == (2, [], [2])
    assert len(said(caught)) == 1
    assert said(caught)[0].startswith("debezium: the key ")
    assert "b'" not in said(caught)[0]
    assert 'b"' not in said(caught)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        event: Any = debezium.decode(VALUE, key)[0]
    alone: Any = debezium.decode(VALUE, None)[0]
    assert event.new == {"id": 1}
    assert [one.flags for one in event.columns] == [one.flags for one in alone.columns]


def test_a_key_that_is_an_object_says_which_columns_tell_the_row() -> None:
    """Whatever the keys beside it are."""
    decoder = debezium.Decoder()
    with pytest.warns(StrangeKeyWarning):
        found = decoder.decode([VALUE] * 4, [OBJECT, b"1", OBJECT, None])
    events: Any = debezium._codec._events(found)
    flags = [one.columns[0].flags for one in events]
    assert flags == [flags[0], flags[1], flags[0], flags[1]]
    assert flags[0] != flags[1]


DAMAGED = [
    b"{", b'{"payload":{"id":1', b'{"id":1}x', b'{"id":}', b'{"id":1', b'{"id', b'{"id":1,}', b'{"id":1,"id":2}',
    b'{"\xff":1}', b'{"id":"\xff"}', b'{"payload":{"id":1},"schema":{"type":5}}', b'{"payload":{"id":1},"schema":{}}',
    b'{"schema":null}', b'{"payload":{"id":1},"payload":{}}', b'{"payload":{"id":1}}{"payload":{"id":1}}',
    b'{"a":' * 40 + b"1" + b"}" * 40, b'{"id":01}', b'{"id":nul}', b'{"id":"\\ud800"}', b'{"id":1}\0',
]  # fmt: skip


@pytest.mark.parametrize("key", DAMAGED)
def test_a_damaged_object_costs_no_row(key: bytes) -> None:
    decoder = debezium.Decoder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for keys in ([key, OBJECT, key], [OBJECT, key, key]):
            found = decoder.decode([VALUE, VALUE, None], keys)
            assert (found.num_events, found.errors, found.tombstones) == (2, [], [2])
        after: Any = debezium._codec._events(decoder.decode([VALUE], [OBJECT]))[0]
    assert after.columns == debezium.decode(VALUE, OBJECT)[0].columns


def test_nothing_is_said_where_a_description_tells_the_handle_key() -> None:
    columns, indexes = [ColumnDescription("id", "int")], [IndexDescription("primary", ("id",), True, True)]
    decoder = debezium.Decoder(tables=TableStore([TableDescription("s", "t", columns, indexes)]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for value in (VALUE, json.dumps(ROW["payload"]).encode()):
            found: Any = debezium._codec._events(decoder.decode([value, value], [None, b"1"]))
            assert [one.columns[0].flags & ColumnFlag.HANDLE_KEY for one in found] == [ColumnFlag.HANDLE_KEY] * 2
    plain = debezium.Decoder()
    with pytest.warns(StrangeKeyWarning):  # whatever the rows before it were
        plain.decode([VALUE, VALUE], [None, b"1"])


def test_what_is_no_row_says_nothing_of_its_key() -> None:
    beat = b'{"ts_ms":1}'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = debezium.Decoder().decode([beat, b"x", None], [b"1", b"1", b"1"])
    assert (found.num_events, len(found.errors), found.tombstones) == (0, 1, [2])


RECORDS = {
    **{name: key for name, key in STRANGE.items() if name != "avro"},
    "int": framed(3, "int", 1),  # type: ignore[arg-type]
    "string": framed(4, "string", "a"),  # type: ignore[arg-type]
    "no schema": framed(9, "int", 1),  # type: ignore[arg-type]
    "wide long": (10 << 24).to_bytes(8, "big"),
}
ORDERS = {"type": "record", "name": "orders", "fields": [{"name": "id", "type": "int"}]}


@pytest.mark.parametrize("key", RECORDS.values(), ids=RECORDS)
@pytest.mark.parametrize("module", [avro, debezium_avro])
def test_a_row_is_read_without_a_key_that_is_no_record(module: Any, key: bytes) -> None:
    schema, found = (ORDERS, {"id": 7}) if module is avro else (ENVELOPE, record())
    own = RECORD_KEY if module is debezium_avro else {**ORDERS, "name": "orders"}
    schemas = schemas_of(schema, own, "int", "string")
    value = framed(1, schema, found)
    decoder = module.Decoder(schemas=schemas)
    right = framed(2, own, {"id": 7})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for keys in ([key, right, key, right], [key] * 40):
            columns = decoder.decode([value] * len(keys), keys)
            assert (columns.num_events, columns.errors) == (len(keys), [])
    assert len(said(caught)) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (event,) = module.decode(value, key, schemas=schemas)
    (alone,) = module.decode(value, None, schemas=schemas)
    assert event.new["id"] == 7
    assert [one.flags for one in event.columns] == [one.flags for one in alone.columns]


@pytest.mark.parametrize("key", [b"Struct{id=1}", b"", LONG, framed(3, "int", 1)])  # type: ignore[arg-type]
def test_a_row_that_the_key_alone_tells_is_an_error_with_another_key(key: bytes) -> None:
    schemas = schemas_of(ORDERS, ORDERS, "int")
    with pytest.raises(DecodeError) as caught:
        avro.decode(None, key, schemas=schemas)
    assert caught.value.part == "key"
    found = debezium_avro.Decoder(schemas=schemas).decode([None], [key])
    assert (found.tombstones, found.errors) == ([0], [])

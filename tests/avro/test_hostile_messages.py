"""Messages that are damaged, truncated or framed differently raise errors of one family and do not affect others."""

from __future__ import annotations

import json
import time
import uuid

import pytest

from avro.images import changed, new_of, values_of
from tidewire import avro
from tidewire.messages.registry import (
    MemorySchemas,
    RegisteredSchema,
    SchemaUnavailableError,
    UnknownSchemaError,
)
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.errors import MissingSchemaError

pytestmark = pytest.mark.codec

ONE_COLUMN = '{"type":"record","name":"t","namespace":"default.d","fields":[{"name":"a","type":"string"}]}'


def memory(*texts: str) -> MemorySchemas:
    return MemorySchemas(RegisteredSchema(k, f"s{k}", 1, text) for k, text in enumerate(texts, 1))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"", "1 bytes needed, 0 left"),
        (b"\x07\0\0\0\1", "7 where only 0, before the number of a schema, or 3, before a UUID, is possible"),
        (b"\0\0\0", "4 bytes needed, 2 left"),
        (b"\0\0\0\0\1", "1 bytes needed, 0 left"),
        (b"\3\1" + bytes(20), "1 where only 0, of a record that is not compressed, is possible"),
        (b"\3\0" + bytes(15), "16 bytes needed, 15 left"),
        (b"\0\0\0\0\1\2aX", "bytes left over: 1"),
        (b"\0\0\0\0\1\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\1", "a varint of more than 64 bits"),
        (b"\0\0\0\0\1\x02\xff", "not valid UTF-8"),
        (b"\0\0\0\0\1\x01", "-1 bytes needed"),
        (b"\1{", "it is no JSON"),
        (b"\1[]", "an object is expected"),
        (b"\1{}", "`query` is missing"),
        (b'\1{"query":1}', "`query` is 1, and a text is expected"),
        (b'\1{"query":"","type":999,"schema":"","table":"","commitTs":1}', "999 is out of range"),
        (b'\1{"query":"","type":1e2,"schema":"","table":"","commitTs":1}', "a whole number is expected"),
        (b'\1{"query":"","type":1,"commitTs":-1}', "`commitTs` is -1"),
        (b'\1{"query":"\\ud800","type":1,"commitTs":1}', "half a surrogate pair"),
        (b'\1{"query":"\xff"}', "not valid UTF-8"),
        (b"\1" + b"[" * 100_000, "nested too deep"),
        (b"\1" + b'{"query":"","type":' + b"1" * 10_000 + b"}", "a number is too long"),
        (b"\2\0\0\0", "8 bytes needed, 3 left"),
        (b"\2" + bytes(9), "bytes left over: 1"),
    ],
)
def test_what_is_wrong_is_said(value: bytes, text: str) -> None:
    with pytest.raises(DecodeError) as found:
        avro.decode(value, None, schemas=memory(ONE_COLUMN))
    assert text in str(found.value)
    assert found.value.part == "value"
    assert not isinstance(found.value, MissingSchemaError)


def test_what_is_wrong_in_a_key_is_said_of_the_key() -> None:
    with pytest.raises(DecodeError, match=r"avro key a: .*not valid UTF-8") as found:
        avro.decode(None, b"\0\0\0\0\1\2\xff", schemas=memory(ONE_COLUMN))
    assert (found.value.part, found.value.offset) == ("key", 6)


def test_a_schema_that_cannot_be_had_is_an_error_of_its_own() -> None:
    with pytest.raises(MissingSchemaError, match="no registry is known; set schema-registry") as found:
        avro.decode(b"\0\0\0\0\1\2a")
    assert (found.value.id, found.value.later, found.value.code) == ("1", False, "missing_schema")
    with pytest.raises(MissingSchemaError, match="schema 9 cannot be had") as found:
        avro.decode(b"\0\0\0\0\x09\2a", schemas=memory(ONE_COLUMN))
    assert (found.value.id, found.value.later) == ("9", False)

    class Down:
        def schema(self, id: object, /) -> str:
            raise SchemaUnavailableError(f"schema {id}", "http://registry", "it gives no answer")

        def id_of(self, subject: str, text: str, /) -> int:
            raise UnknownSchemaError(subject, "", "")

    with pytest.raises(MissingSchemaError, match="it gives no answer") as found:
        avro.decode(b"\0\0\0\0\x09\2a", schemas=Down())
    assert (found.value.where, found.value.later) == ("http://registry", True)


def test_a_missing_schema_costs_its_own_messages_only() -> None:
    values = [b"\0\0\0\0\1\2a", b"\0\0\0\0\x09\2a", b"\0\0\0\0\1\2b"]
    columns = avro.Decoder(schemas=memory(ONE_COLUMN)).decode(values)
    assert columns.num_events == 2
    (error,) = columns.errors
    assert isinstance(error, MissingSchemaError)
    assert error.message == 1


def test_uuids_tell_schemas_too() -> None:
    """AWS Glue's header: 3, 0, and a UUID."""
    known = uuid.UUID("b7b4a7f0-9c96-4e4a-a687-fb5de9ef0c63")
    held = MemorySchemas([RegisteredSchema(known, "s", 1, ONE_COLUMN)])
    (event,) = avro.decode(b"\3\0" + known.bytes + b"\2a", schemas=held)
    assert values_of(event) == {"a": "a"}
    with pytest.raises(MissingSchemaError, match=str(uuid.UUID(int=0))):
        avro.decode(b"\3\0" + bytes(16) + b"\2a", schemas=held)


def test_ids_follow_one_another_in_any_order() -> None:
    """A new schema in mid-stream is read as it comes, also where keys and values alternate between schemas."""
    other = '{"type":"record","name":"u","namespace":"default.d","fields":[{"name":"b","type":["null","long"]}]}'
    values = [b"\0\0\0\0\1\2a", b"\0\0\0\0\2\2\x0e", b"\0\0\0\0\1\2b", b"\0\0\0\0\2\0"]
    keys = [b"\0\0\0\0\2\2\x0e", b"\0\0\0\0\1\2a", None, b"\0\0\0\0\2\0"]
    events = list(avro.decode_batch(values, keys, schemas=memory(ONE_COLUMN, other)))
    assert [(changed(event).table, values_of(event)) for event in events] == [
        ("t", {"a": "a"}),
        ("u", {"b": 7}),
        ("t", {"a": "b"}),
        ("u", {"b": None}),
    ]
    assert [new_of(event).columns[0].flags & 2 for event in events] == [0, 0, 0, 2]  # which are in the key


def test_time_and_memory_grow_with_the_bytes_alone() -> None:
    """Lengths that are not there take nothing; many schemas and columns take what they are."""
    fields = [{"name": f"c{k}", "type": ["null", "string"]} for k in range(2000)]
    wide = json.dumps({"type": "record", "name": "t", "namespace": "default.d", "fields": fields})
    held = memory(wide)
    value = b"\0\0\0\0\1" + bytes(2000)
    started = time.process_time()
    columns = avro.Decoder(schemas=held).decode([value] * 20 + [b"\0\0\0\0\1\2\xfe\xff\xff\xff\x0f"] * 20)
    assert (columns.num_events, len(columns.errors)) == (20, 20)
    assert time.process_time() - started < 20

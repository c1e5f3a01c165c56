"""What the fuzzer and the differential test have found."""

from __future__ import annotations

import json
from typing import Any

import pytest
from json_twin import MalformedError

from avro.recordings import STREAMS, messages, schemas
from avro.twin import flat, read
from tidewire import avro
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registry import MemorySchemas, RegisteredSchema, UnknownSchemaError

pytestmark = pytest.mark.codec


def event_of(body: bytes, *fields: dict[str, Any]) -> Any:
    """The event of a record."""
    text = json.dumps({"type": "record", "name": "t", "namespace": "default.d", "fields": fields})
    schemas = MemorySchemas([RegisteredSchema(1, "s", 1, text)])
    (event,) = avro.decode(b"\0\0\0\0\1" + body, schemas=schemas)
    return event


def test_a_field_of_the_event_that_is_an_int_has_32_bits() -> None:
    field = {"name": "_tidb_commit_ts", "type": "int"}
    assert event_of(b"\x0e", field).commit_ts == 7
    with pytest.raises(DecodeError, match=r"_tidb_commit_ts.*4294967295"):
        event_of(b"\xfe\xff\xff\xff\x1f", field)


def labelled(word: str, allowed: str, value: bytes) -> Any:
    """The number that is read of labels."""
    kind = {"type": "string", "connect.parameters": {"tidb_type": word, "allowed": allowed}}
    return event_of(bytes((2 * len(value),)) + value, {"name": "a", "type": kind}).new["a"]


def test_labels_that_have_lost_quotes_in_a_schema_are_found() -> None:
    """TiCDC lists a label of two quotes as one, and writes it as it is (EscapeEnumAndSetOptions)."""
    assert labelled("SET", "x,',y", b"'',y") == 6
    assert labelled("ENUM", "x,',y", b"''") == 2
    assert labelled("ENUM", "x,',y", b"'") == 2


@pytest.mark.parametrize("word", ["ENUM", "SET"])
def test_two_labels_that_are_listed_alike_are_not_guessed(word: str) -> None:
    for value in (b"'", b"''"):
        with pytest.raises(DecodeError, match="one of two labels of the column that are listed alike"):
            labelled(word, "',x,'", value)
    assert labelled(word, "',x,'", b"x") == 2


@pytest.mark.parametrize("stream", STREAMS, ids=lambda one: "/".join(one.parts[-3:]))
def test_the_twin_reads_the_recordings(stream: Any) -> None:
    """The fuzzer's second reader agrees on every recorded message."""
    known = schemas(stream)

    def text(id: Any) -> str | None:
        try:
            return known.schema(id)
        except UnknownSchemaError:
            return None

    recorded = list(messages(stream))
    columns = avro.Decoder(schemas=known).decode([one.value for one in recorded], [one.key for one in recorded])
    failed = {error.message for error in columns.errors}
    found = flat(columns)
    for number, one in enumerate(recorded):
        try:
            expected = read(one.key, one.value, text)
        except MalformedError:
            assert number in failed
        else:
            assert found.get(number, []) == expected

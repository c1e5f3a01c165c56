"""Schema ids in record headers instead of before keys and values."""

from __future__ import annotations

import uuid
from typing import Any

import pyarrow as pa
import pytest
from commands import tidewire
from registry_server import reply, serving

from avro.images import values_of
from tidewire import avro, debezium_avro
from tidewire.messages.registry import (
    MemorySchemas,
    RegisteredSchema,
    RegistrySettings,
    SchemaResolver,
    UnknownSchemaError,
)
from tidewire.messages.registry.headers import framed
from tidewire.runtime.wire.strange_keys import StrangeKeyWarning

GUID = uuid.UUID("89791762-2336-4186-9674-299b90a802e2")
SCHEMA = '{"type":"record","name":"t","namespace":"default.d","fields":[{"name":"a","type":"string"}]}'
BODY = b"\2a"


def test_a_header_goes_before_its_payload() -> None:
    headers = [b"\0\0\0\0\1", b"\1" + GUID.bytes, None, b"\0\0\0\0\1", None]
    payloads = [BODY, BODY, b"\0\0\0\0\1" + BODY, None, None]
    found = framed(payloads, headers)
    assert found.to_pylist() == [
        b"\0\0\0\0\1" + BODY,
        b"\3\0" + GUID.bytes + BODY,
        b"\0\0\0\0\1" + BODY,
        None,
        None,
    ]
    chunked = framed(pa.chunked_array([pa.array(payloads, pa.large_binary())]), pa.array(headers, pa.binary()))
    assert chunked.equals(found)
    schemas = MemorySchemas([RegisteredSchema(1, "s", 1, SCHEMA), RegisteredSchema(GUID, "s", 1, SCHEMA)])
    events = avro.decode_batch(found[:3], schemas=schemas)
    assert [values_of(event) for event in events] == [{"a": "a"}] * 3


def test_a_header_of_another_form_is_an_error_of_its_message() -> None:
    columns = avro.Decoder(schemas=MemorySchemas()).decode(framed([BODY, BODY], [b"\1short", b"\7"]))
    assert len(columns.errors) == 2


def test_there_is_a_header_for_each_message() -> None:
    with pytest.raises(ValueError, match="1 for 2 messages"):
        framed([BODY, BODY], [None])


def test_a_registry_is_asked_by_uuid() -> None:
    with serving(reply({"schema": SCHEMA})) as server:
        resolver = SchemaResolver(RegistrySettings(urls=(server.url,)))
        (event,) = avro.decode(framed([BODY], [b"\1" + GUID.bytes])[0].as_py(), schemas=resolver)
        assert values_of(event) == {"a": "a"}
        assert server.asked == [f"GET /schemas/guids/{GUID}"]
    with serving(reply({"error_code": 40403, "message": "Schema not found"}, 404)) as server:
        resolver = SchemaResolver(RegistrySettings(urls=(server.url,)))
        with pytest.raises(UnknownSchemaError, match=str(GUID)):
            resolver.schema(GUID)


@pytest.mark.parametrize("module", [avro, debezium_avro])
@pytest.mark.parametrize("schemas", [None, MemorySchemas([RegisteredSchema(1, "s", 1, SCHEMA)])])
def test_ids_of_8_bytes_are_called_that(module: Any, schemas: MemorySchemas | None) -> None:
    long = (1).to_bytes(9, "big") + BODY
    columns = module.Decoder(schemas=schemas).attempt([long, b"\0\0\0\0\0" + BODY])
    value, short = map(str, columns.errors)
    assert "value schema: schema 1 cannot be had: its id has 8 bytes; ids of 8 bytes, as Apicurio" in value
    assert "apicurio.registry.as-confluent=true" in value
    assert "8 bytes" not in short
    assert "schema 0 cannot be had" in short
    span = module.dissect(long)[-1]
    assert "its id has 8 bytes" in span.meaning
    assert "ids of 8 bytes" in " ".join(tidewire("detect", "--hex", long.hex()).stdout.split())


def test_a_key_with_an_id_of_8_bytes_costs_no_row() -> None:
    decoder = avro.Decoder(schemas=MemorySchemas([RegisteredSchema(1, "s", 1, SCHEMA)]))
    with pytest.warns(StrangeKeyWarning, match="ids of 8 bytes, as Apicurio"):
        columns = decoder.decode([b"\0\0\0\0\1" + BODY], [(1).to_bytes(9, "big") + BODY])
    assert not columns.errors
    assert columns.num_events == 1

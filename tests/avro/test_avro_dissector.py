"""The dissector shows the field of every byte of keys and values, and the reason where decoding fails."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import pytest
from commands import events, tidewire

from avro import avro_streams, recordings
from tidewire import avro
from tidewire.cli.spans import TROUBLE, Kind, rows
from tidewire.events import Ddl, Events, RowChange, Watermark
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.registered.errors import MissingSchemaError

TS = 470607536966860800
KEY = int(ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY)
NULLABLE = int(ColumnFlag.NULLABLE)
ID = Column("id", ColumnType.BIGINT, KEY, "bigint")
PRICE = Column("price", ColumnType.DECIMAL, NULLABLE, "decimal(10,2)")
MANY = Column("many", ColumnType.BIGINT, int(ColumnFlag.UNSIGNED) | NULLABLE, "bigint unsigned")
BITS = Column("bits", ColumnType.BIT, NULLABLE, "bit(10)")
COLUMNS = [ID, PRICE, MANY, BITS]
NEW = {"id": 7, "price": "-12.50", "many": 2**64 - 1, "bits": 513}
OLD = {"id": 7, "price": None, "many": 0, "bits": None}
GROUPS = (TROUBLE, "record", "framing header")
"""Types of spans that end where reading ended."""
OPTIONS = {
    "enable-tidb-extension": "true",
    "avro-enable-watermark": "true",
    "avro-include-before-value": "true",
    "producer": "ticdc",
}


def written(*happened: Any, **options: str) -> tuple[list[avro.Message], MemorySchemas]:
    """The messages of events, and their schemas."""
    schemas = MemorySchemas()
    encoder = avro.Encoder(avro.Options.from_strings({**OPTIONS, **options}), schemas=schemas)
    made = encoder.encode(Events.of(happened).columns)
    columns = (made.column(name).to_pylist() for name in ("key", "value", "first_event", "events"))
    return [avro.Message(*parts) for parts in zip(*columns, strict=True)], schemas


def of_part(spans: list[Span], part: str) -> list[Span]:
    return [span for span in spans if span.part == part]


def told(spans: list[Span]) -> dict[str, tuple[str, object, str]]:
    """Type, value and meaning by path; of groups those of what comes last."""
    return {span.path: (span.type, span.value, span.meaning) for span in spans}


@pytest.mark.codec
@pytest.mark.parametrize("stream", avro_streams.streams(), ids=lambda one: f"{one.parent.name}/{one.name}")
def test_every_byte_of_every_recorded_message_belongs_to_a_field(stream: Path) -> None:
    options = avro_streams.options(stream)
    for message in recordings.messages(stream):
        found = avro.dissect(message.value, message.key, options=options)
        for part, data in (("key", message.key), ("value", message.value)):
            shown = rows(of_part(found, part), data or b"")
            assert not [row for row in shown if row.kind in (Kind.gap, Kind.broken)], (message.number, part)
            leaves = [(row.start, row.end) for row in shown if row.kind is Kind.leaf]
            assert [end for _, end in leaves[:-1]] == [start for start, _ in leaves[1:]], "one field for each byte"


def test_an_update_says_what_each_byte_of_it_is() -> None:
    (message,), schemas = written(RowChange("update", TS, "s", "t", NEW, OLD, columns=COLUMNS))
    assert message.value is not None
    found = avro.dissect(message.value, message.key, schemas=schemas)
    key, value = told(of_part(found, "key")), of_part(found, "value")
    assert key["header/magic"][:2] == ("byte", 0)
    assert key["header/schema_id"] == ("u32be", 1, "default.s.t")
    assert key["id"] == ("long", 7, "bigint")
    shown = told(value)
    assert shown["header/schema_id"] == ("u32be", 2, "default.s.t")
    assert shown["price"] == ("null or bytes", b"\xfb\x1e", "-12.50. decimal(10,2)")
    assert shown["many"] == ("null or long", -1, f"{2**64 - 1}. bigint unsigned")
    assert shown["bits"] == ("null or bytes", b"\x02\x01", "513. bit(10)")
    assert shown["_ticdc_before/price"] == ("null or bytes", None, "decimal(10,2)")
    assert shown["_ticdc_before/many"][1] == 0
    assert shown["_tidb_op"] == ("string", "u", "update. What happened.")
    assert shown["_tidb_commit_ts"][1] == TS
    assert shown["_tidb_commit_ts"][2].endswith("UTC. TSO of the transaction.")
    branch, group = [span for span in value if span.path == "_ticdc_before"]
    assert (branch.type, branch.value, branch.end) == ("union", "record", group.start)
    assert {span.column for span in value} == {None, "id", "price", "many", "bits"}
    price = next(span for span in value if span.path == "price")
    assert message.value[price.start] == 2, "the number of the branch stands with the value"


def test_what_is_no_record_is_shown_too() -> None:
    statement, watermark = written(Ddl(TS, "s", "t", 3, "create table t (id int)"), Watermark(TS))[0]
    assert statement.value is not None
    found = avro.dissect(statement.value)
    shown = told(found)
    assert shown["mark"] == ("byte", 1, "statement. A statement, without a schema.")
    assert shown["statement/query"][1] == "create table t (id int)"
    assert shown["statement/commitTs"][1] == TS
    assert not [row for row in rows(found, statement.value) if row.kind is Kind.gap]
    mark, number = avro.dissect(watermark.value)
    assert (mark.value, number.path, number.type, number.value) == (2, "watermark", "u64be", TS)
    deleted = RowChange("delete", TS, "s", "t", None, NEW, columns=COLUMNS)
    (message,), schemas = written(deleted, **{"avro-include-before-value": "false"})
    found = avro.dissect(message.value, message.key, schemas=schemas)
    assert told(of_part(found, "value"))["deleted"][:2] == ("u64be", TS)
    assert told(of_part(found, "key"))["id"][1] == 7
    only_key = avro.dissect(None, message.key, schemas=schemas)
    assert only_key == of_part(found, "key")


@pytest.mark.parametrize("with_registry", [False, True], ids=["no registry", "an unknown id"])
def test_without_its_schema_a_record_is_shown_as_bytes(with_registry: bool) -> None:
    (message,), _ = written(RowChange("insert", TS, "s", "t", NEW, columns=COLUMNS))
    assert message.key is not None
    assert message.value is not None
    found = avro.dissect(message.value, message.key, schemas=MemorySchemas() if with_registry else None)
    for part, data in (("key", message.key), ("value", message.value)):
        *_, id, rest = of_part(found, part)
        assert (id.path, id.type) == ("header/schema_id", "u32be")
        assert (rest.start, rest.end, rest.path, rest.type, rest.value) == (5, len(data), part, "bytes", data[5:])
        assert "cannot be had" in rest.meaning
        assert "schema-registry" in rest.meaning
        assert not [row for row in rows(of_part(found, part), data) if row.kind is Kind.gap]


def test_a_uuid_tells_the_schema_as_well(tmp_path: Path) -> None:
    (message,), schemas = written(RowChange("insert", TS, "s", "t", NEW, columns=COLUMNS))
    assert message.value is not None
    own = uuid.uuid4()
    file = tmp_path / "saved.json"
    file.write_text(json.dumps([{"id": str(own), "subject": "x", "version": 1, "schema": schemas.schema(2)}]))
    value = b"\x03\x00" + own.bytes + message.value[5:]
    found = told(avro.dissect(value, options=avro.Options(schema_registry=str(file))))
    assert found["header/magic"][1] == 3
    assert found["header/compression"] == ("byte", 0, "not compressed")
    assert found["header/schema_id"] == ("UUID", str(own), "default.s.t")
    assert found["id"] == ("long", 7, "bigint")


def refused(value: bytes | None, key: bytes | None, schemas: MemorySchemas) -> DecodeError | None:
    errors = avro.Decoder(schemas=schemas).attempt([value], [key]).errors
    return errors[0] if errors else None


@pytest.mark.parametrize("part", ["key", "value"])
def test_of_what_is_damaged_the_fields_before_are_shown_and_then_the_trouble(part: str) -> None:
    (message,), schemas = written(RowChange("update", TS, "s", "t", NEW, OLD, columns=COLUMNS))
    whole = {"key": message.key or b"", "value": message.value or b""}
    good = avro.dissect(whole["value"], whole["key"], schemas=schemas)
    for at in range(len(whole[part])):
        flipped = bytearray(whole[part])
        flipped[at] ^= 0xFF
        for damaged in (whole[part][:at], bytes(flipped), whole[part] + b"\0"):
            given = {**whole, part: damaged}
            error = refused(given["value"], given["key"], schemas)
            found = avro.dissect(given["value"], given["key"], schemas=schemas)
            assert all(0 <= span.start <= span.end <= len(given[span.part]) for span in found)
            if error is None or isinstance(error, MissingSchemaError):
                assert not [span for span in found if span.type == TROUBLE]
                continue
            last = found[-1]
            assert (last.type, last.path, last.meaning, last.part) == (TROUBLE, error.field, error.detail, error.part)
            whole_ones = [span for span in of_part(found, part) if span.end <= min(at, last.start)]
            assert [span for span in whole_ones if span not in good and span.type not in GROUPS] == []


def test_a_schema_that_no_row_has_is_the_trouble_behind_its_id() -> None:
    schemas = MemorySchemas()
    schemas.id_of("x", '{"type":"record","name":"t","fields":[{"name":"a"}]}')
    *_, id, trouble = avro.dissect(b"\x00\x00\x00\x00\x01\x00", schemas=schemas)
    assert (id.path, id.value) == ("header/schema_id", 1)
    assert (trouble.type, trouble.start, trouble.end) == (TROUBLE, 5, 6)
    assert "has no name or no type" in trouble.meaning


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_takes_the_file_with_the_schemas() -> None:
    stream = avro_streams.stream("json", "watermark")
    given = ("-o", f"schema-registry={avro_streams.registry(stream)}")
    result = tidewire("dissect", "avro", stream, "-m", 0, "-m", 1, *given)
    assert result.exit_code == 0
    for word in ("statement", "commitTs", "schema_id", "null or string", "_tidb_commit_physical_time"):
        assert word in result.stdout
    assert "not understood" not in result.stdout
    assert result.stderr == ""
    spans = events(tidewire("dissect", "avro", stream, "-m", 1, *given, "--json"))
    assert {span["part"] for span in spans} == {"key", "value"}


def test_the_command_says_what_to_set_and_shows_the_keys_of_deleted_rows() -> None:
    stream = avro_streams.stream("json", "default")
    result = tidewire("dissect", "avro", stream, "-m", 0)
    assert result.exit_code == 0
    assert "no registry is known; set schema-registry to the URL" in result.stderr
    (number, *_) = [one.number for one in recordings.messages(stream) if one.value is None]
    given = ("-o", f"schema-registry={avro_streams.registry(stream)}")
    result = tidewire("dissect", "avro", stream, "-m", number, *given)
    assert result.exit_code == 0
    assert "avro  no value, key 6 bytes" in result.stdout
    assert "default.test.js" in result.stdout


def test_the_command_shows_where_a_message_broke() -> None:
    stream = avro_streams.stream("json", "default")
    first = next(recordings.messages(stream))
    assert first.key is not None
    assert first.value is not None
    given = ("-o", f"schema-registry={avro_streams.registry(stream)}")
    text = f"{first.key.hex()}:{first.value[:-1].hex()}"
    result = tidewire("dissect", "avro", "--hex", text, *given)
    assert result.exit_code == 1
    assert "✗ d" in result.stdout


@pytest.mark.codec
@pytest.mark.parametrize("kind", [{"type": "array", "items": "int"}, {"type": "map", "values": "int"}, "bytes", "int"])
def test_a_field_of_the_event_that_is_of_no_type_that_it_can_have(kind: Any) -> None:
    """A fuzzer found it: an array where a text is expected has items of which nothing was known."""
    fields = [{"name": "a", "type": "int"}, {"name": "_tidb_op", "type": kind}]
    text = json.dumps({"type": "record", "name": "t", "namespace": "default.d", "fields": fields})
    schemas = MemorySchemas([RegisteredSchema(1, "s", 1, text)])
    found = avro.dissect(b"\0\0\0\0\1\2\2\2\0", schemas=schemas)
    assert (found[-1].type, found[-1].path) == (TROUBLE, "schema")
    assert "where string is expected" in found[-1].meaning

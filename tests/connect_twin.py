"""Rows as Debezium's own connector sends them: in JSON with a schema block, and in Avro by the rules of AvroData."""

from __future__ import annotations

import io
import json
from base64 import b64decode
from typing import Any, NamedTuple

import fastavro

from tidewire.messages.registry import MemorySchemas, RegisteredSchema

Json = dict[str, Any]
PRIMITIVES = {
    "int8": "int",
    "int16": "int",
    "int32": "int",
    "int64": "long",
    "boolean": "boolean",
    "float": "float",
    "double": "double",
    "string": "string",
    "bytes": "bytes",
}
LOGICAL = {"Decimal": "decimal", "Date": "date", "Time": "time-millis", "Timestamp": "timestamp-millis"}
"""By the last part of Kafka Connect's own names the logical type that the converter says, too."""
KAFKA = "org.apache.kafka.connect.data."
SOURCE_FIELDS: list[Json] = [
    {"field": "version", "type": "string", "optional": False},
    {"field": "connector", "type": "string", "optional": False},
    {"field": "name", "type": "string", "optional": False},
    {"field": "ts_ms", "type": "int64", "optional": False},
    {"field": "db", "type": "string", "optional": False},
    {"field": "table", "type": "string", "optional": True},
]
SOURCE: Json = {
    "version": "3.0.0.Final",
    "connector": "mysql",
    "name": "srv",
    "ts_ms": 1700000000000,
    "db": "d",
    "table": "t",
}


class Field(NamedTuple):
    """A column as Kafka Connect says it, and its value as JSON has it."""

    name: str
    type: str
    value: Any
    semantic: str | None = None
    parameters: dict[str, str] | None = None
    optional: bool = True
    fields: tuple[Json, ...] = ()
    more: dict[str, str] | None = None
    """Words of the column's field, such as TiDB's name of its type."""

    def block(self) -> Json:
        """The field of a block."""
        said: Json = {**(self.more or {}), "type": self.type, "optional": self.optional, "field": self.name}
        if self.semantic is not None:
            said |= {"name": self.semantic, "version": 1}
        if self.parameters:
            said["parameters"] = self.parameters
        if self.fields:
            said["fields"] = list(self.fields)
        return said


def json_message(fields: list[Field], op: str = "c", key: list[str] | None = None) -> tuple[bytes, bytes | None]:
    """Value and key with their blocks."""
    columns = [one.block() for one in fields]
    row = {one.name: one.value for one in fields}
    block = {
        "type": "struct",
        "name": "srv.d.t.Envelope",
        "optional": False,
        "fields": [
            {"type": "struct", "fields": columns, "optional": True, "name": "srv.d.t.Value", "field": "before"},
            {"type": "struct", "fields": columns, "optional": True, "name": "srv.d.t.Value", "field": "after"},
            {
                "type": "struct",
                "fields": SOURCE_FIELDS,
                "optional": False,
                "name": "io.debezium.connector.mysql.Source",
                "field": "source",
            },
            {"type": "string", "optional": False, "field": "op"},
            {"type": "int64", "optional": True, "field": "ts_ms"},
        ],
    }
    value = {"schema": block, "payload": payload(row, op)}
    if key is None:
        return json.dumps(value).encode(), None
    own = [one for one in fields if one.name in key]
    key_block = {"type": "struct", "name": "srv.d.t.Key", "optional": False, "fields": [one.block() for one in own]}
    key_value = {"schema": key_block, "payload": {one.name: one.value for one in own}}
    return json.dumps(value).encode(), json.dumps(key_value).encode()


def payload(row: Json, op: str) -> Json:
    """What happened to a row; nothing is left of it by a TRUNCATE."""
    return {
        "before": row if op == "d" else None,
        "after": row if op in ("c", "u", "r") else None,
        "source": SOURCE,
        "op": op,
        "ts_ms": 1700000000123,
    }


def avro_type(block: Json, with_logical: bool = True, names: set[str] | None = None) -> Any:
    """The type of Avro that stands for a field of a block: fromConnectSchema of AvroData."""
    semantic = block.get("name")
    said: Json
    if block["type"] == "struct":
        space, _, name = str(semantic).rpartition(".")
        if names is not None and semantic in names:
            return _or_null(semantic, block)
        if names is not None:
            names.add(str(semantic))
        said = {"type": "record", "name": name, "namespace": space, "fields": []}
        said["fields"] = [_field(one, with_logical, names) for one in block["fields"]]
    else:
        said = {"type": PRIMITIVES[block["type"]]}
    if block["type"] in ("int8", "int16"):
        said["connect.type"] = block["type"]
    if "version" in block:
        said["connect.version"] = block["version"]
    if semantic is not None:
        said["connect.name"] = semantic
    if block.get("parameters"):
        said["connect.parameters"] = block["parameters"]
    if semantic is not None and semantic.startswith(KAFKA) and with_logical:
        said["logicalType"] = LOGICAL[semantic.removeprefix(KAFKA)]
        if said["logicalType"] == "decimal":
            given = block.get("parameters", {})
            said |= {"scale": int(given["scale"]), "precision": int(given.get("connect.decimal.precision", "64"))}
    plain = set(said) == {"type"}
    return _or_null(said["type"] if plain else said, block)


def _or_null(type: Any, block: Json) -> Any:
    return ["null", type] if block.get("optional") else type


def _field(block: Json, with_logical: bool, names: set[str] | None) -> Json:
    words = {key: text for key, text in block.items() if key == "tidb_type"}
    found = {"name": block["field"], "type": avro_type(block, with_logical, names), **words}
    return {**found, "default": None} if block.get("optional") else found


def native(block: Json, value: Any) -> Any:
    """A value as fastavro takes it, whose logical types are left out of its schema."""
    if value is None:
        return None
    if block["type"] == "bytes":
        return b64decode(value)
    if block["type"] == "struct":
        return {one["field"]: native(one, value.get(one["field"])) for one in block["fields"]}
    return value


def bare(schema: Any) -> Any:
    """A schema without logical types, which fastavro would convert by."""
    if isinstance(schema, list):
        return [bare(one) for one in schema]
    if isinstance(schema, dict):
        return {key: bare(one) for key, one in schema.items() if key not in ("logicalType", "precision", "scale")}
    return schema


def encoded(block: Json, value: Json, id: int, with_logical: bool) -> tuple[str, bytes]:
    """The schema of a struct, and a record behind its number."""
    schema = avro_type(block, with_logical, set())
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(bare(schema)), native(block, value))
    return json.dumps(schema), b"\0" + id.to_bytes(4, "big") + out.getvalue()


def avro_message(
    fields: list[Field], op: str = "c", key: list[str] | None = None, with_logical: bool = True
) -> tuple[bytes, bytes | None, MemorySchemas]:
    """Value, key and the schemas of both: the same message as `json_message`."""
    value, key_value = json_message(fields, op, key)
    said = json.loads(value)
    found = []
    text, image = encoded(said["schema"], said["payload"], 1, with_logical)
    found.append(RegisteredSchema(1, "t-value", 1, text))
    key_image = None
    if key_value is not None:
        told = json.loads(key_value)
        key_text, key_image = encoded(told["schema"], told["payload"], 2, with_logical)
        found.append(RegisteredSchema(2, "t-key", 1, key_text))
    return image, key_image, MemorySchemas(found)

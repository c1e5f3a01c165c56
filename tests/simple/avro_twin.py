"""Simple's records as fastavro reads and writes them, by the schema in the spec."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
import yaml

SPEC = Path(__file__).resolve().parents[2] / "spec" / "simple.yaml"
Content = dict[str, Any]


@cache
def schema() -> Any:
    """The union of all records, as TiCDC's file has it."""
    said = yaml.safe_load(SPEC.read_text(encoding="utf-8"))
    records, parts = said["records"], said["parts"]
    seen: set[str] = set()

    def named(name: str) -> Any:
        if name in records["enums"]:
            if name in seen:
                return f"{records['namespace']}.{name}"
            seen.add(name)
            return {"type": "enum", "name": name, "namespace": records["namespace"], "symbols": records["enums"][name]}
        return f"{records['namespace']}.{name}" if name in records["types"] else name

    def field(id: str, found: Any, members: dict[str, str], lists: set[str]) -> dict[str, Any]:
        found = found if isinstance(found, dict) else {"type": found}
        if id in lists:
            inside: Any = {"type": "array", "items": named(found["type"])}
        elif isinstance(found["type"], list):
            branches = [named(one) for one in found["type"]]
            inside = {"type": "map", "values": branches} if "null" in branches else branches
        else:
            inside = named(found["type"])
        name = found.get("name", members.get(id, id))
        return {"name": name, "type": ["null", inside] if found.get("optional") else inside}

    found = []
    for name, record in records["types"].items():
        part = record.get("part", "message")
        members = {one["id"]: one.get("name", one["id"]) for one in parts[part]["object"]}
        lists = {one["id"] for one in parts[part]["object"] if "list" in one}
        fields = [field(id, one, members, lists) for id, one in record["fields"].items()]
        found.append({"type": "record", "name": name, "namespace": records["namespace"], "fields": fields})
    return fastavro.parse_schema(found)


def read(value: bytes) -> Content:
    """What a message says, all of whose bytes are read: kind, and the fields of its record."""
    stream = io.BytesIO(value)
    found = fastavro.schemaless_reader(
        stream, schema(), return_record_name=True, handle_unicode_errors="surrogateescape"
    )
    assert stream.tell() == len(value), "bytes left over"
    assert isinstance(found, tuple)
    name, message = found
    assert name.endswith(".Message")
    kind, record = message["payload"]
    return {"kind": message["type"], "record": kind.rpartition(".")[2], **record}


def write(kind: str, record: str, **fields: Any) -> bytes:
    """A message."""
    namespace = "com.pingcap.simple.avro"
    message = {"type": kind, "payload": (f"{namespace}.{record}", fields)}
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema(), (f"{namespace}.Message", message))
    return stream.getvalue()

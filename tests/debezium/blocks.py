"""Messages made by hand: a row whose block says what its columns are."""

from __future__ import annotations

import json
from typing import Any

Field = dict[str, Any]
NAME, OTHER = "io.debezium.", "org.apache.kafka.connect.data."
ID: Field = {"tidb_type": "int", "type": "int32", "optional": False, "field": "id"}
KEY = b'{"payload":{"id":1}}'


def message(
    after: Any,
    fields: list[Field],
    *,
    op: str = "c",
    table: str = "t",
    before: Any = None,
    commit_ts: int = 1 << 40,
) -> bytes:
    """A message in the order of TiCDC's members; `after` can be text of JSON."""
    sides = [
        {"type": "struct", "optional": True, "name": f"x.{table}.Value", "field": side, "fields": fields}
        for side in ("before", "after")
    ]
    block = {"type": "struct", "optional": False, "name": f"x.{table}.Envelope", "version": 1, "fields": sides}
    source = {"db": "s", "table": table, "ts_ms": commit_ts >> 18, "commit_ts": commit_ts}
    payload = {"source": source, "ts_ms": 5, "transaction": None, "op": op, "before": before, "after": "AFTER"}
    text = json.dumps({"payload": payload, "schema": block}, separators=(",", ":"))
    return text.replace('"AFTER"', after if isinstance(after, str) else json.dumps(after)).encode()


def field(type: str, name: str | None = None, tidb_type: str | None = None, **parameters: str) -> Field:
    """A column `v` in a block."""
    found: Field = {"type": type, "optional": True, "field": "v"}
    if name is not None:
        found |= {"name": name, "version": 1}
    if tidb_type is not None:
        found["tidb_type"] = tidb_type
    return found | ({"parameters": parameters} if parameters else {})

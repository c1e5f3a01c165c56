"""A case as the oracle takes it and as our encoder takes it, and what both decode in one comparable form."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from tidewire.events import Ddl, Event, RowChange, Watermark
from tidewire.mysql import ColumnFlag
from tidewire.runtime.batch import Column as Described

from .cases import FLOAT, STRINGS, VECTOR, Case, Column, Happening, Mark, Row, Statement, Table, Value, stored

Json = dict[str, Any]
Cells = tuple[tuple[str, int, int, Any], ...] | None
Flat = tuple[Any, ...]
"""Kind, commit ts, then of a row: schema, table, partition, new cells, old cells; of DDL: names, type, query."""


# ---- to the oracle


def request(case: Case) -> tuple[list[Json], list[Json]]:
    """The tables and the events of a case for the oracle."""
    tables: dict[int, int] = {}
    described: list[Json] = []
    events = []
    for n, event in enumerate(case.events):
        found: Json = {"n": n, "commit_ts": event.commit_ts}
        if isinstance(event, Row):
            reference = tables.get(id(event.table))
            if reference is None:
                reference = tables[id(event.table)] = len(described)
                described.append(_table(event.table, reference))
            found |= {"kind": event.kind, "table_ref": reference, "physical_table_id": event.partition}
            for side, image in (("new", event.new), ("old", event.old)):
                if image is not None:
                    found[side] = [_cell(c, v) for c, v in zip(event.table.columns, image, strict=True)]
        elif isinstance(event, Statement):
            found |= {"kind": "ddl", "schema": event.schema, "table": event.table, "has_table_info": False}
            found |= {"ddl_type": event.type, "query": event.query}
        else:
            found["kind"] = "watermark"
        events.append(found)
    return described, events


def _table(table: Table, number: int) -> Json:
    columns = [{"name": c.name, "type": c.type, "flags": c.flags} for c in table.columns]
    found = {"schema": table.schema, "table": table.name, "table_id": 100 + number, "columns": columns}
    return found | {"is_partition": table.partitioned}


def _cell(column: Column, value: Value) -> Json | None:
    if value is None:
        return None
    if isinstance(value, float):
        return {"f32" if column.type == FLOAT else "f64": _number(value)}
    if column.type in STRINGS:
        data = value.encode() if isinstance(value, str) else value
        assert isinstance(data, bytes)
        return {"bytes": base64.b64encode(data).decode()}
    if isinstance(value, str):
        return {"vector" if column.type == VECTOR else "text": value}
    return {"uint" if stored(column) == "uint" else "int": str(value)}


def _number(value: float) -> str:
    return repr(value).replace("inf", "Inf")


# ---- to our encoder


def made(case: Case) -> list[Event]:
    """The events of a case as a user makes them."""
    return [_made(event) for event in case.events]


def _made(event: Happening) -> Event:
    if isinstance(event, Mark):
        return Watermark(event.commit_ts)
    if isinstance(event, Statement):
        return Ddl(event.commit_ts, event.schema, event.table, event.type, event.query)
    columns = [Described(*column) for column in event.table.columns]
    names = [column.name for column in columns]
    return RowChange(
        event.kind,
        event.commit_ts,
        event.table.schema,
        event.table.name,
        None if event.new is None else dict(zip(names, event.new, strict=True)),
        None if event.old is None else dict(zip(names, event.old, strict=True)),
        partition_id=event.partition,
        columns=columns,
    )


# ---- what was sent


def sent(case: Case) -> list[Flat]:
    """What a reader of the case's messages has to find."""
    return [_sent(event, case.handle_only) for event in case.events]


def _sent(event: Happening, handle_only: bool) -> Flat:
    if isinstance(event, Mark):
        return "watermark", event.commit_ts
    if isinstance(event, Statement):
        return "ddl", event.commit_ts, event.schema, event.table, event.type, event.query
    keys_only = handle_only and event.kind == "delete"
    images = [
        None
        if image is None
        else tuple(
            (*column, _comparable(column.type, value))
            for column, value in zip(event.table.columns, image, strict=True)
            if not keys_only or column.flags & ColumnFlag.HANDLE_KEY
        )
        for image in (event.new, event.old)
    ]
    return event.kind, event.commit_ts, event.table.schema, event.table.name, event.partition, *images


def _comparable(kind: int, value: Any) -> Any:
    """Floats as their bits, text of string types as bytes, whether it is UTF-8 or not."""
    if isinstance(value, float):
        return struct.pack("<d", value)
    if isinstance(value, str) and kind in STRINGS:
        return value.encode()
    return value


# ---- what was decoded


def ours(events: Iterable[Event]) -> list[Flat]:
    """What our decoder found."""
    return [_ours(event) for event in events]


def _ours(event: Any) -> Flat:
    if isinstance(event, Watermark):
        return "watermark", event.commit_ts
    if isinstance(event, Ddl):
        return "ddl", event.commit_ts, event.schema or "", event.table or "", event.ddl_type, event.query
    images = [
        None
        if image is None
        else tuple(
            (*column[:3], _comparable(column.type, value))
            for column, value in zip(image.columns, image.values(), strict=True)
        )
        for image in (event.new, event.old)
    ]
    return event.kind, event.commit_ts, event.schema, event.table, event.partition_id, *images


def theirs(events: Sequence[Json]) -> list[Flat]:
    """What TiCDC's decoder found; an event of kind `error` is ("error", text)."""
    return [_theirs(event) for event in events]


def _theirs(event: Json) -> Flat:
    kind, ts = event["kind"], event["commit_ts"]
    if kind == "error":
        return "error", event["error"]
    if kind == "watermark":
        return kind, ts
    names = (event["schema"], event["table"])
    if kind == "ddl":
        return kind, ts, *names, event["ddl_type"], event["query"]
    partition = event["physical_table_id"] if event["is_partition"] else None
    columns = event["columns"]
    old_columns = event.get("old_columns") or columns
    return kind, ts, *names, partition, _image(columns, event["new"]), _image(old_columns, event["old"])


def _image(columns: list[Json], values: list[Json | None] | None) -> Cells:
    if values is None:
        return None
    return tuple((c["name"], c["type"], c["flags"], _value(v)) for c, v in zip(columns, values, strict=True))


def _value(value: Json | None) -> Any:
    if value is None:
        return None
    ((kind, text),) = value.items()
    if kind in ("int", "uint"):
        return int(text)
    if kind in ("f32", "f64"):
        return struct.pack("<d", float(text))
    return base64.b64decode(text) if kind == "bytes" else text


def cells(flat: Flat) -> Cells:
    """All cells of an event, new before old."""
    return tuple(cell for image in flat[5:7] for cell in image or ()) if len(flat) == 7 else ()

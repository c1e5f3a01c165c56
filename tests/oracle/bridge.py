"""Converts a case for the oracle and for our encoder, and both decoded results to a comparable form."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterable, Sequence
from typing import Any

from tidewire.events import Bootstrap, Ddl, Event, RowChange, Watermark
from tidewire.messages.checksums.computing import VERSION
from tidewire.runtime.batch import Column as Described

from .cases import (
    BINARY,
    FLOAT,
    MULTIPLE,
    NULLABLE,
    PRIMARY,
    STRINGS,
    UNIQUE,
    UNSIGNED,
    VECTOR,
    Case,
    Column,
    Description,
    Happening,
    Mark,
    Options,
    Row,
    Statement,
    Table,
    Value,
)
from .maker import stored
from .protocols.base import Cell, Cells, Found, Protocol, bits, comparable

Json = dict[str, Any]


# ---- to the oracle


def request(case: Case) -> tuple[list[Json], list[Json]]:
    """The tables and the events of a case for the oracle."""
    tables: dict[int, int] = {}
    described: list[Json] = []
    events = []
    for n, event in enumerate(case.events):
        found: Json = {"n": n, "commit_ts": event.commit_ts}
        if isinstance(event, Row | Description):
            reference = tables.get(id(event.table))
            if reference is None:
                reference = tables[id(event.table)] = len(described)
                described.append(_table(event.table, reference))
        if isinstance(event, Row):
            found |= {"kind": event.kind, "table_ref": reference, "physical_table_id": event.partition}
            if event.row_id is not None:
                found["row_id"] = str(event.row_id)
            if event.checksum is not None:
                found["checksum"] = {"current": event.checksum, "version": VERSION}
            for side, image in (("new", event.new), ("old", event.old)):
                if image is not None:
                    found[side] = [_cell(c, v) for c, v in zip(event.table.columns, image, strict=True)]
        elif isinstance(event, Description):
            found |= {"kind": "ddl" if event.statement else "bootstrap", "table_ref": reference}
            if event.statement:
                found |= {"ddl_type": event.statement[0], "query": event.statement[1]}
            if event.before:
                found["pre_table_info"] = _table(event.before, 0)
        elif isinstance(event, Statement):
            found |= {"kind": "ddl", "schema": event.schema, "table": event.table, "has_table_info": False}
            found |= {"ddl_type": event.type, "query": event.query}
        else:
            found["kind"] = "watermark"
        events.append(found)
    return described, events


def _table(table: Table, number: int) -> Json:
    columns = [
        {"name": c.name, "type": c.type, "flags": c.flags} | (c.declared.parameters() if c.declared else {})
        for c in table.columns
    ]
    if table.version:
        columns = [one | {"mysql_flags": _tidb_flags(c)} for one, c in zip(columns, table.columns, strict=True)]
    if table.shuffled:
        columns = [{**one, "id": id} for one, id in zip(columns, table.ids(), strict=True)]
    found = {"schema": table.schema, "table": table.name, "table_id": table.id or 100 + number, "columns": columns}
    return found | {"is_partition": table.partitioned, "table_update_ts": table.version}


_TIDB_FLAGS = ((PRIMARY, 2), (UNIQUE, 4), (MULTIPLE, 8), (UNSIGNED, 32), (BINARY, 128))
"""TiCDC's flags, and TiDB's (pingcap/tidb pkg/parser/mysql/type.go)."""


def _tidb_flags(column: Column) -> int:
    """The flags of TiDB's field type; where rows are read by descriptions, they decide which values are base64."""
    flags = sum(theirs for flag, theirs in _TIDB_FLAGS if column.flags & flag)
    flags |= 0 if column.flags & NULLABLE else 1
    return flags | (64 if column.declared and column.declared.zerofill else 0)


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


def made(protocol: Protocol, case: Case) -> list[Event]:
    """The events of a case as a user of the protocol makes them."""
    return [_made(event, protocol, case.options) for event in case.events]


def _made(event: Happening, protocol: Protocol, options: Options) -> Event:
    clock: dict[str, Any] = {} if protocol.sent_ms is None else {"sent_ms": protocol.sent_ms}
    if isinstance(event, Mark):
        return Watermark(event.commit_ts, **clock)
    if isinstance(event, Statement):
        return Ddl(event.commit_ts, event.schema, event.table, event.type, event.query, **clock)
    if isinstance(event, Description):
        after = protocol.description(event.table)
        before = None if event.before is None else protocol.description(event.before)
        if event.statement is None:
            return Bootstrap(0, event.table.schema, event.table.name, event.table.id, table_after=after, **clock)
        statement = event.table.schema, event.table.name, *event.statement
        return Ddl(event.commit_ts, *statement, table_after=after, table_before=before, **clock)
    columns = [
        Described(c.name, c.type, c.flags, *([c.declared.full] if c.declared and protocol.declares else []))
        for c in event.table.columns
    ]
    names = [column.name for column in columns]
    handle: dict[str, Any] = {"row_id": event.row_id} if protocol.row_ids else {}
    return RowChange(
        event.kind,
        event.commit_ts,
        event.table.schema,
        event.table.name,
        None if event.new is None else dict(zip(names, event.new, strict=True)),
        None if event.old is None else dict(zip(names, event.old, strict=True)),
        partition_id=event.partition,
        columns=columns,
        **clock,
        **handle,
        **protocol.told(event, options),
    )


# ---- what was decoded


def ours(protocol: Protocol, events: Iterable[Event]) -> list[Found]:
    """What our decoder found."""
    return [_ours(protocol, event) for event in events]


def _ours(protocol: Protocol, event: Any) -> Found:
    ts = event.commit_ts
    if isinstance(event, Bootstrap):
        facts = _facts(protocol, event, protocol.bootstrap_facts)
        return Found("bootstrap", ("commit_ts", ts or 0), event.schema or "", event.table or "", more=facts)
    when = ("commit_ts", ts) if ts is not None else ("commit_ms", event.commit_ms)
    if isinstance(event, Watermark):
        return Found("watermark", when, more=_facts(protocol, event, protocol.mark_facts))
    schema, table = event.schema or "", event.table or ""
    if isinstance(event, Ddl):
        return Found("ddl", when, schema, table, more=_facts(protocol, event, protocol.ddl_facts))
    images = [
        None
        if image is None
        else tuple(
            Cell(c.name, c.type, c.flags, getattr(c, "mysql_type", None), comparable(c.type, value))
            for c, value in zip(image.columns, image.values(), strict=True)
        )
        for image in (event.new, event.old)
    ]
    more = _facts(protocol, event, protocol.row_facts)
    return Found(event.kind, when, schema, table, event.partition_id, images[0], images[1], more)


def _facts(protocol: Protocol, event: Any, names: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    found = [(name, protocol.fact(name, getattr(event, name))) for name in names]
    # A statement that is empty may be told as none.
    return tuple((name, value or "" if name == "query" else value) for name, value in found if _told(name, value))


def _told(name: str, value: Any) -> bool:
    return name == "query" or (value is not None and value is not False)


def theirs(events: Sequence[Json]) -> list[Found]:
    """What TiCDC's decoder found; an event of kind `error` has the text in `more`."""
    return [_theirs(event) for event in events]


def _theirs(event: Json) -> Found:
    kind, when = event["kind"], ("commit_ts", event["commit_ts"])
    if kind == "error":
        return Found(kind, when, more=(("error", event["error"]),))
    if kind == "watermark":
        return Found(kind, when)
    schema, table = event["schema"], event["table"]
    if kind == "ddl":
        return Found(kind, when, schema, table, more=(("ddl_type", event["ddl_type"]), ("query", event["query"])))
    partition = event["physical_table_id"] if event["is_partition"] else None
    columns = event["columns"]
    old_columns = event.get("old_columns") or columns
    return Found(kind, when, schema, table, partition, _image(columns, event["new"]), _image(old_columns, event["old"]))


def _image(columns: list[Json], values: list[Json | None] | None) -> Cells:
    if values is None:
        return None
    return tuple(Cell(c["name"], c["type"], c["flags"], None, _value(v)) for c, v in zip(columns, values, strict=True))


def _value(value: Json | None) -> Any:
    if value is None:
        return None
    ((kind, text),) = value.items()
    if kind in ("int", "uint"):
        return int(text)
    if kind == "f32":
        return bits(struct.unpack("<f", struct.pack("<f", float(text)))[0])
    if kind == "f64":
        return bits(float(text))
    return base64.b64decode(text) if kind == "bytes" else text

"""TiCDC's own Go codec as a peer: `oracle/` encodes and decodes the same events and messages in the same run."""

from __future__ import annotations

import base64
import json
import os
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import ours
from benchmarks.cases import DOUBLE, FLOAT, SIGNED_TYPES, UNSIGNED, VARCHAR, Change, ColumnDef, Value, handle_of
from benchmarks.peers import Message
from benchmarks.peers.registered_records import HEAD
from benchmarks.peers.simple_json import VERSION
from benchmarks.registry import schemas
from benchmarks.subjects import Subject
from benchmarks.timing import Effort, Result
from tidewire.tables import TableStore

NAME = "TiCDC (Go), in this run"
DECODE = "public decoder, every value touched"
WIRE = "wire only: values converted, no table description"
ENCODE = "from its own row events"
MOST_ASKED = 1024
"""Messages that are decoded where TiCDC's decoder asks a registry for schemas again and again."""
CONTAINS = {
    f"{NAME}: {DECODE}": "HasNext, NextRowChangedEvent, every value; decoder reused, but for Craft, where "
    "TiCDC makes one for every message",
    f"{NAME}: {WIRE}": "Craft: NewMessageDecoder, Headers, RowChangedEvent, ToModel of both images, every value",
    f"{NAME}: {ENCODE}": "AppendRowChangedEvent for each event, then Build; encoder reused",
}


def binary() -> Path | None:
    """The built oracle: what the environment's TIDEWIRE_ORACLE names, else build/oracle; None when there is none."""
    path = Path(os.environ.get("TIDEWIRE_ORACLE") or Path(__file__).parents[1] / "build" / "oracle")
    return path if path.is_file() and os.access(path, os.X_OK) else None


def absent() -> str | None:
    """What is not measured, and why; None when Go is there."""
    if binary() is not None:
        return None
    return (
        "not measured: TiCDC's Go encode and decode in this run, for build/oracle is not there (make oracle-build, "
        "with Go 1.26); Go's figures are those recorded on another machine"
    )


def measure(
    subject: Subject,
    kind: str,
    rows: Sequence[Change],
    batch: int,
    effort: Effort,
    messages: Sequence[Message] | None = None,
) -> list[Result]:
    """Go's encode and decode of these rows in messages of ``batch`` events; empty when Go is not there.

    ``messages`` are ours of these rows, which are TiCDC's, where they have been made and checked already.

    Raises:
        AssertionError: Go's messages take up other bytes than ours, or it refuses something.
    """
    path = binary()
    if path is None:
        return []
    written = ours.prepare(rows, batch, subject).sent.messages() if messages is None else messages
    wire_bytes = sum(len(key or b"") + len(value) for key, value in written)
    tables, events = _events(rows, subject)
    # Any registry will do: the one in Go's process is asked.
    elsewhere = {"schema-registry": "http://registry"} if subject.registered else {}
    shared = {
        "protocol": subject.protocol_name,
        "options": subject.options(batch) | elsewhere,
        "runs": 1,
        "seconds": effort.seconds,
    }
    # One measurement a request: encode and decode take turns, and there is a median.
    encode = {"bench": shared | {"tables": tables, "events": events}}
    coded = [
        {"key": key and base64.b64encode(key).decode(), "value": base64.b64encode(value).decode()}
        for key, value in written
    ]
    if subject.registered:
        coded = coded[:MOST_ASKED]
    decode = {"bench": shared | {"messages": coded, "prepare": _descriptions(rows, subject)}}
    if subject.registered:
        decode["bench"]["registry"] = _registry(written)
    lines = [
        json.dumps(request).encode() + b"\n" for request in ((encode, decode) if subject.go_decodes else (encode,))
    ]
    with tempfile.TemporaryFile() as requests:  # not in memory: there may be 100 MB of each
        for _ in range(effort.repeats):
            requests.writelines(lines)
        requests.seek(0)
        done = subprocess.run([str(path)], stdin=requests, stdout=subprocess.PIPE, check=True)
    figures: dict[tuple[str, str], list[float]] = {}
    for answer in map(json.loads, done.stdout.splitlines()):
        found = answer.get("bench") or {}
        expected = len(coded) * batch if subject.registered and "decode_ns" in found else len(rows)
        if answer["error"] or found.get("errors") or found["events"] != expected:
            raise AssertionError(f"the oracle: {answer['error'] or found.get('errors') or found['events']}")
        if found.get("bytes", wire_bytes) != wire_bytes:
            raise AssertionError(f"Go's messages have {found['bytes']} bytes, ours {wire_bytes}")
        for group, name, member in (
            ("encode", ENCODE, "encode_ns"),
            ("decode", WIRE, "decode_wire_ns"),
            ("decode", DECODE, "decode_ns"),
        ):
            if member in found:
                figures.setdefault((group, name), []).append(found[member])
    return [
        _result(subject, kind, group, operation, rows, batch, taken, wire_bytes)
        for (group, operation), taken in figures.items()
    ]


def _descriptions(rows: Sequence[Change], subject: Subject) -> list[dict[str, Any]]:
    """Messages that describe the tables of rows, where decoders want them first."""
    if not subject.described or not subject.go_decodes:
        return []
    events = TableStore(ours.descriptions(rows, subject)).to_events()
    values = [message.value or b"" for message in subject.codec.encode(events, subject.ours(1))]
    return [{"key": None, "value": base64.b64encode(value).decode()} for value in values]


def _registry(written: Sequence[Message]) -> list[dict[str, Any]]:
    """The schemas of messages."""
    ids = {int.from_bytes(part[1:HEAD], "big") for message in written for part in message if part}
    return [
        {"id": one.id, "subject": one.subject, "version": one.version, "schema": one.text}
        for one in schemas().schemas
        if one.id in ids
    ]


def _result(
    subject: Subject,
    kind: str,
    group: str,
    operation: str,
    rows: Sequence[Change],
    batch: int,
    taken: list[float],
    wire: int,
) -> Result:
    return Result(
        group=group,
        codec=NAME,
        operation=operation,
        rows=kind,
        batch=batch,
        columns=len(rows[0].columns),
        tables=len({row.table for row in rows}),
        ns_min=min(taken),
        ns_median=statistics.median(taken),
        events=len(rows),
        calls=0,
        repeats=len(taken),
        bytes_per_event=wire / len(rows),
        protocol=subject.name,
        kind=rows[0].kind,
    )


def _events(rows: Sequence[Change], subject: Subject) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The tables and the rows in the oracle's form."""
    tables: dict[tuple[str, str], int] = {}
    described: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for number, row in enumerate(rows):
        reference = tables.setdefault((row.schema, row.table), len(tables))
        if reference == len(described):
            columns = [
                {"name": c.name, "type": c.type, "flags": c.flags} | (_digits(row, c) if subject.registered else {})
                for c in row.columns
            ]
            names = {"schema": row.schema, "table": row.table, "table_id": 100 + reference}
            described.append({**names, "columns": columns, "table_update_ts": VERSION})
        images = {
            side: [_cell(column, image[column.name]) for column in row.columns]
            for side, image in (("new", row.new), ("old", row.old))
            if image
        }
        handle = handle_of(row) if subject.row_ids else None
        more = images if handle is None else {"row_id": str(handle)} | images
        events.append({"n": number, "kind": row.kind, "commit_ts": row.commit_ts, "table_ref": reference} | more)
    return described, events


def _digits(row: Change, column: ColumnDef) -> dict[str, int]:
    """How many digits a DECIMAL has, and how many of them behind the point."""
    return dict(zip(("flen", "decimal"), row.decimal, strict=True)) if row.declared(column) else {}


def _cell(column: ColumnDef, value: Value) -> dict[str, str] | None:
    if value is None:
        return None
    if column.type in SIGNED_TYPES:
        return {"uint" if column.flags & UNSIGNED else "int": str(value)}
    if column.type in (FLOAT, DOUBLE):
        return {"f32" if column.type == FLOAT else "f64": repr(value)}
    if column.type == VARCHAR:
        return {"bytes": base64.b64encode(str(value).encode()).decode()}
    return {"text": str(value)}

"""Runs in its own process with the package that has the container of tagged fields; prints JSON.

Arguments: files of recorded events, which are written as messages by hand, and read.
"""

from __future__ import annotations

import base64
import importlib
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
from parcels import column, fixed, number, parcel, sized
from typer.testing import CliRunner

import tidewire
import tidewire.runtime
from tidewire.cli.conform.truth import load
from tidewire.cli.main import app
from tidewire.events import Bootstrap, Ddl, Event, RowChange, Watermark
from tidewire.runtime.errors import TidewireError

codec: Any = importlib.import_module("tidewire.parcel")

INSERT = number(1, 0) + sized(2, b"s") + sized(3, b"t") + fixed(4, 9)
ID = column("id", 3, 11, 1)
ROW = INSERT + sized(7, ID)
MORE = number(9, 1) + fixed(10, 2) + sized(11, b"?")
DAMAGED = {
    "nothing": b"",
    "cut in a tag": ROW[:1],
    "cut in a number": ROW[:20],
    "cut in a column": ROW[:-1],
    "another wire": sized(1, b"0") + ROW,
    "no such wire": b"\x0d" + ROW,
    "no such field": ROW + MORE,
    "no such field of a column": INSERT + sized(7, ID + MORE),
    "twice": ROW + sized(2, b"s"),
    "no such kind": number(1, 5),
    "no table": number(1, 0) + sized(2, b"s") + fixed(4, 9) + sized(7, ID),
    "no columns": INSERT,
    "no time": number(1, 4),
    "an image too many": ROW + sized(1000, ID),
    "rows of a statement": number(1, 3) + fixed(4, 9) + sized(5, b"drop table t") + sized(7, ID),
    "no name": INSERT + sized(7, number(2, 3)),
    "no type": INSERT + sized(7, sized(1, b"id")),
    "a type too big": INSERT + sized(7, sized(1, b"id") + number(2, 256)),
    "an unknown type": INSERT + sized(7, column("id", 99, 0, 1)),
    "one name twice": ROW + sized(7, ID),
    "no digits": INSERT + sized(7, column("id", 3, 11, "1_0")),
    "too many digits": INSERT + sized(7, column("id", 3, 11, 2**63)),
    "no text": INSERT + sized(7, column("c", 15, 0, b"\xff")),
    "a statement type too big": number(1, 3) + fixed(4, 9) + number(6, 256),
}
UNLISTED = ("no such field", "no such field of a column")


def command(*arguments: str) -> list[Any]:
    """The exit status of `tidewire`, and what it prints."""
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    return [done.exit_code, done.stdout + done.stderr]


def told(event: Event) -> dict[str, Any]:
    """What a parcel says of an event."""
    found: dict[str, Any] = {"kind": event.kind, "commit_ts": event.commit_ts}
    if isinstance(event, RowChange):
        for name, image in (("new", event.new), ("old", event.old)):
            facts = {one.name: (one.type, one.flags) for one in getattr(image, "columns", event.columns)}
            found[name] = image and [(key, facts[key], image[key]) for key in image]
    if isinstance(event, Ddl):
        found |= {"query": event.query, "ddl_type": event.ddl_type}
    if not isinstance(event, Watermark):
        assert isinstance(event, RowChange | Ddl)
        found |= {"schema": event.schema or None, "table": event.table or None}
    return found


def refusal(call: Any, *arguments: Any) -> str:
    """The error of a call, with its class."""
    try:
        call(*arguments)
    except TidewireError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def recordings(paths: list[Path]) -> tuple[list[Event], list[bytes]]:
    """Events and their messages; a recording for `tidewire conform` is written of each file."""
    every: list[Event] = []
    messages: list[bytes] = []
    for path in paths:
        folder = Path("recorded/writer", path.parent.name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "events.jsonl").write_bytes(path.read_bytes())
        header = {"protocol": "parcel", "producer": "writer", "options": {}, "scenario": path.parent.name}
        lines: list[dict[str, Any]] = [header]
        for n, event in load(path).items():
            if not isinstance(event, Bootstrap):
                value = parcel(event, len(every) if len(every) % 2 else None)
                kind = "row" if isinstance(event, RowChange) else event.kind
                line = {"m": len(lines) - 1, "kind": kind, "key": None, "value": base64.b64encode(value).decode()}
                lines.append({**line, "events": [n]})
                every.append(event)
                messages.append(value)
        (folder / "parcel.plain.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
    return every, messages


events, values = recordings([Path(one) for one in sys.argv[1:]])
batch = codec.decode_batch(values)
single = [event for value in values for event in codec.decode(value)]
frame = pa.table({"value": pa.array(values, pa.binary())})
between = codec.decode_batch([ROW, *DAMAGED.values(), ROW])
skipping = codec.Options.from_strings({"skip-unlisted": "true"})
file, rows, exact = Path("message"), Path("rows.jsonl"), Path("events.jsonl")
file.write_bytes(values[0])
rows.write_text("".join(json.dumps({"value": base64.b64encode(one).decode()}) + "\n" for one in values))
exact.write_text(command("decode", "parcel", "--exact", str(rows))[1])
detected = tidewire.detect(values)
names = sorted({(one.schema, one.table) for one in events if isinstance(one, RowChange)})
typed = [tidewire.read_table(frame, f"{s}.{t}", protocol="parcel").num_rows for s, t in names[:3]]
print(
    json.dumps(
        {
            "compiled": tidewire.runtime.compiled,
            "events": Counter(event.kind for event in events),
            "wrong": sum(told(one) != told(other) for one, other in zip(events, batch, strict=True)),
            "single": [told(one) for one in single] == [told(one) for one in batch],
            "damaged": {what: [e.code, e.field, e.offset] for what, e in zip(DAMAGED, between.errors, strict=True)},
            "neighbours": len(between),
            "skipped": [len(codec.decode(DAMAGED[one], options=skipping)) for one in UNLISTED],
            "encode": refusal(codec.encode, events[:1]),
            "encoder": refusal(codec.Encoder),
            "transcode": refusal(tidewire.transcode, values, "parcel", "parcel"),
            "dissect": refusal(codec.dissect, values[0]),
            "transcoded": tidewire.transcode(values, "parcel", "canal-json")[1].events,
            "typed": typed,
            "detected": [detected.protocol, detected.certainty, detected.evidence[-1]],
            "protocols": command("protocols", "parcel"),
            "decode": command("decode", "parcel", str(file)),
            "lines": command("decode", "parcel", str(rows))[1].count('{"op":'),
            "shown": command("dissect", "parcel", str(file)),
            "written": command("encode", "parcel", str(exact)),
            "conform": command("conform", "recorded"),
            "schema": command("schema", "parcel"),
        }
    )
)

"""Runs in its own process with a package whose decoder forgets that an event without a row image says so."""

from __future__ import annotations

import base64
import importlib
import json
from pathlib import Path
from typing import Any

from parcels import parcel
from typer.testing import CliRunner

import tidewire.runtime
from tidewire.cli.main import app
from tidewire.events import Ddl
from tidewire.runtime.errors import DecodeError

codec: Any = importlib.import_module("tidewire.parcel")
value = parcel(Ddl(1 << 18, "s", "t", 3, "create table t (id int)"))


def refusal(call: Any, given: Any) -> str:
    """The error of a call."""
    try:
        call(given)
    except DecodeError as error:
        return str(error)
    return ""


folder = Path("recorded/writer/one")
folder.mkdir(parents=True, exist_ok=True)
happened = {"n": 0, "kind": "ddl", "sql": "create table t (id int)", "commit_ts": 1 << 18, "schema": "s", "table": "t"}
(folder / "events.jsonl").write_text(json.dumps({**happened, "ddl_type": 3, "query": happened["sql"]}) + "\n")
lines: list[dict[str, Any]] = [
    {"protocol": "parcel", "producer": "writer", "options": {}, "scenario": "one"},
    {"m": 0, "kind": "ddl", "key": None, "value": base64.b64encode(value).decode(), "events": [0]},
]
(folder / "parcel.plain.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))
report = CliRunner().invoke(app, ["conform", "recorded/writer"], env={"COLUMNS": "200"})
print(
    json.dumps(
        {
            "compiled": tidewire.runtime.compiled,
            "batch": refusal(codec.decode_batch, [value]),
            "single": refusal(codec.decode, value),
            "conform": report.stdout,
        }
    )
)

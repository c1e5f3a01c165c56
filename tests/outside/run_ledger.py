"""Runs in its own process with the package that includes the external container; prints JSON."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

import tidewire
import tidewire.runtime
from tidewire.cli.main import app
from tidewire.events import Column, Event, Events, RowChange, Watermark
from tidewire.runtime.errors import EncodeError

codec: Any = importlib.import_module("tidewire.ledger")

COLUMNS = [
    Column("id", 3, 11, "int(11)"),
    Column("n", 8, 196, "bigint(20) unsigned"),
    Column("t", 15, 64, "varchar(20)"),
    Column("b", 15, 65, "varbinary(9)"),
    Column("f", 5, 1, "double"),
    Column("d", 246, 1, "decimal(10,2)"),
]
DAMAGED = [
    "X\ts\tt\t1\t+a:3:0=02",
    "",
    "I",
    "I\ts\t\t1\t+a:3:0=02",
    "I\ts\tt\tone\t+a:3:0=02",
    "I\ts\tt\t18446744073709551616\t+a:3:0=02",
    "I\ts\tt\t1",
    "I\ts\tt\t1\t-a:3:0=02",
    "I\ts\tt\t1\t+a:3:0=02\t-a:3:0=02",
    "I\ts\tt\t1\t+a:3=02",
    "I\ts\tt\t1\t+a:99:0=02",
    "I\ts\tt\t1\t+a:3:0=2",
    "I\ts\tt\t1\t+a:3:0=0g",
    "I\ts\tt\t1\t+a:3:0=02\t+b:3:0=80",
    "I\ts\tt\t1\t+a:15:64=ff",
]


def row(number: int) -> dict[str, Any]:
    decimal = None if number == 3 else "12.34"
    return {"id": -number, "n": 2**64 - 1, "t": "tä", "b": b"\xff\0", "f": 1.5, "d": decimal}


def command(*arguments: str) -> str:
    """What `tidewire` prints."""
    done = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    return done.stdout


EVENTS: list[Event] = [
    RowChange("insert", 1, "s", "t", new=row(1), columns=COLUMNS),
    RowChange("update", 2, "s", "t", row(3), row(2), columns=COLUMNS),
    RowChange("delete", 2**64 - 1, "s", "u=:", old=row(4), columns=COLUMNS),
]
values = [message.value for message in codec.encode(EVENTS)]
again = list(codec.decode_batch(values))
decoder = codec.Decoder()
damaged = decoder.decode([values[0], *(one.encode() for one in DAMAGED), values[1]])
try:
    codec.encode([EVENTS[0], Watermark(3)])
    refused = ""
except EncodeError as error:
    refused = str(error)
spans = codec.dissect(values[1])
file = Path("message")  # where the package is copied to
file.write_bytes(values[0])
detected = tidewire.detect(values)
result = {
    "compiled": tidewire.runtime.compiled,
    "messages": [value.decode() for value in values],
    "equal": [event for value in values for event in codec.decode(value)] == EVENTS,
    "batch": again == EVENTS,
    "again": [message.value for message in codec.encode(again)] == values,
    "dissected": [[one.start, one.end, one.path, one.value] for one in spans],
    "damaged": [
        [text, error.code, error.field, error.offset] for text, error in zip(DAMAGED, damaged.errors, strict=True)
    ],
    "neighbours": list(Events(damaged)) == EVENTS[:2],
    "refused": refused,
    "detected": [detected.protocol, detected.certainty],
    "transcoded": tidewire.transcode(values, "ledger", "craft")[1].events == len(EVENTS),
    "protocols": command("protocols"),
    "decoded": json.loads(command("decode", "ledger", str(file))),
    "shown": command("dissect", "ledger", str(file)),
    "schema": " ".join(command("schema", "ledger").split()),
}
print(json.dumps(result))

"""arrow-avro (Rust) as a peer, in `rust/`, which cargo builds: messages of Avro with a registry, and plain records.

Of Avro with a registry it reads the same messages as ours, each behind the id of its schema.

A plain record is one row image and nothing else: no event around it, no map of names. So it is beside Simple's records
what could be had of Avro, not another reader of them.

The recorded figures stand in where cargo is not there.
"""

from __future__ import annotations

import json
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro

from benchmarks.cases import DATA, Change, ColumnDef
from benchmarks.peers import Message
from benchmarks.peers.avro import column_type
from benchmarks.peers.registered_records import HEAD
from benchmarks.registry import schemas

SOURCE = Path(__file__).parent / "rust"
TARGET = Path(__file__).parents[1] / "build" / "avro-rows"
RECORDED = DATA / "arrow-avro-reference.json"
NAME, NAME_RECORDED = "plain Avro records, arrow-avro (Rust)", "plain Avro records, arrow-avro (Rust), recorded"
OPERATION = "to Arrow columns, a record for each row image"
BATCH = 8192
"""Rows of a batch of Arrow columns."""
REGISTERED, REGISTERED_RECORDED = "arrow-avro (Rust)", "arrow-avro (Rust), recorded"
REGISTERED_OPERATION = "to Arrow columns"
CONTAINS = {
    f"{NAME}: {OPERATION}": "arrow-avro's streaming decoder over a record for each row image (its schema in a store, "
    "a header of five bytes before it), batches of 8,192 rows; both images of an event are two records",
    f"{NAME_RECORDED}: {OPERATION}": "the same, recorded on another machine, where cargo is not there",
    f"{REGISTERED}: {REGISTERED_OPERATION}": "arrow-avro's streaming decoder over the same values (keys are not looked "
    "at), TiCDC's schemas in a store by their ids, a decoder for each schema; decimals become decimals, all else what "
    "the record has",
    f"{REGISTERED_RECORDED}: {REGISTERED_OPERATION}": "the same, recorded on another machine, where cargo is not there",
}


@cache
def binary() -> Path | None:
    """The built program; None where cargo is not there, or cannot build it."""
    if shutil.which("cargo") is None:
        return None
    command = ["cargo", "build", "--release", "--quiet", "--manifest-path", str(SOURCE / "Cargo.toml")]
    done = subprocess.run([*command, "--target-dir", str(TARGET)], check=False, capture_output=True)
    path = TARGET / "release" / "avro-rows"
    return path if done.returncode == 0 and path.is_file() else None


def schema_of(columns: Sequence[ColumnDef]) -> dict[str, Any]:
    """The schema of a table's rows."""
    fields = [{"name": column.name, "type": column_type(column)} for column in columns]
    return {"type": "record", "name": "Row", "fields": fields}


def bodies(rows: Sequence[Change]) -> bytes:
    """The images of rows of one table as records, each behind its length."""
    schema: Any = fastavro.parse_schema(schema_of(rows[0].columns))
    found = []
    for row in rows:
        for image in (row.new, row.old):
            if image:
                out = BytesIO()
                fastavro.schemaless_writer(out, schema, dict(image))
                found.append(struct.pack("<I", len(out.getvalue())) + out.getvalue())
    return b"".join(found)


def measure(rows: Sequence[Change], repeats: int) -> tuple[str, dict[str, Any]] | None:
    """What the peer needs for rows of one table: its name, and ns of a record. None where there is no figure.

    Raises:
        subprocess.CalledProcessError: the program fails.
    """
    if binary() is None:
        recorded = _recorded("figure")
        return (NAME_RECORDED, recorded) if len(rows[0].columns) == recorded["columns"] else None
    return NAME, _run("plain", json.dumps(schema_of(rows[0].columns)).encode(), bodies(rows), repeats)


def measure_registered(
    messages: Sequence[Message], repeats: int, batch: int = BATCH, swept: int = 0
) -> tuple[str, dict[str, Any]] | None:
    """What the peer needs for messages whose schemas the registry of this process has: its name, and ns of a message.
    None where it is not there: `recorded_registered` has what was recorded.

    Args:
        messages: any of Avro with a registry.
        repeats: how often they are all decoded.
        batch: rows of a batch of columns.
        swept: bytes that are written to before each repeat.

    Raises:
        subprocess.CalledProcessError: the program fails.
    """
    if binary() is None:
        return None
    return REGISTERED, _run("registered", *registered_files(messages), repeats, batch, swept)


def recorded_registered() -> tuple[str, dict[str, Any]]:
    """The same of the recorded updates, as it was recorded."""
    return REGISTERED_RECORDED, _recorded("registered")


def damaged(messages: Sequence[Message], batch: int = BATCH) -> dict[str, Any] | None:
    """What becomes of a batch of messages of which the one in the middle lacks its last byte: how many `messages` it
    had, how many `rows` came out, and what was `said`. None where the program is not there.

    Raises:
        subprocess.CalledProcessError: the program fails.
    """
    return None if binary() is None else _run("damaged", *registered_files(messages), batch)


def registered_files(messages: Sequence[Message]) -> tuple[bytes, bytes]:
    """The schemas of messages, each behind its id and its length, and the values of the messages, each behind its
    length.
    """
    ids = {int.from_bytes(message.value[1:HEAD], "big") for message in messages}
    texts = [(id, schemas().schema(id).encode()) for id in sorted(ids)]
    headed = b"".join(struct.pack("<II", id, len(text)) + text for id, text in texts)
    return headed, b"".join(struct.pack("<I", len(one.value)) + one.value for one in messages)


def _recorded(which: str) -> dict[str, Any]:
    figures: dict[str, Any] = json.loads(RECORDED.read_text())[which]
    return figures


def _run(way: str, texts: bytes, data: bytes, *numbers: int) -> dict[str, Any]:
    """What the program answers."""
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder) / "schemas", Path(folder) / "data"
        for path, content in zip(files, (texts, data), strict=True):
            path.write_bytes(content)
        command = [str(binary()), way, *map(str, files), *map(str, numbers)]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return found

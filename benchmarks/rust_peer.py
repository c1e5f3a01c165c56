"""arrow-avro (Rust) as a peer: plain Avro records of the same rows to Arrow columns, in `rust/`, which cargo builds.

A record of it is one row image and nothing else: no event around it, no map of names. So it is beside Simple's records
what could be had of Avro, not another reader of them. The recorded figure stands in where cargo is not there.
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
from benchmarks.peers.avro import column_type

SOURCE = Path(__file__).parent / "rust"
TARGET = Path(__file__).parents[1] / "build" / "avro-rows"
RECORDED = DATA / "arrow-avro-reference.json"
NAME, NAME_RECORDED = "plain Avro records, arrow-avro (Rust)", "plain Avro records, arrow-avro (Rust), recorded"
OPERATION = "to Arrow columns, a record for each row image"
CONTAINS = {
    f"{NAME}: {OPERATION}": "arrow-avro's streaming decoder over a record for each row image (its schema in a store, "
    "a header of five bytes before it), batches of 8,192 rows; both images of an event are two records",
    f"{NAME_RECORDED}: {OPERATION}": "the same, recorded on another machine, where cargo is not there",
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
    path = binary()
    if path is None:
        recorded: dict[str, Any] = json.loads(RECORDED.read_text())["figure"]
        return (NAME_RECORDED, recorded) if len(rows[0].columns) == recorded["columns"] else None
    with tempfile.TemporaryDirectory() as folder:
        schema, data = Path(folder) / "schema.json", Path(folder) / "bodies.bin"
        schema.write_text(json.dumps(schema_of(rows[0].columns)))
        data.write_bytes(bodies(rows))
        done = subprocess.run([path, schema, data, str(repeats)], check=True, stdout=subprocess.PIPE)
    found: dict[str, Any] = json.loads(done.stdout)
    return NAME, found

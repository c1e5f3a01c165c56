"""The twin reads every recorded message of both producers, and what it finds is what happened in the database.

The codec is held against the twin: so the twin is held against the truth first.
"""

from __future__ import annotations

import base64
import struct
from pathlib import Path
from typing import Any

import pytest
import recorded
from json_twin import MalformedError, bits

from open_protocol.twin import Flat, read

UNNAMED = "ticdc writes values that became NULL without the column's name"


def stored(value: dict[str, str] | None) -> Any:
    """A recorded value in the twin's form; strings of bytes as bytes."""
    if value is None:
        return None
    ((kind, text),) = value.items()
    match kind:
        case "int" | "uint":
            return int(text)
        case "f32":
            return bits(struct.unpack("<f", struct.pack("<f", float(text)))[0])
        case "f64":
            return bits(float(text))
        case "bytes":
            return base64.b64decode(text)
    return text.encode()


def check(found: Flat, event: dict[str, Any], options: str, classic: bool) -> None:
    """Holds an event against what happened."""
    assert found.commit_ts == event["commit_ts"]
    without_old = event["kind"] == "update" and options == "no-old"
    assert found.kind == ("insert" if without_old else event["kind"])
    if found.kind == "ddl":
        assert (found.ddl_type, found.query) == (event["ddl_type"], event["query"])
    if found.kind in ("ddl", "watermark"):
        return
    assert (found.schema, found.table) == (event["schema"], event["table"])
    assert found.partition_id == (event["physical_table_id"] if event["is_partition"] else None)
    columns = {column["name"]: place for place, column in enumerate(event["columns"])}
    for side in ("new", "old"):
        image = getattr(found, side)
        assert (image is None) == (event[side] is None or (side == "old" and without_old))
        for name, kind, flags, value in image or ():
            column, wanted = event["columns"][columns[name]], stored(event[side][columns[name]])
            assert kind == column["type"]
            assert not classic or flags == column["flags"]
            assert (value.encode() if isinstance(value, str) else value) == wanted


@pytest.mark.parametrize("stream", recorded.streams("open-protocol"), ids=recorded.stream_name)
def test_the_twin_reads_what_happened(stream: Path) -> None:
    truth, options = recorded.stream_truth(stream), recorded.option_set(stream)
    refused = 0
    for message in recorded.plain(stream):
        try:
            found = read(message.key, message.value)
        except MalformedError:
            refused += 1
            continue
        assert len(found) == len(message.events), message.number
        for one, event in zip(found, message.events, strict=True):
            check(one, truth[event], options, stream.parts[-3] == "tiflow")
    assert not refused or (stream.parts[-3] == "ticdc" and options == "updated-only"), UNNAMED

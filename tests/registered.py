"""Recorded streams with registered schemas: each with its producer's schemas, or all on one topic with one registry."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

from recorded import header, streams

from tidewire.messages.registry import MemorySchemas, RegisteredSchema, SavedSchemas, SchemaId

HEAD = 5
"""Bytes before a record: 0, and the id of its schema."""


class Sent(NamedTuple):
    """A recorded message. Where there is no value, its key says which row was deleted."""

    key: bytes | None
    value: bytes | None


def registered_streams(producer: str = "*") -> list[Path]:
    """The recorded streams of Avro, of one producer or of both."""
    return [path for path in streams("avro", own=False) if producer in ("*", path.parts[-3])]


def registered_stream(name: str) -> Path:
    """A stream by its name, such as ``tiflow/keys/avro.default``."""
    (found,) = (path for path in registered_streams() if "/".join(path.parts[-3:]) == f"{name}.jsonl")
    return found


def registry_file(stream: Path) -> Path:
    """The file with the schemas that were registered while the stream was recorded."""
    return stream.with_suffix(".registry.json")


def codec_options(stream: Path) -> dict[str, str]:
    """The options of a stream, and its producer, but not where the schemas were, nor the topic: it is the default."""
    head = header(stream)
    options = {name: str(value) for name, value in head["options"].items()}
    left_out = ("schema-registry", "time-zone", "topic")
    return {"producer": head["producer"], **{name: text for name, text in options.items() if name not in left_out}}


@cache
def sent(stream: Path) -> tuple[Sent, ...]:
    """The messages of a stream, without the events that the producer refused."""
    lines = [json.loads(line) for line in stream.read_bytes().split(b"\n")[1:] if line]
    read = [[None if line[part] is None else base64.b64decode(line[part]) for part in ("key", "value")]
            for line in lines if "error" not in line]  # fmt: skip
    return tuple(Sent(key, value) for key, value in read)


def one_topic(chosen: list[Path]) -> tuple[list[Sent], MemorySchemas]:
    """The messages of several streams, one after the other, and one registry for them: ids are given anew."""
    schemas = MemorySchemas()
    found: list[Sent] = []
    for stream in chosen:
        known = SavedSchemas(str(registry_file(stream))).schemas
        subjects = {one.id: one for one in known}
        found += [Sent(*(_with_new_id(part, subjects, schemas) for part in message)) for message in sent(stream)]
    return found, schemas


def _with_new_id(record: bytes | None, known: dict[SchemaId, RegisteredSchema], schemas: MemorySchemas) -> bytes | None:
    if record is None or record[:1] != b"\0":
        return record
    one = known[int.from_bytes(record[1:HEAD], "big")]
    return b"\0" + schemas.id_of(one.subject, one.text).to_bytes(4, "big") + record[HEAD:]

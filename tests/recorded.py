"""The recorded messages, unpacked once."""

from __future__ import annotations

import base64
import json
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import lz4.frame
import pyarrow as pa
from archives import unpacked
from open_protocol.wire import frame, frames

GOLDEN = Path(__file__).parent / "golden"
OWN = Path(__file__).parent / "recorded"
ARCHIVES = ("craft.tar.xz", "bench.tar.xz")
REGISTERED = ("avro", "debezium-avro")
"""The protocols whose schemas a registry has."""


@cache
def golden() -> Path:
    """The folder with all recordings of Craft: `tiflow/<scenario>/…` and `bench/…`."""
    return unpacked(*(GOLDEN / name for name in ARCHIVES))


@cache
def golden_open() -> Path:
    """The folder with those of Open Protocol, of both producers: `tiflow/<scenario>/…`, `ticdc/<scenario>/…`."""
    return unpacked(GOLDEN / "open-protocol.tar.xz")


@cache
def registries() -> tuple[Path, ...]:
    """The files with the schemas that both producers registered, one for each stream of Avro and Debezium-Avro."""
    folder = unpacked(GOLDEN / "avro.tar.xz", GOLDEN / "debezium-avro.tar.xz")
    return tuple(sorted(folder.rglob("*.registry.json")))


class Recorded(NamedTuple):
    """A recorded message."""

    scenario: str
    option_set: str
    number: int
    key: bytes | None
    value: bytes
    events: tuple[int, ...]


@cache
def scenarios() -> tuple[str, ...]:
    """Names of all scenarios."""
    return tuple(sorted(path.name for path in (golden() / "tiflow").iterdir()))


@cache
def truth(scenario: str) -> dict[int, dict[str, Any]]:
    """The events of a scenario, as recorded, by their number."""
    lines = (golden() / "tiflow" / scenario / "events.jsonl").read_text("utf-8").splitlines()
    return {event["n"]: event for event in map(json.loads, lines)}


def craft_messages(scenario: str = "*", option_set: str = "*") -> Iterator[Recorded]:
    """Craft messages of one scenario or all, one option set or all."""
    for path in sorted((golden() / "tiflow").glob(f"{scenario}/craft.{option_set}.jsonl")):
        name = path.name.removeprefix("craft.").removesuffix(".jsonl")
        for line in map(json.loads, path.read_text("utf-8").splitlines()[1:]):
            if "error" not in line:
                key = None if line["key"] is None else base64.b64decode(line["key"])
                value = base64.b64decode(line["value"])
                yield Recorded(path.parent.name, name, line["m"], key, value, tuple(line["events"]))


def bench_value(events: int) -> bytes:
    """The Craft value of 1, 4 or 64 updates of 8 columns."""
    return (golden() / "bench" / f"craft-8col-{events}.bin").read_bytes()


def bench_events() -> list[dict[str, Any]]:
    """The 64 events of the bench messages, as recorded."""
    lines = (golden() / "bench" / "events-8col.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


@cache
def canal_json_values() -> tuple[bytes, ...]:
    """Every Canal-JSON value of our own recordings that is not compressed."""
    found: list[bytes] = []
    with tarfile.open(OWN / "canal-json.tar.xz") as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.name.endswith(".jsonl") else None
            if stream is None or ".lz4." in member.name or ".snappy." in member.name:
                continue
            lines = map(json.loads, stream.read().decode().splitlines()[1:])
            found += [base64.b64decode(line["value"]) for line in lines if line.get("value")]
    return tuple(found)


@cache
def own() -> Path:
    """The folder with the recordings of our own scenarios, tests/recorded: Craft and Canal-JSON."""
    return unpacked(OWN / "craft.tar.xz", OWN / "canal-json.tar.xz")


@cache
def own_open() -> Path:
    """The folder with those of Open Protocol, and what happened in the database."""
    return unpacked(OWN / "craft.tar.xz", OWN / "open-protocol.tar.xz")


def _lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, one a line; texts in them may hold other ends of lines."""
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


@cache
def _folders(protocol: str, own: bool) -> tuple[Path, ...]:
    """The folders with recordings of a protocol and the truth: those of both producers, and of our own scenarios."""
    golden = (GOLDEN / f"{protocol}.tar.xz",)
    ours = tuple(dict.fromkeys((OWN / "craft.tar.xz", OWN / f"{protocol}.tar.xz")))
    return tuple(unpacked(*one) for one in (golden, ours if own else ()) if one and one[-1].exists())


def streams(protocol: str, *, own: bool = True) -> list[Path]:
    """Recorded streams: of `simple` those in JSON, of `simple-records` those in Avro, of others all.

    With `own` also those of our own scenarios, of which Simple has none in Avro, and Canal-JSON has no others.
    """
    if protocol == "simple-records":
        return sorted(_folders("simple", False)[0].glob("*/*/simple.avro*.jsonl"))
    pattern = "simple.json*.jsonl" if protocol == "simple" else f"{protocol}.*.jsonl"
    return [path for folder in _folders(protocol, own) for path in sorted(folder.glob(f"*/*/{pattern}"))]


@cache
def every_stream(protocol: str) -> tuple[Path, ...]:
    """All recorded streams of a protocol, wherever they come from, in the archives that are named after it."""
    archives = [path for folder in (GOLDEN, OWN) if (path := folder / f"{protocol}.tar.xz").exists()]
    return tuple(sorted(unpacked(*archives).glob(f"*/*/{protocol}.*.jsonl")))


def reader_arguments(stream: Path) -> tuple[str, ...]:
    """What commands that read a stream have to be told because its messages cannot tell it: the file with their schemas
    that lies beside it, where there is one.
    """
    schemas = stream.with_suffix(".registry.json")
    return ("-o", f"schema-registry={schemas}") if schemas.exists() and header(stream)["protocol"] in REGISTERED else ()


def option_set(stream: Path) -> str:
    """The name of a stream's options."""
    return stream.name.split(".")[1]


def stream_name(stream: Path) -> str:
    """Producer, scenario, protocol and option set of a stream, for the names of tests."""
    return "/".join(stream.parts[-3:]).removesuffix(".jsonl")


@cache
def header(stream: Path) -> dict[str, Any]:
    """The first line of a stream: protocol, producer, options."""
    return _lines(stream)[0]


def messages(stream: Path) -> Iterator[Recorded]:
    """The messages of a stream, compressed where they are; not the events that the producer refused."""
    for one in sent(stream):
        assert one.value is not None
        yield Recorded(stream.parent.name, option_set(stream), one.number, one.key, one.value, one.events)


class Sent(NamedTuple):
    """A recorded message of any protocol: key and value may be null."""

    number: int
    kind: str
    key: bytes | None
    value: bytes | None
    events: tuple[int, ...]


def sent(stream: Path) -> Iterator[Sent]:
    """The messages of a stream, compressed where they are; not the events that the producer refused."""
    for line in _lines(stream)[1:]:
        if "error" not in line:
            key, value = (None if line[part] is None else base64.b64decode(line[part]) for part in ("key", "value"))
            yield Sent(line["m"], line["kind"], key, value, tuple(line["events"]))


def compression(stream: Path) -> str:
    """How the messages of a stream are compressed: none, lz4 or snappy."""
    return str(header(stream)["options"].get("large-message-handle-compression", "none"))


def plain(stream: Path) -> Iterator[Recorded]:
    """The messages of a stream without compression: of values, of Debezium's keys, of frames in Open Protocol."""
    codec, protocol = compression(stream), header(stream)["protocol"]
    for one in messages(stream):
        if protocol == "open-protocol":
            yield one._replace(value=b"".join(frame(inflated(codec, item)) for item in frames(one.value)))
        else:
            yield one._replace(value=inflated(codec, one.value), key=one.key and inflated(codec, one.key))


def inflated(codec: str, data: bytes) -> bytes:
    """Bytes without their compression; where there are none, there is none."""
    if not data or codec not in ("lz4", "snappy"):
        return data
    if codec == "lz4":
        found: bytes = lz4.frame.decompress(data)
        return found
    size = shift = 0
    for byte in data:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    plain: bytes = pa.Codec("snappy").decompress(data, size).to_pybytes()
    return plain


@cache
def stream_truth(stream: Path) -> dict[int, dict[str, Any]]:
    """What happened, by number, in the scenario of a stream."""
    return {event["n"]: event for event in _lines(stream.parent / "events.jsonl")}

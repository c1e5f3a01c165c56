"""The recorded messages, unpacked once a session."""

from __future__ import annotations

import atexit
import base64
import json
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

GOLDEN = Path(__file__).parent / "golden"
OWN = Path(__file__).parent / "recorded"
ARCHIVES = ("craft.tar.xz", "bench.tar.xz")


def _unpacked(*archives: Path) -> Path:
    """A folder with what is in some archives. Never written to: copy what you change."""
    folder = Path(tempfile.mkdtemp(prefix="tidewire-recorded-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for path in archives:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter="data")
    return folder


@cache
def golden() -> Path:
    """The folder with all recordings of Craft: `tiflow/<scenario>/…` and `bench/…`."""
    return _unpacked(*(GOLDEN / name for name in ARCHIVES))


@cache
def golden_open() -> Path:
    """The folder with those of Open Protocol, of both producers: `tiflow/<scenario>/…`, `ticdc/<scenario>/…`."""
    return _unpacked(GOLDEN / "open-protocol.tar.xz")


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
    return _unpacked(OWN / "craft.tar.xz", OWN / "canal-json.tar.xz")


@cache
def own_open() -> Path:
    """The folder with those of Open Protocol, and what happened in the database."""
    return _unpacked(OWN / "craft.tar.xz", OWN / "open-protocol.tar.xz")


@cache
def open_truth(stream: Path) -> dict[int, dict[str, Any]]:
    """What happened, by number, in the scenario of a stream."""
    lines = (stream.parent / "events.jsonl").read_text("utf-8").splitlines()
    return {event["n"]: event for event in map(json.loads, lines)}


def open_streams(*, own: bool = True) -> list[Path]:
    """All recorded streams of Open Protocol, those of our own scenarios too."""
    folders = (golden_open(), own_open()) if own else (golden_open(),)
    return [path for folder in folders for path in sorted(folder.glob("*/*/open-protocol.*.jsonl"))]


def open_messages(stream: Path) -> Iterator[Recorded]:
    """The messages of a stream, compressed where they are."""
    name = stream.name.removeprefix("open-protocol.").removesuffix(".jsonl")
    for line in map(json.loads, stream.read_text("utf-8").splitlines()[1:]):
        if "error" not in line:
            key, value = base64.b64decode(line["key"]), base64.b64decode(line["value"])
            yield Recorded(stream.parent.name, name, line["m"], key, value, tuple(line["events"]))

"""Messages that TiCDC wrote, written again: from what was in the database, and from what was read of them.

Byte for byte, but for the order of mysqlType, which is another one every time. TIDEWIRE_RECORDINGS names more folders
with recordings (`<producer>/<scenario>/canal-json.<options>.jsonl` and events.jsonl), between colons.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from archives import unpacked

from tidewire import canal_json
from tidewire.cli.conform.truth import load
from tidewire.events import Event, Events, RowChange
from tidewire.messages.delivery.compression import decompress

pytestmark = pytest.mark.codec

RECORDED = Path(__file__).parent.parent / "recorded"
CLOCK = 1767323045678
"""What the clock said while messages were recorded."""
YEAR = 13
ABOUT_PRODUCERS = frozenset({"now_ms", "time-zone", "encoder"})


@cache
def folders() -> tuple[Path, ...]:
    """Where recordings lie."""
    folder = unpacked(RECORDED / "canal-json.tar.xz", RECORDED / "craft.tar.xz")
    more = os.environ.get("TIDEWIRE_RECORDINGS", "")
    return (folder, *(Path(one) for one in more.split(":") if one))


def streams() -> list[Path]:
    """Every recorded stream."""
    return sorted(path for folder in folders() for path in folder.glob("*/*/canal-json.*.jsonl"))


@cache
def truth(folder: Path) -> dict[int, Event]:
    """What happened in the database, with all that messages say of it."""
    raw = {one["n"]: one for one in map(json.loads, (folder / "events.jsonl").read_text("utf-8").splitlines())}
    events = load(folder / "events.jsonl")
    for number, event in events.items():
        event.sent_ms = CLOCK  # type: ignore[attr-defined]
        if isinstance(event, RowChange):
            if raw[number].get("row_key"):
                event.row_key = base64.b64decode(raw[number]["row_key"])
            types = {column["name"]: _declared(column) for column in raw[number]["columns"]}
            for image in (event.new, event.old):
                if image is not None:
                    columns: Any = image
                    columns.columns = tuple(one._replace(mysql_type=types[one.name]) for one in columns.columns)
    return events


def _declared(column: Mapping[str, Any]) -> str:
    """The declared type; recordings of the classic producer leave out ZEROFILL."""
    text = str(column["mysql_type"])
    adds = column.get("zerofill") and column["type"] != YEAR and "zerofill" not in text
    return f"{text} zerofill" if adds else text


class Places:
    """Where the recording keeps whole messages."""

    def __init__(self, locations: list[str]) -> None:
        self.locations = locations
        self.kept: dict[str, bytes] = {}

    def location(self) -> str:
        """The next one."""
        return self.locations.pop(0)

    def write(self, location: str, value: bytes, key: bytes | None) -> None:
        """Keeps a message."""
        assert key is None
        self.kept[location] = value


def said(value: bytes, terminator: bytes, compression: str) -> list[Any]:
    """What messages say, every object with its members in order; only those of mysqlType are sorted."""
    if compression != "none":
        value = decompress(compression, value)
    return [_pairs(one) for one in (value.split(terminator)[:-1] if terminator else [value])]


def _pairs(value: bytes) -> list[tuple[str, Any]]:
    pairs: list[tuple[str, Any]] = json.loads(value, object_pairs_hook=list)
    return [(name, sorted(held) if name == "mysqlType" and held else held) for name, held in pairs] + [
        ("bytes", len(value))
    ]


def lines(path: Path) -> tuple[canal_json.Options, list[dict[str, Any]]]:
    """A stream's options and its messages."""
    header, *rest = map(json.loads, path.read_text("utf-8").splitlines())
    given = {name: value for name, value in header["options"].items() if name not in ABOUT_PRODUCERS}
    texts = {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}
    if "claim-check-storage-uri" in texts:
        texts["claim-check-storage-uri"] = "memory://claims"
    return canal_json.Options.from_strings({**texts, "producer": header["producer"]}), rest


def label(path: Path) -> str:
    return "/".join(path.parts[-3:])


def each(path: Path, from_truth: bool) -> Iterator[tuple[Any, Any]]:
    """What is written now, message by message, and what was recorded.

    Rows that share a value come one by one: the classic producer has values of its own for every partition of a table,
    and messages do not say which partition a row is of.
    """
    options, messages = lines(path)
    values = [base64.b64decode(one["value"]) for one in messages]
    terminator = options.terminator.encode()
    compression = options.large_message_handle_compression
    recorded = [row for value in values for row in said(value, terminator, compression)]
    locations = [dict(dict(one).get("_tidb") or ()).get("claimCheckLocation") for one in recorded]
    store = Places([one for one in locations if one])
    if from_truth:
        events = [truth(path.parent)[number] for one in messages for number in one["events"]]
        columns = Events.of(events).columns
    else:
        columns = canal_json.Decoder(options).decode(values)
        assert not columns.errors
        # these rows have their handle key only, and no flag says so where it is not the primary key
        options = replace(options, delete_only_output_handle_key_columns=False)
    written = canal_json.Encoder(options, store).encode(columns)
    assert written.column("key").null_count == written.num_rows
    assert sum(written.column("events").to_pylist()) == columns.num_events
    found = [row for value in written.column("value").to_pylist() for row in said(value, terminator, compression)]
    return zip(found, recorded, strict=True)


@pytest.mark.parametrize("path", streams(), ids=label)
def test_from_what_was_in_the_database(path: Path) -> None:
    for found, wanted in each(path, from_truth=True):
        assert found == wanted


@pytest.mark.parametrize("path", streams(), ids=label)
def test_from_what_was_read(path: Path) -> None:
    for found, wanted in each(path, from_truth=False):
        assert found == wanted

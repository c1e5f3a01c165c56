"""Conformance runs over recordings of both producers: all agree, and damaged ones do not."""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from avro.recordings import STREAMS
from tidewire.cli.conform import recording
from tidewire.cli.conform.check import Result
from tidewire.cli.conform.command import run

pytestmark = pytest.mark.codec

REFUSED = {"its name is", "it is 0,"}
"""How the reasons begin for which we refuse what the producers refuse."""


def result(*streams: Path) -> Result:
    folders = {stream.parents[1] for stream in streams}
    found = [one for folder in folders for one in recording.find(folder) if one.path in streams]
    return run(found).total


def test_all_recordings_agree() -> None:
    total = result(*STREAMS)
    assert total.findings == []
    assert total.agrees
    assert (total.streams, total.messages) == (205, 3128)
    assert set(total.reasons) == {"keyless-row"}
    assert {" ".join(ours.split()[:3]) for _, ours in total.refused} == REFUSED
    assert sum(total.refused.values()) == 44
    assert (total.decoded.identical, total.reencoded.identical, total.from_truth.identical) == (3072, 3072, 3128)


def stream(producer: str, scenario: str, option_set: str) -> Path:
    (found,) = (one for one in STREAMS if one.parts[-3:] == (producer, scenario, f"avro.{option_set}.jsonl"))
    return found


def damaged(tmp_path: Path, original: Path, change: Callable[[bytes], bytes]) -> tuple[Result, int]:
    """A stream with its values changed, held against what happened; and how many messages it changed."""
    folder = tmp_path.joinpath(*original.parts[-3:-1])
    folder.mkdir(parents=True)
    for path in (original.with_name("events.jsonl"), original.with_suffix(".registry.json")):
        shutil.copyfile(path, folder / path.name)
    head, *lines = (json.loads(line) for line in original.read_bytes().split(b"\n")[:-1])
    changed = 0
    for line in lines:
        if line.get("value"):
            value = base64.b64decode(line["value"])
            other = change(value)
            changed += other != value
            line["value"] = base64.b64encode(other).decode()
    path = folder / original.name
    path.write_text("\n".join(map(json.dumps, [head, *lines])) + "\n", "utf-8")
    return result(path), changed


@pytest.mark.parametrize(
    ("producer", "scenario", "option_set", "before", "after"),
    [
        ("tiflow", "times", "tidb-extension", b"\x02c", b"\x02u"),  # what happened
        ("ticdc", "times", "default", b"-01", b"-02"),
        ("ticdc", "strings", "string", b"a", b"b"),
        ("tiflow", "integers", "default", b"\x02\xfe\x01", b"\x02\xfc\x01"),
        ("ticdc", "keys", "before", b"\x02u", b"\x02c"),
    ],
)
def test_values_that_were_damaged_do_not(
    tmp_path: Path, producer: str, scenario: str, option_set: str, before: bytes, after: bytes
) -> None:
    found, changed = damaged(
        tmp_path, stream(producer, scenario, option_set), lambda value: value[:5] + value[5:].replace(before, after)
    )
    assert changed > 0
    assert found.decoded.different + found.reencoded.different + found.from_truth.different >= changed


def test_messages_that_say_nothing_are_excused_for_keyless_rows_only(tmp_path: Path) -> None:
    """A row of a table with a key whose message was lost is a difference."""
    original = stream("tiflow", "keys", "default")
    folder = tmp_path / "tiflow" / "keys"
    folder.mkdir(parents=True)
    for path in (original.with_name("events.jsonl"), original.with_suffix(".registry.json")):
        shutil.copyfile(path, folder / path.name)
    head, *lines = (json.loads(line) for line in original.read_bytes().split(b"\n")[:-1])
    gone = [line for line in lines if line["key"] is not None and line["value"] is None]
    for line in gone:
        line["key"] = None
    path = folder / original.name
    path.write_text("\n".join(map(json.dumps, [head, *lines])) + "\n", "utf-8")
    assert len(gone) > 0
    assert result(path).decoded.different >= len(gone)

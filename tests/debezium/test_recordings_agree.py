"""Recordings of Debezium in a conformance run: all of them agree, under the names that the spec has for what its
messages lose, and what is damaged does not.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from debezium.recordings import STREAMS
from tidewire import debezium
from tidewire.cli.conform import recording
from tidewire.cli.conform.check import Result
from tidewire.cli.conform.command import run
from tidewire.cli.conform.respelled import differ_in_columns_only
from tidewire.cli.eventjson import Image

LOSSES = {
    "compressed-otherwise",
    "null-becomes-default",
    "no-calendar-date",
    "no-timestamp",
    "decimal-through-double",
    "no-label",
    "bytes-default-twice",
    "year-default-as-text",
}
"""All reasons for which messages differ and agree."""
REFUSED = {
    "written, see no-calendar-datetime-refused",
    "written, see bytes-default-crash",
    "written, see expression-default-refused",
}
"""What the producer refuses, and is written here."""
OPTION_OF_THE_CHANGEFEED = "debezium.columns.jsonl"
"""Streams whose option chooses columns before events are encoded."""


def result(*streams: Path) -> Result:
    folders = {stream.parents[1] for stream in streams}
    found = [one for folder in folders for one in recording.find(folder) if one.path in streams]
    return run(found).total


def test_all_recordings_agree() -> None:
    total = result(*[one for one in STREAMS if one.name != OPTION_OF_THE_CHANGEFEED])
    assert total.findings == []
    assert total.agrees
    assert total.messages == 4978
    assert set(total.reasons) == LOSSES
    assert {ours for _, ours in total.refused} == REFUSED
    for tally in (total.decoded, total.reencoded, total.from_truth):
        assert tally.identical > 4000


def stream(producer: str, scenario: str, option_set: str = "default") -> Path:
    (found,) = (one for one in STREAMS if one.parts[-3:] == (producer, scenario, f"debezium.{option_set}.jsonl"))
    return found


def damaged(tmp_path: Path, original: Path, change: Callable[[bytes], bytes]) -> tuple[Result, int]:
    """A stream with its values changed, held against what happened; and how many messages it changed."""
    folder = tmp_path.joinpath(*original.parts[-3:-1])
    folder.mkdir(parents=True)
    shutil.copyfile(original.with_name("events.jsonl"), folder / "events.jsonl")
    head, *lines = map(json.loads, original.read_text("utf-8").splitlines())
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
    ("producer", "scenario", "pattern", "other"),
    [
        ("ticdc", "times", rb'"dt":null', b'"dt":0'),  # a date that no calendar has is null
        ("ticdc", "times", rb'"ts":"1970-01-01T00:00:00Z"', b'"ts":"1970-01-02T00:00:00Z"'),
        ("ticdc", "times", rb'"dt":(\d{5,})', rb'"dt":null'),  # and others are not
        ("ticdc", "decimals", rb'"d3":1e\+35', b'"d3":1.1e+35'),
        ("tiflow", "enum-set-json-vector", rb'"e":""', b'"e":"A"'),
        ("tiflow", "ddl", rb'"y":6\b', b'"y":7'),  # NULL in a column with a default
        ("tiflow", "keys", rb'"d":"dd"', b'"d":null'),
        ("tiflow", "nulls-and-defaults", rb'"c":"69"', b'"c":"70"'),
        ("tiflow", "hostile-texts", rb'"b":"(a\\"[^"]*)"', rb'"c":"\1"'),  # the second of two
    ],
)
def test_values_that_were_damaged_do_not(
    tmp_path: Path, producer: str, scenario: str, pattern: bytes, other: bytes
) -> None:
    found, changed = damaged(
        tmp_path, stream(producer, scenario), lambda value: _in_payload(value, re.compile(pattern), other)
    )
    assert changed > 0
    assert found.decoded.different + found.reencoded.different >= changed


def _in_payload(value: bytes, pattern: re.Pattern[bytes], other: bytes) -> bytes:
    """A message with its row changed, not its block."""
    payload, between, block = value.partition(b',"schema":{')
    return pattern.sub(other, payload) + between + block


def test_a_row_that_the_producer_sends_has_to_be_there(tmp_path: Path) -> None:
    """A refused row is excused by its values only."""
    original = stream("tiflow", "times")
    folder = tmp_path / "tiflow" / "times"
    folder.mkdir(parents=True)
    shutil.copyfile(original.with_name("events.jsonl"), folder / "events.jsonl")
    head, *lines = map(json.loads, original.read_text("utf-8").splitlines())
    kinds: Counter[bool] = Counter()
    for line in lines:
        if line["kind"] == "row" and "error" not in line:
            line |= {"error": "it is made up", "key": None, "value": None}
            kinds[True] += 1
    path = folder / original.name
    path.write_text("\n".join(map(json.dumps, [head, *lines])) + "\n", "utf-8")
    assert 0 < result(path).uncovered <= kinds[True]


@pytest.mark.parametrize(
    ("name", "scenario"),
    [("dt", "times"), ("d", "times"), ("d1", "decimals"), ("e", "enum-set-json-vector")],
)
def test_a_decoder_that_reads_null_is_found(name: str, scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of types whose values can be lost."""
    decode: Any = debezium.decode
    changed = 0

    def wrong(*given: Any, **more: Any) -> list[Any]:
        nonlocal changed
        events = list(decode(*given, **more))
        for event in events:
            image = getattr(event, "new", None)
            if image is not None and image.get(name) is not None:
                values = [None if one.name == name else image[one.name] for one in image.columns]
                event.new = Image(image.columns, values)
                changed += 1
        return events

    path = stream("tiflow", scenario)
    assert result(path).agrees
    monkeypatch.setattr(debezium, "decode", wrong)
    found = result(path)
    assert changed > 0
    assert f"new {name}" in {one.where for one in found.findings if one.what == "decode"}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (b'{"a":{"c":null}}', b'{"a":{"c":1}}', True),
        (b'{"a":{"c":1}}', b'{"a":{"c":null}}', False),
        (b'{"a":{"c":1}}', b'{"a":{"c":1}}', True),
        (b'{"a":{"c":null,"d":null}}', b'{"a":{"c":1,"d":1}}', False),
    ],
)
def test_what_differs_only_where_null_was_recorded(one: bytes, other: bytes, alike: bool) -> None:
    assert differ_in_columns_only(one, other, {"c"}, nulls=True) is alike


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (b'{"a":{"c":1}}', b'{"a":{"c":"1"}}', True),
        (b'{"a":{"c":"x","c":"y","d":1}}', b'{"a":{"c":"x","d":1}}', True),
        (b'{"a":{"c":1,"d":1}}', b'{"a":{"d":1,"c":1}}', False),
        (b'{"a":{"c":1,"d":1}}', b'{"a":{"c":2,"d":1.0}}', False),
        (b'{"a":{"c":{"d":1}}}', b'{"a":{"c":{"d":2}}}', False),
        (b'{"a":{"d":1,"d":2}}', b'{"a":{"d":1}}', False),
        (b'{"a":[{"c":1},2]}', b'{"a":[{"c":3},2]}', True),
        (b'{"a":[{"c":1},2]}', b'{"a":[{"c":3}]}', False),
        (b'{"a":1}', b'{"a":true}', False),
    ],
)
def test_what_differs_in_columns_only(one: bytes, other: bytes, alike: bool) -> None:
    assert differ_in_columns_only(one, other, {"c"}) is alike

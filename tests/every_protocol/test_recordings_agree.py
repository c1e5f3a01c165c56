"""Conformance runs over the recordings of each protocol: all agree, under the names that specs have for what producers
do otherwise, and damaged ones do not.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import recorded

from tidewire.cli.conform import recording
from tidewire.cli.conform.check import Result
from tidewire.cli.conform.command import run

pytestmark = pytest.mark.codec

OF_THE_CHANGEFEED = "column-selectors"
"""The option of a changefeed that chooses columns before events are encoded."""


class Agreement(NamedTuple):
    """What a run over all recordings gives."""

    streams: int
    messages: int
    identical: tuple[int, int, int]
    """Decoded, encoded again, and encoded from what happened."""
    reasons: Mapping[str, int] = {}
    """Why others are equivalent, and how often."""
    refused: Mapping[str, int] = {}
    """Why we refuse what the producer refuses, or what we write of it, by the first words."""
    excused: Mapping[tuple[str, int], str] = {}
    """Messages that are wrong in themselves, by scenario and number, in whatever option sets: the defect."""


AGREE: dict[str, Agreement] = {
    "craft": Agreement(190, 3419, (3327, 3419, 3327), {"float-overwritten": 184}, {"no column is": 10}),
    "canal-json": Agreement(
        *(144, 3088, (3088, 1327, 1351)),
        {"mysqlType-order": 2502, "compressed-otherwise": 1644, "gathered-otherwise": 29},
    ),
    "open-protocol": Agreement(
        *(312, 4180, (4173, 3243, 3243)),
        {"ccl-value": 12, "compressed-otherwise": 1848, "updated-null-loses-its-name": 21},
        {"its message is": 4, "its row image": 11},
    ),
    "simple": Agreement(
        *(164, 3713, (3710, 2430, 2428)), {"claimCheckLocation-value": 64, "compressed-otherwise": 2507},
        excused={("tiflow/ddl-kinds", 9): "nullable of an index (tests/simple/FACTS.md, 20)"},
    ),
    "simple-records": Agreement(
        *(56, 926, (926, 251, 251)),
        {"data-order": 710, "old-order": 410, "claimCheckLocation-value": 24, "compressed-otherwise": 840},
    ),
    "debezium": Agreement(
        *(234, 4978, (4580, 4557, 4565)),
        {"null-becomes-default": 250, "decimal-through-double": 62, "no-label": 20, "no-calendar-date": 85}
        | {"no-timestamp": 64, "bytes-default-twice": 408, "year-default-as-text": 84, "compressed-otherwise": 1099},
        {"written, see no-calendar-datetime-refused": 4, "written, see bytes-default-crash": 34}
        | {"written, see expression-default-refused": 4},
    ),
    "avro": Agreement(
        205, 3128, (3072, 3072, 3128), {"keyless-row": 112}, {"its name is": 24, "it is 0,": 20}
    ),
    "debezium-avro": Agreement(
        *(78, 959, (923, 959, 959)),
        {"null-becomes-default": 6, "no-label": 12, "no-calendar-date": 18, "no-timestamp": 12},
        {"its name is": 12, "written, see virtual-columns-refused": 30, "18446744073709551615 is more": 34}
        | {"9223372036854775808 is more": 6},
    ),
}


def streams(name: str) -> list[Path]:
    """All of a protocol that its encoder alone decides."""
    return [one for one in recorded.streams(name) if OF_THE_CHANGEFEED not in recorded.header(one)["options"]]


def result(*paths: Path) -> Result:
    folders = {path.parents[1] for path in paths}
    return run([one for folder in folders for one in recording.find(folder) if one.path in paths]).total


@pytest.mark.parametrize("name", AGREE)
def test_all_recordings_agree(name: str) -> None:
    total, wanted = result(*streams(name)), AGREE[name]
    wrong = {(one.stream.rpartition("/")[0], one.message) for one in total.findings}
    assert wrong == wanted.excused.keys(), total.findings
    assert total.agrees == (not wrong)
    assert not total.uncovered
    assert (total.streams, total.messages) == wanted[:2]
    assert tuple(one.identical for one in (total.decoded, total.reencoded, total.from_truth)) == wanted.identical
    assert dict(total.reasons) == wanted.reasons
    refused: dict[str, int] = {}
    for (_, ours), count in total.refused.items():
        words = " ".join(ours.split()[:3])
        refused[words] = refused.get(words, 0) + count
    assert refused == wanted.refused


# ---- what is damaged


def stream(protocol: str, producer: str, scenario: str, option_set: str) -> Path:
    name = f"{protocol.removesuffix('-records')}.{option_set}.jsonl"
    (found,) = (one for one in recorded.streams(protocol) if one.parts[-3:] == (producer, scenario, name))
    return found


def changed(tmp_path: Path, original: Path, change: Callable[[dict[str, Any]], bool]) -> tuple[Result, int]:
    """A stream with its lines changed, held against what happened; and how many lines are."""
    folder = tmp_path.joinpath(*original.parts[-3:-1])
    folder.mkdir(parents=True)
    for path in (original.with_name("events.jsonl"), original.with_suffix(".registry.json")):
        if path.exists():
            shutil.copyfile(path, folder / path.name)
    head, *lines = (json.loads(line) for line in original.read_bytes().split(b"\n")[:-1])
    count = sum(change(line) for line in lines)
    path = folder / original.name
    path.write_text("\n".join(map(json.dumps, [head, *lines])) + "\n", "utf-8")
    return result(path), count


def with_value(change: Callable[[bytes], bytes]) -> Callable[[dict[str, Any]], bool]:
    """Changes the value of a line."""

    def changes(line: dict[str, Any]) -> bool:
        if not line.get("value"):
            return False
        value = base64.b64decode(line["value"])
        other = change(value)
        line["value"] = base64.b64encode(other).decode()
        return other != value

    return changes


DAMAGED = [
    ("avro", "tiflow", "times", "tidb-extension", rb"\x02c", b"\x02u"),  # what happened
    ("avro", "ticdc", "times", "default", rb"-01", rb"-02"),
    ("avro", "ticdc", "strings", "string", rb"a", rb"b"),
    ("avro", "tiflow", "integers", "default", rb"\x02\xfe\x01", b"\x02\xfc\x01"),
    ("avro", "ticdc", "keys", "before", rb"\x02u", b"\x02c"),
    ("debezium-avro", "ticdc", "times", "tidb-extension", rb"\x02c", b"\x02u"),  # what happened
    ("debezium-avro", "ticdc", "times", "default", rb"T1", rb"T2"),
    ("debezium-avro", "ticdc", "strings", "decimal-string", rb"a", rb"b"),
    ("debezium-avro", "ticdc", "integers", "default", rb"\xff", b"\xfe"),
    ("debezium-avro", "ticdc", "ddl", "watermark", rb"utf8mb4", rb"utf8mb3"),
    ("debezium", "ticdc", "times", "default", rb'"dt":null', rb'"dt":0'),  # a date that no calendar has is null
    ("debezium", "ticdc", "times", "default", rb'"ts":"1970-01-01T', rb'"ts":"1970-01-02T'),
    ("debezium", "ticdc", "times", "default", rb'"dt":(\d{5,})', rb'"dt":null'),  # and others are not
    ("debezium", "ticdc", "decimals", "default", rb'"d3":1e\+35', rb'"d3":1.1e+35'),
    ("debezium", "tiflow", "enum-set-json-vector", "default", rb'"e":""', rb'"e":"A"'),
    ("debezium", "tiflow", "ddl", "default", rb'"y":6\b', rb'"y":7'),  # NULL in a column with a default
    ("debezium", "tiflow", "keys", "default", rb'"d":"dd"', rb'"d":null'),
    ("debezium", "tiflow", "nulls-and-defaults", "default", rb'"c":"69"', rb'"c":"70"'),
    ("debezium", "tiflow", "hostile-texts", "default", rb'"b":"(a\\"[^"]*)"', rb'"c":"\1"'),  # the second of two
    ("canal-json", "tiflow", "bits", "tidb-extension", rb'"b64":"1', rb'"b64":"2'),
    ("open-protocol", "ticdc", "times", "default", rb"-01", rb"-02"),
    ("simple", "ticdc", "integers", "json", rb'"127"', rb'"126"'),
    ("simple", "tiflow", "hostile-texts", "json", rb'"a\\\\b"', rb'"a\\\\c"'),  # a label
    ("simple-records", "ticdc", "strings", "avro", rb"caf", rb"cag"),
    ("craft", "tiflow", "times", "default", rb"-01", rb"-02"),
]


@pytest.mark.parametrize(("protocol", "producer", "scenario", "option_set", "pattern", "other"), DAMAGED)
def test_values_that_were_damaged_do_not(
    tmp_path: Path, protocol: str, producer: str, scenario: str, option_set: str, pattern: bytes, other: bytes
) -> None:
    """Rows, not schema ids before or schema blocks behind them."""

    def damaged(value: bytes) -> bytes:
        start = 5 if protocol in recorded.REGISTERED else 0
        payload, between, block = value[start:].partition(b',"schema":{')
        return value[:start] + re.sub(pattern, other, payload) + between + block

    whole = stream(protocol, producer, scenario, option_set)
    found, count = changed(tmp_path, whole, with_value(damaged))
    assert count > 0
    assert found.decoded.different + found.reencoded.different + found.from_truth.different >= count


def test_messages_that_say_nothing_are_excused_for_keyless_rows_only(tmp_path: Path) -> None:
    """A row of a table with a key whose message was lost is a difference."""

    def loses_its_key(line: dict[str, Any]) -> bool:
        gone = line["key"] is not None and line["value"] is None
        line["key"] = None if gone else line["key"]
        return gone

    found, count = changed(tmp_path, stream("avro", "tiflow", "keys", "default"), loses_its_key)
    assert found.decoded.different >= count > 0


def test_a_row_that_the_producer_sends_has_to_be_there(tmp_path: Path) -> None:
    """A refused row is excused by its values only."""

    def is_refused(line: dict[str, Any]) -> bool:
        refused = bool(line["kind"] == "row" and "error" not in line)
        line |= {"error": "it is made up", "key": None, "value": None} if refused else {}
        return refused

    found, count = changed(tmp_path, stream("debezium", "tiflow", "times", "default"), is_refused)
    assert 0 < found.uncovered <= count

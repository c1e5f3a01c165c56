"""The conformance run over every recorded message of Open Protocol: with keys, claim-check files and compression."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from json_twin import MalformedError
from recorded import golden_open, open_messages, own_open

from open_protocol.twin import read
from tidewire.cli.conform import recording
from tidewire.cli.conform.command import run
from tidewire.cli.conform.report import Report

pytestmark = pytest.mark.codec

NAMELESS = "open-protocol.updated-only.jsonl"
"""Streams in which the new producer writes values that became NULL without a column's name: nobody can tell whose."""


def conform(folder: Path) -> Report:
    """The report on the streams of Open Protocol below a folder."""
    return run([stream for stream in recording.find(folder) if stream.protocol == "open-protocol"])


@pytest.mark.parametrize("scenario", sorted(path.name for path in own_open().glob("tiflow/*")))
def test_our_own_scenarios_agree(scenario: str) -> None:
    total = conform(own_open() / "tiflow" / scenario).total
    assert total.findings == []
    assert total.different == 0
    assert set(total.reasons) <= {"compressed-otherwise"}
    for tally in (total.decoded, total.reencoded, total.from_truth):
        assert tally.identical + tally.equivalent == total.messages > 0


@pytest.mark.parametrize("scenario", sorted(path.name for path in golden_open().glob("tiflow/*")))
@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_recordings_of_both_producers_agree(producer: str, scenario: str) -> None:
    total = conform(golden_open() / producer / scenario).total
    nameless = unreadable(golden_open() / producer / scenario / NAMELESS)
    assert total.decoded.different == total.reencoded.different == total.from_truth.different == len(nameless)
    assert {finding.stream for finding in total.findings} <= {f"{producer}/{scenario}/{NAMELESS}"}
    assert set(total.reasons) <= {"compressed-otherwise", "ccl-value"}
    for tally in (total.decoded, total.reencoded, total.from_truth):
        assert tally.identical + tally.equivalent + tally.different == total.messages > 0


def unreadable(stream: Path) -> list[int]:
    """The numbers of the messages that have values without a column's name."""
    found = []
    for message in open_messages(stream):
        try:
            read(message.key, message.value)
        except MalformedError:
            assert any(not isinstance(column, dict) for column in old_row(message.value).values())
            found.append(message.number)
    return found


def old_row(value: bytes) -> dict[str, object]:
    """The old row of a value of one event."""
    found: dict[str, object] = json.loads(value[8:])["p"]
    return found


def test_only_the_new_producer_loses_names() -> None:
    streams = {path: unreadable(path) for path in golden_open().glob(f"*/*/{NAMELESS}")}
    assert sum(map(len, streams.values())) == 7
    assert {path.parts[-3] for path, numbers in streams.items() if numbers} == {"ticdc"}


def test_all_of_them() -> None:
    """How many there are, and which are equivalent only: compressed by another library, or with another file's name."""
    golden, own = conform(golden_open()).total, conform(own_open()).total
    assert (golden.messages, own.messages) == (2282, 1898)
    assert golden.decoded.identical == 2275
    assert own.decoded.identical == 1898
    assert golden.reasons["ccl-value"] == 12

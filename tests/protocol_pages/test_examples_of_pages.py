"""The examples on protocol pages are real messages, correctly dissected."""

from __future__ import annotations

import base64
import json
import re
from itertools import pairwise
from typing import Any

import pytest
from commands import events, tidewire
from manual.blocks import blocks
from recorded import messages, reader_arguments, stream_truth

from .examples import (
    CHANGES,
    EXAMPLES,
    OF_MOST,
    PROTOCOLS,
    Change,
    Shown,
    change_of,
    example,
    read_back,
    shown,
)

ANEW = "print it anew with: python -m tests.protocol_pages"
SEPARATES = rb'"[^"]*":(?=[{\[])|[{}\[\],:\s]'
"""What lies between the values of a JSON text: names of members that hold other fields, and punctuation."""


def test_every_protocol_has_an_example() -> None:
    assert sorted(path.stem for path in EXAMPLES.iterdir()) == sorted(PROTOCOLS), ANEW


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_examples_are_what_dissect_shows(protocol: str) -> None:
    assert (EXAMPLES / f"{protocol}.md").read_text(encoding="utf-8") == example(protocol), ANEW


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_bytes_are_those_of_the_recording(protocol: str) -> None:
    shown_bytes = [read_back(block.text.splitlines()) for block in blocks(EXAMPLES / f"{protocol}.md")]
    for one in shown(protocol):
        for data in one.parts.values():
            assert shown_bytes.pop(0) == data
        shown_bytes.pop(0)  # what the dissector shows
    assert shown_bytes == []


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_message_is_the_change(protocol: str) -> None:
    """It decodes to what happened in the database, behind the messages that may describe its table."""
    for one in shown(protocol):
        data = one.stream.read_bytes()
        found = events(tidewire("decode", "-p", protocol, *reader_arguments(one.stream), "-", stdin=data))
        (event,) = [event for event in found if event["message"] == place(one)]
        change = change_of(protocol)
        assert (event["op"], event["table"], event["new"]) == ("insert", change.table, change.row)


@pytest.mark.parametrize(("protocol", "change"), {"craft": OF_MOST, **CHANGES}.items())
def test_the_change_happened(protocol: str, change: Change) -> None:
    """What is shown is what the database says."""
    truth = stream_truth(next(iter(shown(protocol))).stream)[change.event]
    assert (truth["kind"], f"{truth['schema']}.{truth['table']}") == ("insert", change.table)
    assert dict(zip((one["name"] for one in truth["columns"]), map(value, truth["new"]), strict=True)) == change.row


def value(said: dict[str, str]) -> int | str:
    """A value as the truth has it."""
    ((kind, text),) = said.items()
    return int(text) if kind == "int" else base64.b64decode(text).decode() if kind == "bytes" else text


def place(one: Shown) -> int:
    """The number of the message among those of its stream that are there."""
    return [other.number for other in messages(one.stream)].index(one.message.number)


def leaves(spans: list[dict[str, Any]]) -> list[tuple[int, int]]:
    """Where the fields lie that no other field lies in."""
    places = sorted({(span["start"], span["end"]) for span in spans if span["start"] < span["end"]})
    return [one for one in places if not any(one != other and _holds(one, other) for other in places)]


def _holds(outer: tuple[int, int], inner: tuple[int, int]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_fields_cover_every_byte_once(protocol: str) -> None:
    """But for what separates the values of a text."""
    for one in shown(protocol):
        given = ("-p", protocol, "-", "-m", place(one), *reader_arguments(one.stream))
        result = tidewire("dissect", *given, "--json", stdin=one.stream.read_bytes())
        spans = [json.loads(line) for line in result.stdout.splitlines()]
        assert not any("error" in span for span in spans)
        for part, data in one.parts.items():
            covered = leaves([span for span in spans if span["part"] == part])
            assert covered
            assert all(before[1] <= after[0] for before, after in pairwise(covered)), covered
            rest = bytearray(data)
            for start, end in reversed(covered):
                del rest[start:end]
            assert re.sub(SEPARATES, b"", rest) == b"", (part, bytes(rest))

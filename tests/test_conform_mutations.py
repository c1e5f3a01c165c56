"""Recorded streams are changed in small ways, and the conformance run tells where; unchanged they agree."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from recorded import golden, own
from tampering import (
    EVERY,
    GATHERED,
    REFUSED,
    TEXT,
    change_a_statement,
    cut_messages_elsewhere,
    join_two_messages,
    swap_messages_of_one_statement,
)
from tapes import Expected, Json, Tape, put, value

from tidewire import craft
from tidewire.cli.conform import recording, truth
from tidewire.cli.conform.check import check
from tidewire.cli.conform.command import run
from tidewire.cli.conform.damage import Overwritten, overwritten
from tidewire.cli.conform.report import to_json
from tidewire.cli.shell import CommandError

STREAMS: dict[str, tuple[Callable[[Tape], Expected], ...]] = {
    "keys-more/craft.delete-handle-only.jsonl": (*EVERY, *REFUSED, *GATHERED, change_a_statement),
    "keys-more/craft.batch4.jsonl": (*EVERY, *GATHERED, change_a_statement, cut_messages_elsewhere),
    "keys-more/canal-json.tidb-extension.jsonl": (*EVERY, *TEXT, change_a_statement, swap_messages_of_one_statement),
    "keys-more/canal-json.txn.jsonl": (*EVERY, *TEXT, *GATHERED),
    "partitions-more/canal-json.txn.jsonl": (join_two_messages, swap_messages_of_one_statement),
    "partitions-more/craft.batch1.jsonl": (swap_messages_of_one_statement,),
}


def tape(stream: str) -> Tape:
    """A stream of our own recordings. Those of keys-more have composite keys, tables without keys and refusals."""
    scenario, _, name = stream.partition("/")
    folder = own() / "tiflow" / scenario
    header, *lines = map(json.loads, (folder / name).read_text("utf-8").splitlines())
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text("utf-8").splitlines()]
    return Tape(name, header, lines, events)


def findings(folder: Path) -> list[Json]:
    """What `conform --json` has as differences."""
    found = to_json(run(recording.find(folder)))
    assert found["agrees"] is not bool(found["differences"])
    differences: list[Json] = found["differences"]
    return differences


@pytest.mark.parametrize("stream", STREAMS)
def test_a_stream_as_it_was_recorded_agrees(stream: str, tmp_path: Path) -> None:
    assert findings(tape(stream).write(tmp_path)) == []


@pytest.mark.parametrize(
    ("stream", "mutation"),
    [(stream, one) for stream, every in STREAMS.items() for one in every],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_what_was_changed_is_found_and_its_place_named(
    stream: str, mutation: Callable[[Tape], Expected], tmp_path: Path
) -> None:
    changed = tape(stream)
    expected = mutation(changed)
    found = findings(changed.write(tmp_path))
    assert [one for one in found if expected.items() <= one.items()], found[:5]


# --- what makes no difference -----------------------------------------------------------------------------------------


def another_commit_of_the_producer(tape: Tape) -> None:
    tape.header["commit"] = "deadbeef"


def more_members(tape: Tape) -> None:
    tape.header["more"] = tape.lines[0]["more"] = tape.events[0]["more"] = {"x": 1}


def members_in_another_order(tape: Tape) -> None:
    tape.lines = [dict(reversed(one.items())) for one in tape.lines]


def events_in_another_order(tape: Tape) -> None:
    tape.events.reverse()


def lines_spaced_out(tape: Tape) -> None:
    tape.raw = {
        k: "\n" + json.dumps(one, indent=None, separators=(" , ", " : ")) for k, one in enumerate(tape.lines, 2)
    }


def what_no_message_says(tape: Tape) -> None:
    for event in tape.events:
        event["start_ts"] = 5


def declared_types_in_another_order(tape: Tape) -> None:
    for line in tape.rows():
        head, middle, tail = value(line).partition(b'"mysqlType":{')
        inside, end, rest = tail.partition(b"}")
        put(line, head + middle + b",".join(reversed(inside.split(b","))) + end + rest)


SAME = (
    another_commit_of_the_producer,
    more_members,
    members_in_another_order,
    events_in_another_order,
    lines_spaced_out,
    what_no_message_says,
)


@pytest.mark.parametrize(
    ("stream", "change"),
    [
        *(("keys-more/craft.batch4.jsonl", one) for one in SAME),
        ("keys-more/canal-json.tidb-extension.jsonl", declared_types_in_another_order),
    ],
)
def test_what_means_nothing_is_no_difference(stream: str, change: Callable[[Tape], None], tmp_path: Path) -> None:
    changed = tape(stream)
    change(changed)
    assert findings(changed.write(tmp_path)) == []


@pytest.mark.parametrize(
    ("number", "text", "error"),
    [
        (1, '{"protocol":"simple","producer":"tiflow","scenario":"x"}', ":1: the header says protocol simple"),
        (1, "[]", ":1: a stream starts with a header"),
        (3, "{", ":3: not a recorded message"),
        (3, '{"m":1,"kind":"row","events":[1],"key":null,"value":"?"}', ":3: not a recorded message"),
        (3, '{"m":1,"kind":"row","events":[1],"error":""}', ":3: not a recorded message"),
    ],
)
def test_what_is_not_in_the_format_is_an_error_with_its_line(
    number: int, text: str, error: str, tmp_path: Path
) -> None:
    changed = tape("keys-more/craft.batch4.jsonl")
    changed.raw[number] = text
    with pytest.raises(CommandError) as raised:
        findings(changed.write(tmp_path))
    assert f"{changed.stream}{error}" in str(raised.value)


def test_two_events_of_one_number_are_an_error(tmp_path: Path) -> None:
    changed = tape("keys-more/craft.batch4.jsonl")
    changed.events.append(changed.events[3])
    with pytest.raises(CommandError, match=rf"events.jsonl:{len(changed.events)}: event 3 is there twice"):
        findings(changed.write(tmp_path))


# --- FLOAT: what a defect explains, and nothing more ------------------------------------------------------------------


def floats() -> tuple[recording.RecordedStream, dict[int, Any], list[recording.RecordedLine]]:
    """A stream with FLOAT columns, its truth and the lines whose messages have a value of them, true or overwritten."""
    (stream,) = [one for one in recording.find(golden() / "tiflow" / "decimals") if one.option_set == "default"]
    lines = [one for one in recording.read(stream) if one.kind == "row"]
    return stream, truth.load(stream.truth), lines


def alone(
    line: recording.RecordedLine, happened: dict[int, Any]
) -> tuple[list[recording.RecordedLine], dict[int, Any]]:
    """A message, and the events that it carries, as if there were no others."""
    numbers = {number: k for k, number in enumerate(line.events)}
    return [replace(line, number=0, events=tuple(numbers.values()))], {k: happened[n] for n, k in numbers.items()}


def test_every_bit_of_an_overwritten_float_is_accounted_for() -> None:
    stream, happened, lines = floats()
    damaged = changed = 0
    for line in lines:
        assert line.value is not None
        (one,), events = alone(line, happened)
        names = {c.name for event in events.values() for c in event.columns if c.type == 4}
        spans = [s for s in craft.dissect(line.value) if s.column in names and s.end - s.start == 8]
        before = check(stream, [one], events, craft)
        assert before.findings == []
        damaged += before.reasons["float-overwritten"] > 0
        for at in (at for span in spans for at in range(span.start, span.end)):
            value = bytearray(line.value)
            value[at] ^= 1 << at % 8
            after = check(stream, [replace(one, value=bytes(value))], events, craft)
            assert after.from_truth.different == 1, (line.number, at)
            changed += 1
    assert damaged >= 3
    assert changed >= 8 * damaged


def test_an_overwritten_value_keeps_its_beginning() -> None:
    rule = Overwritten(4, ("varint", "float64"))
    value = bytes(range(8))
    assert overwritten(rule, value, b"\xff") == b"\0\1\2\3\xff\5\6\7"
    assert overwritten(rule, value, b"\xff" * 10) == b"\0\1\2\3\xff\xff\xff\xff"

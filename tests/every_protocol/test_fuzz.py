"""A short run of the fuzzer, and a check that it finds errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fuzz import engine as engine_module
from fuzz.corpus import messages
from fuzz.engine import BATCH, EVERY, Engine
from fuzz.finding import Finding
from fuzz.mutations import MUTATIONS
from fuzz.session import made

import tidewire.runtime
from tidewire import craft
from tidewire.runtime.batch import EventColumns

pytestmark = pytest.mark.codec

MUTATED = 240
"""Number of the first batch without truncations, about."""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(messages(), 20260101)


def test_some_batches(engine: Engine) -> None:
    """Batches of truncations and of mutations: nothing is found."""
    batches = 60 if tidewire.runtime.compiled else 12
    for number in [*range(0, MUTATED, MUTATED // 6), *range(MUTATED, MUTATED + batches)]:
        engine.run(number)
    tally = engine.tally
    assert tally.inputs == (6 + batches) * BATCH
    assert tally.codes.total() + tally.accepted == tally.inputs
    assert tally.accepted > tally.inputs // EVERY
    assert len(tally.codes) >= 10


@pytest.mark.once
def test_batches_can_be_made_again(engine: Engine) -> None:
    other = Engine(messages(), 20260101)
    assert other.batch(MUTATED) == engine.batch(MUTATED)
    assert Engine(messages(), 2).batch(MUTATED) != engine.batch(MUTATED)


@pytest.mark.once
@pytest.mark.parametrize("mutation", sorted({m.__name__ for m in MUTATIONS}))
def test_every_mutation_takes_every_message(engine: Engine, mutation: str) -> None:
    """And does not always give the message back."""
    mutate = next(m for m in MUTATIONS if m.__name__ == mutation)
    chance = Random(3)
    spoiled = [mutate(chance, message, engine.corpus) for message in engine.corpus]
    assert sum(a != b for a, b in zip(spoiled, engine.corpus, strict=True)) > len(spoiled) // 2


def test_what_is_not_fuzzed_is_refused() -> None:
    with pytest.raises(ValueError, match="'maxwell' is not fuzzed: craft, canal-json"):
        made("maxwell", 1)


class Broken:
    """A decoder with a defect of its own."""

    def __init__(self, spoil: Callable[[Sequence[bytes], EventColumns], EventColumns]) -> None:
        self.spoil = spoil

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        return self.spoil(values, craft.Decoder().decode(values))


def _escapes(values: Sequence[bytes], columns: EventColumns) -> EventColumns:
    raise IndexError("out of range")


def _loses_an_event(values: Sequence[bytes], columns: EventColumns) -> EventColumns:
    return EventColumns(columns.events.slice(1), columns.tables, columns.layouts, columns.errors)


def _loses_an_error(values: Sequence[bytes], columns: EventColumns) -> EventColumns:
    return EventColumns(columns.events, columns.tables, columns.layouts, columns.errors[1:])


def _changes_neighbours(values: Sequence[bytes], columns: EventColumns) -> EventColumns:
    tables = [(schema and schema + "x", table) for schema, table in columns.tables]
    return EventColumns(columns.events, tables, columns.layouts, columns.errors)


def _gives_a_broken_array(values: Sequence[bytes], columns: EventColumns) -> EventColumns:
    layout = next(layout for layout in columns.layouts if layout.num_rows)
    layout.arrays[0] = layout.arrays[0].slice(1)
    return columns


def _points_behind_the_message(values: Sequence[bytes], columns: EventColumns) -> EventColumns:
    columns.errors[0].offset = 10**6
    return columns


DEFECTS: list[tuple[Callable[[Sequence[bytes], EventColumns], EventColumns], str]] = [
    (_escapes, "IndexError escaped"),
    (_loses_an_event, "neither refused nor|is not what it was"),
    (_loses_an_error, "neither refused nor"),
    (_changes_neighbours, "is not what it was: its neighbours changed it"),
    (_gives_a_broken_array, "an array of"),
    (_points_behind_the_message, "not an error as it should be"),
]


@pytest.mark.parametrize(("spoil", "what"), DEFECTS, ids=[spoil.__name__.strip("_") for spoil, _ in DEFECTS])
def test_defects_are_found(spoil: Any, what: str) -> None:
    engine = Engine(messages(), 1)
    engine.decoder = Broken(spoil)
    with pytest.raises(Finding, match=what) as caught:
        engine.run(MUTATED)
    assert caught.value.inputs


def test_a_reading_of_its_own_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the twin reads otherwise, and what takes too long."""
    engine = Engine(messages(), 1)
    monkeypatch.setattr(engine_module, "read", lambda value: [])
    with pytest.raises(Finding, match="the twin says"):
        engine.run(MUTATED)
    monkeypatch.undo()
    monkeypatch.setattr(engine_module, "FIXED_NS", -(10**12))
    with pytest.raises(Finding, match=r"ms for \d+ bytes"):
        engine.run(MUTATED)


@pytest.mark.once
def test_the_command(tmp_path: Path) -> None:
    """Inputs, errors by code, speed, worst time; and a finding's file can be played again."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        root = Path(__file__).parents[2]
        command = [sys.executable, "-m", "tests.fuzz", *arguments]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, env=dict(os.environ))

    done = run("--inputs", "512", "--seed", "3", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    for said in ("inputs 512 in ", "accepted ", "truncated", "worst: ", "memory: "):
        assert said in done.stdout
    path = tmp_path / "finding.hex"
    path.write_text(messages()[0].hex() + "\n00\n")
    done = run("--replay", str(path))
    assert "Watermark(commit_ts=" in done.stdout
    assert "message 1: const: craft version: 0 where only 1 is possible (offset 0)" in done.stdout

"""A short run of the fuzzer for each protocol, and a check that it finds errors."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from fuzz import __main__ as command
from fuzz import crowd
from fuzz import engine as engine_module
from fuzz.engine import BATCH, EVERY, Engine
from fuzz.finding import Finding
from fuzz.mutations import MUTATIONS
from fuzz.registered_engine import RegisteredEngine
from fuzz.session import ENGINES, made

import tidewire.runtime
from tidewire.events import Events
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.registered import schema

pytestmark = pytest.mark.codec

COMPARED = 4
"""One batch of so many is compared with the twin."""
TABLES = 1200
"""Those of a crowd."""
FEW = 40
"""One message of so many of a corpus is in that of a small engine."""


class Run(NamedTuple):
    """What comes of the batches of a protocol, at least."""

    codes: str
    """Those of errors."""
    accepted: int
    """One message of so many is none."""


RUNS = {
    "craft": Run("truncated range const trailing utf8 overflow term duplicate enum missing value", EVERY),
    "canal-json": Run("truncated syntax kind value outside utf8 missing duplicate", EVERY),
    "open-protocol": Run("truncated syntax kind value outside missing duplicate enum const trailing", EVERY),
    "simple": Run("undescribed_table contradiction kind syntax value", 20),
    "simple-records": Run("undescribed_table contradiction kind enum value overflow", 20),
    "debezium": Run("undescribed_table undescribed kind syntax value", 4),
    "avro": Run("missing_schema value enum truncated overflow utf8", 20),
    "debezium-avro": Run("missing_schema value enum truncated missing", 20),
}
each_engine = pytest.mark.parametrize("name", ENGINES)
each_registered = pytest.mark.parametrize(
    "name", [name for name, one in ENGINES.items() if issubclass(one, RegisteredEngine)]
)


@cache
def small(name: str) -> tuple[bytes, ...]:
    """Some messages of a corpus."""
    return ENGINES[name].messages()[::FEW]


def few(name: str, seed: int = 1) -> Engine:
    """An engine over some messages, whose decoder stays."""
    engine = ENGINES[name](seed, corpus=small(name))
    engine.begin = lambda number: None  # type: ignore[method-assign]
    return engine


def mutated(engine: Engine) -> int:
    """The number of a batch without truncations, which is compared with the twin."""
    first = len(engine.cuts) // (BATCH - BATCH // EVERY) + 1
    return -(-first // engine.sample) * engine.sample


@each_engine
def test_some_batches(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of truncations and of mutations, those that are compared with the twin, and those that go all other ways:
    nothing is found.
    """
    monkeypatch.setattr(crowd, "TABLES", TABLES)
    run, engine = RUNS[name], ENGINES[name](20260101)
    engine.sample, first = COMPARED, mutated(engine)
    numbers = [*range(0, first, first // 4 + 1), *range(first, first + (32 if tidewire.runtime.compiled else 8))]
    for number in numbers:
        engine.run(number)
    tally = engine.tally
    assert tally.inputs == len(numbers) * BATCH
    assert tally.codes.total() + tally.accepted == tally.inputs
    assert tally.accepted > tally.inputs // run.accepted
    assert set(run.codes.split()) <= tally.codes.keys()


@pytest.mark.once
@each_engine
def test_tables_of_a_crowd_come_again(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the tables of a batch are those of the one before."""
    monkeypatch.setattr(crowd, "TABLES", TABLES)
    monkeypatch.setattr(crowd, "APART", TABLES * 3 // 4)
    engine = few(name)
    for number in range(3):
        engine.crowd.run(1, number)
    whole = engine.crowd.decoder
    engine.crowd.decoder = Broken(whole, lambda columns: _with(columns, tables=columns.tables[::-1]))
    with pytest.raises(Finding, match="was read as"):
        engine.crowd.run(1, 0)


@pytest.mark.once
@each_engine
def test_good_messages_are_of_all_kinds(name: str) -> None:
    """Of all that the protocol has, and the twin reads all of them."""
    engine = ENGINES[name](1)
    found = engine.fresh().decode(engine.good)
    assert {event.kind for event in Events(found)} == set(engine.module.FACTS.kinds)
    assert found.errors == []
    assert not any(one is None for one in engine.known.values())


@pytest.mark.once
@each_engine
def test_batches_can_be_made_again(name: str) -> None:
    one, again, other = few(name), few(name), few(name, 2)
    assert one.batch(mutated(one)) == again.batch(mutated(one)) != other.batch(mutated(one))


@pytest.mark.once
@pytest.mark.parametrize("mutation", sorted({m.__name__ for m in MUTATIONS}))
def test_every_mutation_takes_every_message(mutation: str) -> None:
    """And does not always give the message back."""
    mutate = next(m for m in MUTATIONS if m.__name__ == mutation)
    chance, corpus = Random(3), ENGINES["craft"].messages()
    spoiled = [mutate(chance, message, corpus) for message in corpus]
    assert sum(a != b for a, b in zip(spoiled, corpus, strict=True)) > len(spoiled) // 2


def test_what_is_not_fuzzed_is_refused() -> None:
    with pytest.raises(ValueError, match="'maxwell' is not fuzzed: craft, canal-json"):
        made("maxwell", 1)


# ---- planted defects


Spoil = Callable[[EventColumns], EventColumns]


class Broken:
    """A decoder with a defect of its own."""

    def __init__(self, whole: Any, spoil: Spoil) -> None:
        self.whole, self.spoil = whole, spoil

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        return self.spoil(self.whole.decode(values))


def _with(columns: EventColumns, **other: Any) -> EventColumns:
    names = ("events", "tables", "layouts", "errors", "tombstones", "descriptions")
    return EventColumns(**{name: getattr(columns, name) for name in names} | other)


def _escapes(columns: EventColumns) -> EventColumns:
    raise IndexError("out of range")


def _loses_an_event(columns: EventColumns) -> EventColumns:
    return _with(columns, events=columns.events.slice(1))


def _loses_an_error(columns: EventColumns) -> EventColumns:
    return _with(columns, errors=columns.errors[1:])


def _changes_neighbours(columns: EventColumns) -> EventColumns:
    return _with(columns, tables=[(schema and schema + "x", table) for schema, table in columns.tables])


def _gives_a_broken_array(columns: EventColumns) -> EventColumns:
    layout = next(layout for layout in columns.layouts if layout.num_rows)
    layout.arrays[0] = layout.arrays[0].slice(1)
    return columns


def _points_behind_the_message(columns: EventColumns) -> EventColumns:
    columns.errors[0].offset = 10**6
    return columns


DEFECTS: list[tuple[Spoil, str]] = [
    (_escapes, "IndexError escaped"),
    (_loses_an_event, "neither refused nor|is not what it was"),
    (_loses_an_error, "neither refused nor"),
    (_changes_neighbours, "is not what it was: its neighbours changed it"),
    (_gives_a_broken_array, "an array of"),
    (_points_behind_the_message, "not an error as it should be"),
]


@each_engine
@pytest.mark.parametrize(("spoil", "what"), DEFECTS, ids=[spoil.__name__.strip("_") for spoil, _ in DEFECTS])
def test_defects_of_a_decoder_are_found(name: str, spoil: Spoil, what: str) -> None:
    engine = few(name)
    engine.decoder = Broken(engine.decoder, spoil)
    with pytest.raises(Finding, match=what) as caught:
        engine.run(mutated(engine))
    assert caught.value.inputs


@each_engine
def test_a_reading_of_its_own_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the twin reads otherwise, and what takes too long."""
    engine = few(name)
    monkeypatch.setattr(engine, "read", lambda value, known: [])
    with pytest.raises(Finding, match="the twin says"):
        engine.run(mutated(engine))
    monkeypatch.undo()
    monkeypatch.setattr(engine_module, "FIXED_NS", -(10**12))
    with pytest.raises(Finding, match=r"ms for \d+ bytes"):
        engine.run(mutated(engine) + 1)


OTHER_SPANS: list[tuple[Callable[[list[Any]], list[Any]], str]] = [
    (lambda spans: spans[:-1], "bytes of no field in the|the decoder says"),
    (lambda spans: [one._replace(end=one.end + 100) for one in spans], "a span of 0 to"),
    (
        lambda spans: [*spans, *(one._replace(type="trouble") for one in spans[:1])],
        "trouble that no decoder has|the decoder says",
    ),
    (lambda spans: [one._replace(value=b"?") if one.column else one for one in spans], "was decoded"),
]


@each_registered
@pytest.mark.parametrize(("spoil", "said"), OTHER_SPANS, ids=["fewer", "longer", "trouble", "values"])
def test_a_defect_of_a_dissector_is_found(name: str, monkeypatch: pytest.MonkeyPatch, spoil: Any, said: str) -> None:
    engine = few(name)
    whole = engine.module.dissect
    monkeypatch.setattr(engine.module, "dissect", lambda *parts, **more: spoil(whole(*parts, **more)))
    first = mutated(engine)
    with pytest.raises(Finding, match=f"dissected, .*({said})"):
        _run(engine, [first, first + 1, first + 2, first + 3])


def _run(engine: Engine, numbers: Sequence[int]) -> None:
    for number in numbers:
        engine.run(number)


@each_registered
def test_a_defect_in_the_reading_of_schemas_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Branches of unions that are exchanged."""
    engine = few(name)
    whole: Any = schema.SchemaReader._union

    def exchanged(self: Any, *arguments: Any) -> Any:
        found = whole(self, *arguments)
        return found._replace(null=1 - found.null) if found.null >= 0 else found

    monkeypatch.setattr(schema.SchemaReader, "_union", exchanged)
    engine.decoder = engine.fresh()
    with pytest.raises(Finding):
        engine.run(mutated(engine))


# ---- the command


@pytest.mark.once
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Inputs, errors by code, speed, worst time; and a finding's file can be played again."""

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["fuzz", "--out", str(tmp_path), "--protocol", "craft", *arguments])
        return command.main(), capfd.readouterr().out

    code, done = run("--inputs", "512", "--seed", "3")
    assert code == 0
    for said in ("inputs 512 in ", "accepted ", "truncated", "worst: ", "memory: "):
        assert said in done
    path = tmp_path / "finding.hex"
    path.write_text(ENGINES["craft"].messages()[0].hex() + "\n00\n")
    code, done = run("--replay", str(path))
    assert code == 0
    assert "Watermark(commit_ts=" in done
    assert "message 1: const: craft version: 0 where only 1 is possible (offset 0)" in done


@pytest.mark.once
def test_the_command_takes_all_protocols_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """They share the seconds, and what is found in one of them is the exit code."""
    asked: list[tuple[str, float]] = []

    def fuzz(protocol: str, seconds: float, *_: object) -> int:
        asked.append((protocol, seconds))
        return int(protocol == "simple")

    monkeypatch.setattr(command, "fuzz", fuzz)
    monkeypatch.setattr(sys, "argv", ["fuzz", "--seconds", "16"])
    assert command.main() == 1
    assert asked == [(name, 16 / len(ENGINES)) for name in ENGINES]

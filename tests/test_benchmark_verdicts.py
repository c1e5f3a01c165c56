"""What the benchmarks make of their figures: the verdicts, the report, and the lines of docs/speed.md."""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks import blocks, escapes, many, ours, report, rust_peer, startup, table, timing, verdicts
from benchmarks import varied as varied_group
from benchmarks.__main__ import main
from benchmarks.peers import REGISTERED
from benchmarks.subjects import AVRO, CRAFT, SUBJECTS
from benchmarks.timing import Effort, Result
from benchmarks.verdicts import Verdict, all_verdicts

SMALL = Effort(repeats=2, seconds=0.0, events=64)


# ---- a small run of all of it


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> tuple[list[Result], list[startup.Start]]:
    """Every group of these, on a few rows each."""
    # each measurement looks for garbage first: not in what the tests before this one keep
    gc.collect()
    gc.freeze()
    monkeypatch.setenv("TIDEWIRE_ORACLE", "/nowhere")
    monkeypatch.setattr(rust_peer, "binary", lambda: None)
    monkeypatch.setattr(timing, "empty_caches", lambda: None)
    for module, name, value in (
        (varied_group, "COUNT", 128),
        (varied_group, "REPEATS", 2),
        (many, "EVENTS", 64),
        (many, "REPEATS", 2),
        (escapes, "TOTAL", 70_000),
        (blocks, "EVENTS", 16),
        (startup, "REPEATS", 1),
    ):
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(many, "TABLES", (1, 32))
    commands = startup.commands()
    monkeypatch.setattr(startup, "commands", lambda: {name: [sys.executable, "-c", "pass"] for name in commands})
    results: list[Result] = []
    for subject in SUBJECTS.values():
        for group in (varied_group.varied_group, many.many_group, escapes.text_group, blocks.blocks_group):
            for part in group(subject, SMALL):
                results += part
    return results, startup.measure(False)


@pytest.mark.once
@pytest.mark.codec
def test_every_target_is_judged_and_shown(measured: tuple[list[Result], list[startup.Start]]) -> None:
    results, starts = measured
    own = [result for result in results if result.codec.startswith("tidewire")]
    assert {(r.protocol, r.kind, r.batch) for r in own if r.rows == varied_group.ROWS} == {
        (subject.name, *case) for subject in SUBJECTS.values() for case in subject.varied
    }
    assert all(result.ns_min > 0 and result.ns_min <= result.ns_median for result in results)
    if ours.label() != "tidewire":
        return  # interpreted figures are measured for the group pure alone
    judged = all_verdicts(results, [], [], starts)
    unmeasured = [verdict.target for verdict in judged if verdict.measured is None]
    for words in (
        "32 tables against one",
        "a JSON document",
        "HTML",
        "a fresh process",
        "msgspec by hand",
        "schema block",
        "0.02 of fastavro",
    ):
        assert [verdict for verdict in judged if words in verdict.target and verdict.measured is not None], words
    assert any("varied" in target and "Go's" in target for target in unmeasured)

    lines = shown(results, starts, judged)
    assert not [line for line in lines if len(line) > 100]
    assert not [line for line in lines if "…" in line]
    text = " ".join(" ".join(lines).split())
    for figure in (
        "128 different rows",
        "32 tables",
        "GB of messages a second",
        "a fresh process",
        "memcpy",
        "a long block",
    ):
        assert figure in text, figure
    document = {
        "machine": {"cores": 2, "processor": "a test", "load_before": 0.0},
        "results": [result.to_dict() for result in results],
        "startup": [start._asdict() for start in starts],
        "spark": [],
    }
    page = table.page(document)
    for words in (
        "128 different rows",
        "Craft: decode 32 tables",
        "65,535 bytes, a JSON document",
        "more of a schema block",
        "`import pyarrow`",
    ):
        assert words in page
    assert "interpreted" not in page  # what was not measured is left out


def shown(results: Sequence[Result], starts: Sequence[startup.Start], judged: Sequence[Verdict]) -> list[str]:
    """What a terminal of 100 columns shows of the tables."""
    console = Console(width=100, record=True, quiet=False, file=open("/dev/null", "w"))  # noqa: SIM115
    for subject in SUBJECTS.values():
        report.print_varied(console, subject, results)
        report.print_many(console, subject, results)
        report.print_texts(console, subject, results)
        report.print_blocks(console, subject, results)
    report.print_starts(console, starts)
    lines = console.export_text().splitlines()
    report.print_verdicts(console, judged, whole=False)
    assert "not measured" not in console.export_text()
    return lines


# ---- verdicts, timing, processes


@pytest.mark.parametrize(
    ("verdict", "reached", "margin"),
    [
        (Verdict("t", 2.0, 1.5, "GB/s", at_least=True), True, "1.33 times what is wanted"),
        (Verdict("t", 0.5, 1.5, "GB/s", at_least=True), False, "0.33 of what is wanted"),
        (Verdict("t", 2.0, 1.5, "ns"), False, "1.33 times what is allowed"),
        (Verdict("t", 1.0, 2.0, "ns"), True, "0.50 of what is allowed"),
        (Verdict("t", None, 2.0, "ns", at_least=True), False, "not measured"),
    ],
)
def test_more_is_better_where_it_is_said(verdict: Verdict, reached: bool, margin: str) -> None:
    assert verdict.reached is reached
    assert margin in verdict.line()


def result(**fields: Any) -> Result:
    values: dict[str, Any] = {
        "codec": "tidewire",
        "columns": 8,
        "events": 1,
        "calls": 1,
        "repeats": 1,
        "ns_median": 9.0,
    }
    return Result(
        **values | {"batch": 1, "tables": 1, "rows": "", "group": "", "operation": "", "ns_min": 9.0} | fields
    )


def test_the_order_that_costs_more_is_judged() -> None:
    shared = {"group": many.GROUP, "operation": many.DECODED, "protocol": CRAFT.name}
    results = [
        result(rows=order, tables=tables, ns_min=ns, **shared)
        for order, tables, ns in (
            *((many.IN_TURN, 1, 100.0), (many.IN_TURN, 10_000, 200.0)),
            *((many.SHUFFLED, 1, 100.0), (many.SHUFFLED, 10_000, 350.0)),
        )
    ]
    (judged,) = [verdict for verdict in all_verdicts(results, [], []) if verdict.measured is not None]
    assert (judged.measured, judged.limit, judged.reached) == (3.5, verdicts.MANY_RATIO, False)
    assert "shuffled" in judged.note


def test_each_cold_call_finds_empty_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr(timing, "empty_caches", lambda: order.append("emptied"))
    figures = timing.side_by_side_cold({name: lambda name=name: order.append(name) for name in "ab"}, 2)  # type: ignore[misc]
    assert order == ["a", "b", *["emptied", "a", "emptied", "b"] * 2]
    assert {name: (t.calls, t.repeats) for name, t in figures.items()} == {"a": (1, 2), "b": (1, 2)}


def test_caches_are_emptied_by_more_than_they_hold() -> None:
    timing.empty_caches()
    assert len(timing._swept) >= max(64 << 20, min(512 << 20, 2 * (timing.last_level_cache() or 0)))


def test_a_process_that_fails_is_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(startup, "commands", lambda: {"x": [sys.executable, "-c", "raise SystemExit('no such thing')"]})
    with pytest.raises(RuntimeError, match="no such thing"):
        startup.measure(True)


def test_what_was_measured_is_kept_when_spark_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def dead(*_: object) -> list[dict[str, Any]]:
        raise RuntimeError("a worker died")

    monkeypatch.setattr("benchmarks.spark_bench.measure", dead)
    kept = tmp_path / "kept.json"
    arguments = [
        "benchmarks",
        "--quick",
        "--only",
        "sizes",
        "--only",
        "spark",
        "--protocol",
        "craft",
        "--json",
        str(kept),
    ]
    monkeypatch.setattr("sys.argv", arguments)
    with pytest.raises(RuntimeError, match="a worker died"):
        main()
    assert json.loads(kept.read_text(encoding="utf-8"))["sizes"]


# ---- the page


def test_the_page_shows_the_figures_of_the_results() -> None:
    document = json.loads(table.LATEST.read_text(encoding="utf-8"))
    speed = table.SPEED.read_text(encoding="utf-8")
    assert speed == table.replaced(speed, document), "python -m benchmarks.table --write puts the figures there"
    assert not document["quick"]


def test_a_page_without_the_two_comments_is_refused() -> None:
    with pytest.raises(ValueError, match="has to have the lines"):
        table.replaced("# a page\n", {})


def test_every_group_is_described() -> None:
    from benchmarks.__main__ import GROUPS

    page = (Path(table.__file__).parent / "README.md").read_text(encoding="utf-8")
    for group in GROUPS:
        assert f"\n| {group} |" in page, group


def result_of(codec: str, operation: str, ns_min: float) -> Result:
    """Of the recorded updates of Avro."""
    shared: dict[str, Any] = {"rows": "recorded", "protocol": AVRO.name, "kind": "update", "group": "decode"}
    return result(codec=codec, operation=operation, ns_min=ns_min, **shared)


def test_shares_of_other_readers_of_avro_are_judged() -> None:
    (peer,) = REGISTERED
    own = result_of("tidewire", ours.COLUMNS, 80.0)
    rust = result_of(rust_peer.REGISTERED, rust_peer.REGISTERED_OPERATION, 220.0)
    results = [own, rust, result_of(peer.name, peer.result, 3000.0)]
    judged = [one for one in all_verdicts(results, [], []) if one.measured is not None]
    assert [(one.measured, round(one.limit), one.reached) for one in judged] == [(80.0, 88, True), (80.0, 60, False)]
    assert [words in one.target for one, words in zip(judged, ("0.4 of arrow-avro", "0.02 of fastavro"), strict=True)]

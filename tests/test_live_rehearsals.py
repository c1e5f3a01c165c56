"""The figures of rehearsals and histories: their page has those of the last runs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidewire.spark.sync.rehearsal.kills import EVERY

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "rehearsals.json"
PAGE = ROOT / "docs" / "live-tables-rehearsal.md"


def lines_of(found: dict[str, Any]) -> Iterator[str]:
    """The rows of the page's tables."""
    runs = found["rehearsals"]
    formats = ("iceberg", "delta")
    for format, engine in [(format, engine) for format in formats for engine in ("auto", "merge")]:
        of = [one for one in runs if (one["format"], one["engine"]) == (format, engine)]
        if not of:
            continue
        seeds = ", ".join(str(one["seed"]) for one in of)
        counts = [sum(one[name] for one in of) for name in ("versions", "again", "wrong")]
        kills = sum(sum(one["kills"].values()) for one in of)
        yield f"| {format}, {engine} | {seeds} | {kills} | {counts[0]} | {counts[1]} | {counts[2]} |"
    for name, point in EVERY.items():
        each = [Counter[str]() for _ in formats]
        for one in runs:
            each[formats.index(one["format"])].update(one["kills"])
        yield f"| {point.where} | {each[0][name]} | {each[1][name]} |"
    for one in found["histories"]:
        counted = " | ".join(f"{one[name]:,}" for name in ("histories", "crashes", "versions", "wrong"))
        yield f"| `{one['test']}` | {counted} | {_minutes(one['seconds'])} |"
    for one in found["thousand"]:
        memory = ", ".join(str(one["memory"][name]) for name in ("driver", "java", "worker"))
        yield f"| {one['format']} | {one['messages']:,} | {_minutes(one['seconds'])} | {one['cpu']:.0f} | {memory} |"


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"


def test_the_page_has_the_figures_of_the_last_runs() -> None:
    found = json.loads(RESULTS.read_text())
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [one for one in lines_of(found) if one not in page] == []
    maintained = Counter[str]()
    for one in found["rehearsals"]:
        maintained.update(one["maintained"])
    text = " ".join(page)
    assert f"maintained {maintained['times']} times, {maintained['finished']} of them to the end" in text
    assert (
        f"{maintained['compacted']} small files written into fewer, {maintained['expired']} versions expired,"
        f" {maintained['removed']} files removed" in text
    )

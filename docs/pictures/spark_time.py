"""Draws what a message costs in Spark: `python docs/pictures/spark_time.py` writes spark_time.png beside it.

The figures are those of benchmarks/results/latest.json, which `make bench` writes, as docs/speed.md has them.
"""

from __future__ import annotations

import json
from pathlib import Path

from matplotlib.figure import Figure

HERE = Path(__file__).resolve()
RESULTS = HERE.parents[2] / "benchmarks" / "results" / "latest.json"
INK, SOFT, OURS, OTHERS = "#1f2933", "#52606d", "#2f7dc4", "#c3ccd5"
THICK = 0.38
PAIRS = (
    ("Canal-JSON", "Canal-JSON typed rows", "Canal-JSON from_json"),
    ("Simple", "Simple typed rows", "Simple from_json"),
    ("Open Protocol", "Open Protocol typed rows", "Open Protocol from_json"),
    ("Debezium", "Debezium typed rows", "Debezium from_json"),
    ("Avro", "Tidewire's typed rows from Avro", "`from_avro` with casts"),
)
"""A protocol, and the names under which its two figures were measured: ours, and those of Spark's own reader."""


def figures() -> dict[str, tuple[float, float]]:
    """By protocol µs a message, ours and Spark's own."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))["spark"]
    micros = {one["surface"]: one["ns_per_message_min"] / 1000 for one in found if one["batch"] == 1}
    return {name: (micros[ours], micros[theirs]) for name, ours, theirs in PAIRS}


def figure() -> Figure:
    """The picture."""
    drawn = Figure(figsize=(7.6, 2.9), dpi=150)
    axes = drawn.add_axes((0.135, 0.03, 0.84, 0.83))
    given = figures()
    most = max(max(pair) for pair in given.values())
    for row, (name, pair) in enumerate(given.items()):
        for place, value, color in zip((row - THICK / 2, row + THICK / 2), pair, (OURS, OTHERS), strict=True):
            axes.barh(place, value, THICK, color=color)
            axes.text(value + most / 120, place, f"{value:.1f}", va="center", fontsize=7.5, color=INK)
        axes.text(-most / 80, row, name, ha="right", va="center", fontsize=9, color=INK)
    axes.set(xlim=(0, most * 1.06), ylim=(len(given) - 0.45, -0.55))
    axes.axis("off")
    title = "Microseconds a message of one update takes in Spark, on one core"
    drawn.text(0.012, 0.955, title, va="center", fontsize=9.5, color=INK, weight="bold")
    drawn.text(0.985, 0.78, "Tidewire's typed rows", ha="right", va="center", fontsize=9, color=OURS, weight="bold")
    theirs = "Spark's from_json with casts\n(Avro: from_avro with casts)"
    drawn.text(0.985, 0.655, theirs, ha="right", va="center", fontsize=9, color=SOFT)
    return drawn


if __name__ == "__main__":
    figure().savefig(HERE.with_suffix(".png"))

"""Draws what messages cost: `python docs/pictures/times.py` writes decode_time.png and spark_time.png beside it.

The figures are those of benchmarks/results/latest.json, which `make bench` writes, as docs/speed.md has them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

HERE = Path(__file__).resolve()
RESULTS = HERE.parents[2] / "benchmarks" / "results" / "latest.json"
INK, SOFT, OURS, OTHERS = "#1f2933", "#52606d", "#2f7dc4", "#c3ccd5"
THICK = 0.38
DECODED = {
    "craft": "Craft",
    "canal-json": "Canal-JSON",
    "open-protocol": "Open Protocol",
    "simple": "Simple",
    "simple-records": "Simple, Avro",
    "debezium": "Debezium",
    "avro": "Avro",
}
BEYOND = "Avro"
"""TiCDC's decoder takes so long there that the bars of all others would be slivers: it is said in words."""
CODECS = (("tidewire", "to Arrow columns"), ("TiCDC (Go), in this run", "public decoder, every value touched"))
"""Ours and theirs: the codec, and what it does."""
READ = {
    "Canal-JSON": ("Canal-JSON typed rows", "Canal-JSON from_json"),
    "Simple": ("Simple typed rows", "Simple from_json"),
    "Open Protocol": ("Open Protocol typed rows", "Open Protocol from_json"),
    "Debezium": ("Debezium typed rows", "Debezium from_json"),
    "Avro": ("Tidewire's typed rows from Avro", "`from_avro` with casts"),
}
"""By protocol the names under which its two figures were measured: ours, and those of Spark's own reader."""


class Words(NamedTuple):
    """Words at the right of a picture: how high, what, and their size and color."""

    y: float
    text: str
    size: float = 9
    color: str = SOFT


def measured() -> dict[str, Any]:
    """What `make bench` has measured."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def bars(
    pairs: Mapping[str, tuple[float, float]], digits: str, high: float, title: str, words: Sequence[Words]
) -> Figure:
    """Two bars for each name: ours, and the others'.

    Args:
        pairs: by name the µs of both.
        digits: the format of figures.
        high: inches of the picture.
        title: what is shown.
        words: what the bars are, ours first.
    """
    drawn = Figure(figsize=(7.6, high), dpi=150)
    axes = drawn.add_axes((0.135, 0.03, 0.84, 0.97 - 0.4 / high))
    most = max(max(pair) for pair in pairs.values())
    for row, (name, pair) in enumerate(pairs.items()):
        for place, value, color in zip((row - THICK / 2, row + THICK / 2), pair, (OURS, OTHERS), strict=True):
            axes.barh(place, value, THICK, color=color)
            axes.text(value + most / 120, place, f"{value:{digits}}".rstrip("."), va="center", fontsize=7.5, color=INK)
        axes.text(-most / 80, row, name, ha="right", va="center", fontsize=9, color=INK)
    axes.set(xlim=(0, most * 1.06), ylim=(len(pairs) - 0.45, -0.55))
    axes.axis("off")
    drawn.text(0.012, 1 - 0.15 / high, title, va="center", fontsize=9.5, color=INK, weight="bold")
    for y, text, size, color in words:
        weight = "bold" if color == OURS else "normal"
        drawn.text(0.985, y, text, ha="right", va="center", fontsize=size, color=color, weight=weight)
    return drawn


def decode_time() -> Figure:
    """What an event costs to decode, beside TiCDC's Go."""
    micros = {
        (one["protocol"], one["codec"], one["operation"]): one["ns_min"] / 1000
        for one in measured()["results"]
        if (one["group"], one["rows"], one["batch"], one["columns"], one["tables"]) == ("decode", "recorded", 1, 8, 1)
    }
    ours, theirs = CODECS
    pairs = {title: (micros[name, *ours], micros[name, *theirs]) for name, title in DECODED.items()}
    beyond = pairs.pop(BEYOND)
    words = (
        Words(0.7, "Tidewire, to Arrow columns", color=OURS),
        Words(0.63, "TiCDC's own decoder (Go)"),
        Words(0.55, f"Not drawn: {BEYOND}, {beyond[0]:.2g} and {beyond[1]:.0f}", size=8),
        Words(0.5, "Not measured: Debezium-Avro", size=8),
    )
    title = "Microseconds that it takes to decode an update of 8 columns, one in a message"
    return bars(pairs, "#.2g", 3.6, title, words)


def spark_time() -> Figure:
    """What a message costs in Spark, beside Spark's own readers."""
    micros = {one["surface"]: one["ns_per_message_min"] / 1000 for one in measured()["spark"] if one["batch"] == 1}
    pairs = {name: (micros[ours], micros[theirs]) for name, (ours, theirs) in READ.items()}
    theirs = Words(0.655, "Spark's from_json with casts\n(Avro: from_avro with casts)")
    absent = Words(
        0.11, "Not drawn: Craft, which Spark cannot read by itself,\nand Debezium-Avro, which was not measured", size=8
    )
    words = (Words(0.78, "Tidewire's typed rows", color=OURS), theirs, absent)
    return bars(pairs, ".1f", 2.9, "Microseconds a message of one update takes in Spark, on one core", words)


FIGURES = {"decode_time": decode_time, "spark_time": spark_time}
"""What draws each picture, by its name."""

if __name__ == "__main__":
    for name, draw in FIGURES.items():
        draw().savefig(HERE.with_name(f"{name}.png"))

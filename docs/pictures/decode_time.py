"""Draws what an event costs to decode: `python docs/pictures/decode_time.py` writes decode_time.png beside it.

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
PROTOCOLS = {
    "craft": "Craft",
    "canal-json": "Canal-JSON",
    "open-protocol": "Open Protocol",
    "simple": "Simple",
    "simple-records": "Simple, Avro",
    "debezium": "Debezium",
    "avro": "Avro",
}
BEYOND = "Avro"
"""Theirs takes so long that the bars of all others would be slivers: it is said in words."""
CODECS = (("tidewire", "to Arrow columns"), ("TiCDC (Go), in this run", "public decoder, every value touched"))
"""Ours and theirs: the codec, and what it does."""


def figures() -> dict[str, tuple[float, float]]:
    """By protocol µs an event, ours and those of TiCDC's Go."""
    micros = {
        (one["protocol"], one["codec"], one["operation"]): one["ns_min"] / 1000
        for one in json.loads(RESULTS.read_text(encoding="utf-8"))["results"]
        if (one["group"], one["rows"], one["batch"], one["columns"], one["tables"]) == ("decode", "recorded", 1, 8, 1)
    }
    ours, theirs = CODECS
    return {title: (micros[name, *ours], micros[name, *theirs]) for name, title in PROTOCOLS.items()}


def figure() -> Figure:
    """The picture."""
    drawn = Figure(figsize=(7.6, 3.6), dpi=150)
    axes = drawn.add_axes((0.135, 0.03, 0.84, 0.86))
    given = figures()
    beyond = given.pop(BEYOND)
    most = max(max(pair) for pair in given.values())
    for row, (name, pair) in enumerate(given.items()):
        for place, value, color in zip((row - THICK / 2, row + THICK / 2), pair, (OURS, OTHERS), strict=True):
            axes.barh(place, value, THICK, color=color)
            axes.text(value + most / 120, place, f"{value:.2g}", va="center", fontsize=7.5, color=INK)
        axes.text(-most / 80, row, name, ha="right", va="center", fontsize=9, color=INK)
    axes.set(xlim=(0, most * 1.06), ylim=(len(given) - 0.45, -0.55))
    axes.axis("off")
    title = "Microseconds that it takes to decode an update of 8 columns, one in a message"
    drawn.text(0.012, 0.955, title, va="center", fontsize=9.5, color=INK, weight="bold")
    drawn.text(0.985, 0.7, "Tidewire, to Arrow columns", ha="right", va="center", fontsize=9, color=OURS, weight="bold")
    drawn.text(0.985, 0.63, "TiCDC's own decoder (Go)", ha="right", va="center", fontsize=9, color=SOFT)
    words = f"Not drawn: {BEYOND}, {beyond[0]:.2g} and {beyond[1]:.0f}"
    drawn.text(0.985, 0.55, words, ha="right", va="center", fontsize=8, color=SOFT)
    return drawn


if __name__ == "__main__":
    figure().savefig(HERE.with_suffix(".png"))

"""The picture's panels of what slows a job down: varied values, thousands of tables, long text, fresh processes."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from benchmarks import escapes, many, ours, startup, varied
from benchmarks.subjects import SUBJECTS
from benchmarks.timing import Result

_BLUE, _LIGHT, _GREY = "#08519c", "#9ecae1", "#bdbdbd"
_COLOURS = {
    "craft": "#08519c",
    "canal-json": "#d94801",
    "open-protocol": "#238b45",
    "simple": "#6a51a3",
    "simple-records": "#9e9ac8",
    "debezium": "#b8860b",
    "debezium-without-blocks": "#c7a94e",
}


def varied_panel(axes: Axes, results: Sequence[Result]) -> None:
    """Ours: the recorded updates and the varied rows, to and from Arrow columns."""
    names, heights, colours = [], [], []
    for subject in SUBJECTS.values():
        for operation in (ours.COLUMNS, ours.FROM_COLUMNS):
            for r in results:
                if (r.protocol, r.codec, r.operation) != (subject.name, ours.label(), operation):
                    continue
                beside = r.rows == "recorded" and (r.kind, r.batch) in subject.varied
                if beside or r.rows == varied.ROWS:
                    names.append(f"{subject.title} {r.group}, {r.rows} {r.kind}s, {r.batch} a message")
                    heights.append(r.ns_min)
                    colours.append(_LIGHT if beside else _BLUE)
    _across(axes, names, heights, colours, "{:,.0f}")
    axes.set_xlabel("ns per event")
    axes.set_title("different rows of varied values, out of cache, and the recorded ones, in cache")


def many_panel(axes: Axes, results: Sequence[Result]) -> None:
    """Cost against the number of tables."""
    chosen = [r for r in results if r.group == many.GROUP]
    for protocol, batch, operation, order in dict.fromkeys((r.protocol, r.batch, r.operation, r.rows) for r in chosen):
        key = (protocol, batch, operation, order)
        line = sorted((r.tables, r.ns_min) for r in chosen if (r.protocol, r.batch, r.operation, r.rows) == key)
        axes.plot(
            *zip(*line, strict=True),
            "-" if operation == many.DECODED else ":",
            color=_COLOURS.get(protocol),
            marker="o" if order == many.IN_TURN else "x",
            alpha=1.0 if batch == 1 else 0.5,
            label=f"{SUBJECTS[protocol].title}, {batch} a message, {order}, {operation}",
        )
    if chosen:
        axes.set_xscale("log")
        axes.set_yscale("log")
        counts = sorted({r.tables for r in chosen})
        axes.set_xticks(counts, [f"{count:,}" for count in counts])
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_xlabel("tables")
    axes.set_ylabel("ns per event (log)")
    axes.set_title("decode: thousands of tables")
    axes.grid(alpha=0.3)


def text_panel(axes: Axes, results: Sequence[Result]) -> None:
    """GB a second with long text."""
    chosen = [r for r in results if r.group == escapes.GROUP and r.codec != escapes.COPY]
    names = [f"{r.rows}: {r.codec.removeprefix('by hand, ')}" for r in chosen]
    colours = [_BLUE if r.codec == ours.label() else _GREY for r in chosen]
    _across(axes, names, [escapes.gigabytes_per_second(r) for r in chosen], colours, "{:.2f}")
    axes.set_xlabel("GB of messages a second")
    axes.set_title("Canal-JSON decode: rows with a long text")


def start_panel(axes: Axes, starts: Sequence[startup.Start]) -> None:
    """Fresh processes."""
    names = [start.what for start in starts]
    colours = [_BLUE if "tidewire" in start.what else _GREY for start in starts]
    _across(axes, names, [start.wall * 1000 for start in starts], colours, "{:,.0f}")
    axes.set_xlabel("ms, start to end")
    axes.set_title("a fresh process")


def _across(axes: Axes, names: Sequence[str], lengths: Sequence[float], colours: Sequence[str], numbers: str) -> None:
    """Bars from the left, the first on top, each with its number."""
    bars = axes.barh(range(len(names)), lengths[::-1], color=colours[::-1])
    axes.set_yticks(range(len(names)), names[::-1], fontsize=7)
    axes.bar_label(bars, [numbers.format(length) for length in lengths[::-1]], fontsize=7, padding=3)
    axes.margins(x=0.2)

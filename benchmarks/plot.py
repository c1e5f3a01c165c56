"""The run as one picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from benchmarks import go_peer, ours, startup, varied
from benchmarks.cases import go_reference
from benchmarks.panels import many_panel, start_panel, text_panel, varied_panel
from benchmarks.subjects import CANAL, CRAFT, Subject
from benchmarks.suite import FROM_ROWS, PARSE_ONLY, TO_VALUES
from benchmarks.timing import Result

_BLUES = {"tidewire": "#08519c", "tidewire pure": "#9ecae1"}
_PEERS = {
    "JSON, msgspec typed": "#fd8d3c",
    "JSON, msgspec any table": "#d94801",
    "JSON, stdlib json": "#7f2704",
    "protobuf 1 (rows)": "#41ab5d",
    "protobuf 2 (columnar)": "#005a32",
    "Avro, fastavro": "#807dba",
}
_SHOWN = (ours.COLUMNS, ours.EVENTS, ours.FROM_COLUMNS, ours.FROM_EVENTS)
_GO = {"decode-wire-only": "Go, wire only", "decode-new-allocator": "Go, public decoder", "encode": "Go"}


def draw(
    path: Path, results: Sequence[Result], spark: Sequence[dict[str, Any]], starts: Sequence[startup.Start] = ()
) -> None:
    """Write a PNG: Craft's decode, encode and columns, Spark (interleaved tables without it), Canal-JSON's bars.

    Below them varied values, thousands of tables, long text and fresh processes.
    """
    panels: Any = [["decode", "encode"], ["widths", "last"], ["read", "read"], ["write", "write"]]
    panels += [["varied", "many"], ["texts", "starts"]]
    figure, axes = plt.subplot_mosaic(panels, figsize=(17, 34))
    craft = [r for r in results if r.protocol == CRAFT.name]
    _batches(axes["decode"], craft, "decode")
    _batches(axes["encode"], craft, "encode")
    _widths(axes["widths"], craft)
    if spark:
        _spark(axes["last"], spark)
    else:
        _interleaved(axes["last"], craft)
    for panel, group in (("read", "decode"), ("write", "encode")):
        _bars(axes[panel], CANAL, [r for r in results if r.protocol == CANAL.name and r.group == group], group)
    varied_panel(axes["varied"], results)
    many_panel(axes["many"], results)
    text_panel(axes["texts"], results)
    start_panel(axes["starts"], starts)
    figure.suptitle("The same rows in our codecs and beside them: one thread, one run", fontsize=15)
    figure.tight_layout(rect=(0, 0, 1, 0.985))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _bars(axes: Axes, subject: Subject, results: Sequence[Result], group: str) -> None:
    """A protocol of one event a message: a cluster for each kind of rows, a bar for everybody."""
    left_out = (ours.SINGLE, ours.VIEW)
    chosen = [r for r in results if r.rows not in ("interleaved", varied.ROWS) and r.operation not in left_out]
    cases = list(dict.fromkeys((r.rows, r.kind, r.columns, r.tables) for r in chosen))
    series = list(dict.fromkeys((r.codec, r.operation) for r in chosen))
    colours = plt.get_cmap("tab20").colors  # type: ignore[attr-defined]  # a ListedColormap
    for position, (codec, operation) in enumerate(series):
        found = {
            (r.rows, r.kind, r.columns, r.tables): r.ns_min
            for r in chosen
            if (r.codec, r.operation) == series[position]
        }
        offset = (position - len(series) / 2 + 0.5) * 0.85 / len(series)
        places = [k + offset for k, case in enumerate(cases) if case in found]
        heights = [found[case] for case in cases if case in found]
        name = codec if operation == FROM_ROWS else f"{codec}, {operation}"
        colour = _BLUES[codec] if codec in _BLUES and operation in (ours.COLUMNS, ours.FROM_COLUMNS) else None
        bars = axes.bar(places, heights, 0.85 / len(series), color=colour or colours[2 + position], label=name)
        axes.bar_label(bars, [f"{height:,.0f}" for height in heights], fontsize=6, rotation=90, padding=3)
    axes.set_yscale("log")
    if chosen:
        axes.set_ylim(top=axes.get_ylim()[1] * 4)
        _legend(axes)
    labels = [
        f"{kind}s, {columns} columns" + (f",\n{tables} tables" if tables > 1 else "")
        for _, kind, columns, tables in cases
    ]
    axes.set_xticks(range(len(cases)), labels)
    axes.set_ylabel("ns per event (log)")
    axes.set_title(f"{subject.title} {group}: one event a message")


def _batches(axes: Axes, results: Sequence[Result], group: str) -> None:
    chosen = [r for r in results if r.group == group and r.rows == "recorded" and r.operation != PARSE_ONLY]
    for codec, operation in dict.fromkeys((r.codec, r.operation) for r in chosen):
        line = sorted((r.batch, r.ns_min) for r in chosen if (r.codec, r.operation) == (codec, operation))
        if codec in _BLUES:
            if operation not in _SHOWN:
                continue
            style = "-" if operation in (ours.COLUMNS, ours.FROM_COLUMNS) else "--"
            axes.plot(
                *zip(*line, strict=True), style, color=_BLUES[codec], marker="o", lw=2.5, label=f"{codec}, {operation}"
            )
        elif codec == go_peer.NAME:
            style = ":" if operation == go_peer.DECODE else "-."
            axes.plot(*zip(*line, strict=True), style, color="black", marker="x", lw=1.5, label=f"{codec}: {operation}")
        else:
            axes.plot(*zip(*line, strict=True), color=_PEERS[codec], marker=".", lw=1.2, label=codec)
    for operation, title in _GO.items():
        if operation.startswith(group):
            figures = [f for f in go_reference()["figures"] if f["codec"] == "craft" and f["operation"] == operation]
            marker = "+" if operation == "decode-new-allocator" else "x"
            label = f"{title} (recorded on another machine)"
            batches, heights = [f["batch"] for f in figures], [f["min_ns"] for f in figures]
            axes.scatter(batches, heights, label=label, color="black", marker=marker, s=60, zorder=5)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(CRAFT.batches, [str(batch) for batch in CRAFT.batches])
    axes.set_xlabel("events per message")
    axes.set_ylabel("ns per event (log)")
    axes.set_title(f"Craft {group}: recorded updates, 8 columns, both images")
    axes.grid(alpha=0.3, which="both")
    _legend(axes)


def _widths(axes: Axes, results: Sequence[Result]) -> None:
    chosen = [
        r
        for r in results
        if (r.group, r.rows, r.batch) == ("decode", "synthetic", 64)
        and r.operation in (ours.COLUMNS, ours.EVENTS, TO_VALUES)
    ]
    widths = sorted({r.columns for r in chosen})
    series = list(dict.fromkeys((r.codec, r.operation) for r in chosen))
    for position, (codec, operation) in enumerate(series):
        heights = [
            r.ns_min for w in widths for r in chosen if (r.codec, r.operation, r.columns) == (codec, operation, w)
        ]
        offset = (position - len(series) / 2 + 0.5) * 0.8 / len(series)
        light = codec in _BLUES and operation == ours.EVENTS
        colour = "#6baed6" if light else _BLUES.get(codec) or _PEERS[codec]
        name = f"{codec}, {operation}" if codec in _BLUES else codec
        bars = axes.bar([x + offset for x in range(len(widths))], heights, 0.8 / len(series), color=colour, label=name)
        axes.bar_label(bars, [f"{height:,.0f}" for height in heights], fontsize=7, rotation=90, padding=3)
    axes.set_yscale("log")
    axes.set_ylim(top=axes.get_ylim()[1] * 4)
    axes.set_xticks(range(len(widths)), [f"{width} columns" for width in widths])
    axes.set_ylabel("ns per event (log)")
    axes.set_title("Craft decode by width: synthetic tables, batches of 64")
    _legend(axes)


def _interleaved(axes: Axes, results: Sequence[Result]) -> None:
    chosen = [r for r in results if r.rows == "interleaved"]
    tables = sorted({r.tables for r in chosen})
    for group, batch in dict.fromkeys((r.group, r.batch) for r in chosen):
        line = [r.ns_min for t in tables for r in chosen if (r.group, r.batch, r.tables) == (group, batch, t)]
        style = "-" if group == "decode" else "--"
        axes.plot(range(len(tables)), line, style, marker="o", label=f"{group}, batches of {batch}")
    axes.set_xticks(range(len(tables)), [f"{count} tables" for count in tables])
    axes.set_ylim(bottom=0)
    axes.set_ylabel("ns per event")
    axes.set_title("Craft: interleaved tables, Arrow columns")
    axes.grid(alpha=0.3)
    _legend(axes)


def _spark(axes: Axes, spark: Sequence[dict[str, Any]]) -> None:
    names = [f"{entry['surface']}, batch {entry['batch']}" for entry in spark]
    heights = [entry["ns_per_message_min"] / entry["batch"] for entry in spark]
    colours = ["#08519c" if entry["surface"].endswith("typed rows") else "#bdbdbd" for entry in spark]
    bars = axes.barh(names[::-1], heights[::-1], color=colours[::-1])
    axes.bar_label(bars, [f"{height:,.0f}" for height in heights[::-1]], fontsize=8, padding=3)
    axes.set_xlabel("ns per event")
    axes.locator_params(axis="x", nbins=5)
    axes.margins(x=0.12)
    axes.set_title("through Spark local[1], Parquet to noop sink")


def _legend(axes: Axes) -> None:
    """To the right of the panel; none where nothing was measured."""
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)

"""The tables a person reads after a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import blocks, calls, escapes, many, ours, startup, varied
from benchmarks.cases import go_reference
from benchmarks.sizes import EXPECTED, Size
from benchmarks.subjects import Subject
from benchmarks.timing import Result
from benchmarks.verdicts import Verdict

GO_MARK = "recorded on another machine"
BASELINES = {"decode": (ours.COLUMNS, ours.EVENTS), "encode": (ours.FROM_COLUMNS, ours.FROM_EVENTS)}
"""What the two ratios beside every figure are taken against."""


def print_batches(console: Console, subject: Subject, results: Sequence[Result], group: str) -> None:
    """ns per event of the recorded rows by batch size, with the ratios to our two operations."""
    chosen = [r for r in results if (r.protocol, r.group, r.rows) == (subject.name, group, "recorded")]
    if not chosen:
        return
    columns, events = BASELINES[group]
    table = Table(
        title=f"{subject.title} {group}: recorded updates of 8 columns, ns per event (times ours {columns} / {events})"
    )
    table.add_column("whose", no_wrap=True)
    table.add_column("what", no_wrap=True)
    batches = [batch for batch in subject.batches if any(r.batch == batch for r in chosen)]
    for batch in batches:
        table.add_column(f"batch {batch}", justify="right", no_wrap=True)
    bases = {(r.batch, r.operation): r.ns_min for r in chosen if r.codec == "tidewire"}
    for codec, operation in dict.fromkeys((r.codec, r.operation) for r in chosen):
        cells = {r.batch: r.ns_min for r in chosen if (r.codec, r.operation) == (codec, operation)}
        style = "bold" if codec == "tidewire" else None
        row = [_cell(cells.get(batch), bases.get((batch, columns)), bases.get((batch, events))) for batch in batches]
        table.add_row(codec, operation, *row, style=style)
    table.add_section()
    go: dict[tuple[str, str], dict[int, float]] = {}
    for figure in go_reference()["figures"]:
        if figure["operation"].startswith(group):
            go.setdefault((figure["codec"], figure["operation"]), {})[figure["batch"]] = figure["min_ns"]
    for (codec, operation), cells in go.items():
        row = [_cell(cells.get(batch), bases.get((batch, columns)), bases.get((batch, events))) for batch in batches]
        table.add_row(f"TiCDC (Go), {codec}", f"{operation}, {GO_MARK}", *row, style="dim")
    console.print(table)


def print_widths(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """ns per event by number of columns, and of the topic of several tables that peers were measured on."""
    chosen = [r for r in results if r.protocol == subject.name and r.rows in ("synthetic", "mixed")]
    for rows, kind, group, batch in dict.fromkeys((r.rows, r.kind, r.group, r.batch) for r in chosen):
        columns, events = BASELINES[group]
        part = [r for r in chosen if (r.rows, r.kind, r.group, r.batch) == (rows, kind, group, batch)]
        widths = sorted({r.columns for r in part})
        bases = {(r.columns, r.operation): r.ns_min for r in part if r.codec == "tidewire"}
        what = f"{part[0].tables} tables, {kind}s" if rows == "mixed" else f"synthetic {kind}s"
        head = f"{subject.title} {group}: {what}, batches of {batch}"
        table = Table(title=f"{head}, ns per event (times ours {columns} / {events})")
        table.add_column("whose", no_wrap=True)
        table.add_column("what", no_wrap=True)
        for width in widths:
            table.add_column(f"{width} columns", justify="right")
        for codec, operation in dict.fromkeys((r.codec, r.operation) for r in part):
            cells = {r.columns: r.ns_min for r in part if (r.codec, r.operation) == (codec, operation)}
            row = [_cell(cells.get(w), bases.get((w, columns)), bases.get((w, events))) for w in widths]
            table.add_row(codec, operation, *row, style="bold" if codec == "tidewire" else None)
        console.print(table)


def print_interleaved(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """ns per event by number of interleaved tables, and the ratio to one table."""
    chosen = [r for r in results if (r.protocol, r.rows) == (subject.name, "interleaved")]
    if not chosen:
        return
    tables = sorted({r.tables for r in chosen})
    head = f"{subject.title}: interleaved tables of 8 columns, Arrow columns"
    table = Table(title=f"{head}, ns per event (times one table)")
    table.add_column("what")
    for count in tables:
        table.add_column(f"{count} tables" if count > 1 else "1 table", justify="right")
    for group, batch in dict.fromkeys((r.group, r.batch) for r in chosen):
        cells = {r.tables: r.ns_min for r in chosen if (r.group, r.batch) == (group, batch)}
        table.add_row(f"{group}, batches of {batch}", *[_cell(cells.get(count), cells.get(1)) for count in tables])
    console.print(table)


def print_calls(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """ns per event of small calls and of event objects."""
    chosen = [r for r in results if r.protocol == subject.name and r.group in (calls.SINGLE, calls.OBJECTS)]
    if not chosen:
        return
    table = Table(title=f"{subject.title}: small calls and event objects, recorded updates of 8 columns")
    for head in ("what", "how"):
        table.add_column(head, no_wrap=True)
    table.add_column("ns per event", justify="right")
    for result in chosen:
        table.add_row(result.group, result.operation, f"{result.ns_min:,.0f}")
    console.print(table)


def print_varied(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """ns per event of varied rows, with the ratio to ours; below it ours of the recorded updates, where measured."""
    chosen = [r for r in results if (r.protocol, r.rows) == (subject.name, varied.ROWS)]
    cases = list(dict.fromkeys((r.kind, r.batch) for r in chosen))
    for group in dict.fromkeys(r.group for r in chosen):
        part = [r for r in chosen if r.group == group]
        own = ("tidewire", BASELINES[group][0])
        bases = {(r.kind, r.batch): r.ns_min for r in part if (r.codec, r.operation) == own}
        table = Table(
            title=f"{subject.title} {group}: {part[0].events:,} different rows of {part[0].columns} varied columns, "
            "caches emptied before each pass; ns per event (times ours, Arrow columns)"
        )
        for head in ("whose", "what", *(f"{kind}s, {batch} a message" for kind, batch in cases)):
            table.add_column(head, justify="left" if head in ("whose", "what") else "right")
        for codec, operation in dict.fromkeys((r.codec, r.operation) for r in part):
            cells = {(r.kind, r.batch): r.ns_min for r in part if (r.codec, r.operation) == (codec, operation)}
            row = [_cell(cells.get(case), bases.get(case)) for case in cases]
            table.add_row(codec, operation, *row, style="bold" if codec == "tidewire" else None)
        beside = {
            (r.kind, r.batch): r.ns_min
            for r in results
            if (r.protocol, r.rows, r.codec, r.operation) == (subject.name, "recorded", "tidewire", BASELINES[group][0])
        }
        if any(case in beside for case in cases):
            row = [_cell(beside.get(case), bases.get(case)) for case in cases]
            table.add_row("tidewire", "the recorded updates, in cache", *row, style="dim")
        console.print(table)


def print_many(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """ns per event by number of tables, up to thousands, and the ratio to one table."""
    chosen = [r for r in results if (r.protocol, r.group) == (subject.name, many.GROUP)]
    if not chosen:
        return
    counts = sorted({r.tables for r in chosen})
    table = Table(title=f"{subject.title} decode: thousands of tables of 8 columns, ns per event (times one table)")
    for head in ("a message", "what", "order", *(f"{count:,} tables" if count > 1 else "1 table" for count in counts)):
        table.add_column(head, justify="left" if head in ("what", "order") else "right")
    for batch, operation, order in dict.fromkeys((r.batch, r.operation, r.rows) for r in chosen):
        cells = {r.tables: r.ns_min for r in chosen if (r.batch, r.operation, r.rows) == (batch, operation, order)}
        table.add_row(str(batch), operation, order, *[_cell(cells.get(count), cells.get(1)) for count in counts])
    console.print(table)


def print_texts(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """GB of messages a second with long text, and the share of what copying them reaches."""
    chosen = [r for r in results if (r.protocol, r.group) == (subject.name, escapes.GROUP)]
    if not chosen:
        return
    table = Table(title=f"{subject.title} decode: rows with a long text, GB of messages a second (share of memcpy's)")
    table.add_column("text")
    series = list(dict.fromkeys((r.codec, r.operation) for r in chosen))
    for codec, operation in series:
        table.add_column(f"{codec}, {operation}", justify="right")
    for rows in dict.fromkeys(r.rows for r in chosen):
        speeds = {(r.codec, r.operation): escapes.gigabytes_per_second(r) for r in chosen if r.rows == rows}
        copied = speeds.get((escapes.COPY, escapes.COPIED))
        cells = [
            "" if speed is None else f"{speed:.2f}" + (f" ({speed / copied:.2f})" if copied else "")
            for speed in map(speeds.get, series)
        ]
        table.add_row(rows, *cells)
    console.print(table)


def print_blocks(console: Console, subject: Subject, results: Sequence[Result]) -> None:
    """ns per event with a short and a long schema block that all messages share."""
    chosen = [r for r in results if (r.protocol, r.group) == (subject.name, blocks.GROUP)]
    if not chosen:
        return
    table = Table(title=f"{subject.title} decode: schema blocks that all messages share, ns per event")
    table.add_column("what")
    for which in blocks.LABELS:
        size = next(r.bytes_per_event or 0.0 for r in chosen if r.rows == which)
        table.add_column(f"{which}: {size:,.0f} bytes a message", justify="right")
    for codec, operation in dict.fromkeys((r.codec, r.operation) for r in chosen):
        cells = {r.rows: r.ns_min for r in chosen if (r.codec, r.operation) == (codec, operation)}
        table.add_row(f"{codec}, {operation}", *[_cell(cells.get(which)) for which in blocks.LABELS])
    console.print(table)


def print_starts(console: Console, starts: Sequence[startup.Start]) -> None:
    """Milliseconds of fresh processes."""
    if not starts:
        return
    table = Table(title=f"a fresh process, from start to end: medians of {starts[0].repeats}, ms")
    table.add_column("what")
    for head in ("wall", "CPU", "wall above import pyarrow"):
        table.add_column(head, justify="right")
    arrow = next((start.wall for start in starts if start.what == startup.ARROW), None)
    for start in starts:
        above = "" if arrow is None else f"{(start.wall - arrow) * 1000:+,.0f}"
        table.add_row(start.what, f"{start.wall * 1000:,.0f}", f"{start.cpu * 1000:,.0f}", above)
    console.print(table)


def print_sizes(console: Console, sizes: Sequence[Size]) -> None:
    """The document's size table."""
    table = Table(title="bytes of the protocol document's cases (key and value; zlib level 6 in brackets)")
    table.add_column("format")
    for case in (0, 1):
        table.add_column(f"case {case}", justify="right")
    table.add_column("document and released format", justify="right")
    for codec in EXPECTED:
        cells = [f"{s.raw} ({s.deflated})" for s in sizes if s.codec == codec]
        table.add_row(codec, *cells, " / ".join(map(str, EXPECTED[codec])))
    console.print(table)


def print_memory(console: Console, report: Sequence[dict[str, int]]) -> None:
    """Peak memory growth."""
    if not report:
        return
    table = Table(title="peak resident memory above the start, decoding to Arrow columns")
    for head in ("batch", "events", "after 1 batch", f"after {report[0]['repeats']} batches", "one batch / its bytes"):
        table.add_column(head, justify="right")
    for entry in report:
        table.add_row(
            f"{entry['batch_bytes'] / 2**20:.0f} MB",
            f"{entry['events']:,}",
            f"{entry['growth_once'] / 2**20:.1f} MB",
            f"{entry['growth_again'] / 2**20:.1f} MB",
            f"{entry['growth_once'] / entry['batch_bytes']:.1f}",
        )
    console.print(table)


def print_spark(console: Console, report: Sequence[dict[str, Any]]) -> None:
    """Spark surfaces."""
    if not report:
        return
    table = Table(title="through Spark local[1], Parquet to noop sink")
    for head in (
        "surface",
        "batch",
        "ns per message",
        "less the scan",
        "less fixed cost",
        "ns per event",
        "fixed",
        "messages",
    ):
        table.add_column(head, justify="left" if head == "surface" else "right")
    scans = {entry["batch"]: entry["ns_per_message_min"] for entry in report if entry["surface"] == "scan"}
    for entry in report:
        best = entry["ns_per_message_min"]
        table.add_row(
            entry["surface"],
            str(entry["batch"]),
            f"{best:,.0f}",
            f"{best - scans.get(entry['batch'], 0):,.0f}",
            f"{entry['ns_per_message_net']:,.0f}",
            f"{best / entry['batch']:,.0f}",
            f"{entry['fixed_ms']:,.0f} ms",
            f"{entry['messages']:,}",
            style="bold" if entry["surface"].endswith("typed rows") else None,
        )
    console.print(table)


def print_verdicts(console: Console, verdicts: Sequence[Verdict], whole: bool = True) -> None:
    """One line per target; of a run that is not ``whole``, what it did not measure is only counted."""
    shown = [verdict for verdict in verdicts if whole or verdict.measured is not None]
    if len(shown) < len(verdicts):
        console.print(f"{len(verdicts) - len(shown)} targets are not of this run", style="dim", highlight=False)
    for verdict in shown:
        colour = "green" if verdict.reached else "yellow" if verdict.measured is None else "red"
        console.print(verdict.line(), style=colour, highlight=False, soft_wrap=True)


def _cell(value: float | None, *bases: float | None) -> str:
    if value is None:
        return ""
    ratios = " / ".join(_ratio(value / base) if base else "-" for base in bases)
    return f"{value:,.0f} ({ratios})" if any(bases) else f"{value:,.0f}"


def _ratio(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.1f}" if ratio >= 1 else f"{ratio:.2f}"

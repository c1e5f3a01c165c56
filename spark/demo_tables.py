"""What `make run` shows: events, final rows, whether tables agree, throughput."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyarrow import parquet
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import tidewire
from tidewire.events import KINDS
from tidewire.spark.demo_losses import LostImages, differences

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

MOST_WIDTH = 26
"""Characters of a column that are shown."""
MOST_ROWS = 6
"""Rows of a table that are shown."""

MOST_DIFFERENCES = 4
"""Numbers of events that are shown as a sentence where they differ."""

ENCODINGS: Mapping[str, tuple[str, Mapping[str, str]]] = {"simple_records": ("simple", {"encoding-format": "avro"})}
"""What is no protocol's name: the protocol, and the options with which its messages are read."""

Name = tuple[str, str]
"""Schema and table."""
Counts = Mapping[Name, Mapping[str, int]]
"""How many events of each kind a table has."""


def protocol_of(title: str) -> str:
    """The protocol that a capture is of."""
    return ENCODINGS.get(title, (title, {}))[0]


def folder_of(out: Path, name: Name) -> Path:
    """The folder of a table."""
    return out.joinpath(*[part.replace("/", "_") for part in name])


def dotted(name: Name) -> str:
    """``schema.table``, for people."""
    return escape(".".join(part for part in name if part))


# ---- events


def show_events(topics: Sequence[tuple[str, Counts, Sequence[str]]], console: Console) -> None:
    """How many events of which kind each table has: once where the topics agree.

    Args:
        topics: protocol, counts, and why messages could not be decoded.
        console: where to print.
    """
    shown: list[tuple[list[str], Counts]] = []
    for protocol, counts, _ in topics:
        for names, other in shown:
            if other == counts:
                names.append(protocol)
                break
        else:
            shown.append(([protocol], counts))
    (names, first), *others = shown
    console.print(_event_table(f"Events of {listed(names)}", first))
    for names, counts in others:
        told = list(_told_otherwise(first, counts))
        if len(told) > MOST_DIFFERENCES:
            console.print(_event_table(f"Events of {listed(names)}", counts))
        else:
            console.print(f"{listed(names)}: the same but for {'; '.join(told)}.\n")
    for protocol, _, bad in topics:
        for reason in bad:
            console.print(f"[red]{protocol}, {escape(reason)}")


def _told_otherwise(first: Counts, counts: Counts) -> Iterator[str]:
    """The numbers of events that differ, as sentences have them."""
    for name in sorted({*first, *counts}):
        one, other = (each.get(name, {}) for each in (first, counts))
        for kind in KINDS:
            if one.get(kind, 0) != other.get(kind, 0):
                yield f"{other.get(kind, 0)} {kind} events of {dotted(name) or 'no table'}, not {one.get(kind, 0)}"


def _event_table(title: str, counts: Counts) -> Table:
    kinds = [kind for kind in KINDS if any(kind in one for one in counts.values())]
    table = Table(title=title, title_justify="left")
    table.add_column("table", min_width=8, overflow="fold")
    for kind in kinds:
        table.add_column(kind, justify="right")
    for name, one in sorted(counts.items(), key=lambda each: (not each[0][0], each[0])):
        table.add_row(dotted(name) or "[dim](none)[/]", *[str(one.get(kind, "")) for kind in kinds])
    table.add_section()
    table.add_row(
        "[bold]in all[/]", *[f"[bold]{sum(one.get(kind, 0) for one in counts.values())}[/]" for kind in kinds]
    )
    return table


# ---- final rows


def show_final_rows(out: Path, schemas: Mapping[Name, StructType], console: Console) -> None:
    """The rows that are left in each table after its last change."""
    left = {name: final_rows(folder_of(out, name), schema) for name, schema in schemas.items()}
    console.print("[bold]Final rows[/], as the row changes leave them; DDL statements are not applied.\n")
    for name, rows in left.items():
        if rows:
            _show_rows(name, schemas[name].names, rows, console)
    empty = [dotted(name) for name, rows in left.items() if not rows]
    console.print(f"No row is left in {', '.join(empty)}.\n" if empty else "")


def final_rows(folder: Path, schema: StructType) -> list[list[str]]:
    """The rows that a table has after its last change, as text: the newest image of each key that is still there.

    A table without a key has every row as often as it was inserted more than deleted. DDL that empties tables is not
    applied.
    """
    changes = [row for row in parquet.read_table(folder).to_pylist() if row["_corrupt_record"] is None]
    changes.sort(key=lambda row: (row["_commit_timestamp"], row["_commit_version"] or 0, row["_commit_rank"]))
    keys = [field.name for field in schema if field.metadata["handle_key"]]
    newest: dict[tuple[object, ...], list[str]] = {}
    counts: Counter[tuple[str, ...]] = Counter()
    for change in changes:
        row = [_text(change[name]) for name in schema.names]
        there = change["_change_type"] in ("insert", "update_postimage")
        if not keys:
            counts[tuple(row)] += 1 if there else -1
        elif there:
            newest[tuple(change[key] for key in keys)] = row
        else:
            newest.pop(tuple(change[key] for key in keys), None)
    if keys:
        return [newest[key] for key in sorted(newest, key=lambda key: tuple(map(_sortable, key)))]
    return [list(row) for row, times in counts.items() for _ in range(times)]


def _sortable(value: object) -> tuple[int, object]:
    return (0, value) if isinstance(value, int | Decimal) else (1, str(value))


def _text(value: object) -> str:
    if value is None:
        return "NULL"
    return f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)


def _show_rows(name: Name, columns: list[str], rows: list[list[str]], console: Console) -> None:
    """The final rows of one table: as many of its columns as the console has room for."""
    shown: list[tuple[str, int]] = []
    room = console.width
    for column, name_of in enumerate(columns):
        width = min(MOST_WIDTH, max(len(name_of), *(len(_clipped(row[column])) for row in rows[:MOST_ROWS])))
        room -= width + 3
        if room < 0:
            break
        shown.append((name_of, width))
    hidden = len(columns) - len(shown)
    more = f" [dim]({hidden} more columns)[/]" if hidden else ""
    console.print(f"[bold]{dotted(name)}[/]: {len(rows)} row{'s' if len(rows) > 1 else ''}{more}")
    table = Table(show_edge=False)
    for heading, width in shown:
        table.add_column(escape(heading), overflow="ellipsis", no_wrap=True, width=width)
    for row in rows[:MOST_ROWS]:
        table.add_row(*[escape(_clipped(value)) for value in row[: len(shown)]])
    if len(rows) > MOST_ROWS:
        table.add_row(*["…" for _ in shown])
    console.print(table)
    console.print()


def _clipped(value: str) -> str:
    return "".join(letter if letter.isprintable() else "·" for letter in value[:60])


# ---- the same tables out of each protocol


def compare(folders: Mapping[str, Path], schemas: Mapping[Name, StructType], console: Console) -> bool:
    """Compares the tables of each protocol with those of the first one, row by row, and prints whether they are the
    same but for what the protocol's spec names.

    Args:
        folders: of each protocol, with a folder for each table.
        schemas: of the tables, by name.
        console: where to print.
    """
    if len(folders) < 2:
        return True
    table = Table(title="Row images", title_justify="left")
    table.add_column("table", min_width=8, overflow="fold")
    table.add_column("images", justify="right", min_width=6)
    table.add_column("values", justify="right", min_width=6)
    table.add_column("", min_width=4, overflow="fold")
    facts = {protocol: tidewire.protocols()[protocol_of(protocol)].load().FACTS for protocol in folders}
    lost = {protocol: LostImages(Counter(), Counter()) for protocol in folders}
    same, rows, values = True, 0, 0
    for name, schema in schemas.items():
        images = {protocol: _images(folder_of(folder, name)) for protocol, folder in folders.items()}
        expected = next(iter(images.values()))
        found = {protocol: differences(expected, one, schema, facts[protocol]) for protocol, one in images.items()}
        for protocol, one in found.items():
            if one is not None:
                lost[protocol].values.update(one.values)
                lost[protocol].images.update(one.images)
        width = max(map(len, expected), default=0)
        table.add_row(
            dotted(name),
            f"{len(expected):,}",
            f"{len(expected) * width:,}",
            _verdict(found),
        )
        same, rows, values = same and None not in found.values(), rows + len(expected), values + len(expected) * width
    console.print(table)
    titles = listed(list(folders))
    if same:
        but = ", but for what is lost" if any(one.any for one in lost.values()) else ""
        console.print(
            f"[bold]The same {len(schemas)} tables[/] come out of {titles}: {rows} row images, {values:,} values, "
            f"commit ts, change types and order included, are equal{but}."
        )
    else:
        console.print(f"[red]The tables that come out of {titles} differ.[/]")
    for protocol, one in lost.items():
        for counted, what in ((one.values, "value"), (one.images, "row image")):
            for reason, count in sorted(counted.items()):
                said = f"{count} {what}{'s' * (count > 1)}, {reason}: {facts[protocol].reasons[reason]}"
                console.print(f"[yellow]≈[/] {protocol} loses {escape(said)}")
    console.print()
    return same


def _verdict(found: Mapping[str, LostImages | None]) -> str:
    """Which protocols have other row images of a table: those that lose some, or else differ."""
    wrong = [protocol for protocol, one in found.items() if one is None]
    if wrong:
        return f"[red]different: {', '.join(wrong)}[/]"
    lossy = [protocol for protocol, one in found.items() if one is not None and one.any]
    return f"[yellow]≈ {', '.join(lossy)}[/]" if lossy else "same"


def _images(folder: Path) -> list[dict[str, Any]]:
    """All row images of a table, in an order that does not depend on where they were read; the order between them is in
    their commit ts and rank.
    """
    rows = parquet.read_table(folder).drop_columns(["_corrupt_record"]).to_pylist()
    return sorted(rows, key=lambda row: [str(value) for value in row.values()])


# ---- throughput


class Throughput:
    """How long jobs took, for a table."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.rows: list[tuple[str, str, int, float]] = []

    def add(self, protocol: str, title: str, events: int, seconds: float) -> None:
        """A job that took that long for so many events."""
        self.rows.append((protocol, title, events, seconds))


def show_throughput(found: Throughput, console: Console) -> None:
    """Seconds, events a second, and what an event costs."""
    most = max(events for _, _, events, _ in found.rows)
    table = Table(
        title=f"Throughput: {most:,} events; µs of one core, of which there are {found.cores}", title_justify="left"
    )
    for heading in ("", "", "seconds", "events a second", "µs an event"):
        table.add_column(heading, justify="right" if heading else "left", overflow="fold")
    for protocol, title, events, seconds in found.rows:
        table.add_row(
            protocol,
            escape(title),
            f"{seconds:.2f}",
            f"{events / seconds:,.0f}",
            f"{seconds * found.cores / events * 1e6:.1f}",
        )
    console.print(table)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence: `a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last

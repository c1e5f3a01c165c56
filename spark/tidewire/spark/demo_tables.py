"""The output of `make run`: events, final rows, and whether the tables agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pyarrow import parquet
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import tidewire
from tidewire.events import KINDS
from tidewire.runtime.errors import TidewireError
from tidewire.spark.demo_losses import LostImages, differences, reasons
from tidewire.spark.demo_told import Image, Name, ToldTable, in_order

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from tidewire.messages.protocol_facts import ProtocolFacts

MOST_WIDTH = 26
"""The width of a shown column, in characters."""
MOST_ROWS = 6
"""The most rows of a table that are shown."""

MOST_TABLES = 3
"""The most tables whose rows are shown on the screen; the report has all."""
MOST_LOSERS = 3
"""The most protocols with losses that get a line on the screen."""

MOST_DIFFERENCES = 4
"""The most differing event counts that are shown as sentences."""

WRITTEN: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "simple_records": ("simple", {"encoding-format": "avro"}),
    "avro": ("avro", {"enable-tidb-extension": "true", "avro-enable-watermark": "true"}),
    "debezium_avro": (
        "debezium-avro",
        {
            "enable-tidb-extension": "true",
            "avro-enable-watermark": "true",
            "avro-bigint-unsigned-handling-mode": "string",
        },
    ),
}
"""For captures that do not use a protocol's default options: the protocol, and the options that the capture was written
with.
"""
PLACES = ("_partition", "_offset")
"""The columns with the topic position of a row's message."""

Counts = Mapping[Name, Mapping[str, int]]
"""By table, the number of events of each kind."""


def protocol_of(title: str) -> str:
    """The protocol of a capture."""
    return WRITTEN.get(title, (title, {}))[0]


def facts_of(title: str) -> ProtocolFacts:
    """The facts about a capture's protocol."""
    facts: ProtocolFacts = tidewire.protocols()[protocol_of(title)].load().FACTS
    return facts


def reading_options(title: str, capture: Path) -> dict[str, str]:
    """The protocol's options for reading a capture.

    If a registry has the schemas of records, they are in a file beside the capture: ``avro_topic.registry.json`` beside
    ``avro_topic.jsonl.gz``.

    Args:
        title: of the capture.
        capture: the file with its messages.

    Raises:
        TidewireError: the file with the schemas does not exist.
    """
    options = dict(WRITTEN.get(title, ("", {}))[1])
    registry = facts_of(title).registry
    if registry is not None:
        schemas = capture.with_name(f"{capture.name.partition('.')[0]}.registry.json")
        if not schemas.is_file():
            raise TidewireError(
                f"there is no file {schemas}, and the schemas of {protocol_of(title)} are not in its messages: save "
                "them there, as `tidewire registry snapshot` does"
            )
        options[registry] = str(schemas.resolve())
    return options


def writing_options(title: str) -> dict[str, Any]:
    """All options that a capture was written with, including the producer."""
    options = tidewire.protocols()[protocol_of(title)].load().Options.from_strings(WRITTEN.get(title, ("", {}))[1])
    return {one.name: options.value(one.name) for one in options.SPECS}


def folder_of(out: Path, name: Name) -> Path:
    """The folder of a table."""
    return out.joinpath(*[part.replace("/", "_") for part in name])


def folders_of(out: Path, names: Iterable[Name]) -> list[Path]:
    """The folders of tables, for those that have rows."""
    return [folder for folder in (folder_of(out, name) for name in names) if parquet.read_table(folder).num_rows]


def dotted(name: Name) -> str:
    """``schema.table``, for display."""
    return escape(".".join(part for part in name if part))


# ---- events


def show_events(topics: Sequence[tuple[str, Counts, Sequence[str]]], console: Console, report: Console) -> None:
    """Prints how many events of each kind each table has; once for topics that agree.

    Args:
        topics: protocol, counts, and the reasons why messages could not be decoded.
        console: receives the counts of the first topic.
        report: receives all.
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
    for each in (console, report):
        each.print(_event_table(f"Events of {listed(names)}", first))
    for names, counts in others:
        told = list(_told_otherwise(first, counts))
        if len(told) > MOST_DIFFERENCES:
            report.print(_event_table(f"Events of {listed(names)}", counts))
        else:
            report.print(f"{listed(names)}: the same but for {'; '.join(told)}.\n")
    for protocol, _, bad in topics:
        for number, reason in enumerate(bad):
            report.print(f"[red]{protocol}, {escape(reason)}")
            if number < MOST_LOSERS:
                console.print(f"[red]{protocol}, {escape(reason)}")


def _told_otherwise(first: Counts, counts: Counts) -> Iterator[str]:
    """Sentences about the event counts that differ."""
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


def show_final_rows(
    title: str, out: Path, schemas: Mapping[Name, StructType], console: Console, report: Console
) -> None:
    """Prints the rows of each table after its last change, computed from a capture.

    Args:
        title: of the capture.
        out: the folder with its tables.
        console: receives some of the tables.
        report: receives all.
    """
    untold = [name for name, schema in schemas.items() if facts_of(title).deletes_by_key and not keys_of(schema)]
    left = {name: final_rows(folder_of(out, name), one) for name, one in schemas.items() if name not in untold}
    filled = {name: rows for name, rows in left.items() if rows}
    for each, most in ((console, MOST_TABLES), (report, len(filled))):
        of = f"{most} of {len(filled)} tables" if most < len(filled) else "the tables"
        each.print(f"\n[bold]What is left[/] in {of} after the last change; DDL is not applied\n")
        for name, rows in list(filled.items())[:most]:
            _show_rows(name, schemas[name].names, rows, each)
    empty = [dotted(name) for name, rows in left.items() if not rows]
    report.print(f"No row is left in {', '.join(empty)}.\n" if empty else "")
    if untold:
        names = ", ".join(map(dotted, untold))
        report.print(f"Which rows are left in {names} is not to be told: the rows that are gone have no key.\n")


def final_rows(folder: Path, schema: StructType) -> list[list[str]]:
    """The rows of a table after its last change, as text: the newest image of each key that was not deleted.

    A row of a table without a key is repeated as often as it was inserted more than deleted. DDL that empties tables is
    not applied. If some change has no commit time, changes are applied in topic order; all changes of a row are in one
    partition.
    """
    changes = [row for row in parquet.read_table(folder).to_pylist() if row["_corrupt_record"] is None]
    if all(row["_commit_timestamp"] for row in changes):
        changes.sort(key=lambda row: (row["_commit_timestamp"], row["_commit_version"] or 0, row["_commit_rank"]))
    else:
        changes.sort(key=lambda row: (*[row[place] for place in PLACES], row["_commit_rank"]))
    keys = keys_of(schema)
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


def keys_of(schema: StructType) -> list[str]:
    """The columns that identify a row."""
    return [field.name for field in schema if field.metadata["handle_key"]]


def _sortable(value: object) -> tuple[int, object]:
    return (0, value) if isinstance(value, int | Decimal) else (1, str(value))


def _text(value: object) -> str:
    if value is None:
        return "NULL"
    return f"x'{value.hex()}'" if isinstance(value, bytes) else str(value)


def _show_rows(name: Name, columns: list[str], rows: list[list[str]], console: Console) -> None:
    """Prints the final rows of one table, with as many columns as fit the console."""
    shown: list[tuple[str, int]] = []
    room = console.width
    for column, name_of in enumerate(columns):
        width = min(MOST_WIDTH, max(len(name_of), *(len(_clipped(row[column])) for row in rows[:MOST_ROWS])))
        room -= width + 3
        if room < 0:
            break
        shown.append((name_of, width))
    hidden = len(columns) - len(shown)
    more = f" [dim]({hidden} more {'column' if hidden == 1 else 'columns'})[/]" if hidden else ""
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


class Compared(NamedTuple):
    """The result of comparing the tables of some protocols."""

    titles: Sequence[str]
    same: bool
    images: int
    values: int
    lost: Mapping[str, LostImages]
    """What each protocol lost."""

    def shown(self, tables: int) -> list[str]:
        """The result in a few lines, for the screen."""
        if len(self.titles) < 2:
            return []
        if not self.same:
            return [f"[red]The tables that come out of {listed(self.titles)} differ.[/]"]
        losers = {name: one for name, one in self.lost.items() if one.any}
        but = ", but for what is lost:" if losers else "."
        lines = [
            f"[bold]The same {tables} tables[/] come out of {len(self.titles)} captures, with Spark and without: "
            f"{self.images:,} row images, {self.values:,} values, are equal{but}"
        ]
        for name, one in list(losers.items())[:MOST_LOSERS]:
            counts = [(one.values.total(), "value"), (one.images.total(), "row image")]
            told = " and ".join(f"{count:,} {what}{'s' * (count > 1)}" for count, what in counts if count)
            lines.append(f"  [yellow]≈[/] {name} loses {told}")
        if len(losers) > MOST_LOSERS:
            lines[-1] += f"; {len(losers) - MOST_LOSERS} more lose some"
        return lines


def compare(
    folders: Mapping[str, Path],
    schemas: Mapping[Name, StructType],
    told: Mapping[str, Mapping[Name, ToldTable]],
    report: Console,
) -> Compared:
    """Compares the tables of each protocol with those of the first, row by row. Reports whether they are equal except
    for what the protocol's spec lists as lost and its records omit.

    Args:
        folders: by protocol, the folder with a folder for each table.
        schemas: of the tables, by name.
        told: by protocol, the tables under the protocol's names.
        report: receives the result.
    """
    titles = list(folders)
    if len(folders) < 2:
        return Compared(titles, True, 0, 0, {})
    table = Table(title="Row images", title_justify="left")
    table.add_column("table", min_width=8, overflow="fold")
    table.add_column("images", justify="right", min_width=6)
    table.add_column("values", justify="right", min_width=6)
    table.add_column("", min_width=4, overflow="fold")
    facts = {protocol: facts_of(protocol) for protocol in folders}
    options = {protocol: writing_options(protocol) for protocol in folders}
    lost = {protocol: LostImages(Counter(), Counter()) for protocol in folders}
    same, rows, values = True, 0, 0
    for name, schema in schemas.items():
        images = {protocol: _images(folder_of(folder, name)) for protocol, folder in folders.items()}
        expected = next(iter(images.values()))
        found = {
            protocol: differences(expected, one, schema, facts[protocol], options[protocol])
            for protocol, one in images.items()
        }
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
    report.print(table)
    if same:
        but = ", but for what is lost" if any(one.any for one in lost.values()) else ""
        report.print(
            f"The same {len(schemas)} tables come out of {listed(titles)}: {rows} row images, {values:,} values, "
            f"commit ts, change types and order included, are equal{but}."
        )
    else:
        report.print(f"[red]The tables that come out of {listed(titles)} differ.[/]")
    for protocol, one in lost.items():
        for counted, what in ((one.values, "value"), (one.images, "row image")):
            for reason, count in sorted(counted.items()):
                said = f"{count} {what}{'s' * (count > 1)}, {reason}: {reasons(facts[protocol])[reason]}"
                report.print(f"[yellow]≈[/] {protocol} loses {escape(said)}")
    for protocol, tables in told.items():
        for name, one_told in tables.items():
            if one_told.name != name:
                report.print(f"[yellow]≈[/] {protocol} names {dotted(name)} otherwise: {dotted(one_told.name)}")
    report.print()
    return Compared(titles, same, rows, values, lost)


def _verdict(found: Mapping[str, LostImages | None]) -> str:
    """A cell: the protocols whose row images of a table lose something, or differ without explanation."""
    wrong = [protocol for protocol, one in found.items() if one is None]
    if wrong:
        return f"[red]different: {', '.join(wrong)}[/]"
    lossy = [protocol for protocol, one in found.items() if one is not None and one.any]
    return f"[yellow]≈ {', '.join(lossy)}[/]" if lossy else "same"


def _images(folder: Path) -> list[Image]:
    """All row images of a table, in an order independent of how they were read. Their sequence is in their commit ts
    and rank.
    """
    return in_order(parquet.read_table(folder).drop_columns([*PLACES, "_corrupt_record"]).to_pylist())


def listed(names: Sequence[str]) -> str:
    """Joins names for a sentence: `a`, `a and b`, `a, b and c`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last

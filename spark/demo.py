"""Decodes a captured topic into Parquet tables, and shows what is in it: the job behind `make run`.

python -m tidewire.spark.demo [CAPTURE] [--out DIR]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pyarrow import parquet
from pyspark.sql import functions as F
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import tidewire.runtime
from tidewire.events import KINDS
from tidewire.runtime.errors import TidewireError
from tidewire.spark import from_ticdc, local_session, rows_from_ticdc, table_schemas

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

CAPTURE = "examples/craft_topic.jsonl.gz"
PROTOCOL = "craft"
OPTIONS = {"timezone": "Asia/Shanghai"}  # the changefeed's, in which TIMESTAMP values are written
_QUICK = {
    # many small jobs: what their compilation costs is more than it brings
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
COPIES = 1000
"""How many times the capture is decoded to measure throughput."""
MOST_WIDTH = 26
"""Characters of a column that are shown."""
MOST_ROWS = 6
"""Rows of a table that are shown."""

Name = tuple[str, str]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the job; 1 and a sentence when it cannot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("capture", nargs="?", default=CAPTURE, help=f"messages as JSON lines (default {CAPTURE})")
    parser.add_argument("--out", default="out", help="folder for the tables (default out)")
    given = parser.parse_args(arguments)
    try:
        run(Path(given.capture), Path(given.out), Console())
    except TidewireError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def run(capture: Path, out: Path, console: Console) -> None:
    """Decodes `capture` into `out`/schema/table and prints events, final rows and throughput.

    Args:
        capture: JSON lines with key and value in base64, topic, partition, offset, timestamp; may be gzipped.
        out: where the tables go, each replaced when it is there.
        console: where to print.

    Raises:
        TidewireError: there is no capture, or no Java.
    """
    if not capture.is_file():
        raise TidewireError(f"there is no capture {capture}: run this in the repository, or name a file of messages")
    started = time.perf_counter()
    with console.status("starting Spark"):
        spark = local_session("tidewire demo", conf=_QUICK)
    ready = time.perf_counter()
    try:
        messages = read_capture(spark, capture).cache()
        with console.status("decoding"):
            events = from_ticdc(messages, PROTOCOL).cache()
            show_events(events, console)
            schemas = table_schemas(messages, PROTOCOL, OPTIONS)
        with console.status(f"writing {len(schemas)} tables"):
            write_tables(messages, schemas, out)
        decoded = time.perf_counter()
        left = {name: final_rows(place(out, name), schema) for name, schema in schemas.items()}
        console.print("[bold]Final rows[/], as the row changes leave them; DDL statements are not applied.\n")
        for name, rows in left.items():
            if rows:
                show_rows(name, schemas[name].names, rows, console)
        empty = [".".join(name) for name, rows in left.items() if not rows]
        console.print(f"No row is left in {escape(', '.join(empty))}.\n" if empty else "")
        with console.status("measuring"):
            show_throughput(spark, messages, schemas, console)
    finally:
        spark.stop()
    mode = tidewire.runtime.compiled_reason
    console.print(
        f"[bold]{len(schemas)} tables[/] are under {escape(str(out))}/ as Parquet, a row for each row image. "
        f"Codec: {mode}. Spark's start {ready - started:.1f} s, decoding and writing {decoded - ready:.1f} s, "
        f"in all {time.perf_counter() - started:.1f} s."
    )


def read_capture(spark: SparkSession, capture: Path) -> DataFrame:
    """A capture as a frame like that of Spark's Kafka source."""
    schema = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"
    return spark.read.schema(schema).json(str(capture))


def show_events(events: DataFrame, console: Console) -> None:
    """How many events of which kind each table has."""
    counts = events.groupBy("schema", "table").pivot("kind", list(KINDS)).count().fillna(0)
    counted = counts.orderBy(F.col("schema").asc_nulls_last(), F.col("table").asc_nulls_last()).collect()
    kinds = [kind for kind in KINDS if any(row[kind] for row in counted)]
    table = Table(title="Events", title_justify="left")
    table.add_column("table")
    for kind in kinds:
        table.add_column(kind, justify="right")
    for row in counted:
        name = ".".join(escape(part) for part in (row.schema, row.table) if part is not None)
        table.add_row(name or "[dim](none)[/]", *[str(row[kind]) if row[kind] else "" for kind in kinds])
    total = [f"[bold]{sum(row[kind] for row in counted)}[/]" for kind in kinds]
    table.add_section()
    table.add_row("[bold]in all[/]", *total)
    console.print(table)
    bad = (
        events.filter("_corrupt_record IS NOT NULL")
        .select("_corrupt_record.reason", "_corrupt_record.offset")
        .collect()
    )
    for row in bad:
        console.print(f"[red]offset {row.offset} could not be decoded:[/] {escape(row.reason)}")


def place(out: Path, name: Name) -> Path:
    """The folder of a table."""
    return out.joinpath(*[part.replace("/", "_") for part in name])


def sql_name(name: Name) -> str:
    """``schema.table`` in backquotes."""
    return ".".join("`" + part.replace("`", "``") + "`" for part in name)


def write_tables(messages: DataFrame, schemas: Mapping[Name, StructType], out: Path) -> None:
    """One folder of Parquet for each table."""

    def write(name: Name) -> None:
        rows = rows_from_ticdc(messages, PROTOCOL, sql_name(name), schemas[name], OPTIONS)
        rows.coalesce(1).write.mode("overwrite").parquet(str(place(out, name)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, schemas))


def final_rows(folder: Path, schema: StructType) -> list[list[str]]:
    """The rows that a table has after its last change, as text: the newest image of each key that is still there.

    A table without a key has every row as often as it was inserted more than deleted. DDL that empties tables is not
    applied.
    """
    changes = [row for row in parquet.read_table(folder).to_pylist() if row["_corrupt_record"] is None]
    changes.sort(key=lambda row: (row["_commit_version"], row["_commit_rank"]))
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


def show_rows(name: Name, columns: list[str], rows: list[list[str]], console: Console) -> None:
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
    console.print(f"[bold]{escape('.'.join(name))}[/]: {len(rows)} row{'s' if len(rows) > 1 else ''}{more}")
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


def show_throughput(
    spark: SparkSession, messages: DataFrame, schemas: Mapping[Name, StructType], console: Console
) -> None:
    """How fast many copies of the capture are read, decoded to events, and to the rows of its largest table."""
    one = F.broadcast(messages.select("value", "topic", "partition", "offset"))
    name = max(schemas, key=lambda each: len(schemas[each]))
    number = COPIES * messages.count()

    def jobs(copies: int) -> dict[str, DataFrame]:
        many = spark.range(copies).crossJoin(one).drop("id")
        rows = rows_from_ticdc(many, PROTOCOL, sql_name(name), schemas[name], OPTIONS)
        return {
            "reading alone": many,
            "to events": from_ticdc(many, PROTOCOL),
            f"to rows of {'.'.join(name)}": rows,
        }

    cores = spark.sparkContext.defaultParallelism
    table = Table(title=f"Throughput: {number:,} messages on {cores} cores", title_justify="left")
    for heading in ("", "seconds", "messages a second", "µs a message and core"):
        table.add_column(heading, justify="left" if not heading else "right")
    for frame in jobs(COPIES // 10).values():  # once for the JVM's compiler
        frame.write.format("noop").mode("overwrite").save()
    for title, frame in jobs(COPIES).items():
        start = time.perf_counter()
        frame.write.format("noop").mode("overwrite").save()
        took = time.perf_counter() - start
        table.add_row(escape(title), f"{took:.2f}", f"{number / took:,.0f}", f"{took * cores / number * 1e6:.1f}")
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())

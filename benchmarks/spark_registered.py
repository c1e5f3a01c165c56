"""Rows of Avro with a schema registry through Spark: ours, beside Spark's own from_avro of the same messages.

    python -m benchmarks.spark_registered [--messages N] [--repeats N]

shows what processors have to do, besides. In `make bench` it has a session of its own, since from_avro is in a jar that
pyspark lacks and that is fetched once. As there: one core, from Parquet into the noop sink; the ways take turns.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import spark_bench
from benchmarks.cases import Update, recorded
from benchmarks.peers import Message
from benchmarks.spark_simple import described

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidewire.messages.registry import MemorySchemas

TYPED = "Tidewire's typed rows from Avro"
FROM_AVRO = "`from_avro` with casts"
FROM_AVRO_BARE = "`from_avro` alone, nothing cast, images not parted"
CONTAINS = {
    f"Spark: {TYPED}": "tidewire.spark: both images of every update as rows in the table's types, change columns; "
    "schemas in a saved file",
    f"Spark: {FROM_AVRO}": "spark-avro's from_avro of the value without its first five bytes, with the schema that was "
    "registered, explode into both images, casts to the table's types",
    f"Spark: {FROM_AVRO_BARE}": "from_avro of the same alone",
}
TARGET = 2.0
"""How many times as fast as from_avro with casts the typed rows are to be."""


def messages(rows: Sequence[Update], schemas: MemorySchemas) -> list[Message]:
    """The rows, one message each, with both images and TiDB's extension."""
    from benchmarks.ours import row_change
    from tidewire import avro

    options = avro.Options(producer="ticdc", enable_tidb_extension=True, avro_include_before_value=True)
    sent = avro.encode([row_change(row) for row in rows], options, tables=described(), schemas=schemas)
    return [Message(one.key, one.value or b"") for one in sent]


def surfaces(values: DataFrame, schemas: MemorySchemas, types: Mapping[str, str], file: Path) -> dict[str, DataFrame]:
    """Each way to the rows of the recorded table.

    Args:
        values: the messages.
        schemas: of their records.
        types: the table's columns and their types in Spark.
        file: where the schemas are saved.
    """
    from pyspark.sql import functions as F
    from pyspark.sql.avro.functions import from_avro

    from tidewire.spark import rows_from_ticdc

    schemas.save(str(file))
    (schema,) = [one.text for one in schemas.schemas if one.subject.endswith("-value")]
    parsed = values.select(from_avro(F.expr("substring(value, 6)"), schema).alias("r"))
    images = (
        "array(named_struct('k', 'update_preimage', 'r', named_struct({before})), "
        "named_struct('k', 'update_postimage', 'r', named_struct({after})))"
    )
    before, after = (", ".join(f"'{name}', {path}.`{name}`" for name in types) for path in ("r._ticdc_before", "r"))
    rows = parsed.selectExpr(
        "r._tidb_commit_ts as _commit_version", f"explode({images.format(before=before, after=after)}) as i"
    )
    casts = [f"cast(i.r.`{name}` as {kind}) as `{name}`" for name, kind in types.items()]
    declared = ", ".join(f"`{name}` {kind}" for name, kind in types.items())
    options = {"mode": "FAILFAST", "schema-registry": str(file)}
    return {
        TYPED: rows_from_ticdc(values, "avro", "test.bench", declared, options),
        FROM_AVRO: rows.selectExpr("i.k as _change_type", "_commit_version", *casts),
        FROM_AVRO_BARE: parsed,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures, and prints microseconds a message and the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--messages", type=int, default=1_024_000)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args(arguments)
    taken, _ = _taken(given.messages, given.repeats)
    best = {way: [min(figures) * 1e6 for figures in zip(*found, strict=True)] for way, found in taken.items()}
    print(f"{given.messages:,} updates of 8 columns, both images; µs a message, best of {given.repeats}")
    print("time, processors' time, and both divided by ours:")
    for way, (wall, used) in best.items():
        print(f"{wall:6.2f} {used:6.2f}   {wall / best[TYPED][0]:4.2f} {used / best[TYPED][1]:4.2f}   {way}")


def measure(quick: bool, now: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """The figures of each way, as `spark_bench.measure` has them.

    Raises:
        Exception: the jar cannot be fetched, or Spark fails.
    """
    count, repeats = (256_000, 3) if quick else (1_024_000, 5)
    now("spark: Avro beside from_avro")
    taken, fixed = _taken(count, repeats)
    return [
        {
            "surface": way,
            "batch": 1,
            "messages": count,
            "repeats": repeats,
            "fixed_ms": fixed[way] * 1e3,
            "ns_per_message_net": max(min(figures) * 1e9 - fixed[way] / count * 1e9, 0.0),
            "ns_per_message_min": min(figures) * 1e9,
            "ns_per_message_median": statistics.median(figures) * 1e9,
        }
        for way, found in taken.items()
        for figures in [[wall for wall, _ in found]]
    ]


def _taken(count: int, repeats: int) -> tuple[dict[str, list[tuple[float, float]]], dict[str, float]]:
    """For each way and repeat the seconds of a message, by the clock and of the processors; and for each way the
    seconds of the query over one message.

    Args:
        count: messages of a query.
        repeats: how often each query runs.
    """
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from spark_avro import add_spark_avro

    from tidewire.messages.registry import MemorySchemas

    with tempfile.TemporaryDirectory(prefix="tidewire-bench-") as name:
        folder = Path(name)
        spark = spark_bench.session(name)
        try:
            add_spark_avro(spark)
            schemas = MemorySchemas()
            sent = messages(recorded(8192), schemas)

            def ways_of(size: int) -> dict[str, DataFrame]:
                values = spark_bench.parquet(spark, folder / f"avro-{size}", sent, size)
                return surfaces(values, schemas, spark_bench.TYPES, folder / "schemas.json")

            ways = ways_of(count)
            for way in (TYPED, FROM_AVRO):
                spark_bench.check_rows(way, ways[way], count)
            taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
            for _ in range(repeats):
                for way, frame in ways.items():
                    before = _processor_seconds()
                    wall = spark_bench.seconds(frame)
                    taken[way].append((wall / count, (_processor_seconds() - before) / count))
            fixed = {way: min(spark_bench.seconds(frame) for _ in range(repeats)) for way, frame in ways_of(1).items()}
        finally:
            spark.stop()
    return taken, fixed


def _processor_seconds() -> float:
    """What this process and all below it, Spark's JVM and the Python workers, have used of the processors (Linux)."""
    parents: dict[int, int] = {}
    ticks: dict[int, int] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        parents[int(path.parent.name)] = int(fields[1])
        ticks[int(path.parent.name)] = sum(map(int, fields[11:15]))
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return sum(ticks[one] for one in found) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()

"""Rows of Avro with a schema registry through Spark: ours, beside Spark's own from_avro of the same messages.

    python -m benchmarks.spark_registered [--messages N] [--repeats N]

It stands apart from `make bench`, since from_avro is in a jar that pyspark lacks and that is fetched once. As there:
one core, from Parquet into the noop sink; the ways take turns, and the fastest repeat counts.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import spark_bench
from benchmarks.cases import Update, recorded
from benchmarks.peers import Message
from benchmarks.spark_simple import described

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from tidewire.runtime.registry import MemorySchemas

TYPED = "Tidewire's typed rows from Avro"
FROM_AVRO = "`from_avro` with casts"
FROM_AVRO_BARE = "`from_avro` alone, nothing cast, images not parted"


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
    before, after = (
        ", ".join(f"'{name}', {path}.`{name}`" for name in types) for path in ("r._ticdc_before", "r")
    )
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
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from spark_avro import add_spark_avro

    from tidewire.runtime.registry import MemorySchemas

    with tempfile.TemporaryDirectory(prefix="tidewire-bench-") as name:
        folder = Path(name)
        spark = spark_bench.session(name)
        try:
            add_spark_avro(spark)
            schemas = MemorySchemas()
            sent = messages(recorded(8192), schemas)
            values = spark_bench.parquet(spark, folder / "avro", sent, given.messages)
            ways = surfaces(values, schemas, spark_bench.TYPES, folder / "schemas.json")
            for way in (TYPED, FROM_AVRO):
                spark_bench.check_rows(way, ways[way], given.messages)
            taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
            for _ in range(given.repeats):
                for way, frame in ways.items():
                    before = _processor_seconds()
                    wall = spark_bench.seconds(frame)
                    used = _processor_seconds() - before
                    taken[way].append((wall / given.messages * 1e6, used / given.messages * 1e6))
        finally:
            spark.stop()
    best = {way: [min(figures) for figures in zip(*found, strict=True)] for way, found in taken.items()}
    print(f"{given.messages:,} updates of 8 columns, both images; µs a message, best of {given.repeats}")
    print("time, processors' time, and both divided by ours:")
    for way, (wall, used) in best.items():
        print(f"{wall:6.2f} {used:6.2f}   {wall / best[TYPED][0]:4.2f} {used / best[TYPED][1]:4.2f}   {way}")


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

"""Through Spark ``local[1]``: the recorded messages in Parquet, shaped like Spark's Kafka source, into the noop sink.

One file, one task, one core. A figure is the wall time of the whole query divided by the number of messages: scan,
planning and what a Python task costs to start are in it. The same query over a file of one message is timed too; what
remains without that fixed cost stands beside the figure.

What the JVM's own JSON readers parse is a quarter as many messages: they take up to a minute and a half for a million.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks import spark_debezium, spark_json, spark_open, spark_simple
from benchmarks.cases import Update, in_batches, recorded
from benchmarks.peers import Message
from benchmarks.peers.open_json import exact_row

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BATCHES = (1, 64)
PARSED_BY_SPARK = (
    *("from_json", spark_json.FROM_JSON, spark_json.VARIANT, spark_open.FROM_JSON, spark_simple.FROM_JSON),
    spark_debezium.FROM_JSON,
)
"""The surfaces that read a quarter of the messages."""
CONTAINS = (
    {
        "Spark: scan": "Parquet to noop: key, value, topic, partition, offset, timestamp",
        "Spark: mapInArrow identity": "value and offset through a Python worker that hands back the batches it gets",
        "Spark: typed rows": "tidewire.spark: both images of every update as rows in the table's types, change columns",
        "Spark: from_json": "the same events as JSON text (an array of them for batches): from_json of the values "
        "alone, explode into both images, casts to the table's types",
    }
    | spark_json.CONTAINS
    | spark_open.CONTAINS
    | spark_simple.CONTAINS
    | spark_debezium.CONTAINS
)

_KAFKA_FIELDS: list[pa.Field[Any]] = [
    pa.field("key", pa.binary()),
    pa.field("value", pa.binary()),
    pa.field("topic", pa.string()),
    pa.field("partition", pa.int32()),
    pa.field("offset", pa.int64()),
    pa.field("timestamp", pa.timestamp("us", "UTC")),
]
_KAFKA = pa.schema(_KAFKA_FIELDS)
TYPES = {
    "id": "int",
    "big": "bigint",
    "name": "string",
    "amount": "decimal(10,2)",
    "at": "timestamp_ntz",
    "f": "float",
    "d": "double",
    "t": "tinyint",
}
"""The recorded table in Spark's types."""
_TEXT = {"amount", "at", "name"}
_WHEN = datetime(2026, 1, 2, tzinfo=UTC)


def measure(quick: bool, now: Callable[[str], None] = print) -> list[dict[str, Any]]:
    """Time every surface at every batch size.

    Returns:
        For each: surface, batch, messages, repeats, fixed_ms (the query over one message, fastest), and nanoseconds a
        message: ns_per_message_min and _median (all in), ns_per_message_net (the fastest, less the fixed cost).
    """
    events = 256_000 if quick else 1_024_000
    repeats = 3 if quick else 5
    report: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="tidewire-bench-") as folder:
        spark = session(folder)
        try:
            for batch in BATCHES:
                now(f"spark: writing {events // batch:,} messages of {batch}")
                count = events // batch
                surfaces = _surfaces(spark, Path(folder), batch, count)
                single = _surfaces(spark, Path(folder), batch, 1)
                counts = {name: count // 4 if name in PARSED_BY_SPARK else count for name in surfaces}
                taken: dict[str, list[float]] = {name: [] for name in surfaces}
                for name, frame in surfaces.items():
                    now(f"spark: checking {name}, batches of {batch}")
                    _check(name, frame, counts[name] * batch)
                for turn in range(repeats):
                    now(f"spark: batches of {batch}, repeat {turn + 1} of {repeats}")
                    for name, frame in surfaces.items():
                        taken[name].append(seconds(frame) / counts[name] * 1e9)
                for name, figures in taken.items():
                    fixed = min(seconds(single[name]) for _ in range(repeats))
                    report.append(
                        {
                            "surface": name,
                            "batch": batch,
                            "messages": counts[name],
                            "repeats": repeats,
                            "fixed_ms": fixed * 1e3,
                            "ns_per_message_net": max(min(figures) - fixed / counts[name] * 1e9, 0.0),
                            "ns_per_message_min": min(figures),
                            "ns_per_message_median": statistics.median(figures),
                        }
                    )
        finally:
            spark.stop()
    return report


def session(folder: str) -> SparkSession:
    """A session of one core, with its files in a folder."""
    from tidewire.spark import local_session

    return local_session(
        "tidewire benchmark",
        cores=1,
        memory="2g",
        conf={
            "spark.sql.files.maxPartitionBytes": str(4 << 30),
            "spark.local.dir": folder,
            # should a worker die, its traceback says where
            "spark.python.worker.faulthandler.enabled": "true",
            "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
        },
    )


def _craft(rows: list[Update], batch: int) -> list[Message]:
    from benchmarks import ours

    return ours.prepare(rows, batch).sent.messages()


def _json(rows: list[Update], batch: int) -> list[Message]:
    """The same events as JSON: one object, or an array of them for batches."""
    texts = []
    for part in in_batches(rows, batch):
        objects = [
            f'{{"ts":{r.commit_ts},"scm":{json.dumps(r.schema)},"tbl":{json.dumps(r.table)},'
            f'"u":{exact_row(r, r.new)},"p":{exact_row(r, r.old)}}}'
            for r in part
        ]
        texts.append(Message(None, (objects[0] if batch == 1 else f"[{','.join(objects)}]").encode()))
    return texts


def parquet(spark: SparkSession, folder: Path, messages: Sequence[Message], count: int) -> DataFrame:
    """``count`` messages, the given ones over and over, in one Parquet file without dictionaries."""
    folder.mkdir()
    chunk = pa.array([message.value for message in messages], pa.binary())
    keys = pa.array([message.key for message in messages], pa.binary())
    with pq.ParquetWriter(folder / "messages.parquet", _KAFKA, use_dictionary=False) as out:
        written = 0
        while written < count:
            part = chunk.slice(0, min(len(chunk), count - written))
            size = len(part)
            columns = [
                keys.slice(0, size),
                part,
                pa.array(["topic"] * size),
                pa.array([0] * size, pa.int32()),
                pa.array(range(written, written + size), pa.int64()),
                pa.array([_WHEN] * size, pa.timestamp("us", "UTC")),
            ]
            out.write_batch(pa.record_batch(columns, schema=_KAFKA))
            written += size
    return spark.read.parquet(str(folder))


def _identity(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
    yield from batches


def _surfaces(spark: SparkSession, folder: Path, batch: int, count: int) -> dict[str, DataFrame]:
    """Every surface over ``count`` messages, or a quarter of them (one at least) where Spark parses."""
    rows = recorded(8192)
    quarter = max(1, count // 4)

    def written(name: str, messages: Sequence[Message], size: int) -> DataFrame:
        return parquet(spark, folder / f"{name}-{batch}-{count}", messages, size)

    messages = written("craft", _craft(rows, batch), count)
    surfaces = {
        "scan": messages,
        "mapInArrow identity": messages.select("value", "offset").mapInArrow(_identity, "value binary, offset bigint"),
        "typed rows": _typed_rows(messages),
        "from_json": _from_json(written("json", _json(rows, batch), quarter), batch),
    }
    if batch == 1:
        canal, framed = spark_json.messages(rows), spark_open.messages(rows)
        surfaces |= spark_json.surfaces(written("canal", canal, count), written("canal-parsed", canal, quarter), TYPES)
        surfaces |= spark_open.surfaces(
            written("open", framed, count), written("open-parsed", framed, quarter), TYPES, sorted(_TEXT)
        )
        simple = spark_simple.messages(rows)
        surfaces |= spark_simple.surfaces(
            written("simple", simple, count),
            written("simple-parsed", simple, quarter),
            TYPES,
            folder / f"tables-{count}",
        )
        changed = spark_debezium.messages(rows)
        surfaces |= spark_debezium.surfaces(
            written("debezium", changed, count), written("debezium-parsed", changed, quarter), TYPES
        )
    return surfaces


def _typed_rows(messages: DataFrame) -> DataFrame:
    """Ours: the recorded table's rows in its Spark types."""
    from tidewire.spark import rows_from_ticdc

    schema = ", ".join(f"`{name}` {kind}" for name, kind in TYPES.items())
    return rows_from_ticdc(messages, "craft", "test.bench", schema, {"mode": "FAILFAST"})


def _from_json(texts: DataFrame, batch: int) -> DataFrame:
    """What one writes without us: parse the values only, explode the images, cast."""
    cells = {name: "string" if name in _TEXT else kind for name, kind in TYPES.items()}
    image = "struct<" + ",".join(f"`{name}`:struct<v:{kind}>" for name, kind in cells.items()) + ">"
    event = f"struct<ts:decimal(20,0),u:{image},p:{image}>"
    parsed = texts.selectExpr(f"from_json(cast(value as string), '{event if batch == 1 else f'array<{event}>'}') as e")
    if batch > 1:
        parsed = parsed.selectExpr("explode(e) as e")
    images = "array(named_struct('k', 'update_preimage', 'r', e.p), named_struct('k', 'update_postimage', 'r', e.u))"
    rows = parsed.selectExpr("e.ts as _commit_version", f"explode({images}) as i")
    casts = [f"cast(i.r.`{name}`.v as {kind}) as `{name}`" for name, kind in TYPES.items()]
    return rows.selectExpr("i.k as _change_type", "_commit_version", *casts)


def _check(name: str, frame: DataFrame, events: int) -> None:
    if name in _DECODING:
        check_rows(name, frame, events)


def check_rows(name: str, frame: DataFrame, events: int) -> None:
    """The surfaces that decode must give both images of every event, with the values of the recorded table."""
    counted = {row["_change_type"]: row["count"] for row in frame.groupBy("_change_type").count().collect()}
    if counted != {"update_preimage": events, "update_postimage": events}:
        raise AssertionError(f"Spark, {name}: expected both images of {events} updates, got {counted}")
    found = frame.where("_change_type = 'update_postimage'").select(*TYPES).first()
    if found is None or [str(value) for value in found] != _FIRST:
        raise AssertionError(f"Spark, {name}: the first row is {found}, expected {_FIRST}")


_DECODING = (
    *("typed rows", "from_json", spark_json.TYPED, spark_json.FROM_JSON, spark_json.VARIANT),
    *(spark_open.TYPED, spark_open.FROM_JSON, spark_simple.TYPED, spark_simple.FROM_JSON),
    *(spark_debezium.TYPED, spark_debezium.FROM_JSON),
)
_FIRST = [
    "1000",
    "9007199254740994",
    "xcustomer name no 000000 abcdef",
    "12346.00",
    "2026-02-03 04:05:06",
    "1.5",
    "1.25",
    "1",
]


def seconds(frame: DataFrame) -> float:
    """How long a query takes, into the noop sink."""
    start = time.perf_counter()
    frame.write.format("noop").mode("overwrite").save()
    return time.perf_counter() - start

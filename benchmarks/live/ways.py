"""Ways from a topic to tables: decoding alone, staging, `sync`, and what people write without it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as F

from benchmarks.live.workload import TYPES
from tidewire.reading.message_batch import MessageBatch
from tidewire.runtime.batch import EventColumns
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.source import kafka_columns
from tidewire.spark.sync.facts import FACTS
from tidewire.spark.sync.run import Sync, sync
from tidewire.spark.sync.staging import stage, staging_options
from tidewire.spark.workers import run_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

PROTOCOL = "canal-json"
_TABLE = """create table {name} ({columns}) using iceberg tblproperties(
  'format-version'='2', 'write.merge.mode'='merge-on-read', 'write.update.mode'='merge-on-read',
  'write.delete.mode'='merge-on-read', 'write.distribution-mode'='none', 'write.parquet.compression-codec'='zstd')"""
"""As `sync` makes them."""


@dataclass(frozen=True)
class DecodeAlone(DecodeTask):
    """`mapInArrow`: messages are decoded, and nothing is made of them."""

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        return None


def kafka(spark: SparkSession, source: Mapping[str, str]) -> DataFrame:
    """All messages of a topic, as a batch."""
    return spark.read.format("kafka").options(**source).load()


def decode(spark: SparkSession, source: Mapping[str, str]) -> None:
    """Decodes a topic."""
    options = staging_options(PROTOCOL, {}, "UTC")
    task = DecodeAlone(PROTOCOL, options, arrow_schema(FACTS))
    run_on(kafka_columns(kafka(spark, source), PROTOCOL, "packed"), task, FACTS).collect()


def staged(spark: SparkSession, source: Mapping[str, str], folder: str) -> int:
    """Stages a topic as one micro-batch; how many messages it had."""
    options = staging_options(PROTOCOL, {}, "UTC")
    return stage(kafka(spark, source), PROTOCOL, options, folder, secrets.token_hex(8)).messages


def synced(
    spark: SparkSession,
    source: Mapping[str, str],
    into: str,
    state: str,
    said: Callable[[Any], None] | None = None,
    engine: str = "auto",
) -> Sync:
    """Brings tables to the end of a topic."""
    made = sync(spark, source, PROTOCOL, into=into, state=state, said=said, options={"engine": engine})
    made.once()
    return made


def make_tables(spark: SparkSession, names: list[str], space: str) -> None:
    """The tables that somebody makes by hand."""
    spark.sql(f"create namespace if not exists lake.{space}")
    columns = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
    for name in names:
        spark.sql(_TABLE.format(name=f"lake.{space}.{name}", columns=columns))


def by_hand(spark: SparkSession, source: Mapping[str, str], names: list[str], space: str, checkpoint: str) -> None:
    """What people write: from_json, the last change of each key by row_number, and MERGE, in foreachBatch."""
    image = "struct<" + ",".join(f"`{name}`:string" for name in TYPES) + ">"
    event = f"struct<table:string,type:string,data:array<{image}>,_tidb:struct<commitTs:bigint>>"
    values = ", ".join(f"cast(row.`{name}` as {kind}) as `{name}`" for name, kind in TYPES.items())
    sets = ", ".join(f"t.{name} = s.{name}" for name in TYPES)
    columns = ", ".join(TYPES)

    def batch(messages: DataFrame, _number: int) -> None:
        parsed = messages.select(F.from_json(F.col("value").cast("string"), event).alias("e"), "partition", "offset")
        rows = parsed.where("e.type in ('INSERT', 'UPDATE', 'DELETE')").selectExpr(
            "e.table as of", "e.type as kind", "e._tidb.commitTs as ts", "offset", "explode(e.data) as row"
        )
        rows = rows.persist()
        try:
            for name in names:
                rows.where(F.col("of") == name).createOrReplaceTempView("changes")
                messages.sparkSession.sql(
                    f"""merge into lake.{space}.{name} t using (
                          select * from (
                            select kind, {values},
                                   row_number() over (partition by row.id order by ts desc, offset desc) as nth
                            from changes) where nth = 1) s
                        on t.id = s.id
                        when matched and s.kind = 'DELETE' then delete
                        when matched then update set {sets}
                        when not matched and s.kind <> 'DELETE'
                          then insert ({columns}) values ({", ".join(f"s.{name}" for name in TYPES)})"""
                )
        finally:
            rows.unpersist()

    messages = spark.readStream.format("kafka").options(**source).load()
    writer = messages.writeStream.foreachBatch(batch).option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()


FILLED = -1
"""What rows that others wrote have in `seq`."""


def fill(spark: SparkSession, table: str, first: int, end: int) -> None:
    """Writes the rows with these ids into a table, as another program does."""
    spark.sql(
        f"""insert into {table} select id, concat('Zoë ', hex(id * 7919)), id % 1000000,
              cast(id % 1000000 as decimal(12,2)), concat('note ', sha1(cast(id as string))),
              timestamp_ntz'2026-11-01 10:00:07', {FILLED} from range({first}, {end})"""
    )


def added(spark: SparkSession, table: str) -> int:
    """The bytes of the files that the newest snapshot of a table of Iceberg added."""
    newest = spark.sql(f"select summary['added-files-size'] from {table}.snapshots order by committed_at desc limit 1")
    return int(newest.collect()[0][0])


def figures(frame: DataFrame) -> tuple[int, int, int]:
    """As `Workload.figures` has them."""
    row = frame.selectExpr("count(*)", "coalesce(sum(balance), 0)", "coalesce(sum(id * 31 + seq), 0)").collect()[0]
    return int(row[0]), int(row[1]), int(row[2])

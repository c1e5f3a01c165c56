"""Decodes captured topics into Parquet tables, and shows what is in them: the job behind `make run`.

python -m tidewire.spark.demo [PROTOCOL=CAPTURE ...] [--out DIR]

The captures shipped are one database through every protocol, and through Simple's records of Avro besides: the same
tables come out of all but for what a protocol cannot carry, and the job says so. Where a registry has the schemas of
messages, they are in a file beside the capture, NAME.registry.json beside NAME.jsonl.gz.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.sql import functions as F
from pyspark.sql.types import StructField, StructType
from rich.console import Console
from rich.markup import escape

import tidewire.runtime
from tidewire.events import KINDS
from tidewire.reading.tables import same
from tidewire.runtime.errors import TidewireError
from tidewire.spark import demo_live, demo_tables, from_ticdc, local_session, rows_from_ticdc, table_schemas
from tidewire.spark.demo_told import Name, ToldTable, spelled_names, told_table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidewire.runtime.batch import TableName

CAPTURES = {
    "craft": "examples/craft_topic.jsonl.gz",
    "canal_json": "examples/canal_json_topic.jsonl.gz",
    "open_protocol": "examples/open_protocol_topic.jsonl.gz",
    "simple": "examples/simple_topic.jsonl.gz",
    "simple_records": "examples/simple_records_topic.jsonl.gz",
    "debezium": "examples/debezium_topic.jsonl.gz",
    "avro": "examples/avro_topic.jsonl.gz",
    "debezium_avro": "examples/debezium_avro_topic.jsonl.gz",
}
OPTIONS = {"timezone": "Asia/Shanghai"}  # the changefeed's, in which TIMESTAMP values are written
_QUICK = {
    # many small jobs: code generation would cost more than it saves
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.shuffle.partitions": "1",
}
COPIES = 250
"""How many times a capture is decoded to measure throughput."""


@dataclass
class Topic:
    """A captured topic and what is found in it."""

    title: str
    """The protocol, or the protocol and its encoding."""
    messages: DataFrame
    codec: Mapping[str, str]
    """The protocol's options with which they are read."""
    events: dict[Name, dict[str, int]] = field(default_factory=dict)
    """How many events of each kind a table has."""
    bad: list[str] = field(default_factory=list)
    """Why messages could not be decoded."""
    schemas: dict[Name, StructType] = field(default_factory=dict)
    """Of its tables, under the names that messages have."""

    @property
    def protocol(self) -> str:
        """What its messages are read as."""
        return demo_tables.protocol_of(self.title)

    @property
    def options(self) -> dict[str, str]:
        """With which options."""
        return {**OPTIONS, **self.codec}

    def told(self, schemas: Mapping[Name, StructType]) -> dict[Name, ToldTable]:
        """Tables as its messages name them."""
        return {name: told_table(name, schema, self.schemas) for name, schema in schemas.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the job; 1 and a sentence when it cannot, or when the captures do not agree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    shipped = [f"{protocol}={path}" for protocol, path in CAPTURES.items()]
    parser.add_argument(
        "captures",
        nargs="*",
        default=shipped,
        metavar="PROTOCOL=CAPTURE",
        help="messages as JSON lines, with a file of schemas beside them where the protocol has a registry (default: "
        "those shipped)",
    )
    parser.add_argument("--out", default="out", help="folder for the tables (default out)")
    given = parser.parse_args(arguments)
    try:
        captures = dict(_capture(text) for text in given.captures)
        return 0 if run(captures, Path(given.out), Console()) else 1
    except TidewireError as error:
        print(error, file=sys.stderr)
        return 1


def _capture(text: str) -> tuple[str, Path]:
    protocol, equals, path = text.partition("=")
    if not equals:
        raise TidewireError(f"{text!r}: say of which protocol the capture is, as in craft={text}")
    return protocol, Path(path)


def run(captures: Mapping[str, Path], out: Path, console: Console) -> bool:
    """Decodes each capture into `out`/protocol/schema/table and prints events, final rows and throughput.

    Args:
        captures: by protocol, JSON lines with key and value in base64, topic, partition, offset, timestamp; may be
            gzipped. Several are taken for the same changes.
        out: where the tables go, each replaced when it is there.
        console: where to print.

    Returns:
        Whether all captures gave the same tables.

    Raises:
        TidewireError: there is no capture, no file with its schemas, or no Java.
    """
    for capture in captures.values():
        if not capture.is_file():
            raise TidewireError(
                f"there is no capture {capture}: run this in the repository, or name a file of messages"
            )
    codecs = {title: demo_tables.reading_options(title, capture) for title, capture in captures.items()}
    started = time.perf_counter()
    with step(console, "starting Spark"):
        spark = local_session("tidewire demo", conf=_QUICK)
    ready = time.perf_counter()
    try:
        topics = [Topic(name, read_capture(spark, path).cache(), codecs[name]) for name, path in captures.items()]
        for topic in topics:
            with step(console, f"decoding {topic.title}"):
                look(topic)
        demo_tables.show_events([(topic.title, topic.events, topic.bad) for topic in topics], console)
        schemas = common_schemas([topic.schemas for topic in topics])
        for topic in topics:
            with step(console, f"writing {len(schemas)} tables of {topic.title}"):
                write_tables(topic, schemas, out)
        decoded = time.perf_counter()
        demo_tables.show_final_rows(topics[0].title, out / topics[0].title, schemas, console)
        folders = {topic.title: out / topic.title for topic in topics}
        told = {topic.title: topic.told(schemas) for topic in topics}
        same = demo_tables.compare(folders, schemas, told, console)
        with step(console, "measuring"):
            demo_tables.show_throughput(measure(spark, topics, schemas), console)
        for topic in topics:
            if topic.title == demo_live.CAPTURE:
                with step(console, "keeping tables current"):
                    demo_live.keep_current(spark, topic.messages, topic.protocol, topic.options, out / "live", console)
    finally:
        spark.stop()
    mode = tidewire.runtime.compiled_reason
    console.print(
        f"[bold]{len(schemas)} tables[/] are under {escape(str(out))}/{'|'.join(captures)} as Parquet, a row for each "
        f"row image. Codec: {mode}. Spark's start {ready - started:.1f} s, decoding and writing {decoded - ready:.1f} "
        f"s, in all {time.perf_counter() - started:.1f} s."
    )
    return same


def step(console: Console, title: str) -> AbstractContextManager[object]:
    """Shows what is being done: a spinner on a terminal, a line elsewhere."""
    if console.is_terminal:
        return console.status(title)
    console.print(f"{title} ...", style="dim")
    return nullcontext()


def read_capture(spark: SparkSession, capture: Path) -> DataFrame:
    """A capture as a frame like that of Spark's Kafka source."""
    schema = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"
    return spark.read.schema(schema).json(str(capture))


def look(topic: Topic) -> None:
    """Counts the events of a topic and derives the schemas of its tables."""
    events = from_ticdc(topic.messages, topic.protocol, topic.options).cache()
    counted = events.groupBy("schema", "table").pivot("kind", list(KINDS)).count().fillna(0).collect()
    spelled: dict[TableName, Name] = {}
    for row in counted:
        name = spelled.setdefault(same((row.schema, row.table)), (row.schema or "", row.table or ""))
        kinds = topic.events.setdefault(name, {})
        kinds.update({kind: kinds.get(kind, 0) + row[kind] for kind in KINDS if row[kind]})
    bad = events.filter("_corrupt_record IS NOT NULL").select("_corrupt_record.*").collect()
    topic.bad = [f"offset {row.offset} could not be decoded: {row.reason}" for row in bad]
    topic.schemas = table_schemas(topic.messages, topic.protocol, topic.options)


def common_schemas(found: Sequence[Mapping[Name, StructType]]) -> dict[Name, StructType]:
    """The schema of each table as the protocol gives it that says most of how columns were declared.

    A column is part of the key where any protocol says so.
    """
    schemas = {}
    for key, name in sorted(spelled_names(found).items()):
        known = [schema for one in found for each, schema in one.items() if same(each) == key]
        best = max(known, key=lambda schema: sum("mysql_type" in each.metadata for each in schema))
        keys = {each.name for schema in known for each in schema if each.metadata["handle_key"]}
        schemas[name] = StructType(
            [StructField(f.name, f.dataType, True, {**f.metadata, "handle_key": f.name in keys}) for f in best]
        )
    return schemas


def write_tables(topic: Topic, schemas: Mapping[Name, StructType], out: Path) -> None:
    """One folder of Parquet for each table."""

    options = {**topic.options, "keep": ", ".join(f"{name[1:]} AS {name}" for name in demo_tables.PLACES)}

    def write(name: Name, told: ToldTable) -> None:
        rows = rows_from_ticdc(topic.messages, topic.protocol, told.name, told.schema, options)
        names = schemas[name].names
        renamed = rows.toDF(*names, *rows.columns[len(names) :])
        renamed.coalesce(1).write.mode("overwrite").parquet(str(demo_tables.folder_of(out / topic.title, name)))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, *zip(*topic.told(schemas).items(), strict=True)))


def measure(spark: SparkSession, topics: Sequence[Topic], schemas: Mapping[Name, StructType]) -> demo_tables.Throughput:
    """How fast many copies of each capture are read, decoded to events, and to the rows of the widest table."""
    name = max(schemas, key=lambda each: len(schemas[each]))
    found = demo_tables.Throughput(spark.sparkContext.defaultParallelism)
    for topic in topics:
        one = F.broadcast(topic.messages.select("key", "value", "topic", "partition", "offset"))
        events = COPIES * sum(sum(kinds.values()) for kinds in topic.events.values())

        def jobs(copies: int, topic: Topic = topic, one: DataFrame = one) -> dict[str, DataFrame]:
            many = spark.range(copies).crossJoin(one).drop("id")
            rows = rows_from_ticdc(many, topic.protocol, name, schemas[name], topic.options)
            return {
                "reading alone": many,
                "to events": from_ticdc(many, topic.protocol, topic.options),
                f"to rows of {'.'.join(name)}": rows,
            }

        for frame in jobs(COPIES // 10).values():  # once for the JVM's compiler
            frame.write.format("noop").mode("overwrite").save()
        for title, frame in jobs(COPIES).items():
            start = time.perf_counter()
            frame.write.format("noop").mode("overwrite").save()
            found.add(topic.title, title, events, time.perf_counter() - start)
    return found


if __name__ == "__main__":
    sys.exit(main())

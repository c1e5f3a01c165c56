"""Recorded streams of the protocols whose rows are read by descriptions that other messages have, and Spark queries
over them."""

from __future__ import annotations

import base64
import importlib
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter
from recorded import Recorded, messages, stream_name, streams
from registered import Sent
from spark_frames import in_partitions, kafka_table

from tidewire.events import RowChange
from tidewire.spark import rows_from_ticdc
from tidewire.spark.schema_files import file_name

MessageT = TypeVar("MessageT", Recorded, Sent)
LAYOUT = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT"


@dataclass(frozen=True)
class Described:
    """A protocol whose rows are read by descriptions.

    Attributes:
        protocol: its name.
        options: what the name of its recordings ends with in which rows do not say the types of their columns.
        names: of which one is in every message that describes a table; none where a registry describes them.
    """

    protocol: str
    options: str
    names: tuple[bytes, ...]

    def recorded(self, scenario: str, producer: str = "tiflow") -> tuple[Recorded, ...]:
        """The recorded messages of a scenario, in their order."""
        return recorded(f"{producer}/{scenario}/{self.protocol}{self.options}")

    def describes(self, one: Recorded) -> bool:
        return any(name in one.value for name in self.names)

    def parted(self, found: Sequence[Recorded]) -> tuple[list[Recorded], list[Recorded]]:
        """Messages that describe tables, and the others."""
        statements, others = ([one for one in found if self.describes(one) is wanted] for wanted in (True, False))
        assert statements
        assert others
        return statements, others

    def events(self, found: Sequence[Recorded]) -> list[Any]:
        """The events of messages, decoded without Spark."""
        module = importlib.import_module(f"tidewire.{self.protocol}")
        return list(module.decode_batch([one.value for one in found], [one.key for one in found]))

    def number_of_images(self, found: Sequence[Recorded]) -> int:
        """How many row images messages have, decoded without Spark."""
        rows = [event for event in self.events(found) if isinstance(event, RowChange)]
        return sum(image is not None for event in rows for image in (event.old, event.new))

    def files(self, found: Sequence[Recorded]) -> set[str]:
        """The names of the files in which the descriptions of messages are kept."""
        both = (getattr(event, name, None) for event in self.events(found) for name in ("table_after", "table_before"))
        return {file_name(one.schema, one.table, one.version) for one in both if one is not None}

    def rows(self, messages: DataFrame, options: dict[str, str]) -> DataFrame:
        return rows_from_ticdc(messages, self.protocol, None, "variant", options)


SIMPLE = Described("simple", ".json", (b'"tableSchema"', b'"preTableSchema"'))
AVRO = Described("avro", ".default", ())
DEBEZIUM = Described("debezium", ".no-schema", (b'"tableChanges"',))


@cache
def recorded(name: str) -> tuple[Recorded, ...]:
    """The messages of a recorded stream, in their order."""
    (path,) = (one for one in streams(name.split("/")[-1].split(".")[0]) if stream_name(one) == name)
    return tuple(messages(path))


def frame(spark: SparkSession, found: Sequence[MessageT], partitions: int = 1) -> DataFrame:
    """Messages, in so many Spark partitions, one after the other."""
    table = kafka_table([one.value for one in found], ["t"] * len(found), [one.key for one in found])
    return in_partitions(spark, table, partitions)


def images(rows: DataFrame) -> Counter[str]:
    """Tables and values of rows, as text: in Parquet Spark writes the integers of a column that has longer ones as
    decimals."""
    return Counter(image_text(row.table, row.row.toPython()) for row in rows.where("row IS NOT NULL").collect())


def image_text(table: str | None, image: Mapping[str, object]) -> str:
    return f"{table} {sorted((name, str(value)) for name, value in image.items())}"


def corrupt(rows: DataFrame) -> DataFrame:
    """The messages that could not be read."""
    return rows.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*")


class Stream:
    """Messages that come as files, and the rows that a query has written.

    Attributes:
        files: how many files, each a task of its own, a micro-batch has.
    """

    def __init__(
        self, spark: SparkSession, folder: Path, protocol: Described, options: dict[str, str], name: str = "q"
    ) -> None:
        self.spark, self.protocol, self.options, self.files = spark, protocol, options, 1
        self.source, self.out = folder / "in", folder / f"out-{name}"
        self.state = folder / f"state-{name}"
        self.source.mkdir(exist_ok=True)

    def put(self, number: int, found: Sequence[MessageT]) -> None:
        """Messages in a file; those of lower numbers are read first."""
        assert found
        part = self.source / f".{number}"
        with part.open("w") as out:
            for at, one in enumerate(found):
                key, value = (
                    None if part is None else base64.b64encode(part).decode() for part in (one.key, one.value)
                )
                out.write(json.dumps({"key": key, "value": value, "offset": at}) + "\n")
        # the source takes the oldest first
        os.utime(part, (number, number))
        part.rename(self.source / str(number))

    def messages(self) -> DataFrame:
        read = self.spark.readStream.schema(LAYOUT).option("maxFilesPerTrigger", str(self.files))
        return read.json(str(self.source))

    def query(self) -> StreamingQuery:
        """Starts a query that ends when it has read what is there."""
        return self.write(self.protocol.rows(self.messages(), self.options))

    def write(self, rows: DataFrame) -> StreamingQuery:
        return self._writer(rows).trigger(availableNow=True).start()

    def write_on(self, rows: DataFrame) -> StreamingQuery:
        """Starts a query that waits for more until it is stopped."""
        return self._writer(rows).trigger(processingTime="0 seconds").start()

    def _writer(self, rows: DataFrame) -> DataStreamWriter:
        writer = rows.writeStream.format("parquet").option("path", str(self.out))
        return writer.option("checkpointLocation", str(self.state))

    def written(self) -> DataFrame:
        """All rows so far."""
        return self.spark.read.parquet(str(self.out))

    def run(self) -> DataFrame:
        """Reads what is there, and gives all rows so far."""
        self.query().awaitTermination()
        return self.written()


def slices(found: Sequence[MessageT], count: int) -> Iterator[Sequence[MessageT]]:
    """Messages in their order, in so many parts of about the same length."""
    for at in range(count):
        yield found[len(found) * at // count : len(found) * (at + 1) // count]

"""A shop database whose tables are kept up to date through a broker and compared with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession
from topics import source

from demo.broker import Broker
from demo.changefeed import CANAL, Changefeed
from demo.check import differences
from demo.shop import PARTS, Shop
from tidewire.spark.sync.publish import Published, snapshot
from tidewire.spark.sync.run import Sync, sync

START = 450_000_000_000 * PARTS
_numbers: Iterator[int] = iter(range(1000))


class Kept:
    """A shop whose tables are kept current through Kafka."""

    def __init__(
        self,
        spark: SparkSession,
        broker: Broker,
        tmp: Path,
        format: str = "parquet",
        *,
        of_table: bool = False,
        partitions: int = 2,
        protocol: str = "canal-json",
        encoded: Mapping[str, Any] = CANAL,
    ) -> None:
        self.spark = spark
        number = next(_numbers)
        self.shop = Shop(number, START)
        self.protocol = protocol
        topic = f"shop-{number}" + ("-{table}" if of_table else "")
        encoded = {**encoded, "topic": topic} if "schema_registry" in encoded else encoded
        self.feed = Changefeed(self.shop, broker, topic, partitions, protocol, encoded)
        self.state = str(tmp / "state")
        self.into = f"{format}:{tmp}/lake/{{schema}}/{{table}}"
        if format == "iceberg":
            self.into = f"iceberg:ice.k{number}_{{schema}}.{{table}}"
        self.source = source(broker, topic)
        if of_table:
            del self.source["subscribe"]
            self.source["subscribePattern"] = topic.replace("{table}", ".*")
        self.compared: set[int] = set()

    def sync(self, **options: Any) -> Sync:
        given = {"schemaChanges": "evolve", **options}
        return sync(self.spark, self.source, self.protocol, into=self.into, state=self.state, options=given)

    def compare(self) -> None:
        """Every published version that was not compared before."""
        for resolved in Published(self.state).resolved():
            if resolved not in self.compared:
                self.compared.add(resolved)
                found = snapshot(self.spark, self.state, resolved)
                assert (found.resolved, found.parked) == (resolved, {})
                true = self.shop.at(resolved)
                assert [true.balances(), true.missing()] == [0, 0]
                assert differences(found, self.shop, resolved) == []

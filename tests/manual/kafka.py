"""A session of Spark whose Kafka source is a captured topic: tests have no broker for the snippet of docs/spark.md."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession

COLUMNS = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT, timestamp TIMESTAMP"


class WithCapturedTopic:
    """The session, with `topic`, a folder of captures, in the place of Kafka."""

    def __init__(self, session: SparkSession, topic: str) -> None:
        self.session = session
        self.topic = topic

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    @property
    def read(self) -> Any:
        return _Reader(self.session.read, lambda: self.session.read.schema(COLUMNS).json(self.topic))

    @property
    def readStream(self) -> Any:
        return _Reader(self.session.readStream, lambda: self.session.readStream.schema(COLUMNS).json(self.topic))


class _Reader:
    def __init__(self, reader: Any, load: Callable[[], DataFrame]) -> None:
        self.reader = reader
        self.stand_in = load

    def __getattr__(self, name: str) -> Any:
        return getattr(self.reader, name)

    def format(self, name: str) -> Any:
        return _Kafka(self.stand_in) if name == "kafka" else self.reader.format(name)


class _Kafka:
    def __init__(self, load: Callable[[], DataFrame]) -> None:
        self.load = load

    def options(self, **given: str) -> _Kafka:
        missing = {"kafka.bootstrap.servers", "subscribe"} - given.keys()
        assert not missing, f"Kafka's source needs {missing}"
        return self

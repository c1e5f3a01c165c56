"""One Spark session for all tests in this folder, and frames of recorded messages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from recorded import Recorded, craft_messages
from spark_frames import Frame, RecordedFrame, kafka_table

from tidewire.spark import local_session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = local_session(
        "tidewire tests",
        cores=2,
        memory="640m",
        conf={
            # many small queries: what makes large ones faster costs more than it saves
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
            "spark.sql.adaptive.enabled": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.shuffle.partitions": "2",
        },
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def frame(spark: SparkSession) -> Frame:
    """Messages, all in one Spark partition so that they keep their order."""
    return lambda values: spark.createDataFrame(kafka_table(values, ["t"] * len(values))).coalesce(1)


@pytest.fixture(scope="session")
def recorded_frame(spark: SparkSession) -> RecordedFrame:
    """Recorded messages of a scenario and option set (or all: ``*``); the topic is ``scenario/option set``."""

    def make(scenario: str, option_set: str = "default") -> DataFrame:
        messages: list[Recorded] = list(craft_messages(scenario, option_set))
        assert messages
        topics = [f"{message.scenario}/{message.option_set}" for message in messages]
        return spark.createDataFrame(kafka_table([message.value for message in messages], topics)).coalesce(1)

    return make


@pytest.fixture(scope="session")
def canal(spark: SparkSession) -> DataFrame:
    """The shipped capture of Canal-JSON: the events of the Craft capture, with full types and changed columns only."""
    schema = "key BINARY, value BINARY, topic STRING, partition INT, offset BIGINT"
    return spark.read.schema(schema).json(str(Path(__file__).parents[2] / "examples/canal_json_topic.jsonl.gz"))

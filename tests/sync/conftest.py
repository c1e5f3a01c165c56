"""The session with Kafka, Iceberg and Delta."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from sync.lake_tables import Lake, numbers
from sync.topic import Topic


@pytest.fixture(scope="session")
def spark(_one_lake: SparkSession) -> SparkSession:
    return _one_lake


@pytest.fixture(params=["parquet", "iceberg", "delta"], scope="module")
def format(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def lake(spark: SparkSession, format: str, tmp_path: Path) -> Lake:
    return Lake(spark, format, tmp_path, next(numbers))


@pytest.fixture
def topic(spark: SparkSession, tmp_path: Path) -> Topic:
    return Topic(spark, tmp_path)

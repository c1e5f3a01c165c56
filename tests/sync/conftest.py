"""The session with Kafka, Iceberg and Delta."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(_one_lake: SparkSession) -> SparkSession:
    return _one_lake

"""One Spark session with Iceberg and Delta for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lake import lake_session
from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    session = lake_session(tmp_path_factory.mktemp("lake"), ["delta", "iceberg", "kafka"])
    yield session
    session.stop()

"""Options that verify and compute checksums of rows, in Spark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checksums.recordings import RECORDINGS, messages, summed
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from spark_frames import frame

from tidewire.runtime.errors import OptionError
from tidewire.spark import from_ticdc, rows_from_ticdc, to_ticdc

VERIFYING = {"verify-checksum": "true"}
VALUES = messages(next(one for one in RECORDINGS if "tiflow/checksum" in str(one)))


def damaged() -> tuple[int, list[bytes]]:
    """Messages of which the value of one row was changed, and its number."""
    at = next(at for at in summed(VALUES) if b'"INSERT"' in VALUES[at] and b'"id":"1"' in VALUES[at])
    return at, [value.replace(b'"id":"1"', b'"id":"7"') if n == at else value for n, value in enumerate(VALUES)]


def test_a_row_that_differs_from_its_checksum_is_a_corrupt_record(spark: SparkSession) -> None:
    at, values = damaged()
    table = json.loads(VALUES[at])["table"]
    for found in (
        from_ticdc(frame(spark, values), "simple", VERIFYING),
        rows_from_ticdc(frame(spark, values), "simple", f"test.{table}", options=VERIFYING),
        rows_from_ticdc(frame(spark, values), "simple", None, "variant", VERIFYING),
    ):
        (bad,) = found.where("_corrupt_record IS NOT NULL").select("_corrupt_record.*").collect()
        assert (bad.offset, bytes(bad.value)) == (at, values[at])
        assert f"came with the checksum {json.loads(VALUES[at])['checksum']['current']}" in bad.reason
    assert from_ticdc(frame(spark, values), "simple").where("_corrupt_record IS NOT NULL").count() == 0
    assert from_ticdc(frame(spark, VALUES), "simple", VERIFYING).where("_corrupt_record IS NOT NULL").count() == 0
    with pytest.raises(PySparkException, match="came with the checksum"):
        from_ticdc(frame(spark, values), "simple", {**VERIFYING, "mode": "FAILFAST"}).collect()


def test_checksums_are_computed(spark: SparkSession, tmp_path: Path) -> None:
    events = from_ticdc(frame(spark, VALUES), "simple")
    plain = events.drop("checksum", "checksum_before", "checksum_version", "checksum_corrupted")
    written = to_ticdc(plain, "simple", {"compute-checksum": "true"})
    assert [bytes(row.value) for row in written.collect()] == VALUES
    # rows alone are described by what was kept when they were read
    location = {"schemaLocation": str(tmp_path / "tables")}
    from_ticdc(frame(spark, VALUES), "simple", location).collect()
    rows = to_ticdc(
        plain.where("new IS NOT NULL OR old IS NOT NULL"), "simple", {"compute-checksum": "true", **location}
    )
    assert [bytes(row.value) for row in rows.collect()] == [VALUES[at] for at in summed(VALUES)]
    with pytest.raises(PySparkException, match="is not described"):
        to_ticdc(plain.where("new IS NOT NULL"), "simple", {"compute-checksum": "true"}).collect()
    with pytest.raises(OptionError, match="schemaLocation is for compute-checksum"):
        to_ticdc(plain, "simple", location)

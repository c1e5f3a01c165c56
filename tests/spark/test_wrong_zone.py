"""Invalid time zones in an option or the session, as in `tests/reading/test_time_zones.py`."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from tidewire.runtime.errors import OptionError
from tidewire.spark import rows_from_ticdc
from tidewire.spark.sync.staging import staging_options


def test_in_spark(spark: SparkSession) -> None:
    frame = spark.createDataFrame([(b"", b"")], "key BINARY, value BINARY")
    said = r"'GMT\+8' is not known; did you mean \+08:00 or Asia/Shanghai\? It is the time zone of the changefeed"
    with pytest.raises(OptionError, match=f"^timezone {said}"):
        rows_from_ticdc(frame, "craft", "shop.orders", "id INT", options={"timezone": "GMT+8"})
    with pytest.raises(OptionError, match=f"^timezone {said}"):
        staging_options("craft", {"timezone": "GMT+8"}, "UTC")
    before = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "GMT+8")
    try:
        with pytest.raises(OptionError, match=f"^spark.sql.session.timeZone {said}"):
            rows_from_ticdc(frame, "craft", "shop.orders", "id INT")
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)

"""Results do not depend on how Spark evaluates queries: these tests run without code generation, users' queries with
it.
"""

from __future__ import annotations

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from spark_frames import RecordedFrame

from tidewire.spark import from_ticdc, rows_from_ticdc, to_ticdc

USUAL = {
    "spark.sql.adaptive.enabled": "true",
    "spark.sql.codegen.factoryMode": "CODEGEN_ONLY",
    "spark.sql.codegen.wholeStage": "true",
}


def found(recorded_frame: RecordedFrame) -> list[list[str]]:
    """Events, messages of them, and rows of a table and of all, which Spark filters and counts."""
    messages = recorded_frame("times")
    events = from_ticdc(messages, "craft", {"invalidText": "bytes"})
    again = to_ticdc(events, "craft", {"messages": "keep"})
    rows = rows_from_ticdc(messages, "craft", "test.times", options={"zeroDate": "string"})
    images = rows_from_ticdc(messages, "craft", None, "variant")
    named = images.where("row IS NOT NULL").selectExpr("table", "to_json(row) AS row")
    counted = rows.groupBy("_change_type").agg(F.count("*"), F.max("_commit_timestamp"))
    return [sorted(map(str, one.collect())) for one in (events, again, rows, named, counted)]


def test_generated_code_and_adaptive_plans_change_nothing(spark: SparkSession, recorded_frame: RecordedFrame) -> None:
    expected = found(recorded_frame)
    assert all(expected)
    before = {name: spark.conf.get(name) for name in USUAL}
    try:
        for name, value in USUAL.items():
            spark.conf.set(name, value)
        assert found(recorded_frame) == expected
    finally:
        for name, old in before.items():
            spark.conf.set(name, str(old))

"""Topic, partition and offset of messages reach tasks that need them for errors alone as one text, and come back as
they were.
"""

from __future__ import annotations

from itertools import product

import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession

from tidewire.reading.message_batch import MalformedError
from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema

TOPICS = ("t", "", " ", "3 4", " a  b ", "ünï\n", "7", None)
PARTITIONS = (0, -1, 2**31 - 1, None)
OFFSETS = (0, 2**63 - 1, -(2**63), None)
TYPES = {"topic": "string", "partition": "int", "offset": "bigint"}
Place = dict[str, str | int | None]


def places() -> list[Place]:
    return [dict(zip(TYPES, one, strict=True)) for one in product(TOPICS, PARTITIONS, OFFSETS)]


@pytest.mark.parametrize(
    "there", [(), ("topic",), ("partition",), ("offset",), ("offset", "topic"), ("partition", "offset"), tuple(TYPES)]
)
def test_corrupt_records_say_where_messages_lay(spark: SparkSession, there: tuple[str, ...]) -> None:
    wanted = [{name: place[name] if name in there else None for name in TYPES} for place in places()]
    rows = [(b"%d" % at, *(place[name] for name in there)) for at, place in enumerate(places())]
    layout = ", ".join(["value binary", *(f"{name} {TYPES[name]}" for name in there)])
    messages = spark.createDataFrame(rows, layout).coalesce(1)
    for frame in (
        rows_from_ticdc(messages, "craft", "s.t", "id int"),
        rows_from_ticdc(messages, "craft", None, "variant"),
        from_ticdc(messages, "craft"),
    ):
        found = {int(row.value): row for row in frame.select("_corrupt_record.*").collect()}
        assert [{name: found[at][name] for name in TYPES} for at in range(len(wanted))] == wanted


def test_types_of_other_frames_are_those_of_kafka(spark: SparkSession) -> None:
    """A frame of a file may have other integers."""
    messages = spark.createDataFrame([(b"x", "t", 5, 7)], "value binary, topic string, partition bigint, offset int")
    row = rows_from_ticdc(messages, "craft", "s.t", "id int").select("_corrupt_record.*").first()
    assert row is not None
    assert (row.topic, row.partition, row.offset) == ("t", 5, 7)


@pytest.mark.parametrize("topic", ["t", "a b c"])
def test_errors_say_where_messages_lay(spark: SparkSession, topic: str) -> None:
    messages = spark.createDataFrame([(b"x", topic, 5, 7)], "value binary, topic string, partition int, offset bigint")
    options = {"mode": "FAILFAST"}
    with pytest.raises(PythonException, match=f"topic {topic}, partition 5, offset 7: craft "):
        rows_from_ticdc(messages, "craft", "s.t", "id int", options).collect()
    with pytest.raises(MalformedError, match=f"^topic {topic}, partition 5, offset 7: craft "):
        table_schema(messages, "craft", "s.t", options)


def test_a_column_that_rows_keep_may_have_any_name(spark: SparkSession) -> None:
    """Also that of the text with the three."""
    messages = spark.createDataFrame([(b"x", "t", 5, 7)], "value binary, topic string, origin int, offset bigint")
    row = rows_from_ticdc(messages, "craft", "s.t", "id int", {"keep": "origin, topic"}).first()
    assert row is not None
    assert (row.origin, row.topic, row._corrupt_record.topic, row._corrupt_record.offset) == (5, "t", "t", 7)

"""What a synchronisation refuses, before anything is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.readwriter import DataStreamWriter

from sync.staged_histories import START as FIRST
from sync.staged_histories import account, change, declared_history
from sync.topic import Topic
from tidewire.events import Ddl, Watermark
from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.how_far import status
from tidewire.spark.sync.publish import snapshot
from tidewire.spark.sync.rehearsal.encoded import START
from tidewire.spark.sync.run import check_protocol
from tidewire.spark.sync.targets import TargetError


def test_a_protocol_of_which_messages_are_not_is_refused(topic: Topic) -> None:
    spark, craft = topic.spark, topic.frame(declared_history(), "craft")
    says = r"the first \d+ messages are craft, and canal-json was asked for: name craft as protocol"
    for source in (craft, lambda _: craft):
        with pytest.raises(OptionError, match=says):
            check_protocol(spark, source, "canal-json")
    check_protocol(spark, craft, "craft")
    with pytest.raises(OptionError, match="no protocol is called 'crafd'"):
        check_protocol(spark, craft, "crafd")
    mixed = craft.union(topic.frame(declared_history()))
    for source in (
        mixed,
        craft.limit(0),
        spark.readStream.format("rate").load().selectExpr("cast('x' AS BINARY) value"),
    ):
        check_protocol(spark, source, "canal-json")


def test_states_of_others_are_refused(topic: Topic) -> None:
    frame = topic.frame(declared_history())
    with pytest.raises(StateError, match="there is no synchronisation in"):
        status(topic.state)
    topic.sync(frame)
    with pytest.raises(StateError, match=r"is of frame \(canal-json\), and frame \(craft\) was asked for"):
        topic.sync(frame, "craft")
    kafka = {"kafka.bootstrap.servers": "localhost:1", "subscribe": "other"}
    with pytest.raises(StateError, match=r"and other \(canal-json\) was asked for: name another folder as state"):
        topic.sync(kafka)
    with pytest.raises(StateError, match="is of tables in parquet:"):
        topic.sync(frame, into="delta:/elsewhere/{schema}/{table}")
    with pytest.raises(StateError, match="nothing is published"):
        snapshot(topic.spark, topic.state)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"into": "lake.{schema}.{table}"}, "say the format and where the tables are"),
        ({"into": "parquet:/lake/{table}"}, "does not say where {schema} is in it"),
        ({"into": "parquet:s3://me:secret@bucket/{schema}/{table}"}, "into has a password in it"),
        ({"options": {"schemaChanges": "lenent"}}, "did you mean lenient"),
        ({"options": {"consistency": "keys"}}, "did you mean key?"),
        ({"options": {"threads": "0"}}, "is no number from 1 on"),
        ({"tables": {"shop.*": {"mod": "history"}}}, "did you mean mode"),
        ({"tables": "orders"}, "'orders' is no pattern of tables"),
        ({"options": {"mode": "FAILFAST"}}, "option mode is for frames of rows"),
        ({"options": {"nonsense": "1"}}, "nonsense"),
    ],
)
def test_wrong_choices_are_refused_before_anything_is_made(topic: Topic, more: dict[str, Any], says: str) -> None:
    with pytest.raises((OptionError, TargetError)) as found:
        topic.sync(topic.frame([Watermark(START)]), **more)
    assert says in str(found.value)
    assert "secret" not in str(found.value)
    assert not Path(topic.state).exists()


def test_streams_without_commit_ts_or_watermarks_are_refused(topic: Topic) -> None:
    rows = [one for one in declared_history() if not isinstance(one, Watermark | Ddl)]
    bare = topic.frame(rows, enable_tidb_extension=False)
    says = (
        r"have no commit ts, as that at offset \d+ of partition 0: set enable-tidb-extension=true in the changefeed of"
        r" TiCDC; or ask for consistency=key"
    )
    with pytest.raises(StateError, match=says):
        topic.sync(bare).once()
    late = change("insert", 120_000 << 18, "accounts", account(9))
    with pytest.raises(StateError, match="rows of 120 seconds and no watermark"):
        topic.sync(topic.frame([*rows, late])).once()
    assert status(topic.state).batches == 0
    # nothing of it counts: with watermarks the same state goes on
    assert topic.sync(topic.frame(declared_history())).once().published == FIRST + 30


def test_a_source_of_other_messages_is_refused(topic: Topic) -> None:
    def nothing(_: SparkSession) -> DataFrame:
        raise FileNotFoundError("there are no messages")

    with pytest.raises(FileNotFoundError, match="there are no messages"):
        topic.sync(nothing)
    assert not Path(topic.state).exists()
    topic.sync(topic.frame(declared_history())).once()
    other = topic.frame([Watermark(FIRST + 90)]).withColumn("topic", F.lit("other"))
    with pytest.raises(StateError, match="is of messages of t, and these are of other: name another folder"):
        topic.sync(other).once()
    assert status(topic.state).published == FIRST + 30


def test_a_stream_that_cannot_begin_is_a_sentence(topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    running = topic.sync(
        topic.spark.readStream.format("rate").load().selectExpr("cast(string(value) as binary) as value")
    )

    def full(_: DataStreamWriter) -> None:
        raise OSError("org.apache.hadoop.fs.FSError: java.io.IOException: No space left on device")

    monkeypatch.setattr(DataStreamWriter, "start", full)
    with pytest.raises(StateError, match=r"cannot be written \(No space left on device\): make room"):
        running.start()

"""The preview of a synchronisation: what it would create, and what would stop it."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest

from sync.staged_histories import account, change, history
from sync.topic import Topic, formats
from tidewire.events import Watermark
from tidewire.runtime.errors import TidewireError
from tidewire.spark.sync.changelog import Source, SourceError, StateError
from tidewire.spark.sync.planned import PlannedTable, plain
from tidewire.spark.sync.run import plan
from tidewire.spark.sync.state import opened
from tidewire.spark.sync.targets import TargetError

SECRET = "s3cr3t-of-somebody"


def planned(topic: Topic, source: Any, **more: Any) -> dict[str, PlannedTable]:
    more = {"into": f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}", "state": topic.state, **more}
    return {one.table: one for one in plan(topic.spark, source, "canal-json", **more)}


@formats("parquet", "iceberg")
def test_what_would_be_made_is_told_and_not_made(topic: Topic, format: str) -> None:
    into = f"{format}:{topic.tmp}/lake/{{schema}}/{{table}}"
    if format == "iceberg":
        into = "iceberg:ice.plan_{schema}.{table}"
    frame = topic.frame(history())
    found = planned(topic, frame, into=into, tables={"shop.pairs": {"mode": "state"}, "shop.*": {"mode": "history"}})
    pairs = found["shop.pairs"]
    assert (pairs.format, pairs.mode, pairs.schema_changes, pairs.key) == (format, "state", "lenient", ["a", "b"])
    assert (pairs.columns, pairs.exists, pairs.adds, pairs.waits) == (
        {"a": "int", "b": "string", "n": "bigint"},
        False,
        [],
        "",
    )
    assert (found["shop.accounts"].mode, found["shop.accounts"].engine) == ("history", "all changes are added")
    assert not os.path.exists(topic.state)
    assert not os.path.exists(f"{topic.tmp}/lake")
    topic.sync(frame, into=into, tables="shop.pairs").once()
    again = planned(topic, frame, into=into, tables="shop.pairs")["shop.pairs"]
    assert (again.exists, again.adds, again.into) == (True, [], pairs.into)
    with pytest.raises(TargetError, match=r"exists already and belongs to another synchronisation"):
        planned(topic, frame, into=into, state=f"{topic.tmp}/other")
    with pytest.raises(StateError, match="is of tables in"):
        planned(topic, frame, into=f"parquet:{topic.tmp}/elsewhere/{{schema}}/{{table}}")


def test_columns_that_would_be_added_are_told(topic: Topic) -> None:
    topic.sync(topic.frame([change("insert", 1, "pairs", {"a": 1, "b": "x", "n": 1}), Watermark(10**15)])).once()
    wide = {"a": 7, "b": "x", "n": 7, "owner": "new"}
    columns = (*change("insert", 40, "pairs", {}).columns, *change("insert", 40, "accounts", account(1)).columns[1:2])
    found = planned(topic, topic.frame([change("insert", 40, "pairs", wide, columns=columns)]))
    assert found["shop.pairs"].adds == ["owner"]


def test_what_cannot_go_on_is_said_in_a_sentence(topic: Topic, caplog: pytest.LogCaptureFixture) -> None:
    """And neither there nor in the state is what nobody may know."""
    caplog.set_level(logging.INFO)
    frame = topic.frame(history())
    login = f"org.apache.kafka.common.security.plain.PlainLoginModule required username=u password={SECRET}"
    source = {
        "kafka.bootstrap.servers": "localhost:1",
        "subscribe": "t",
        "kafka.request.timeout.ms": 500,
        "kafka.default.api.timeout.ms": 1000,
    }
    secret = {**source, "kafka.security.protocol": "SASL_PLAINTEXT", "kafka.sasl.mechanism": "PLAIN"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"source": source}, "no broker of Kafka at 'localhost:1'"),
        ({"source": {**source, "kafka.bootstrap.servers": "nowhere"}}, "Kafka cannot be asked: ConfigException"),
        ({"source": {**secret, "kafka.sasl.jaas.config": f"{login};"}}, "no broker of Kafka at 'localhost:1'"),
        ({"source": {**secret, "kafka.sasl.jaas.config": login}}, "Kafka cannot be asked: IllegalArgumentException"),
        ({"source": {**secret, "kafka.sasl.jaas.config": f"a.B required {SECRET}"}}, "Kafka cannot be asked: Illegal"),
        ({"into": "iceberg:nowhere.{schema}.{table}"}, "the session does not know the catalog"),
        ({"tables": "other.*"}, "those that were read are of shop.accounts, shop.pairs: compare the patterns"),
        ({"source": topic.frame([Watermark(1)])}, "is in the first 100,000 messages: tidewire detect says"),
        ({"source": frame.drop("value")}, "value"),
    ]
    said = []
    for more, says in cases:
        with pytest.raises(TidewireError) as found:
            planned(topic, **{"source": frame, **more})
        assert says in str(found.value)
        said.append(str(found.value))
    for more, _ in cases[:5]:
        with pytest.raises(SourceError) as refused:
            topic.sync(more["source"])
        said.append(str(refused.value))
    assert not Path(topic.state).exists()
    opened(topic.state, Source("t", "canal-json"), f"parquet:{topic.tmp}/lake/{{schema}}/{{table}}")
    for more, _ in cases[:5]:
        running = topic.sync(more["source"])
        with pytest.raises(SourceError) as refused:
            running.once()
        said.append(str(refused.value))
        said += [str(running.status())]
    said += [path.read_text() for path in Path(topic.state).rglob("*") if path.is_file()]
    assert os.listdir(topic.state) == ["sync.json"]
    assert not any(SECRET in one for one in [*said, caplog.text])


def test_an_error_of_java_is_shown_by_the_text_of_its_cause() -> None:
    """py4j puts a line before it that says nothing; causes behind it are nearer to the reason."""
    thrown = "io.delta.MetadataChangedException: [X] changed\n\tat a.b(C.java)"
    called = f"An error occurred while calling o63.sql.\n: {thrown}"
    assert plain(RuntimeError(called)) == "MetadataChangedException: [X] changed"
    cause = "\nCaused by: java.io.FileNotFoundException: File file:/t does not exist\n\t... 3 more"
    assert plain(RuntimeError(called + cause)) == "FileNotFoundException: File file:/t does not exist"

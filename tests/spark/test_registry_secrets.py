"""Passwords and tokens of registries are used by executors and never shown."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession
from registered import Sent, one_topic, registered_stream
from registry_server import reply, serving
from schema_server import schema_server
from spark_streams import AVRO, Stream, corrupt, frame, images

from tidewire import avro
from tidewire.spark import from_ticdc, rows_from_ticdc, to_ticdc
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.events import EventsTask
from tidewire.spark.options import read_options, write_options
from tidewire.spark.outputs import event_schema

SECRET = "Geheim4711"
BASIC = "Basic " + base64.b64encode(f"reader:{SECRET}".encode()).decode()
WAYS = {
    "url": BASIC,
    "password": BASIC,
    "token": f"Bearer {SECRET}",
}
STREAM = "tiflow/keys/avro.tidb-extension"


def access(way: str, url: str) -> dict[str, str]:
    """Options with the secret, given in one of the ways."""
    if way == "url":
        return {"schema-registry": url.replace("://", f"://reader:{SECRET}@")}
    if way == "password":
        return {"Schema-Registry": url, "SCHEMA_REGISTRY_USER": "reader", "schema-registry-password": SECRET}
    return {"schema-registry": url, "schema-registry-token": SECRET}


def hides(text: str) -> bool:
    """Whether a text shows the secret in no form: plain, in base64 as a header has it, as bytes one by one."""
    numbers = ",".join(str(byte) for byte in SECRET.encode())
    spaced = numbers.replace(",", ", ")
    encoded = BASIC.removeprefix("Basic "), base64.b64encode(SECRET.encode()).decode().rstrip("=")
    return bool(text) and not any(one in text for one in (SECRET, *encoded, numbers, spaced))


def plans(df: DataFrame) -> list[str]:
    """All that Spark tells of a query."""
    execution = df._jdf.queryExecution()
    trees = [execution.logical(), execution.analyzed(), execution.optimizedPlan(), execution.executedPlan()]
    return [execution.toString(), *(tree.treeString() for tree in trees), *(tree.toJSON() for tree in trees)]


@pytest.fixture
def messages() -> list[Sent]:
    return one_topic([registered_stream(STREAM)])[0]


@pytest.mark.parametrize("way", WAYS)
def test_executors_send_it_and_spark_shows_it_nowhere(
    spark: SparkSession, messages: list[Sent], way: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with schema_server(one_topic([registered_stream(STREAM)])[1]) as server:
        options = access(way, server.url)
        events = from_ticdc(frame(spark, messages), "avro", options)
        rows = rows_from_ticdc(frame(spark, messages), "avro", "test.t", "id INT", options)
        again = to_ticdc(events, "avro", options)
        for made in (events, rows, again):
            made.explain(extended=True)
            assert all(map(hides, plans(made)))
            made.collect()
        assert {headers.get("authorization") for headers in server.headers} == {WAYS[way]}
    assert hides(capsys.readouterr().out)
    executions = spark._jsparkSession.sharedState().statusStore().executionsList()
    told = [executions.apply(at) for at in range(executions.size())]
    shown = [text for one in told for text in (one.description(), one.details(), one.physicalPlanDescription())]
    assert len(shown) >= 9
    assert all(map(hides, shown))


@pytest.mark.parametrize("way", WAYS)
def test_no_repr_of_options_or_tasks_shows_it(way: str) -> None:
    options = access(way, "http://here:8081")
    read, write = read_options("avro", options, "UTC"), write_options("avro", options)
    task = EventsTask("avro", read, arrow_schema(event_schema(read)))
    own = avro.Options.from_strings({name.lower(): text for name, text in options.items()})
    for one in (read, write, task, own, avro.Decoder(own).schemas, avro.Decoder(own).options):
        assert hides(repr(one))
        assert hides(str(one))


@pytest.mark.parametrize("way", WAYS)
def test_no_reason_shows_it_whatever_a_registry_answers(spark: SparkSession, messages: list[Sent], way: str) -> None:
    said = json.dumps({"error_code": 401, "message": f"no entry for {SECRET} or {WAYS[way]}"}).encode()
    with serving(reply(said, 401)) as server:
        options = access(way, server.url)
        reasons = [row.reason for row in corrupt(AVRO.rows(frame(spark, messages), options)).collect()]
        assert len(reasons) == sum(one.key is not None or one.value is not None for one in messages)
        assert all("the registry answers 401" in reason for reason in reasons)
        assert all(map(hides, reasons))
        with pytest.raises(PythonException, match="the registry answers 401") as caught:
            AVRO.rows(frame(spark, messages), {**options, "mode": "FAILFAST"}).collect()
        assert hides(str(caught.value))
        events = from_ticdc(frame(spark, messages), "avro", options)
        with pytest.raises(PythonException) as caught:
            to_ticdc(events, "avro", options).collect()
        assert hides(str(caught.value))


def test_a_stream_keeps_it_nowhere(spark: SparkSession, tmp_path: Path, messages: list[Sent]) -> None:
    with schema_server(one_topic([registered_stream(STREAM)])[1]) as server:
        stream = Stream(spark, tmp_path, AVRO, access("url", server.url))
        stream.put(1, messages)
        query = stream.query()
        query.awaitTermination()
        progress = query.lastProgress
        assert progress is not None
        assert hides(progress.json)
        assert hides(query._jsq.toString())
        assert sum(images(stream.written()).values()) > 0
    kept = [path for folder in (stream.state, stream.out) for path in folder.rglob("*") if path.is_file()]
    assert len(kept) > 5
    assert all(SECRET.encode() not in path.read_bytes() for path in kept)

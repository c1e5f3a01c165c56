"""Canal-JSON and Craft in Spark: the same rows for the same changes, apart from what each protocol carries."""

from __future__ import annotations

import base64
import json
import tarfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from spark_frames import Frame, kafka_table

from tidewire.spark import from_ticdc, rows_from_ticdc, table_schema, table_schemas, to_ticdc

RECORDED = Path(__file__).parents[1] / "recorded"
DAMAGED = {"df": "f", "ck2": "f"}
"""FLOAT columns, by table: the recorded producer's Craft damages them."""
TSO = 470607709161390080


@cache
def scenarios(protocol: str) -> frozenset[str]:
    """The scenarios that were recorded with this protocol."""
    with tarfile.open(RECORDED / f"{protocol}.tar.xz") as archive:
        return frozenset(name.split("/")[-2] for name in archive.getnames() if name.endswith(".jsonl"))


@cache
def streams(protocol: str, option_set: str, of: frozenset[str] | None = None) -> list[bytes]:
    """The messages recorded with these options, in the scenarios `of` if given."""

    def found() -> Iterator[bytes]:
        with tarfile.open(RECORDED / f"{protocol}.tar.xz") as archive:
            for member in sorted(archive.getmembers(), key=lambda one: one.name):
                if not member.name.endswith(f"{protocol}.{option_set}.jsonl"):
                    continue
                if of is not None and member.name.split("/")[-2] not in of:
                    continue
                lines = archive.extractfile(member)
                assert lines is not None
                for line in lines.read().splitlines()[1:]:
                    message = json.loads(line)
                    if "error" not in message:
                        yield base64.b64decode(message["value"])

    return list(found())


def images(spark: SparkSession, protocol: str, option_set: str) -> Counter[tuple[Any, ...]]:
    """Every row image of the scenarios recorded with Canal-JSON: table, change, commit ts, row."""
    values = streams(protocol, option_set, scenarios("canal-json"))
    assert len(values) > 100
    messages = spark.createDataFrame(kafka_table(values, ["t"] * len(values)))
    rows = rows_from_ticdc(messages, protocol, None, "variant", {"mode": "FAILFAST"}).collect()

    def image(table: str, row: dict[str, Any]) -> str:
        return str({name: value for name, value in row.items() if DAMAGED.get(table) != name})

    return Counter(
        (row.schema, row.table, row._change_type, row._commit_version, image(row.table, row.row.toPython()))
        for row in rows
    )


@pytest.fixture(scope="module")
def craft_images(spark: SparkSession) -> Counter[tuple[Any, ...]]:
    """Those of Craft."""
    return images(spark, "craft", "default")


@pytest.mark.parametrize("option_set", ["tidb-extension", "updated-only", "content-compatible"])
def test_rows_of_both_protocols_are_the_same(
    option_set: str, spark: SparkSession, craft_images: Counter[tuple[Any, ...]]
) -> None:
    found = images(spark, "canal-json", option_set)
    assert found.total() == craft_images.total() > 300
    assert found == craft_images


@pytest.mark.parametrize(
    ("option_set", "options"),
    [
        ("default", {}),
        ("content-compatible", {"enable-tidb-extension": True, "content-compatible": "true"}),
    ],
)
def test_every_recorded_message_comes_back(option_set: str, options: dict[str, Any], spark: SparkSession) -> None:
    values = streams("canal-json", option_set)
    messages = spark.createDataFrame(kafka_table(values, ["t"] * len(values))).coalesce(1)
    events = from_ticdc(messages, "canal-json", {"mode": "FAILFAST"})
    made = to_ticdc(events, "canal_json", {"messages": "keep", **options}).collect()
    # the order of mysqlType is another one in every message of the producer
    assert [json.loads(row.value) for row in made] == [json.loads(value) for value in values]
    assert {(row.key, row.events) for row in made} == {(None, 1)}


@pytest.mark.parametrize("compression", ["lz4", "snappy"])
def test_compressed_messages_are_read_and_written(compression: str, spark: SparkSession) -> None:
    values, plain = streams("canal-json", compression), streams("canal-json", "default")
    options = {"large-message-handle-compression": compression}
    messages = spark.createDataFrame(kafka_table(values, ["t"] * len(values))).coalesce(1)
    events = from_ticdc(messages, "canal-json", {"mode": "FAILFAST", **options})
    made = to_ticdc(events, "canal-json", {"messages": "keep"}).collect()
    assert [json.loads(row.value) for row in made] == [json.loads(value) for value in plain]
    again = from_ticdc(to_ticdc(events, "canal-json", options), "canal-json", {"mode": "FAILFAST", **options})
    assert again.count() == events.count() == len(values)
    undeclared = from_ticdc(messages, "canal-json").select("_corrupt_record.reason").first()
    assert undeclared is not None
    assert f"set large-message-handle-compression={compression}" in undeclared.reason


def test_claim_checks_are_fetched(tmp_path: Path, frame: Frame) -> None:
    whole = message("INSERT", WHOLE, commitTs=TSO)
    (tmp_path / "a.json").write_bytes(json.dumps({"key": None, "value": base64.b64encode(whole).decode()}).encode())
    key = {"id": WHOLE["id"]}
    values = [
        message("INSERT", key, commitTs=TSO, onlyHandleKey=True, claimCheckLocation=f"s3://bucket/{name}.json")
        for name in ("a", "lost")
    ]
    options = {"claim-check": str(tmp_path), "timezone": "UTC"}
    found, lost = rows_from_ticdc(frame(values), "canal-json", "shop.orders", "price decimal(10,2)", options).collect()
    assert (str(found.price), found._corrupt_record) == ("-0.50", None)
    assert lost._change_type is None
    assert "lies in 's3://bucket/lost.json': there is no such file" in lost._corrupt_record.reason


def message(kind: str, data: dict[str, Any], old: dict[str, Any] | None = None, **tidb: Any) -> bytes:
    """A message of shop.orders."""
    return json.dumps(
        {
            "id": 0,
            "database": "shop",
            "table": "orders",
            "pkNames": ["id"],
            "isDdl": False,
            "type": kind,
            "es": TSO >> 18,
            "ts": 1767323045678,
            "sql": "",
            "sqlType": None,
            "mysqlType": {
                "id": "bigint(20) unsigned",
                "price": "decimal(10,2)",
                "on": "tinyint(1)",
                "at": "timestamp(3)",
            },
            "data": [data],
            "old": None if old is None else [old],
            **({"_tidb": tidb} if tidb else {}),
        }
    ).encode()


WHOLE = {"id": str(2**64 - 1), "price": "-0.50", "on": "1", "at": "2026-01-02 03:04:05.600"}


def test_a_schema_from_full_types(frame: Frame) -> None:
    schema = table_schema(frame([message("INSERT", WHOLE, commitTs=TSO)]), "canal-json", "shop.orders")
    assert schema.simpleString() == "struct<id:decimal(20,0),price:decimal(10,2),on:tinyint,at:timestamp>"
    assert schema["id"].metadata == {
        "tidb_type": "bigint",
        "handle_key": True,
        "unsigned": True,
        "mysql_type": "bigint(20) unsigned",
    }


def test_a_schema_from_bare_types(spark: SparkSession) -> None:
    values = streams("canal-json", "tidb-extension")
    messages = spark.createDataFrame(kafka_table(values, ["t"] * len(values)))
    bare = table_schemas(messages, "canal-json")
    values = streams("craft", "default", scenarios("canal-json"))
    told = table_schemas(spark.createDataFrame(kafka_table(values, ["t"] * len(values))), "craft")
    assert {name: schema.simpleString() for name, schema in bare.items()} == {
        name: schema.simpleString() for name, schema in told.items()
    }


def test_without_the_extension_there_is_a_time_and_no_commit_ts(frame: Frame) -> None:
    messages = frame([message("DELETE", WHOLE), message("INSERT", WHOLE), message("UPDATE", WHOLE, {"on": None})])
    rows = rows_from_ticdc(messages, "canal-json", "shop.orders")
    ordered = rows.orderBy("_commit_timestamp", "_commit_version", "_commit_rank").selectExpr(
        "*", "unix_millis(_commit_timestamp) ms"
    )
    found = ordered.collect()
    assert [row._change_type for row in found] == ["delete", "update_preimage", "update_postimage", "insert"]
    assert {(row._commit_version, row.ms) for row in found} == {(None, TSO >> 18)}
    assert [row.on for row in found] == [1, None, 1, 1]
    events = from_ticdc(messages, "canal-json").selectExpr(
        "_commit_version", "unix_millis(_commit_timestamp) ms", "sent_ms"
    )
    assert {tuple(row) for row in events.collect()} == {(None, TSO >> 18, 1767323045678)}


def test_rows_in_part_are_not_whole(frame: Frame) -> None:
    key = {"id": "7"}
    values = [
        message("UPDATE", key, key, commitTs=TSO, onlyHandleKey=True),
        message("INSERT", key, commitTs=TSO, onlyHandleKey=True, claimCheckLocation="s3://bucket/a.json"),
        message("INSERT", WHOLE, commitTs=TSO),
    ]
    schema = "id decimal(20,0), price decimal(10,2)"
    events = (
        from_ticdc(frame(values), "canal-json").select("handle_key_only", "claim_check", "_corrupt_record").collect()
    )
    assert [tuple(row) for row in events] == [
        (True, None, None),
        (True, "s3://bucket/a.json", None),
        (None, None, None),
    ]
    rows = rows_from_ticdc(frame(values), "canal-json", "shop.orders", schema).collect()
    assert [(int(row.id), row.price is None, row._corrupt_record is None) for row in rows] == [
        (7, True, False),
        (7, True, False),
        (7, True, False),
        (2**64 - 1, False, True),
    ]
    assert "lies in s3://bucket/a.json" in rows[2]._corrupt_record.reason
    assert bytes(rows[0]._corrupt_record.value) == values[0]
    kept = rows_from_ticdc(frame(values), "canal-json", "shop.orders", schema, {"mode": "DROPMALFORMED"})
    assert kept.count() == 1
    with pytest.raises(PythonException, match="offset 0: the message has the row's handle key columns only"):
        rows_from_ticdc(frame(values), "canal-json", "shop.orders", schema, {"mode": "FAILFAST"}).collect()

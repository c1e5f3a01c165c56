"""Rows of Debezium and Canal as Flink writes them: the user gives table and types."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, SparkSession

from tidewire.spark import rows_from_ticdc, table_schema

NEW = {"id": 1, "name": "ann", "price": 12.5, "many": 9007199254740993, "yes": True, "raw": "AP8="}
SCHEMA = "id INT, name STRING, price DECIMAL(10,2), many BIGINT, yes BOOLEAN, raw BINARY"
BLOCK = {
    "type": "struct",
    "fields": [
        {"type": "struct", "field": one, "fields": [{"type": "int64", "field": "id"}]} for one in ("before", "after")
    ],
}


def frame(spark: SparkSession, *values: Any) -> DataFrame:
    return spark.createDataFrame(
        [(None, bytearray(json.dumps(one).encode())) for one in values], "key BINARY, value BINARY"
    )


def test_rows_have_the_types_of_the_schema(spark: SparkSession) -> None:
    added = {"before": None, "after": NEW, "op": "c"}
    gone = {"before": NEW, "after": None, "op": "d", "ts_ms": None}
    named = {**added, "source": {"db": "shop", "table": "t"}}
    rows = rows_from_ticdc(frame(spark, added, gone, named), "debezium", "shop.t", schema=SCHEMA).collect()
    assert [row["_change_type"] for row in rows] == ["insert", "delete", "insert"]
    for row in rows:
        assert (row.id, row.name, str(row.price), row.many, row.yes) == (1, "ann", "12.50", 9007199254740993, True)
        assert bytes(row.raw) == b"\0\xff"
        assert row._corrupt_record is None


def test_what_a_message_tells_counts_before_the_schema(spark: SparkSession) -> None:
    payload = {"before": None, "after": {"id": 2**40}, "op": "c"}
    block = {"schema": BLOCK, "payload": payload}
    other = {"schema": BLOCK, "payload": {**payload, "source": {"db": "shop", "table": "u"}}}
    (row,) = rows_from_ticdc(frame(spark, block, other), "debezium", "shop.t", schema="id BIGINT").collect()
    assert row.id == 2**40


def test_a_value_that_is_another_is_a_corrupt_record(spark: SparkSession) -> None:
    wrong = {"before": None, "after": {"id": "x"}, "op": "c"}
    more = {"before": None, "after": {"id": 1, "other": 2}, "op": "c"}
    rows = rows_from_ticdc(frame(spark, wrong, more), "debezium", "shop.t", schema="id INT").collect()
    assert all(row._corrupt_record is not None for row in rows)
    failing = rows_from_ticdc(frame(spark, wrong), "debezium", "shop.t", "id INT", {"mode": "FAILFAST"})
    with pytest.raises(PythonException):
        failing.collect()


def test_a_row_without_its_envelope_is_a_corrupt_record(spark: SparkSession) -> None:
    flat = frame(spark, {"id": 5, "ts_ms": 1700000000000})
    (row,) = rows_from_ticdc(flat, "debezium", "shop.t", schema="id INT").collect()
    assert "this seems to be a row without its envelope" in row._corrupt_record.reason
    with pytest.raises(PythonException):
        rows_from_ticdc(flat, "debezium", "shop.t", "id INT", {"mode": "FAILFAST"}).collect()


CANAL = [
    {"data": [{"id": "1", "name": "ann", "price": "12.5"}], "type": "INSERT"},
    {"data": [{"id": "1", "name": "ann", "price": "12.5"}], "type": "DELETE"},
    {"data": [{"id": "2", "name": "bo", "price": None}], "type": "INSERT", "database": "shop"},
    {"data": [{"id": "3", "name": "cy", "price": "1"}], "type": "INSERT", "database": "shop", "table": "other"},
]


def test_canals_rows_that_name_no_table_are_of_the_one_that_is_asked_for(spark: SparkSession) -> None:
    messages = frame(spark, *CANAL)
    schema = "id BIGINT, name STRING, price DECIMAL(10,2)"
    rows = rows_from_ticdc(messages, "canal-json", "shop.t", schema).collect()
    assert [(row.id, row.name, row._change_type, row._corrupt_record) for row in rows] == [
        (1, "ann", "insert", None),
        (1, "ann", "delete", None),
        (2, "bo", "insert", None),
    ]
    assert str(rows[0].price) == "12.50"
    assert rows_from_ticdc(messages, "canal-json", "shop.t", schema, {"table": "shop.other"}).count() == 0
    every = rows_from_ticdc(messages, "canal-json", "shop.t", "variant").collect()
    assert [(row.schema, row.table) for row in every] == [("shop", "t")] * 3
    assert [field.name for field in table_schema(messages, "canal-json", "shop.t").fields] == ["id", "name", "price"]

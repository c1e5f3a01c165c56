"""Partial rows are completed if possible, and never treated as complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import DecimalType, IntegerType, StringType, StructField, StructType, VariantVal
from spark_frames import task_rows

from tidewire import canal_json
from tidewire.events import Column, Event, Events, RowChange
from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.options import ReadOptions
from tidewire.spark import MalformedError
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.outputs import row_schema
from tidewire.spark.table_rows import RowsTask
from tidewire.spark.variant_rows import VARIANT_COLUMNS, VariantRowsTask, variant_schema

TSO = 470607709161390080
COLUMNS = [Column("id", 3, 10), Column("name", 15, 64), Column("price", 246, 64), Column("n", 8, 192)]
WANTED = StructType(
    [
        StructField("id", IntegerType()),
        StructField("name", StringType()),
        StructField("price", DecimalType(10, 2)),
        StructField("n", DecimalType(20, 0)),
    ]
)
WHOLE = {"id": 1, "name": "ann", "price": "2.50", "n": 2**64 - 1}


def change(
    kind: str, new: Mapping[str, Any] | None, old: Mapping[str, Any] | None, table: str = "orders", **more: Any
) -> RowChange:
    """A row change of the schema shop."""
    return RowChange(kind, TSO, "shop", table, new, old, columns=COLUMNS, **more)


def rows(events: Sequence[Event], **options: Any) -> list[dict[str, Any]]:
    """Typed rows of shop.orders."""
    chosen = ReadOptions(**options)
    schema = arrow_schema(row_schema(WANTED, chosen))
    return task_rows(RowsTask("none", chosen, schema, ("shop", "orders"), WANTED), events)


def variants(events: Sequence[Event], table: tuple[str, str] | None = None) -> list[tuple[str, str, object]]:
    """Table, change and row of VARIANT rows."""
    chosen = ReadOptions()
    schema = row_schema(VARIANT_COLUMNS, chosen)
    made = task_rows(VariantRowsTask("none", chosen, variant_schema(schema), table), events)
    return [
        (one["table"], one["_change_type"], VariantVal(one["row"]["value"], one["row"]["metadata"]).toPython())
        for one in made
    ]


def images(made: Sequence[Mapping[str, Any]]) -> list[tuple[object, ...]]:
    """Change type and values as text."""
    return [
        (one["_change_type"], *(None if one[name] is None else str(one[name]) for name in ("id", "name", "price", "n")))
        for one in made
    ]


def test_an_old_image_has_the_columns_that_did_not_change() -> None:
    made = rows(
        [
            change("update", WHOLE, {"name": None}),
            change("update", {**WHOLE, "id": 2}, {"price": "9.99", "id": 3}),
            change("update", {**WHOLE, "id": 4}, {}),
            change("update", {**WHOLE, "id": 5}, {**WHOLE, "id": 5, "n": 0}),
            change("insert", {**WHOLE, "id": 6}, None),
            change("delete", None, {"id": 7}),
        ]
    )
    n = str(2**64 - 1)
    assert images(made) == [
        ("update_preimage", "1", None, "2.50", n),
        ("update_postimage", "1", "ann", "2.50", n),
        ("update_preimage", "3", "ann", "9.99", n),
        ("update_postimage", "2", "ann", "2.50", n),
        ("update_preimage", "4", "ann", "2.50", n),
        ("update_postimage", "4", "ann", "2.50", n),
        ("update_preimage", "5", "ann", "2.50", "0"),
        ("update_postimage", "5", "ann", "2.50", n),
        ("insert", "6", "ann", "2.50", n),
        ("delete", "7", None, None, None),
    ]
    assert all(one["_corrupt_record"] is None for one in made)


def test_columns_that_the_new_image_lacks_or_describes_otherwise_stay() -> None:
    changed = [Column("id", 3, 10), Column("name", 15, 65), Column("gone", 3, 64), Column("price", 246, 64)]
    old = Events.of([RowChange("delete", TSO, "shop", "orders", None, {"name": b"x", "gone": 5}, columns=changed)])
    made = variants([change("update", WHOLE, old[0].old)])
    assert made[0] == ("orders", "update_preimage", {"id": 1, "name": b"x", "price": "2.50", "n": 2**64 - 1, "gone": 5})
    assert made[1] == ("orders", "update_postimage", WHOLE)


def test_variant_rows_of_all_tables_and_of_one() -> None:
    events = [
        change("update", WHOLE, {"name": "bob"}),
        change("insert", {"id": 2, "name": "eve"}, None, "customers"),
        change("delete", None, {"id": 3}, "customers", handle_key_only=True),
    ]
    every = variants(events)
    assert every == [
        ("orders", "update_preimage", {**WHOLE, "name": "bob"}),
        ("orders", "update_postimage", WHOLE),
        ("customers", "insert", {"id": 2, "name": "eve"}),
        ("customers", "delete", {"id": 3}),
    ]
    assert variants(events, ("shop", "customers")) == every[2:]
    assert variants(events, ("shop", "nothing")) == []


PARTS = [
    change("update", {"id": 1}, {"id": 1}, handle_key_only=True),
    change("insert", {"id": 2}, None, claim_check="s3://claims/7.json"),
    change("insert", {**WHOLE, "id": 3}, None),
    change("delete", None, {"id": 4}, handle_key_only=False),
]


def test_rows_that_are_not_whole_say_so() -> None:
    made = rows(PARTS)
    assert images(made)[:3] == [
        ("update_preimage", "1", None, None, None),
        ("update_postimage", "1", None, None, None),
        ("insert", "2", None, None, None),
    ]
    reasons = [one["_corrupt_record"] and one["_corrupt_record"]["reason"] for one in made]
    key_only = "the message has the row's handle key columns only: the whole row was too large for it"
    assert reasons == [key_only, key_only, f"{key_only} and lies in s3://claims/7.json", None, None]
    assert [made[at]["_corrupt_record"]["value"] for at in (0, 1, 2)] == [b"m0", b"m0", b"m1"]


def test_rows_that_are_not_whole_are_dropped_or_fail() -> None:
    assert [one["id"] for one in rows(PARTS, mode="DROPMALFORMED")] == [3, 4]
    with pytest.raises(MalformedError, match="message 0 of an Arrow batch: the message has the row's handle key"):
        rows(PARTS, mode="FAILFAST")
    with pytest.raises(MalformedError, match=r"message 0 .* too large for it and lies in s3://claims/7\.json\. Mode"):
        rows(PARTS[1:], mode="FAILFAST")


def test_an_update_of_which_there_is_the_key_is_not_completed() -> None:
    made = rows([change("update", WHOLE, {"id": 1}, handle_key_only=True)])
    assert images(made)[0] == ("update_preimage", "1", None, None, None)


def test_milliseconds_stand_for_a_commit_ts() -> None:
    late = RowChange("insert", None, "shop", "orders", WHOLE, columns=COLUMNS, commit_ms=10**15)
    event = RowChange("insert", None, "shop", "orders", WHOLE, columns=COLUMNS, commit_ms=TSO >> 18)
    made = rows([event, change("insert", WHOLE, None), late])
    assert [one["_commit_version"] for one in made] == [None, TSO, None]
    assert made[0]["_commit_timestamp"] == made[1]["_commit_timestamp"]
    assert made[2]["_commit_timestamp"] is None
    assert "1000000000000000 is no number of milliseconds" in made[2]["_corrupt_record"]["reason"]


def test_a_part_of_a_row_is_not_completed_and_says_what_it_lacks() -> None:
    """As MySQL logs it with binlog_row_image=MINIMAL: neither its key nor its old values are known."""
    head = b'{"database":"shop","table":"orders","pkNames":["id"],"es":1,"ts":2,'
    types = b'"mysqlType":{"id":"int","name":"varchar(9)"},'
    values = [
        head + b'"mysqlType":{"name":"varchar(9)"},"type":"UPDATE","data":[{"name":"bob"}],"old":[{}]}',
        head + types + b'"type":"UPDATE","data":[{"id":"1","name":"bob"}],"old":[{"name":"ann"}]}',
        head + types + b'"type":"DELETE","data":[{"id":"1"}]}',
    ]
    schema = arrow_schema(row_schema(WANTED, ReadOptions()))
    task = RowsTask("canal-json", ReadOptions(), schema, ("shop", "orders"), WANTED)
    messages = MessageBatch(pa.record_batch({"value": pa.array(values)}))
    out = task.process(messages, canal_json.Decoder().decode(messages.values))
    assert out is not None
    found = out.to_pylist()
    shown = [(row["_change_type"], row["id"], row["name"], row["_corrupt_record"] is None) for row in found]
    assert shown == [
        ("update_preimage", None, None, False),
        ("update_postimage", None, "bob", False),
        ("update_preimage", 1, "ann", True),
        ("update_postimage", 1, "bob", True),
        ("delete", 1, None, False),
    ]
    assert "its table also has `id`" in found[0]["_corrupt_record"]["reason"]
    assert "its table also has `name`" in found[4]["_corrupt_record"]["reason"]

"""Table names: any case, as text or as a pair, and errors about missing tables."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest
from pyspark.sql.types import IntegerType, StructType
from spark_frames import Frame, RecordedFrame, task_rows

from tidewire import craft
from tidewire.events import Column, Event, RowChange, Watermark
from tidewire.reading.options import ReadOptions
from tidewire.reading.tables import Table, absent, parse_table
from tidewire.spark import SchemaError, rows_from_ticdc, table_schema, table_schemas
from tidewire.spark import sought as names
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.outputs import row_schema
from tidewire.spark.table_rows import RowsTask
from tidewire.spark.variant_rows import VARIANT_COLUMNS, VariantRowsTask, variant_schema

TSO = 470607709161390080
COLUMNS = [Column("id", 3, 10)]


def insert(table: str, row: int = 1, schema: str = "Shop") -> RowChange:
    """An insert into a table."""
    return RowChange("insert", TSO + row, schema, table, {"id": row}, columns=COLUMNS)


def rows_task(table: tuple[str, str]) -> RowsTask:
    """The task that makes typed rows of a table."""
    columns = StructType().add("id", IntegerType())
    return RowsTask("none", ReadOptions(), arrow_schema(row_schema(columns, ReadOptions())), table, columns)


def encoded(events: Sequence[Event]) -> list[bytes | None]:
    """The events as messages, one each."""
    return [message.value for message in craft.encode(events, craft.Options(max_batch_size=1))]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("shop.orders", ("shop", "orders")),
        ("`shop`.`weird.name`", ("shop", "weird.name")),
        (("shop", "weird.name"), ("shop", "weird.name")),
        (["中文", "`"], ("中文", "`")),
    ],
)
def test_a_table_is_text_or_a_pair(table: Table, expected: tuple[str, str]) -> None:
    assert parse_table(table) == expected


@pytest.mark.parametrize(
    "table", ["orders", "a.b.c", "a.", ".a", "", ("orders",), ("a", "b", "c"), ("a", ""), 5, (1, 2)]
)
def test_what_names_no_table(table: Table) -> None:
    with pytest.raises(
        SchemaError, match=r'a table is named schema\.table, .* or is a pair such as \("shop", "orders"\)'
    ):
        parse_table(table)


@pytest.mark.parametrize("table", [("shop", "orders"), ("SHOP", "ORDERS"), ("Shop", "Orders")])
def test_rows_of_every_spelling_of_a_table(table: tuple[str, str]) -> None:
    events = [insert("Orders", 1), insert("ORDERS", 2, "shop"), insert("customers", 3), Watermark(TSO)]
    assert [row["id"] for row in task_rows(rows_task(table), events)] == [1, 2]
    options = ReadOptions()
    every = VariantRowsTask("none", options, variant_schema(row_schema(VARIANT_COLUMNS, options)), table)
    assert [(row["schema"], row["table"]) for row in task_rows(every, events)] == [
        ("Shop", "Orders"),
        ("shop", "ORDERS"),
    ]


def test_several_spellings_are_said_once(caplog: pytest.LogCaptureFixture) -> None:
    names._spelled.clear()
    names._met.clear()
    task = rows_task(("shop", "orders"))
    with caplog.at_level(logging.WARNING, "tidewire.spark"):
        task_rows(task, [insert("Orders", 1), insert("ORDERS", 2, "shop"), insert("customers", 3)])
        task.done()
        task.done()
    (warning,) = caplog.messages
    assert warning == (
        "tidewire: Shop.Orders and shop.ORDERS are one table for TiDB, and rows of all were read; where they are "
        "several, `schema` and `table` of from_ticdc tell them apart"
    )


def test_letters_beyond_ascii() -> None:
    assert [
        row["id"] for row in task_rows(rows_task(("shop", "größe")), [insert("GRÖSSE", 1), insert("GRÖßE", 2)])
    ] == [2]


def test_schema_and_rows_through_spark(frame: Frame) -> None:
    messages = frame(encoded([insert("Orders", 1), insert("orders", 2), insert("customers", 3)]))
    rows = rows_from_ticdc(messages, "craft", ("SHOP", "ORDERS")).collect()
    assert sorted(row.id for row in rows) == [1, 2]
    # the latest spelling
    assert list(table_schemas(messages, "craft")) == [("Shop", "customers"), ("Shop", "orders")]


def test_a_schema_of_a_table_that_is_not_there(frame: Frame, recorded_frame: RecordedFrame) -> None:
    messages = frame([*encoded([insert("orders"), insert("customers"), Watermark(TSO)]), b"\x01"])
    with pytest.raises(SchemaError) as caught:
        rows_from_ticdc(messages, "craft", "shop.order")
    text = str(caught.value)
    assert text.startswith(
        "no change of table shop.order is in these messages; there are changes of Shop.customers, Shop.orders. "
        "Did you mean Shop.orders? (1 of 4 messages could not be decoded, the first: craft "
    )
    assert "Error" not in text
    with pytest.raises(SchemaError, match=r"there are changes of test\.b1, test\.b2\. Did you mean test\.b1\?$"):
        table_schema(recorded_frame("batches"), "craft", "prod.b1")
    with pytest.raises(SchemaError, match=r"no change of table a\.b is in these messages, and none of another table$"):
        table_schema(frame(encoded([Watermark(TSO)])), "craft", "a.b")


def test_many_tables_are_not_all_named() -> None:
    text = absent(("shop", "t"), [("shop", f"orders{at}") for at in range(1000)], "these messages")
    assert "Shop" not in text
    assert text.endswith("and 992 or more others")
    assert len(text) < 300


def test_rows_of_a_table_that_is_not_there_are_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    names._met.clear()

    def run(table: tuple[str, str], *events: RowChange) -> list[str]:
        caplog.clear()
        task = rows_task(table)
        with caplog.at_level(logging.WARNING, "tidewire.spark"):
            task_rows(task, events)
            task_rows(task, events)
            task.done()
        return caplog.messages

    assert run(("shop", "order")) == []
    (warning,) = run(("shop", "order"), insert("orders"), insert("customers"))
    assert warning == (
        "tidewire: no change of table shop.order is in the 4 messages of a task; there are changes of Shop.customers, "
        "Shop.orders. Did you mean Shop.orders?"
    )
    assert run(("shop", "order"), insert("orders")) == []
    # a task of which another partition has the table
    assert run(("shop", "orders"), insert("ORDERS")) == []
    assert run(("shop", "orders"), insert("customers")) == []


def test_the_names_that_are_remembered_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MOST_KEPT", 10)
    task = rows_task(("shop", "order"))
    task_rows(task, [insert("t" * 300), *(insert(f"t{at}", at) for at in range(50))])
    assert len(task._sought._others) == 10
    assert max(len(name or "") for _, name in task._sought._others) < 10


def test_names_are_shown_on_one_line() -> None:
    text = absent(("shop", "or\nders"), [("shop", "中\x1b[31m\nERROR"), ("s", "x" * 10_000)], "these messages")
    assert text.isprintable()
    assert len(text) < 500
    assert r"shop.or\nders" in text
    assert r"中\x1b[31m\nERROR" in text

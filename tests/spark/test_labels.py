"""ENUM and SET as labels, JSON as VARIANT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from manual.pages import ROOT, manual, said
from pyspark.errors import PythonException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.types import DecimalType, IntegerType, StringType, StructField, StructType, VariantVal
from spark_frames import Frame, task_rows

from tidewire import canal_json, craft
from tidewire.events import Column, RowChange
from tidewire.reading.options import ReadOptions
from tidewire.runtime.errors import OptionError
from tidewire.spark import SchemaError, demo, demo_tables, rows_from_ticdc, table_schema
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.demo_topics import read_capture
from tidewire.spark.outputs import as_sent, row_schema
from tidewire.spark.table_rows import RowsTask
from tidewire.spark.variant_rows import VARIANT_COLUMNS, VariantRowsTask, variant_schema

PAGE = manual("spark-types")
TSO = 470607709161390080
ENUM, SET, JSON = 247, 248, 245
ID = Column("id", 3, 2 | 8, "int")
COLOUR = Column("colour", ENUM, 64, "enum('red','it''s, blue','')")
TAGS = Column("tags", SET, 64, "set('a','b','ü')")


def insert(row: dict[str, Any], *columns: Column) -> RowChange:
    """An insert into shop.orders."""
    return RowChange("insert", TSO + row["id"], "shop", "orders", row, columns=[ID, *columns])


EVENTS = [
    insert({"id": at, "colour": colour, "tags": tags}, COLOUR, TAGS)
    for at, (colour, tags) in enumerate([(1, 0), (2, 0b101), (3, 0b111), (0, 2), (None, None)])
]
LABELS = [("red", ""), ("it's, blue", "a,ü"), ("", "a,b,ü"), ("", "b"), (None, None)]
WANTED = StructType([StructField(name, StringType()) for name in ("colour", "tags")])


def labelled(events: list[RowChange], schema: StructType = WANTED, **options: Any) -> list[dict[str, Any]]:
    """Typed rows of shop.orders, with labels."""
    chosen = ReadOptions(enum="label", **options)
    sent, table = as_sent(row_schema(schema, chosen), schema, chosen)
    return task_rows(RowsTask("none", chosen, arrow_schema(sent), ("shop", "orders"), table), events)


def test_labels_are_those_that_the_wire_says() -> None:
    rows = labelled(EVENTS)
    assert [(row["colour"], row["tags"]) for row in rows] == LABELS
    assert all(row["_corrupt_record"] is None for row in rows)


def test_labels_that_were_redefined() -> None:
    later = Column("colour", ENUM, 64, "enum('blue','red')")
    rows = labelled([EVENTS[0], insert({"id": 9, "colour": 1}, later), EVENTS[1]])
    assert [row["colour"] for row in rows] == ["red", "blue", "it's, blue"]


def test_a_number_without_a_label() -> None:
    events = [EVENTS[0], insert({"id": 7, "colour": 4, "tags": 8}, COLOUR, TAGS)]
    good, bad = labelled(events)
    assert (good["colour"], good["_corrupt_record"]) == ("red", None)
    assert (bad["colour"], bad["tags"]) == (None, None)
    assert bad["_corrupt_record"]["reason"] == (
        "shop.orders, column 'colour': '4' has no label in this ENUM; shop.orders, column 'tags': '8' has no label in "
        "this SET"
    )


def test_sixty_four_labels() -> None:
    names = [f"l{at}" for at in range(64)]
    column = Column("tags", SET, 64, f"set({','.join(map(repr, names))})")
    rows = labelled([insert({"id": 1, "tags": 2**64 - 1}, column), insert({"id": 2, "tags": 1 << 63}, column)])
    assert [row["tags"] for row in rows] == [",".join(names), "l63"]


BARE = [Column("colour", ENUM, 64, "enum"), Column("tags", SET, 64)]


def test_where_the_wire_does_not_say_the_labels_the_row_says_so() -> None:
    (row,) = labelled([insert({"id": 1, "colour": 1, "tags": 3}, *BARE)])
    assert (row["colour"], row["tags"]) == (None, None)
    assert row["_corrupt_record"]["reason"].startswith(
        "shop.orders, column 'colour': the message does not say the labels of this ENUM; declare INT or DECIMAL(20,0)"
    )
    assert "column 'tags': the message does not say the labels of this SET" in row["_corrupt_record"]["reason"]
    (row,) = labelled([insert({"id": 1, "colour": 1, "tags": 3}, *BARE)], rescued_column="kept")
    assert row["_corrupt_record"] is None
    assert VariantVal(row["kept"]["value"], row["kept"]["metadata"]).toPython() == {"id": 1, "colour": 1, "tags": 3}


def test_labels_that_the_schema_knows() -> None:
    schema = StructType(
        [
            StructField("colour", StringType(), True, {"members": ["red", "green"]}),
            StructField("tags", StringType(), True, {"members": ["x", "y"]}),
            StructField("id", IntegerType()),
        ]
    )
    (row,) = labelled([insert({"id": 1, "colour": 2, "tags": 3}, *BARE)], schema)
    assert (row["colour"], row["tags"], row["id"]) == ("green", "x,y", 1)
    # what the wire says comes first
    assert labelled(EVENTS[:1], schema)[0]["colour"] == "red"


def test_labels_in_variant_rows() -> None:
    for option, expected in (("label", ("it's, blue", "a,ü")), ("number", (2, 5))):
        chosen = ReadOptions(enum=option)  # type: ignore[arg-type]
        task = VariantRowsTask("none", chosen, variant_schema(row_schema(VARIANT_COLUMNS, chosen)), None)
        row, bare = task_rows(task, [EVENTS[1], insert({"id": 1, "colour": 1, "tags": 3}, *BARE)])
        found = VariantVal(row["row"]["value"], row["row"]["metadata"]).toPython()
        assert found == {"id": 1, "colour": expected[0], "tags": expected[1]}
        assert VariantVal(bare["row"]["value"], bare["row"]["metadata"]).toPython()["colour"] == 1


def encoded(events: list[RowChange]) -> list[bytes | None]:
    """Messages that say types in full."""
    options = canal_json.Options(enable_tidb_extension=True, content_compatible=True)
    return [message.value for message in canal_json.encode(events, options)]


def test_a_schema_with_labels_and_variants(frame: Frame) -> None:
    doc = Column("doc", JSON, 64, "json")
    texts = ['{"a": [1, 2.5, null], "b": "é"}', "7", "null", "{not json", None]
    odd = Column("parsed 0", 3, 64, "int(11)")
    events = [
        insert({"id": at, "colour": 1, "doc": text, "parsed 0": -at}, COLOUR, doc, odd) for at, text in enumerate(texts)
    ]
    messages = frame(encoded(events))
    options = {"enum": "LABEL", "json": "variant"}
    schema = table_schema(messages, "canal-json", "shop.orders", options)
    assert schema.simpleString() == "struct<id:int,colour:string,doc:variant,parsed 0:int>"
    assert schema["colour"].metadata["members"] == ["red", "it's, blue", ""]

    def rows(**more: str) -> DataFrame:
        return rows_from_ticdc(messages, "canal-json", "shop.orders", schema, {**options, **more})

    def python(row: Row) -> object:
        return None if row.doc is None else row.doc.toPython()

    assert rows().schema["doc"].metadata["tidb_type"] == "json"
    assert rows().columns[:3] == ["id", "colour", "doc"]
    found = sorted(rows().collect(), key=lambda row: row.id)
    assert [(row.colour, row["parsed 0"]) for row in found] == [("red", -at) for at in range(5)]
    assert str(python(found[0])) == "{'a': [1, Decimal('2.5'), None], 'b': 'é'}"
    assert [python(row) for row in found[1:]] == [7, None, None, None]
    assert [row.doc is None for row in found] == [False, False, False, True, True]
    assert [row._corrupt_record is None for row in found] == [True, True, True, False, True]
    assert found[3]._corrupt_record.reason == (
        "shop.orders, column 'doc': '{not json' is no JSON that VARIANT can hold; declare STRING"
    )
    assert b'"doc":"{not json"' in found[3]._corrupt_record.value
    assert tuple(found[3]._corrupt_record)[2:] == ("t", 0, 3, None)
    assert sorted(row.id for row in rows(mode="DROPMALFORMED").collect()) == [0, 1, 2, 4]
    with pytest.raises(Exception, match=r"column 'doc': '\{not json' is no JSON that VARIANT can hold") as caught:
        rows(mode="FAILFAST").collect()
    assert not isinstance(caught.value, PythonException)


def test_a_schema_where_no_message_says_the_labels(frame: Frame) -> None:
    messages = frame([message.value for message in craft.encode(EVENTS)])
    with pytest.raises(
        SchemaError, match="column 'colour': the messages do not say the labels of this ENUM, for which"
    ):
        table_schema(messages, "craft", "shop.orders", {"enum": "label"})


@pytest.mark.parametrize("title", demo.CAPTURES)
def test_which_protocols_say_labels_and_digits(title: str, spark: SparkSession) -> None:
    """As the page on types says: all but two, and Canal-JSON where it has types in full, as the capture does."""
    path = ROOT / demo.CAPTURES[title]
    messages = read_capture(spark, path)
    options = demo_tables.reading_options(title, path)
    schema = table_schema(messages, demo_tables.protocol_of(title), "shop.orders", options)
    silent = title in ("craft", "open_protocol")
    assert schema["status"].metadata.get("members") == (None if silent else ["new", "paid", "shipped"])
    assert (schema["amount"].dataType == DecimalType(38, 4)) == silent
    assert "Craft, Open Protocol, and Canal-JSON without `content-compatible` do not say labels" in said(PAGE)
    assert "all protocols but Craft, Open Protocol, and Canal-JSON without `content-compatible`" in said(PAGE)


@pytest.mark.parametrize(
    "make",
    [
        lambda df: rows_from_ticdc(df, "craft", None, "variant", {"json": "variant"}),
        lambda df: rows_from_ticdc(df, "craft", None, "variant", {"rescuedDataColumn": "x"}),
    ],
)
def test_what_variant_rows_do_not_have(make: Callable[[DataFrame], object], frame: Frame) -> None:
    with pytest.raises(OptionError, match="is for typed rows: a VARIANT row has all columns, and JSON as text"):
        make(frame([]))

"""Encoded table changes in DDL messages: TiCDC's bytes, apart from what descriptions lack."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from tables.described import messages, of_simple

from debezium.said import statements
from tidewire.debezium.decoder import CHANGE_PART
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.json.table_changes import ALTER, CREATE, DROP, ChangeReader
from tidewire.runtime.json.table_changes_written import ChangeWriter
from tidewire.tables import ColumnDescription, TableDescription

OWN = ("shop", "orders")


def writer() -> ChangeWriter:
    return ChangeWriter(
        CHANGE_PART, "", "debezium", Spelling(html=False, separators=False), TableDescription.TYPES, "jdbc"
    )


def bytes_of(change: dict[str, Any]) -> bytes:
    """A recorded change as TiCDC spells it."""
    return json.dumps(change, ensure_ascii=False, separators=(",", ":")).encode()


def written(column: ColumnDescription, statement: str = "") -> dict[str, Any]:
    """What is written of a column."""
    text = writer().change(ALTER, OWN, TableDescription(*OWN, [column]), statement)
    (found,) = json.loads(text)["table"]["columns"]
    return dict(found)


def differing(found: dict[str, Any], wanted: dict[str, Any]) -> set[tuple[str, str]]:
    """The members that differ, with the types of the columns."""
    if wanted["table"] is None or found["table"] is None:
        return set() if found == wanted else {("change", "")}
    names = {(name, "") for name in ("type", "id") if found[name] != wanted[name]}
    names |= {
        (name, "") for name in found["table"] if name != "columns" and found["table"][name] != wanted["table"][name]
    }
    columns = {column["name"]: column for column in found["table"]["columns"]}
    assert set(columns) == {column["name"] for column in wanted["table"]["columns"]}
    for column in wanted["table"]["columns"]:
        other = columns[column["name"]]
        names |= {(name, column["typeName"]) for name in column if column[name] != other[name]}
    return names


def test_recorded_changes_are_written_as_they_were() -> None:
    reader, one_writer = ChangeReader(CHANGE_PART, TableDescription), writer()
    same = 0
    for one in statements():
        source, listed = one.payload["source"], one.payload["tableChanges"]
        text = b"[%b]" % b",".join(map(bytes_of, listed))
        assert text in one.raw
        for found, said in zip(reader.changes(text, (source["db"], source["table"]), 1), listed, strict=True):
            assert found.name is not None
            made = one_writer.change(found.type, found.name, found.table, one.payload["ddl"], found.before)
            assert made == bytes_of(said)
            same += 1
    assert same > 900


def test_what_simple_described_is_written_as_recorded() -> None:
    """But for places and comments of columns and what FLOAT and DOUBLE have behind the point, which Simple does not
    say; a length alone would be another thing.
    """
    simple = {
        (one.scenario, one.events[0]): of_simple(one.value["tableSchema"])
        for one in messages("simple.json")
        if one.value.get("tableSchema")
    }
    one_writer = writer()
    compared = 0
    different: set[tuple[str, str]] = set()
    for one in statements():
        table = simple.get((one.scenario, one.event["n"]))
        for said in one.payload["tableChanges"]:
            if table is None or said["table"] is None or "," in said["id"]:
                continue
            compared += 1
            table = table.replaced(charset=said["table"]["defaultCharsetName"] or None)
            name = (one.event["schema"], one.event["table"])
            made = json.loads(one_writer.change(said["type"], name, table, one.payload["ddl"]))
            different |= differing(made, said)
    assert compared > 600
    assert {pair for pair in different if pair[0] not in ("position", "comment")} == {
        ("autoIncremented", "TIMESTAMP"), ("generated", "TIMESTAMP"),
        ("scale", "FLOAT"), ("scale", "DOUBLE"), ("scale", "DOUBLE UNSIGNED"),
        ("length", "FLOAT"), ("length", "DOUBLE"), ("length", "DOUBLE UNSIGNED"),
        ("typeExpression", "DOUBLE"), ("typeExpression", "DOUBLE UNSIGNED"),
    }  # fmt: skip


def test_changes_without_a_table_and_of_a_renamed_one() -> None:
    assert (
        writer().change(DROP, OWN, None, "drop table orders")
        == rb'{"type":"DROP","id":"\"shop\".\"orders\"","table":null}'
    )
    renamed = json.loads(writer().change(ALTER, OWN, TableDescription(*OWN), "", ("shop", 'o"ld')))
    assert renamed["id"] == '"shop"."o"ld","shop"."orders"'
    assert renamed["table"] == {"defaultCharsetName": "", "primaryKeyColumnNames": [], "columns": [], "comment": None}


def test_what_only_the_statement_says() -> None:
    id = ColumnDescription("id", "bigint", length=20, nullable=False, comment="the key")
    assert written(id)["comment"] == "the key"
    declaring = written(id, "alter table orders modify id bigint auto_increment comment 'the key' first")
    assert (declaring["comment"], declaring["autoIncremented"], declaring["generated"]) == (None, True, True)
    at = ColumnDescription("at", "timestamp", default="2020-01-01 00:00:00")
    assert (written(at)["length"], written(at)["defaultValueExpression"]) == (0, "2020-01-01 00:00:00")
    declaring = written(at, "alter table orders add (at timestamp default '2020-1-1' on update now())")
    assert (declaring["length"], declaring["defaultValueExpression"]) == (None, "2020-1-1")
    assert declaring["autoIncremented"] is True
    assert written(replace(id, auto_increment=True))["generated"] is True
    assert written(replace(at, on_update=True))["generated"] is True
    every = replace(at, mysql_type="datetime", on_update=True)
    assert written(every, "alter table orders add at datetime on update now()")["generated"] is False
    now = written(at, "create table orders (at timestamp(0) default now())")
    assert (now["length"], now["defaultValueExpression"]) == (0, "1970-01-01 00:00:00")


def test_widths_of_a_tinyint_zerofill() -> None:
    for length, said in ((4, None), (3, 3)):
        one = ColumnDescription("a", "tinyint", unsigned=True, zerofill=True, length=length)
        assert (written(one)["length"], written(one)["typeName"]) == (said, "TINYINT UNSIGNED ZEROFILL")


@pytest.mark.parametrize("name", ["float", "double"])
@pytest.mark.parametrize(
    ("length", "scale", "said"), [(7, 2, (7, 2)), (7, 0, (7, 0)), (7, None, (None, None)), (7, -1, (None, None))]
)
def test_a_float_has_both_numbers_or_none(name: str, length: int, scale: int | None, said: tuple[Any, Any]) -> None:
    """FLOAT(7) would be of seven binary digits, as Debezium's connector writes it."""
    one = ColumnDescription("f", name, length=length, scale=scale)
    assert (written(one)["length"], written(one)["scale"]) == said
    change = writer().change(CREATE, OWN, TableDescription(*OWN, [one]), "")
    (back,) = ChangeReader(CHANGE_PART, TableDescription).changes(b"[%b]" % change, OWN, None)
    assert back.table is not None
    assert writer().change(CREATE, OWN, back.table, "") == change


@pytest.mark.parametrize(
    ("number", "length", "digits"),
    [(0, 1, "0"), (1, 8, "1"), (0, 12, "0000"), (2049, 12, "100000000001"), (5, 10, "101"), (256, 16, "100000000")],
)
def test_defaults_of_bits(number: int, length: int, digits: str) -> None:
    one = ColumnDescription("a", "bit", unsigned=True, length=length, default=number)
    assert written(one)["defaultValueExpression"] == digits
    (back,) = ChangeReader(CHANGE_PART, TableDescription).changes(
        b"[%b]" % writer().change(CREATE, OWN, TableDescription(*OWN, [one]), ""), OWN, None
    )
    assert back.table is not None
    assert back.table.columns[0].default == number


def test_a_text_that_utf_8_cannot_hold() -> None:
    with pytest.raises(EncodeError, match="not text that UTF-8 can hold"):
        writer().change(DROP, ("shop", "\ud800"), None, "")

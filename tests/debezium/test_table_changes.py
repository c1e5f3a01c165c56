"""Table changes in DDL messages: recorded ones, and malformed ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from native_debezium import recordings as native
from tables.described import messages, of_simple

from debezium.said import statements
from tidewire.debezium.decoder import CHANGE_PART
from tidewire.runtime.errors import DUPLICATE, KIND, MISSING, OUTSIDE, VALUE, SqlError
from tidewire.runtime.json.table_changes import ALTER, CREATE, DROP, Name, TableChange, names_in
from tidewire.runtime.json.table_changes import ChangeReader as Reader
from tidewire.runtime.tables.columns import COLUMN_FIELDS
from tidewire.runtime.tables.described_parts import NoDescription
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

OWN = ("shop", "orders")
COLUMN: dict[str, Any] = {
    "name": "id",
    "jdbcType": 4,
    "nativeType": None,
    "comment": None,
    "defaultValueExpression": None,
    "enumValues": None,
    "typeName": "INT",
    "typeExpression": "INT",
    "charsetName": None,
    "length": None,
    "scale": None,
    "position": 1,
    "optional": False,
    "autoIncremented": False,
    "generated": False,
}


def change(*columns: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A change with such columns, each `COLUMN` with these members in the place of its own."""
    listed = [COLUMN | {"position": at} | column for at, column in enumerate(columns, 1)]
    table = {"defaultCharsetName": "utf8mb4", "primaryKeyColumnNames": ["id"], "columns": listed, "comment": None}
    return {"type": "CREATE", "id": '"shop"."orders"', "table": table | more}


def read(*changes: dict[str, Any], own: Name | None = OWN, literals: bool = False) -> tuple[TableChange, ...]:
    return Reader(CHANGE_PART, TableDescription).changes(json.dumps(changes).encode(), own, 7, literals)


def column(**more: Any) -> ColumnDescription:
    """What is read of a column with these members."""
    literals = more.pop("literals", False)
    (found,) = read(change(more, primaryKeyColumnNames=[]), literals=literals)
    assert found.table is not None
    return found.table.columns[0]


def test_a_change() -> None:
    (found,) = read(change({}, {"name": "price", "typeName": "DECIMAL", "length": 10, "scale": 2, "optional": True}))
    assert (found.type, found.name, found.before) == (CREATE, OWN, None)
    plain: dict[str, Any] = {"charset": "binary", "collation": "binary", "auto_increment": False}
    assert found.table == TableDescription(
        *OWN,
        [
            ColumnDescription("id", "int", length=11, nullable=False, position=1, **plain),
            ColumnDescription("price", "decimal", length=10, scale=2, nullable=True, position=2, **plain),
        ],
        [IndexDescription("PRIMARY", ("id",), True, True, False)],
        version=7,
        charset="utf8mb4",
    )
    assert read() == ()
    (gone,) = read({"type": "DROP", "id": '"shop"."orders"', "table": None})
    assert gone == TableChange(DROP, OWN, None, None)


@pytest.mark.parametrize(
    ("id", "own", "expected"),
    [
        ('"shop"."orders"', OWN, (OWN, None)),
        ('"shop"."orders"', None, (OWN, None)),
        ('"shop"."old","shop"."orders"', OWN, (OWN, ("shop", "old"))),
        ('"shop"."old","shop"."orders"', None, (OWN, ("shop", "old"))),
        ('"shop"."p"', ("shop", "p,q"), (("shop", "p"), None)),
        ('"a"."b"."c"', ('a"."b', "c"), (('a"."b', "c"), None)),
        ('"a"."b"."c"', None, (None, None)),
        ('"a"."b"."c","shop"."orders"', OWN, (OWN, None)),
        ('"a","b"."c","d"."e"', None, (None, None)),
        ('"a"."b,c"."d"', None, (None, None)),
        ('"a""."b"', ('a"', "b"), (('a"', "b"), None)),
        ("shop.orders", OWN, (None, None)),
        ("", None, (None, None)),
    ],
)
def test_names_in_ids(id: str, own: Name | None, expected: tuple[Name | None, Name | None]) -> None:
    assert names_in(id, own) == expected


def test_labels_with_quotes_inside_and_labels_as_sql_has_them() -> None:
    one = {"typeName": "ENUM", "charsetName": "utf8mb4", "length": 1}
    assert column(**one, enumValues=["'it's'", "''", "'a\\b'", "'c,d'"]).labels == ("it's", "", "a\\b", "c,d")
    literal = column(**one, enumValues=["'it''s'", "''", "'a\\\\b'", "'c,d'"], literals=True)
    assert literal.labels == ("it's", "", "a\\b", "c,d")
    assert literal.length == 4


@pytest.mark.parametrize(
    ("type", "said", "counted", "updated"),
    [
        ("INT", True, True, None),
        ("INT", False, False, None),
        ("INT", None, None, None),
        ("TIMESTAMP", True, None, True),
        ("TIMESTAMP", False, None, False),
        ("DATETIME", True, None, True),
        ("DATETIME", False, None, None),
    ],
)
def test_what_counts_a_column_up(type: str, said: bool | None, counted: bool | None, updated: bool | None) -> None:
    """TiCDC says false of a DATETIME that each change of its row sets."""
    one = column(typeName=type, autoIncremented=said)
    assert (one.auto_increment, one.on_update) == (counted, updated)


def test_defaults() -> None:
    assert column(typeName="BIT", length=12, defaultValueExpression="100000000001").default == 2049
    assert column(typeName="BIT", defaultValueExpression="").default == 0
    assert column(typeName="BIT", length=8, defaultValueExpression="111011111011111110111101").default is None
    lost = "1111111" + 7 * "111011111011111110111101"  # b'0111111111111111...' of BIT(63), as TiCDC writes it
    assert column(typeName="BIT", length=63, defaultValueExpression=lost).default is None
    assert column(typeName="BOOLEAN", defaultValueExpression="true").default == "1"
    assert column(typeName="VARCHAR", charsetName="gbk", defaultValueExpression="true").default == "true"
    assert column(typeName="YEAR", defaultValueExpression="69").default == "69"
    assert column().default is None


def test_lengths() -> None:
    assert column(typeName="VARCHAR", charsetName="utf8mb4").length == 5
    assert column(typeName="VARCHAR", charsetName="utf8mb4", length=0).length is None
    time = column(typeName="DATETIME", length=3)
    assert (time.length, time.scale) == (23, 3)
    for said in (None, 0):
        time = column(typeName="TIMESTAMP", length=said)
        assert (time.length, time.scale) == (19, None)
    assert column(typeName="FLOAT", length=25).mysql_type == "double"
    assert column(typeName="FLOAT", length=24).mysql_type == "float"
    assert column(typeName="FLOAT", length=30, scale=2).mysql_type == "float"
    assert column(typeName="BOOL").length == 1


def test_types_that_tidb_does_not_have_keep_their_names() -> None:
    found = column(typeName="INET6")
    assert (found.mysql_type, found.length, found.charset) == ("inet6", None, None)
    assert column(typeName="POINT").mysql_type == "point"
    assert column(typeName="VARCHAR", charsetName="binary", length=3).mysql_type == "varbinary"


@pytest.mark.parametrize(
    ("text", "code", "path", "detail"),
    [
        (b"{}", KIND, "", "an object where an array is expected"),
        (b"[1]", KIND, "/0", "`1` where an object is expected"),
        (b'[{"id":"","table":null}]', MISSING, "/0/type", "missing"),
        (b'[{"type":"ALTER","type":"ALTER","id":""}]', DUPLICATE, "/0/type", "twice"),
        (b'[{"type":"RENAME","id":"","table":null}]', VALUE, "/0/type", '`"RENAME"` where CREATE, ALTER or DROP'),
        (b'[{"type":"ALTER","id":"x","table":{}}]', VALUE, "/0/id", "does not tell which table"),
        (b'[{"type":"ALTER","id":"\\"a\\".\\"b\\"","table":[]}]', KIND, "/0/table", "an array where an object"),
    ],
)
def test_what_is_no_change(text: bytes, code: int, path: str, detail: str) -> None:
    reader = Reader(CHANGE_PART, TableDescription)
    with pytest.raises(NoDescription) as caught:
        reader.changes(text, OWN, None)
    assert (caught.value.code, reader.path) == (code, path)
    assert detail in caught.value.detail


@pytest.mark.parametrize(
    ("members", "code", "path", "detail"),
    [
        ({"name": None}, MISSING, "columns/0/name", "missing"),
        ({"name": ""}, VALUE, "", "has to have a name"),
        ({"typeName": 4}, KIND, "columns/0/typeName", "a string is expected"),
        ({"length": 2**63}, OUTSIDE, "columns/0/length", "out of range"),
        ({"scale": 1.5}, KIND, "columns/0/scale", "a whole number is expected"),
        ({"position": 0}, VALUE, "", "position: a number from 1"),
        ({"enumValues": ["a"], "typeName": "ENUM"}, VALUE, "columns/0", "single quotes around it"),
        ({"enumValues": "a", "typeName": "ENUM"}, KIND, "columns/0/enumValues", "an array of texts"),
        ({"typeName": "BIT", "defaultValueExpression": "2"}, VALUE, "columns/0", "digits 0 or 1"),
        ({"typeName": "BIT", "defaultValueExpression": "1" * 65}, VALUE, "columns/0", "up to 64 digits"),
    ],
)
def test_what_is_no_column(members: dict[str, Any], code: int, path: str, detail: str) -> None:
    reader = Reader(CHANGE_PART, TableDescription)
    text = json.dumps([change(members, primaryKeyColumnNames=[])]).encode()
    with pytest.raises(NoDescription) as caught:
        reader.changes(text, OWN, None)
    assert (caught.value.code, reader.path) == (code, f"/0/table/{path}".rstrip("/"))
    assert detail in caught.value.detail


def test_a_key_of_columns_that_the_table_has_not_and_columns_that_are_there_twice() -> None:
    for one in (change({}, primaryKeyColumnNames=["other"]), change({}, {})):
        with pytest.raises(NoDescription, match=r"no column 'other'|two columns 'id'"):
            read(one)


def test_changes_that_come_again_are_read_once_whatever_they_are_about() -> None:
    reader = Reader(CHANGE_PART, TableDescription)
    text = json.dumps([change({})]).encode()
    first = reader.changes(text, OWN, 1)
    assert reader.changes(text, OWN, 1) is first
    assert reader.changes(text, None, 1) == first
    later = reader.changes(text, OWN, 2)[0].table
    assert later is not None
    assert later.version == 2


def recorded_changes(one: Any, reader: Reader) -> Iterator[TableChange]:
    """The changes of a recorded message of TiCDC."""
    source = one.payload["source"]
    text = json.dumps(one.payload["tableChanges"], ensure_ascii=False).encode()
    yield from reader.changes(text, (source["db"], source["table"]), source["commit_ts"])


def test_recorded_changes_say_what_simple_says() -> None:
    """All but what such messages do not say, or say otherwise."""
    simple = {
        (one.scenario, one.events[0]): of_simple(one.value["tableSchema"])
        for one in messages("simple.json")
        if one.value.get("tableSchema")
    }
    reader = Reader(CHANGE_PART, TableDescription)
    different: set[tuple[str, str]] = set()
    compared = 0
    for one in statements():
        wanted = simple.get((one.scenario, one.event["n"]))
        for found in recorded_changes(one, reader):
            if found.table is None or wanted is None:
                continue
            compared += 1
            assert (found.table.schema, found.table.table) == (wanted.schema, wanted.table)
            assert found.table.handle_key == wanted.handle_key
            columns = {column.name: column for column in found.table.columns}
            assert set(columns) == {column.name for column in wanted.columns}
            for column in wanted.columns:
                for name in COLUMN_FIELDS:
                    said, other = getattr(column, name), getattr(columns[column.name], name)
                    if name not in ("position", "id", "comment") and (said or None) != (other or None):
                        different.add((name, column.mysql_type))
    assert compared > 600
    collations = {kind for name, kind in different if name == "collation"}
    assert collations == {
        "char", "enum", "longtext", "mediumtext", "set", "text", "tinytext", "var_string", "varchar",
    }  # fmt: skip
    assert {pair for pair in different if pair[0] != "collation"} == {
        ("unsigned", "decimal"), ("zerofill", "decimal"),
        ("default", "datetime"), ("default", "timestamp"), ("default", "time"),
        ("scale", "float"), ("scale", "double"),  # Simple does not say theirs
        ("scale", "var_string"), ("charset", "var_string"),  # hidden
        ("auto_increment", "int"), ("on_update", "timestamp"),  # nor these
    }  # fmt: skip


def test_recorded_renames_say_both_names() -> None:
    reader = Reader(CHANGE_PART, TableDescription)
    renamed = [found for one in statements() for found in recorded_changes(one, reader) if found.before is not None]
    assert {found.type for found in renamed} == {ALTER}
    assert len(renamed) > 10
    assert all(found.before != found.name for found in renamed)


def test_recorded_changes_of_the_connector_say_what_their_statements_say() -> None:
    reader = Reader(CHANGE_PART, TableDescription)
    different: set[tuple[object, ...]] = set()
    skipped: set[str] = set()
    compared = 0
    for stream in native.streams():
        for message in stream.messages:
            if message.kind != "ddl" or message.value is None:
                continue
            value = json.loads(message.value)
            payload = value.get("payload", value)
            text = json.dumps(payload["tableChanges"], ensure_ascii=False).encode()
            for found in reader.changes(text, None, None, literals=True):
                if found.type != CREATE or found.table is None:
                    continue
                try:
                    (wanted,) = TableStore().add_sql(payload["ddl"], payload["databaseName"])
                except SqlError:
                    skipped.add(stream.scenario)  # a type that TiDB chooses another for, and a table LIKE another
                    continue
                columns = {column.name: column for column in found.table.columns}
                for column in wanted.columns:
                    other = columns[column.name]
                    for name in ("mysql_type", "unsigned", "zerofill", "length", "scale", "labels", "nullable"):
                        if getattr(other, name) != getattr(column, name):
                            different.add((name, column.mysql_type, getattr(column, name), getattr(other, name)))
                    compared += 1
    assert compared > 1000
    assert skipped == {"type-names", "ddl"}
    assert different == {("length", "varchar", None, 10)}  # the connector's for a VARCHAR(0)

"""Descriptions of tables: values, keys, what cannot be one, and that rows described elsewhere have the columns that
other protocols say themselves.
"""

from __future__ import annotations

import base64
import json
import pickle
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from recorded import own

from tables.described import debezium_descriptions, messages, of_simple, simple_descriptions, tables
from tidewire import canal_json, craft, simple
from tidewire.events import Bootstrap, RowChange
from tidewire.mysql import ColumnFlag, ColumnType, declared
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.json.descriptions import JsonDescriptionWriter
from tidewire.runtime.json.sink import Spelling
from tidewire.runtime.tables.described_parts import ArrayField, DescribedPart, ScalarField
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

A = ColumnDescription("a", "int", length=11, nullable=False)
B = ColumnDescription("b", "varchar", length=20, charset="utf8mb4", nullable=True)
C = ColumnDescription("c", "decimal", unsigned=True, length=10, scale=2, nullable=False)


def table(*columns: ColumnDescription, indexes: tuple[IndexDescription, ...] = (), **more: Any) -> TableDescription:
    return TableDescription("shop", "orders", columns, indexes, **more)


@given(tables())
def test_equal_ones_say_the_same_whatever_they_went_through(one: TableDescription) -> None:
    plain = TableDescription.from_json(json.loads(json.dumps(one.to_json())))
    for other in (plain, pickle.loads(pickle.dumps(one)), one.replaced()):
        assert other == one
        assert hash(other) == hash(one)
        assert type(other) is TableDescription
    assert one != one.replaced(table=one.table + "x")


def test_they_do_not_change() -> None:
    one = table(A)
    with pytest.raises(AttributeError, match="does not change"):
        one.table = "other"
    with pytest.raises(AttributeError):
        one.columns[0].name = "b"  # type: ignore[misc]
    assert one.replaced(version=2).version == 2
    assert one.version is None


def test_json_leaves_out_what_is_not_said() -> None:
    assert table(A, indexes=(IndexDescription("PRIMARY", ("a",), True, True, False),), version=0).to_json() == {
        "schema": "shop",
        "table": "orders",
        "columns": [{"name": "a", "mysql_type": "int", "length": 11, "nullable": False}],
        "indexes": [{"name": "PRIMARY", "columns": ["a"], "unique": True, "primary": True, "nullable": False}],
        "version": 0,
    }


@pytest.mark.parametrize(
    ("columns", "indexes", "more", "path"),
    [
        ((A, ColumnDescription("", "int")), (), {}, "columns/1/name"),
        ((A, ColumnDescription("A", "int")), (), {}, "columns/1/name"),
        ((ColumnDescription("a", ""),), (), {}, "columns/0/mysql_type"),
        ((ColumnDescription("a", "int", length=-2),), (), {}, "columns/0/length"),
        ((ColumnDescription("a", "decimal", scale=-2),), (), {}, "columns/0/scale"),
        ((ColumnDescription("a", "int", length=True),), (), {}, "columns/0/length"),
        ((ColumnDescription("a", "int", position=0),), (), {}, "columns/0/position"),
        ((ColumnDescription("a", "int", nullable=1),), (), {}, "columns/0/nullable"),  # type: ignore[arg-type]
        ((ColumnDescription("a", "bit", default=2**64),), (), {}, "columns/0/default"),
        ((ColumnDescription("a", "bit", default=True),), (), {}, "columns/0/default"),
        ((ColumnDescription("a\ud800", "int"),), (), {}, "columns/0/name"),
        ((ColumnDescription("a", "enum", labels=("x", 1)),), (), {}, "columns/0/labels/1"),  # type: ignore[arg-type]
        ((ColumnDescription("a", "int", stored=True),), (), {}, "columns/0/stored"),
        ((A,), (IndexDescription("i", ("b",)),), {}, "indexes/0/columns/0"),
        ((A,), (IndexDescription("i", ("a", "A")),), {}, "indexes/0/columns/1"),
        ((A,), (IndexDescription("i", ()),), {}, "indexes/0/columns"),
        ((A,), (IndexDescription("", ("a",)),), {}, "indexes/0/name"),
        ((A, C), (IndexDescription("p", ("a",), True, True), IndexDescription("q", ("c",), True, True)), {}, "primary"),
        ((A,), (), {"version": -1}, "version"),
        ((A,), (), {"version": 2**64}, "version"),
        ((A,), (), {"id": "1"}, "id"),
        ((A, "b"), (), {}, "columns/1"),
        ((A,), None, {}, "indexes"),
        ((A,), "i", {}, "indexes"),
    ],
)
def test_what_cannot_be_a_description_is_refused(columns: Any, indexes: Any, more: Any, path: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        table(*columns, indexes=indexes, **more)
    assert isinstance(caught.value, ValueError)
    assert caught.value.table == "orders"
    assert path in caught.value.path
    assert path in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([], ""),
        ({"schema": "s"}, "table"),
        ({"table": "t", "columns": {}}, "columns"),
        ({"table": "t", "columns": ["a"]}, "columns/0"),
        ({"table": "t", "columns": [{"name": "a"}]}, "columns/0/mysql_type"),
        ({"table": "t", "columns": [{"name": "a", "mysql_type": "int", "size": 1}]}, "columns/0/size"),
        ({"table": "t", "colums": []}, "colums"),
        ({"table": "t", "indexes": [{"name": "i", "columns": "a"}]}, "indexes/0/columns"),
    ],
)
def test_json_that_is_no_description_is_refused(value: object, path: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        TableDescription.from_json(value)
    assert caught.value.path == path


def test_the_handle_key_is_the_primary_key_else_the_smallest_unique_index_that_is_never_null() -> None:
    primary = IndexDescription("PRIMARY", ("A",), True, True)
    pair = IndexDescription("u1", ("a", "c"), True)
    single = IndexDescription("u2", ("c",), True)
    assert table(A, B, C, indexes=(pair, single, primary)).handle_key == ("a",)
    assert table(A, B, C, indexes=(pair, single)).handle_key == ("c",)
    assert table(A, B, C, indexes=(pair,)).handle_key == ("a", "c")
    assert table(A, B, C, indexes=(IndexDescription("u", ("b",), True),)).handle_key == ()
    assert table(A, B, C, indexes=(IndexDescription("k", ("a",)),)).handle_key == ()
    virtual = ColumnDescription("v", "int", nullable=False, generated="`a` + 1")
    index = IndexDescription("u", ("v",), True)
    assert table(A, virtual, indexes=(index,)).handle_key == ()
    kept = ColumnDescription("v", "int", nullable=False, generated="`a` + 1", stored=True)
    assert table(A, kept, indexes=(index,)).handle_key == ("v",)


def test_the_implicit_key_is_the_primary_key_else_the_first_unique_index_that_is_never_null() -> None:
    primary = IndexDescription("PRIMARY", ("A",), True, True)
    pair = IndexDescription("u1", ("a", "c"), True)
    single = IndexDescription("u2", ("c",), True)
    assert table(A, B, C, indexes=(pair, single, primary)).implicit_key == ("a",)
    assert table(A, B, C, indexes=(pair, single)).implicit_key == ("a", "c")
    assert table(A, B, C, indexes=(IndexDescription("u", ("b",), True), single)).implicit_key == ("c",)
    assert table(A, B, C, indexes=(IndexDescription("k", ("a",)),)).implicit_key == ()
    virtual = ColumnDescription("v", "int", nullable=False, generated="`a` + 1")
    assert table(A, virtual, indexes=(IndexDescription("u", ("v",), True),)).implicit_key == ("v",)


def test_rows_have_the_columns_in_full() -> None:
    virtual = ColumnDescription("v", "int", generated="`a` + 1")
    one = table(A, B, C, virtual, indexes=(IndexDescription("PRIMARY", ("a", "c"), True, True),))
    key = ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY | ColumnFlag.MULTIPLE_KEY
    assert one.row_columns() == [
        ("a", ColumnType.INT, key, "int(11)"),
        ("b", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(20)"),
        ("c", ColumnType.DECIMAL, key | ColumnFlag.UNSIGNED, "decimal(10,2) unsigned"),
    ]


@pytest.mark.parametrize(
    ("column", "text"),
    [
        (ColumnDescription("a", "vector", length=-1), "vector"),
        (ColumnDescription("a", "vector", length=3), "vector(3)"),
        (ColumnDescription("a", "longtext", length=4294967295), "longtext"),
        (ColumnDescription("a", "varchar", length=9, charset="binary"), "varbinary(9)"),
        (ColumnDescription("a", "char"), "char(0)"),
        (ColumnDescription("a", "decimal", length=12), "decimal(12,0)"),
        (ColumnDescription("a", "double", length=22), "double"),
        (ColumnDescription("a", "float", length=7, scale=3, unsigned=True), "float(7,3) unsigned"),
        (ColumnDescription("a", "datetime", length=22, scale=2), "datetime(2)"),
        (ColumnDescription("a", "year", length=4, unsigned=True, zerofill=True), "year(4)"),
        (ColumnDescription("a", "bit", length=3, unsigned=True), "bit(3)"),
        (ColumnDescription("a", "int", length=10, unsigned=True, zerofill=True), "int(10) unsigned zerofill"),
        (ColumnDescription("a", "enum", labels=("a,b", "c'd", "e\\f")), "enum('a,b','c''d','e\\\\f')"),
        (ColumnDescription("a", "point"), "point"),
        (ColumnDescription("a", "no type"), "no type"),
    ],
)
def test_types_are_declared_as_tidb_declares_them(column: ColumnDescription, text: str) -> None:
    (found,) = table(column).row_columns()
    assert found.mysql_type == text
    if text != "no type":
        assert declared(text).members == column.labels


def test_every_recorded_description_is_one() -> None:
    found = [one for _, one in simple_descriptions()]
    assert len(found) == 272
    for one in found:
        assert TableDescription.from_json(one.to_json()) == one
    others = list(debezium_descriptions())
    assert len(others) > 100
    assert {one.columns[0].position for one in others} == {1}


def test_what_simple_repeats_as_a_primary_key_is_no_index_of_the_table() -> None:
    found = {one.table: one for _, one in simple_descriptions()}
    assert found["ku"].indexes[-1] == IndexDescription("primary", ("c", "b"), True, True, False)
    assert found["ku"].primary_key == ()
    assert found["ku"].handle_key == ("c", "b")
    assert found["gen"].primary_key == ("a",)


def test_rows_described_by_simple_have_the_columns_that_other_protocols_say() -> None:
    """Types and declared types are those of Canal-JSON with content-compatible, types and flags those of Craft, which
    says of generated columns that they are: Simple does not.
    """
    known: dict[tuple[str, str, str, int], TableDescription] = {}
    rows: dict[tuple[str, int], TableDescription] = {}
    for scenario, events, value in messages("simple.json"):
        for member in ("preTableSchema", "tableSchema"):
            if value.get(member):
                one = of_simple(value[member])
                known[scenario, str(one.schema), one.table, one.version or 0] = one
        if "schemaVersion" in value:
            rows[scenario, events[0]] = known[scenario, value["database"], value["table"], value["schemaVersion"]]
    compared: Counter[str] = Counter()
    for name, decode in (("canal-json.content-compatible", canal_json.decode), ("craft.batch1", craft.decode)):
        for path in sorted(own().glob(f"*/*/{name}.jsonl")):
            for line in map(json.loads, path.read_text("utf-8").splitlines()[1:]):
                if line.get("kind") != "row" or "value" not in line:
                    continue
                for number, event in zip(line["events"], decode(base64.b64decode(line["value"])), strict=True):
                    described = {one.name: one for one in rows[path.parent.name, number].row_columns()}
                    assert isinstance(event, RowChange)
                    for column in event.columns:
                        mine = described[column.name]
                        if column.mysql_type is not None:
                            assert (mine.type, mine.mysql_type) == (column.type, column.mysql_type)
                        else:
                            assert mine.type == column.type
                            flags = column.flags & ~ColumnFlag.GENERATED
                            if (event.table, column.name) == ("d3", "b"):
                                # a unique key of one integer, said once more as `primary`: it counts as the primary key
                                flags |= ColumnFlag.PRIMARY_KEY
                            assert mine.flags == flags
                        compared[name] += 1
    assert min(compared.values()) > 3000
    assert len(compared) == 2


def test_sql_escapes_hostile_names_and_texts() -> None:
    hostile = ColumnDescription(
        "a`b",
        "varchar",
        length=5,
        charset="utf8mb4",
        collation="utf8mb4_bin",
        nullable=False,
        default="\\'; x",
        comment="*/",
    )
    bits = ColumnDescription("b", "bit", length=3, unsigned=True, nullable=True, default=5)
    now = ColumnDescription("t", "timestamp", length=22, scale=2, nullable=True, default="CURRENT_TIMESTAMP")
    text = ColumnDescription("v", "varchar", length=20, default="CURRENT_TIMESTAMP")
    kept = ColumnDescription("g", "int", length=11, generated="concat(')', `a``b`)", stored=True)
    long = ColumnDescription("l", "text", charset="utf8mb4")
    indexes = (
        IndexDescription("k`", ("a`b", "l")),
        IndexDescription("u", ("b",), True),
        IndexDescription("primary", ("g",), True, True),
    )
    one = TableDescription(
        "s`.", "t", (hostile, bits, now, text, kept, long), indexes, charset="utf8mb4", comment="it's"
    )
    assert (
        one.to_sql()
        == r"""CREATE TABLE `s``.`.`t` (
  `a``b` varchar(5) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT '\\''; x' COMMENT '*/',
  `b` bit(3) NULL DEFAULT b'101',
  `t` timestamp(2) NULL DEFAULT CURRENT_TIMESTAMP(2),
  `v` varchar(20) DEFAULT 'CURRENT_TIMESTAMP',
  `g` int(11) GENERATED ALWAYS AS (concat(')', `a``b`)) STORED,
  `l` text CHARACTER SET utf8mb4,
  KEY `k``` (`a``b`, `l`(255)),
  UNIQUE KEY `u` (`b`),
  PRIMARY KEY (`g`) /*T![clustered_index] CLUSTERED */
) DEFAULT CHARSET=utf8mb4 COMMENT='it''s'"""
    )


@pytest.mark.parametrize(
    ("column", "path"),
    [
        (ColumnDescription("a", "unspecified"), "mysql_type"),
        (ColumnDescription("_V$_k_0", "var_string"), "mysql_type"),
        (ColumnDescription("a", "text", charset="x; drop table t"), "charset"),
        (ColumnDescription("a", "text", charset="0000"), "charset"),
        (ColumnDescription("a", "text", collation="x y"), "collation"),
        (ColumnDescription("a", "enum"), "labels"),
        (ColumnDescription("a", "set"), "labels"),
        (ColumnDescription("a", "int", generated="1) , (2"), "generated"),
        (ColumnDescription("a", "int", generated="1 /*"), "generated"),
        (ColumnDescription("a", "int", generated="'a"), "generated"),
    ],
)
def test_what_no_statement_declares_is_refused(column: ColumnDescription, path: str) -> None:
    with pytest.raises(DescriptionError) as caught:
        table(column).to_sql()
    assert caught.value.path == f"columns/0/{path}"
    with pytest.raises(DescriptionError):
        table().to_sql()


def test_a_schema_without_a_name_is_not_printed() -> None:
    assert table(A).replaced(schema="").to_sql() == table(A).replaced(schema=None).to_sql()


def test_long_names_are_shown_in_part() -> None:
    name = "x" * 1_000_000
    column = ColumnDescription(name, "int")
    with pytest.raises(DescriptionError) as caught:
        TableDescription("s", name, (column, column))
    assert str(caught.value).endswith(f"there are two columns '{'x' * 200}'… (1,000,000 characters)")
    assert len(str(caught.value)) < 600
    assert caught.value.table == name


def test_the_hidden_columns_of_indexes_on_expressions_are_left_out_of_statements() -> None:
    """With the indexes, which a comment names; a column that is only called as if it were hidden stays."""
    hidden = [ColumnDescription("_V$_kE*/_0", "var_string", charset="utf8mb4"), ColumnDescription("_v$_kn_1", "bigint")]
    other = ColumnDescription("_V$_other_0", "int", length=11)
    indexes = [
        IndexDescription("Ke*/", ("_V$_kE*/_0",)),
        IndexDescription("kn", ("a", "_v$_kn_1"), True),
        IndexDescription("k", ("_V$_other_0",)),
    ]
    one = TableDescription("s", "t", [ColumnDescription("a", "int", length=11), *hidden, other], indexes)
    assert (
        one.to_sql()
        == """CREATE TABLE `s`.`t` (
  `a` int(11),
  `_V$_other_0` int(11),
  KEY `k` (`_V$_other_0`)
) /* without indexes on expressions: `Ke* /`, `kn` */"""
    )
    (again,) = TableStore().add_sql(one.to_sql())
    assert [column.name for column in again.columns] == ["a", "_V$_other_0"]
    with pytest.raises(DescriptionError, match="there are none, and a statement declares one or more"):
        TableDescription("s", "t", hidden[:1], indexes[:1]).to_sql()


@pytest.mark.parametrize(
    ("literal", "default", "length", "printed"),
    [
        ("b'101'", 5, None, "b'101'"),
        ("b'0000000000000101'", 5, 2, "b'0000000000000101'"),
        ("0x000005", 5, 3, "b'000000000000000000000101'"),
        ("x'00'", 0, None, "b'0'"),
        ("b'0000000000000000'", 0, 2, "b'0000000000000000'"),
        ("5", 5, None, "b'101'"),
    ],
)
def test_the_zeros_before_a_default_of_bits_are_kept(
    literal: str, default: int, length: int | None, printed: str
) -> None:
    """As TiDB keeps the bytes of a literal: in SQL, in Simple's records, in saved files."""
    (one,) = TableStore().add_sql(f"CREATE TABLE s.t (b BIT(64) DEFAULT {literal})", version=7)
    (column,) = one.columns
    assert (column.default, column.default_length) == (default, length)
    assert f"DEFAULT {printed}" in one.to_sql()
    assert TableStore().add_sql(one.to_sql(), version=7) == [one]
    assert TableDescription.from_json(one.to_json()) == one
    assert pickle.loads(pickle.dumps(one)) == one
    options = simple.Options(encoding_format="avro")
    (message,) = simple.encode([Bootstrap(None, "s", "t", table_after=one, sent_ms=6)], options)
    image = default.to_bytes(length or 1, "big")
    assert (message.value or b"").endswith(bytes((2, 2 * len(image))) + image + b"\0\0")
    (event,) = simple.decode(message.value or b"", options=options, tables=TableStore())
    assert isinstance(event, Bootstrap)
    assert event.table_after is not None
    assert event.table_after.columns[0].default_length == length
    plain = simple.decode(simple.encode([event])[0].value or b"", tables=TableStore([one]))
    assert len(plain) == 1, "objects have no zeros before a number, which contradicts nothing"


@pytest.mark.parametrize(
    ("default", "length", "said"),
    [
        (256, 1, "256 has more than 1 bytes"),
        (5, 0, "5 has more than 0 bytes"),
        (5, 256, "a number from 0 to 255 is expected, not 256"),
        ("5", 1, "only a default that is a number of bits has one"),
        (None, 1, "only a default that is a number of bits has one"),
    ],
)
def test_lengths_that_no_default_of_bits_has(default: int | str | None, length: int, said: str) -> None:
    with pytest.raises(DescriptionError, match=said) as caught:
        table(ColumnDescription("a", "bit", default=default, default_length=length))
    assert caught.value.path == "columns/0/default_length"


@pytest.mark.parametrize("size", [9, 500, 5000])
def test_a_default_of_more_than_64_bits_is_an_error_of_descriptions(size: int) -> None:
    """However many digits the number would have."""
    with pytest.raises(DescriptionError, match="bits are a number from 0 to 18446744073709551615, not"):
        table(ColumnDescription("a", "bit", default=256**size - 1))


class CountedTable:
    """A table that counts how often it is asked for its hidden columns."""

    def __init__(self, count: int) -> None:
        self.columns = [ColumnDescription(f"c{number}", "int") for number in range(count)]
        self.asked = 0

    @property
    def hidden_columns(self) -> frozenset[str]:
        self.asked += 1
        return frozenset({"c1"})


def test_hidden_columns_are_looked_up_once_for_a_table() -> None:
    column = DescribedPart("column", (ScalarField("name", "name", "text"),))
    part = DescribedPart("table", (ArrayField("columns", column, "columns", hides=("maker",)),))
    writer = JsonDescriptionWriter(part, "maker", "any", Spelling(html=True, letters=True, separators=True, exponent=1))
    one = CountedTable(3)
    assert writer.written(part, one) == b'{"columns":[{"name":"c0"},{"name":"c2"}]}'
    assert one.asked == 1

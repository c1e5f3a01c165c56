"""Messages as producers other than TiCDC write them: Canal itself, Aliyun's, Flink, SeaTunnel and others.

All messages are made up here; the shapes are those of the topics of these projects.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest

from tidewire import canal_json
from tidewire.events import Ddl, RowChange
from tidewire.mysql import ColumnType, declared, declared_or_undeclared
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError, EncodeError, OptionError
from tidewire.runtime.json import skipped

pytestmark = pytest.mark.codec

LEFT_OUT = object()
ROW = {"id": "7", "name": "ann"}


def message(kind: str = "INSERT", **members: Any) -> bytes:
    """A message as Canal writes it; a member that is LEFT_OUT is not there."""
    found = {
        "data": [ROW],
        "database": "shop",
        "es": 1600000000000,
        "id": 3,
        "isDdl": False,
        "mysqlType": {"id": "int(11)", "name": "varchar(20)"},
        "old": None,
        "pkNames": ["id"],
        "sql": "",
        "sqlType": {"id": 4, "name": 12},
        "table": "people",
        "ts": 1600000000123,
        "type": kind,
        **members,
    }
    return json.dumps({name: value for name, value in found.items() if value is not LEFT_OUT}).encode()


def only(value: bytes, **options: Any) -> Any:
    (event,) = canal_json.decode(value, options=canal_json.Options(**options))
    return event


def cell(text: str, type: str | None = None, **options: Any) -> Any:
    """The value of a column of that declared type whose JSON is this text."""
    types = LEFT_OUT if type is None else {"c": type}
    value = message(data=["?"], mysqlType=types, pkNames=None).replace(b'["?"]', b'[{"c":%b}]' % text.encode())
    return only(value, **options).new["c"]


@pytest.mark.parametrize("member", ["es", "ts", "sql", "sqlType", "pkNames", "id", "isDdl", "old", "database", "table"])
@pytest.mark.parametrize("value", [LEFT_OUT, None])
def test_members_that_others_leave_out(member: str, value: object) -> None:
    given: dict[str, Any] = {member: value}
    event = only(message(**given))
    assert dict(event.new) == {"id": 7, "name": "ann"}
    absent = {"es": "commit_ms", "ts": "sent_ms", "database": "schema", "table": "table"}
    for name, field in absent.items():
        assert (getattr(event, field) is None) == (name == member)


def test_nothing_but_type_and_data() -> None:
    event = only(b'{"data":[{"id":1,"price":5.180,"gone":false,"note":null}],"type":"INSERT"}')
    assert (event.kind, event.schema, event.table) == ("insert", None, None)
    assert event.commit_ts is event.commit_time is None
    assert dict(event.new) == {"id": "1", "price": "5.180", "gone": "false", "note": None}
    assert event.columns == tuple(Column(name, ColumnType.UNSPECIFIED, 0, None) for name in event.new)


@pytest.mark.parametrize("types", [LEFT_OUT, None, {}, {"id": None, "name": None}])
def test_types_that_are_not_told(types: object) -> None:
    event = only(message(mysqlType=types))
    assert dict(event.new) == ROW
    assert [(column.type, column.mysql_type) for column in event.columns] == [(ColumnType.UNSPECIFIED, None)] * 2
    assert event.columns[0].flags == 10, "what is in the primary key is told all the same"


def test_a_column_that_is_not_described() -> None:
    """Beside one that is; and the next message that describes both is not taken for one of these."""
    part = message(mysqlType={"id": "int"})
    whole = message()
    events: list[Any] = list(canal_json.decode_batch([whole, part, whole, part, part, whole]))
    assert [event.new["id"] for event in events] == [7] * 6
    told_ = [event.columns[1].mysql_type for event in events]
    assert told_ == ["varchar(20)", None, "varchar(20)", None, None, "varchar(20)"]


def test_a_name_that_is_no_type_is_kept() -> None:
    for text in ("inet6", "_int4", "timestamp with time zone", "", "enum('a'", "number(10, 2)"):
        event = only(message(mysqlType={"id": "int", "name": text}))
        assert dict(event.new) == {"id": 7, "name": "ann"}
        assert event.columns[1] == Column("name", ColumnType.UNSPECIFIED, 0, text)


def test_types_that_the_user_gives() -> None:
    types = "SHOP.people (ID bigint unsigned, `name` varbinary(9), e enum('a,)','b')); other.x (id int)"
    value = message(mysqlType=LEFT_OUT, data=[{"id": "18446744073709551615", "name": "\0\u00ff", "e": "b"}])
    event = only(value, column_types=types)
    assert dict(event.new) == {"id": 2**64 - 1, "name": b"\0\xff", "e": 2}
    assert event.columns[0] == Column("id", ColumnType.BIGINT, 128 | 10, "bigint unsigned")
    # what the message tells counts; a name that is no type is not told
    event = only(message(mysqlType={"id": "int", "name": "wibble"}), column_types=types)
    assert dict(event.new) == {"id": 7, "name": b"ann"}
    assert event.columns[0].mysql_type == "int"
    assert dict(only(message(mysqlType=LEFT_OUT, table="pets"), column_types=types).new) == ROW


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        ("people", "no table, schema.table"),
        ("shop.people", "has no columns in parentheses"),
        ("shop.people (id int", "have no end"),
        ("shop.people (id int, ID int)", "'id' of shop.people is there twice"),
        ("shop.people (id)", "column 'id' has the type ''"),
        ("shop.people (id wibble)", "column 'id' has the type 'wibble'"),
        ("shop.people ()", "no name"),
    ],
)
def test_types_that_are_not_written_so(types: str, reason: str) -> None:
    with pytest.raises(OptionError, match=reason.replace("(", r"\(").replace(")", r"\)")):
        canal_json.Decoder(canal_json.Options(column_types=types))


def test_init_is_an_insert() -> None:
    events: Any = canal_json.decode(message("INIT", data=[ROW, {"id": "8", "name": None}]))
    assert [(event.kind, event.new["id"], event.old) for event in events] == [("insert", 7, None), ("insert", 8, None)]


def stated(kind: str, sql: str | None, **members: Any) -> bytes:
    """A message of no rows as Canal writes it."""
    found = {"data": None, "mysqlType": None, "sqlType": None, "pkNames": None, "sql": sql, **members}
    return message(kind, **found)


@pytest.mark.parametrize("type", ["QUERY", "ALTER", "CREATE", "RENAME", "ERASE", "TRUNCATE", "CINDEX", "DINDEX"])
@pytest.mark.parametrize(
    "sql", ["alter table t add c int", "GRANT SELECT ON *.* TO 'a'@'%'", "create table t select 1"]
)
def test_a_statement_is_an_event_whatever_the_message_says_that_it_is(type: str, sql: str) -> None:
    for value in (stated(type, sql), stated(type, sql, isDdl=True), stated(type, sql, isDdl=None)):
        event = only(value)
        assert isinstance(event, Ddl)
        assert (event.ddl_class, event.query, event.commit_ms) == (type, sql, 1600000000000)


@pytest.mark.parametrize("type", ["ALTER", "CREATE", "ERASE"])
def test_a_statement_that_is_not_told_is_an_event_as_well(type: str) -> None:
    for sql in ("", None, LEFT_OUT, "insert into t values (1)"):
        assert isinstance(only(stated(type, sql)), Ddl)  # type: ignore[arg-type]


OF_ROWS = [
    "insert into t values (1)", "UPDATE t SET a = 1", "/* web */ delete from t", "-- x\nREPLACE INTO t VALUES (1)",
    "LOAD DATA INFILE 'x' INTO TABLE t", "with a as (select 1) update t, a set t.a = 1", "SET @`a` := 1",
    "SET INSERT_ID=5", "call p()",
]  # fmt: skip


def warned(value: bytes) -> list[str]:
    """What is said of a message that has no event."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        assert list(canal_json.decode(value)) == []
    return [str(one.message) for one in found if one.category is skipped.SkippedStatementWarning]


@pytest.mark.parametrize("sql", OF_ROWS)
def test_the_text_of_what_changed_rows_is_skipped_and_said_once(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """MySQL logs it beside the rows; Canal sends it as QUERY, and says that it is no DDL."""
    monkeypatch.setattr(skipped, "_said", set())
    (text,) = warned(stated("QUERY", sql, gtid=""))
    assert text.startswith("a message whose `type` is 'QUERY' says ")
    assert text.endswith("such messages are skipped. This is said once")
    assert warned(stated("QUERY", sql)) == warned(stated("QUERY", "")) == []
    # as a statement it is one, and so is any other that has more
    assert only(stated("QUERY", sql, isDdl=True)).query == sql
    assert only(stated("QUERY", sql, more=1)).query == sql


@pytest.mark.parametrize("type", ["XACOMMIT", "XAROLLBACK"])
def test_where_a_transaction_of_several_databases_ended(type: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skipped, "_said", set())
    statement = f"XA {type[2:]} X'61',X'',1"
    (text,) = warned(stated(type, statement))
    assert f"`type` is '{type}' says" in text
    assert warned(stated(type, "")) == []
    with pytest.raises(DecodeError, match="where `sql` is a statement that begins with `xa commit` or `xa rollback`"):
        canal_json.decode(stated(type, "drop table t"))


@pytest.mark.parametrize("type", ["GTID", "MHEARTBEAT", "XACOMMIT", "XAROLLBACK"])
def test_what_is_skipped_is_no_statement(type: str) -> None:
    with pytest.raises(DecodeError, match="skipped only where `isDdl` is false: this one would be lost with it"):
        canal_json.decode(stated(type, "", isDdl=True))
    with pytest.raises(DecodeError, match=r"skipped only where `sql` is .*: this one would be lost with it"):
        canal_json.decode(stated(type, "create table t (a int)"))


def test_a_watermark_is_no_statement() -> None:
    assert (
        only(stated("TIDB_WATERMARK", "")).kind == only(stated("TIDB_WATERMARK", None, isDdl=None)).kind == "watermark"
    )
    for member, value in (("sql", stated("TIDB_WATERMARK", "x")), ("isDdl", stated("TIDB_WATERMARK", "", isDdl=True))):
        with pytest.raises(DecodeError, match=f"{member}: messages of this kind are no statements"):
            canal_json.decode(value)


def test_a_statement_that_is_one() -> None:
    event = only(message("QUERY", data=None, mysqlType=None, pkNames=None, sql="drop view v", isDdl=True))
    assert isinstance(event, Ddl)
    # one that does not say is one
    assert isinstance(only(message("ALTER", data=None, isDdl=LEFT_OUT)), Ddl)
    assert isinstance(only(message(isDdl=True)), RowChange)


STATEMENTS = ("QUERY", "TRUNCATE", "CREATE", "ALTER", "ERASE", "RENAME", "CINDEX", "DINDEX")
WITHOUT_EVENTS = ("GTID", "XACOMMIT", "XAROLLBACK", "MHEARTBEAT")


@pytest.mark.parametrize("type", STATEMENTS)
def test_rows_are_never_lost_in_a_statement_that_is_none(type: str) -> None:
    for nothing in (None, LEFT_OUT, []):
        assert isinstance(only(message(type, data=nothing, old=nothing, sql="drop table t")), Ddl)
    for member in ("data", "old"):
        given: dict[str, Any] = {"data": None, member: [ROW]}
        with pytest.raises(DecodeError, match=f"{member}: messages of this kind have no rows, and here are some"):
            canal_json.decode(message(type, **given))
        with pytest.raises(DecodeError, match=f"{member}: messages of this kind have no rows, and here are some"):
            canal_json.decode(message(type, isDdl=True, **given))
    assert isinstance(only(message(type, isDdl=True, data=None)), Ddl)


@pytest.mark.parametrize("type", WITHOUT_EVENTS)
def test_messages_of_canal_that_say_nothing_of_rows(type: str) -> None:
    assert list(canal_json.decode(message(type, data=None))) == []


@pytest.mark.parametrize("type", ["REPLACE", "insert", "", "UPSERT", "BOOTSTRAP", "query"])
@pytest.mark.parametrize("ddl", [False, True, None, LEFT_OUT])
def test_a_type_that_canal_does_not_have_is_an_error(type: str, ddl: object) -> None:
    with pytest.raises(DecodeError, match=r"type: `.*` is none of INSERT, "):
        canal_json.decode(message(type, isDdl=ddl))


SIMPLE: dict[str, dict[str, Any]] = {
    "ALTER": {"sql": "alter table t add c int", "tableSchema": {"schema": "d", "table": "t"}, "preTableSchema": None},
    "CREATE": {"sql": "create table t (c int)", "tableSchema": {"schema": "d", "table": "t"}},
    "QUERY": {"sql": "create database d"},
    "BOOTSTRAP": {"tableSchema": {"schema": "d", "table": "t"}},
    "WATERMARK": {},
    "INSERT": {"database": "d", "table": "t", "tableID": 1, "schemaVersion": 4, "data": {"id": "1"}, "old": None},
    "UPDATE": {"database": "d", "table": "t", "tableID": 1, "data": {"id": "1"}, "old": {"id": "2"}},
    "DELETE": {"database": "d", "table": "t", "tableID": 1, "data": None, "old": {"id": "1"}},
}


@pytest.mark.parametrize("type", SIMPLE)
def test_messages_of_simple_are_none_of_these(type: str) -> None:
    """They have a type and a statement as well, and no `es`."""
    value = {"version": 1, "type": type, "commitTs": 447984084414103554, "buildTs": 1708924603520, **SIMPLE[type]}
    with pytest.raises(DecodeError) as caught:
        canal_json.decode(json.dumps(value).encode())
    what = {"ALTER": "es: it is missing", "CREATE": "es: it is missing", "QUERY": "es: it is missing"}
    assert what.get(type, "") in str(caught.value)


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("decimal(10,2)", "12.50", "12.50"),
        ("decimal(30,0)", "123456789012345678901234567890", "123456789012345678901234567890"),
        ("decimal(10,2)", "1.5E+3", "1500"),
        ("decimal(10,4)", "-25e-4", "-0.0025"),
        ("varchar(9)", "1e400", "1e400"),
        ("varchar(9)", "true", "true"),
        ("json", '{"a":[1,"\\u00e9"]}', '{"a":[1,"\\u00e9"]}'),
        ("int", "5", 5),
        ("tinyint(1)", "true", 1),
        ("bigint unsigned", "false", 0),
        ("bigint unsigned", "18446744073709551615", 2**64 - 1),
        ("double", "0.1", 0.1),
        ("bit(1)", "true", 1),
        (None, "1.50", "1.50"),
        (None, '"x"', "x"),
        (None, "[1, 2]", "[1, 2]"),
        (None, "null", None),
        ("set('a','b','a')", '"a,b"', 3),
    ],
)
def test_values_that_are_no_text(type: str | None, text: str, value: object) -> None:
    assert cell(text, type) == value


def test_a_number_makes_no_long_text() -> None:
    """Two digits of an exponent at most are written out, and no DECIMAL has so many."""
    assert len(cell("1e99", "decimal(65,0)")) == 100
    assert cell("1e100", "varchar(10)") == "1e100"
    with pytest.raises(DecodeError, match="more digits than a DECIMAL"):
        cell("1e100", "decimal(65,0)")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("SERIAL", "bigint unsigned"),
        ("INT1", "tinyint"),
        ("Int2(3) UNSIGNED", "smallint(3) unsigned"),
        ("INT3", "mediumint"),
        ("MIDDLEINT", "mediumint"),
        ("INT4", "int"),
        ("INT8", "bigint"),
        ("INT SIGNED", "int"),
        ("INTEGER(11) signed", "int(11)"),
        ("NVARCHAR(20)", "varchar(20)"),
        ("NATIONAL  CHAR (3)", "char(3)"),
        ("NATIONAL CHARACTER VARYING(3)", "varchar(3)"),
        ("CHARACTER VARYING(255)", "varchar(255)"),
        ("CHAR BYTE", "binary"),
        ("char(10) byte", "binary(10)"),
        ("varchar(3) CHARACTER SET binary", "varbinary(3)"),
        ("LONG", "mediumtext"),
        ("LONG VARCHAR", "mediumtext"),
        ("LONG VARBINARY", "mediumblob"),
        ("FLOAT4", "float"),
        ("FLOAT8", "double"),
        ("DEC(10,2)", "decimal(10,2)"),
        ("FIXED", "decimal"),
        ("REAL", "double"),
        ("DOUBLE PRECISION", "double"),
        ("BOOL", "tinyint"),
        ("POINT SRID 4326", "geometry"),
        ("MULTILINESTRING", "geometry"),
        ("GEOMCOLLECTION", "geometry"),
        ("varchar(10) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci", "varchar(10)"),
        ("enum('a','b)') charset utf8", "enum('a','b)')"),
        ("char(3) binary", "char(3)"),
        ("INT NOT NULL AUTO_INCREMENT", "int"),
    ],
)
def test_names_as_people_write_them(text: str, same: str) -> None:
    assert declared(text) == declared(same)
    assert declared_or_undeclared(text).type != ColumnType.UNSPECIFIED


def test_spatial_values_are_bytes() -> None:
    assert cell('"\\u0000\\u00ff"', "POINT") == b"\0\xff"


def test_what_was_not_told_is_not_written() -> None:
    event = only(message(mysqlType=LEFT_OUT))
    with pytest.raises(EncodeError, match="column 'id'"):
        canal_json.encode([event])


def test_wrong_sql_types_lose_nothing() -> None:
    wrong: Any
    for wrong in ("x", [], {"id": "no"}, {"other": 4}, 7):
        assert only(message(sqlType=wrong)).new["id"] == 7


def test_bytes_that_are_not_utf8_where_nobody_looks() -> None:
    """JSON is UTF-8, also in members that are skipped; what becomes of column values is the policy's business."""
    good = message()
    for old, new in (
        (b'"id": 3', b'"id": "\xff"'),
        (b'"id": 3', b'"id": 3, "\xff": 1'),
        (b'"id": 3', b'"gtid": {"a": ["\xc3\xa9", "\xff"]}'),
        (b'"id": 3', b'"gtid": {"\xff": 1}'),
        (b'"old": null', b'"old": "\xff"'),
        (b'"sql": ""', b'"sql": "\xff"'),
        (b'"name": 12', b'"n\xffame": 12'),
    ):
        bad = good.replace(old, new)
        assert bad != good
        for policy in ("error", "bytes"):
            (error,) = canal_json.decode_batch([bad], options=canal_json.Options(invalid_text=policy)).errors
            assert error.code == "utf8"
    assert only(good.replace(b'"id": 3', '"gtid": "é", "é": 1'.encode())).new["id"] == 7
    # rows that are passed because their types come behind them are read with the policy all the same
    event = only(good.replace(b"ann", b"a\xff"), invalid_text="bytes")
    assert event.new["name"] == b"a\xff"


# ---- TiCDC before v5.4, and SeaTunnel

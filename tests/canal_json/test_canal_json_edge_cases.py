"""Edge cases of Canal-JSON, each with what TiCDC's encoders write and what topics may contain."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidewire import canal_json
from tidewire.canal_json import Options
from tidewire.events import Ddl, Event, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType, declared
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import DecodeError, EncodeError

pytestmark = pytest.mark.codec

TSO = 429918007904436226
KEY = int(ColumnFlag.PRIMARY_KEY | ColumnFlag.HANDLE_KEY)


def column(name: str, text: str, flags: int = 0) -> Column:
    """A column of a declared type."""
    found = declared(text)
    return Column(name, found.type, found.flags | flags, text)


def insert(columns: list[Column], row: dict[str, Any], **more: Any) -> RowChange:
    """A new row of test.t."""
    return RowChange("insert", TSO, "test", "t", new=row, columns=columns, sent_ms=5, **more)


def written(event: Event, **options: Any) -> bytes:
    """The one message of an event."""
    (message,) = canal_json.encode([event], Options(**options))
    assert message.value is not None
    return message.value


def read(value: bytes, **options: Any) -> Any:
    """The one event of a message."""
    (event,) = canal_json.decode(value, options=Options(**options))
    return event


def row_message(types: dict[str, str], data: Any, old: Any = None, **members: Any) -> bytes:
    """A message of a row as some producer writes it."""
    message = {
        "id": 0,
        "database": "test",
        "table": "t",
        "pkNames": None,
        "isDdl": False,
        "type": "INSERT" if old is None else "UPDATE",
        "es": 1640007049196,
        "ts": 5,
        "sql": "",
        "sqlType": None,
        "mysqlType": types,
        "data": data,
        "old": old,
    }
    return json.dumps({**message, **members}).encode()


@pytest.mark.parametrize(
    ("text", "value", "code"),
    [
        ("tinyint unsigned", 127, -6),
        ("tinyint unsigned", 128, 5),
        ("smallint unsigned", 32767, 5),
        ("smallint unsigned", 32768, 4),
        ("mediumint unsigned", 8388608, 4),
        ("int unsigned", 2147483647, 4),
        ("int unsigned", 2147483648, -5),
        ("bigint unsigned", 2**63 - 1, -5),
        ("bigint unsigned", 2**63, 3),
        ("bigint unsigned", None, -5),
        ("tinyint unsigned", None, -6),
    ],
)
def test_java_codes_of_unsigned_numbers_depend_on_the_value(text: str, value: int | None, code: int) -> None:
    message = json.loads(written(insert([column("c", text)], {"c": value})))
    assert message["sqlType"] == {"c": code}


def test_bytes_are_latin_1() -> None:
    every = bytes(range(256))
    value = written(insert([column("b", "blob")], {"b": every}))
    assert b'\\"#$%\\u0026' in value
    assert b"\\u003c=\\u003e" in value
    assert b"\x7f\xc2\x80" in value
    assert read(value).new["b"] == every
    padded = written(insert([column("b", "binary(4)")], {"b": b"a\0\0\0"}))
    assert read(padded).new["b"] == b"a\0\0\0"
    with pytest.raises(DecodeError, match="data/0/b"):
        read(row_message({"b": "blob"}, [{"b": "\u0100"}]))


def test_text_is_escaped_as_the_producer_does_and_must_be_utf8() -> None:
    text = "\u2028</script>\u2029 \U0001f600 \b\f\x7f/"
    value = written(insert([column("v", "varchar(99)")], {"v": text}))
    assert b"\\u2028\\u003c/script\\u003e\\u2029 \xf0\x9f\x98\x80 \\u0008\\u000c\x7f/" in value
    assert read(value).new["v"] == text
    with pytest.raises(EncodeError, match=r"event 0, column 'v': b'a\\xff\\xfeb' is not UTF-8"):
        written(insert([column("v", "varchar(9)")], {"v": b"a\xff\xfeb"}))


def test_names_that_are_escaped_or_look_like_members() -> None:
    names = ["data", "old", "_tidb", "a<b", 'q"q', "\\", "中文"]
    event = insert([column(name, "int") for name in names], dict.fromkeys(names, 1))
    value = written(event, enable_tidb_extension=True)
    assert b'"a\\u003cb":"1"' in value
    assert dict(read(value).new.items()) == dict.fromkeys(names, 1)


def test_members_in_any_order_and_members_that_are_unknown() -> None:
    types = {"b": "int", "a": "varchar"}
    message = json.loads(row_message(types, [{"a": "x", "b": "1"}], [{"a": "y", "b": "1"}], gtid="1-2-3"))
    for names in (sorted(message), sorted(message, reverse=True)):
        event = read(json.dumps({name: message[name] for name in names}).encode())
        assert dict(event.new.items()) == {"a": "x", "b": 1}
        assert dict(event.old.items()) == {"a": "y", "b": 1}
        assert [one.name for one in event.new.columns] == ["a", "b"]


def test_old_rows_in_part() -> None:
    types = {"id": "int", "v": "varchar"}
    nothing = read(row_message(types, [{"id": "1", "v": "b"}], [{}]))
    assert dict(nothing.old.items()) == {}
    from_null = read(row_message(types, [{"id": "1", "v": "b"}], [{"v": None}]))
    assert dict(from_null.old.items()) == {"v": None}
    some = read(row_message(types, [{"id": "1", "v": "b"}], [{"v": "a"}]))
    assert "id" not in some.old
    assert some.new["id"] == 1


def test_rows_with_their_handle_key_only() -> None:
    key, other = column("id", "int", KEY), column("v", "varchar(9)")
    gone = RowChange("delete", TSO, "test", "t", old={"id": 1, "v": "x"}, columns=[key, other], sent_ms=5)
    value = written(gone, delete_only_output_handle_key_columns=True, enable_tidb_extension=True)
    assert b'"data":[{"id":"1"}]' in value
    assert b"onlyHandleKey" not in value
    assert read(value).handle_key_only is None
    options = {
        "enable_tidb_extension": True,
        "large_message_handle_option": "handle-key-only",
        "max_message_bytes": 400,
    }
    value = written(insert([key, other], {"id": 1, "v": "x" * 999}), **options)
    assert b'"onlyHandleKey":true' in value
    assert read(value).handle_key_only is True
    pointer = read(
        row_message({"id": "int"}, [{"id": "1"}], _tidb={"commitTs": 1, "claimCheckLocation": "s3://b/x.json"})
    )
    assert pointer.claim_check == "s3://b/x.json"


def test_statements_and_watermarks() -> None:
    ddl = {"sql": "create table t(a int)", "isDdl": True, "mysqlType": None}
    plain = read(row_message({}, None, type="CREATE", **ddl))
    assert isinstance(plain, Ddl)
    assert (plain.commit_ts, plain.commit_ms, plain.ddl_class) == (None, 1640007049196, "CREATE")
    zero = read(row_message({}, None, type="CREATE", _tidb={}, **ddl))
    assert zero.commit_ts == 0
    assert b'"_tidb":{}' in written(zero, enable_tidb_extension=True)
    mark = read(row_message({}, None, type="TIDB_WATERMARK", mysqlType=None, _tidb={"watermarkTs": TSO}))
    assert mark == Watermark(TSO)
    assert canal_json.encode([mark]) == []


def test_a_commit_ts_is_no_float() -> None:
    for ts in (2**53 + 1, 2**63 + 1, 2**64 - 1):
        event = RowChange("insert", ts, "test", "t", new={"a": 1}, columns=[column("a", "int")], sent_ms=5)
        value = written(event, enable_tidb_extension=True)
        assert read(value).commit_ts == ts
        assert json.loads(value)["es"] == ts >> 18


@pytest.mark.parametrize(("names", "keys"), [(None, []), ([], []), (["b", "a"], ["a", "b"])])
def test_primary_keys(names: list[str] | None, keys: list[str]) -> None:
    event = read(row_message({"a": "int", "b": "int"}, [{"a": "1", "b": "2"}], pkNames=names))
    assert [one.name for one in event.columns if one.flags & KEY == KEY] == keys


def test_a_handle_key_that_is_no_primary_key() -> None:
    unique = column("k", "int", int(ColumnFlag.HANDLE_KEY | ColumnFlag.UNIQUE_KEY))
    gone = RowChange("delete", TSO, "test", "t", old={"k": 1, "v": 2}, columns=[unique, column("v", "int")])
    message = json.loads(written(gone, delete_only_output_handle_key_columns=True))
    assert (message["pkNames"], message["data"]) == ([], [{"k": "1"}])


@pytest.mark.parametrize(
    ("text", "value", "said"),
    [
        ("float", 1.0000000116860974e-07, "0.0000001"),
        ("float", 1.0000000200408773e21, "1000000000000000000000"),
        ("double", 1e21, "1000000000000000000000"),
        ("double", 1e-7, "0.0000001"),
        ("double", -0.0, "-0"),
        ("float", -2.7182817459106445, "-2.7182817"),
        ("decimal(65,30)", "9" * 35 + "." + "9" * 30, "9" * 35 + "." + "9" * 30),
        ("decimal(5,2)", "0.00", "0.00"),
        ("time", "-838:59:59", "-838:59:59"),
        ("time(6)", "00:00:00.000001", "00:00:00.000001"),
        ("datetime(6)", "0000-00-00 00:00:00.000000", "0000-00-00 00:00:00.000000"),
        ("year(4)", 0, "0"),
        ("bit(64)", 2**64 - 1, "18446744073709551615"),
        ("set('a')", 2**63, "9223372036854775808"),
        ("enum('a')", 0, "0"),
        ("json", '{"a": "\\"é"}', '{"a": "\\"é"}'),
        ("vector(3)", "[]", "[]"),
    ],
)
def test_values_as_they_stand(text: str, value: Any, said: str) -> None:
    image = written(insert([column("c", text)], {"c": value}))
    assert json.loads(image)["data"] == [{"c": said}]
    found = read(image).new["c"]
    assert (found, repr(found)) == (value, repr(value))


def test_labels_of_other_producers() -> None:
    types = {"e": "enum('a,b','c''d')", "s": "set('x','y','z')"}
    event = read(row_message(types, [{"e": "c'd", "s": "x,z"}]))
    assert dict(event.new.items()) == {"e": 2, "s": 5}


@pytest.mark.parametrize(
    ("text", "type", "flags"),
    [
        ("enum('a,b','c''d')", ColumnType.ENUM, 0),
        ("enum('blob')", ColumnType.ENUM, 0),
        ("set('binary','x')", ColumnType.SET, 0),
        ("int(10) unsigned zerofill", ColumnType.INT, ColumnFlag.UNSIGNED),
        ("decimal(10, 4)", ColumnType.DECIMAL, 0),
        ("year(4)", ColumnType.YEAR, 0),
        ("double(20,3) unsigned", ColumnType.DOUBLE, ColumnFlag.UNSIGNED),
        ("vector(3)", ColumnType.VECTOR, 0),
        ("VARCHAR(255)", ColumnType.VARCHAR, 0),
        ("INTEGER", ColumnType.INT, 0),
        ("varbinary(8)", ColumnType.VARCHAR, ColumnFlag.BINARY),
    ],
)
def test_types_in_full(text: str, type: int, flags: int) -> None:
    (found,) = read(row_message({"c": text}, [{"c": None}])).columns
    assert (found.type, found.flags, found.mysql_type) == (type, flags, text)


@pytest.mark.parametrize(
    "terminator", ["\r\n", "\n", ",", "ab", " ab", "ab\n", "\n,\t", "}", "]{", "null", " ", "\t \r"]
)
def test_rows_of_a_file(terminator: str) -> None:
    events = [insert([column("a", "int")], {"a": k}) for k in range(3)]
    (message,) = canal_json.encode(events, Options(terminator=terminator))
    assert message.value is not None
    assert message.value.count(terminator.encode() + b"{") == 2
    assert message.value.endswith(b"}" + terminator.encode())
    for value in (message.value, message.value + terminator.encode(), message.value[: -len(terminator)]):
        assert len(canal_json.decode(value, options=Options(terminator=terminator))) == 3


@pytest.mark.parametrize("name", ["snappy", "lz4"])
def test_compressed_values(name: str) -> None:
    event = insert([column("v", "text")], {"v": "abc" * 100})
    plain = written(event)
    small = written(event, large_message_handle_compression=name)
    assert len(small) < len(plain)
    assert dict(read(small, large_message_handle_compression=name).new.items()) == {"v": "abc" * 100}
    with pytest.raises(DecodeError):
        read(small)
    with pytest.raises(DecodeError):
        read(plain, large_message_handle_compression=name)


@pytest.mark.parametrize(("code", "said"), [(42, "QUERY"), (23, "ALTER"), (3, "CREATE"), (4, "ERASE"), (47, "RENAME")])
def test_classes_of_statements(code: int, said: str) -> None:
    value = written(Ddl(TSO, "test", "t", code, "alter table t where a < 1", sent_ms=5))
    assert json.loads(value)["type"] == said
    assert b"a \\u003c 1" in value
    assert read(value).ddl_class == said

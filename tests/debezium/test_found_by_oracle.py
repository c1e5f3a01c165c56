"""Regressions found by comparison with TiCDC's own encoder on random events."""

from __future__ import annotations

import json
from typing import Any

import pytest

from debezium.blocks import ID, KEY, NAME, Field, field, message
from tidewire import debezium
from tidewire.events import Column, Ddl, RowChange
from tidewire.mysql import ColumnFlag, declared
from tidewire.runtime.connect.unknown import UnknownTypeWarning
from tidewire.runtime.errors import DecodeError
from tidewire.tables import ColumnDescription, TableDescription, TableStore

pytestmark = pytest.mark.codec

TS = 1 << 40
ENUM: Field = field("string", NAME + "data.Enum", "enum", allowed="a,',b'")


def store(declaration: str) -> TableStore:
    """A table with a column of this declaration."""
    found = TableStore()
    found.add_sql(f"create table s.t (id int primary key, v {declaration})", version=TS - 1)
    return found


def row(said: Field, value: Any, tables: TableStore | None = None, invalid_text: str = "error") -> RowChange:
    """The row that is read of a value of column v."""
    options = debezium.Options(invalid_text=invalid_text)
    found = debezium.decode_batch([message({"id": 1, "v": value}, [ID, said])], [KEY], options, tables)
    assert not found.errors, found.errors
    (event,) = found
    assert isinstance(event, RowChange)
    return event


def block(declaration: str) -> dict[str, Any]:
    """What a block says of a column."""
    tables, said = store(declaration), declared(declaration.partition(" default")[0].partition(" not")[0])
    nullable = 0 if "not null" in declaration else ColumnFlag.NULLABLE
    event = RowChange("delete", TS, "s", "t", columns=(Column("v", said.type, said.flags | nullable),), old={"v": None})
    (message,) = debezium.encode([event], tables=tables)
    (column,) = json.loads(message.value or b"")["schema"]["fields"][0]["fields"][:1]
    return dict(column)


def described(**said: Any) -> ColumnDescription:
    """The description of a column of which a change of its table says this."""
    column = ColumnDescription("v", **{"mysql_type": "int", "nullable": True, **said})
    event = Ddl(TS, "s", "t", 3, "create table u (id int)", table_after=TableDescription("s", "t", [column]))
    (message,) = debezium.encode([event])
    (again,) = debezium.decode_batch([message.value], [message.key])
    assert isinstance(again, Ddl)
    assert again.table_after is not None
    return again.table_after.columns[0]


@pytest.mark.parametrize(
    ("labels", "listed"),
    [(("''",), "'"), (("it''s", "b,c"), "it's,b\\,c"), (("\\'",), "'"), (("'",), "'"), (("a\\b",), "a\\b")],
)
def test_quotes_in_labels_lose_what_stands_before_them(labels: tuple[str, ...], listed: str) -> None:
    declaration = "enum(" + ",".join("'" + one.replace("\\", "\\\\").replace("'", "''") + "'" for one in labels) + ")"
    assert block(declaration)["parameters"] == {"allowed": listed}


def test_labels_that_a_block_does_not_tell_are_those_of_the_description() -> None:
    tables = store("enum('a','''''','b''')")
    assert row(ENUM, "''", tables).new == {"id": 1, "v": 2}
    assert row(ENUM, "''", tables).columns[1].mysql_type == "enum('a','''''','b''')"
    assert row(ENUM, "''").new == {"id": 1, "v": 2}  # as the block alone tells them
    other = store("enum('x','y')")  # another table's
    assert row(ENUM, "b'", other).new == {"id": 1, "v": 3}


@pytest.mark.parametrize("allowed", [1.5, ["a"], True, {"a": 1}])
def test_a_column_whose_labels_are_no_text_is_one(allowed: Any) -> None:
    with pytest.warns(UnknownTypeWarning, match="and no text: it is read as longtext"):
        assert row(ENUM | {"parameters": {"allowed": allowed}}, "a").new == {"id": 1, "v": "a"}


@pytest.mark.parametrize("allowed", ["a", "a'b"])
def test_a_name_of_a_type_that_is_none_leaves_the_labels(allowed: str) -> None:
    said = field("string", NAME + "data.Enum", "char", allowed=allowed)
    with pytest.warns(UnknownTypeWarning, match="is no type of a column"):
        assert row(said, allowed).new == {"id": 1, "v": 1}


def test_labels_are_quoted_as_tidb_quotes_them() -> None:
    said = field("string", NAME + "data.Enum", "enum", allowed="\n,\r,\0")
    assert row(said, "\n").columns[1].mysql_type == "enum('\\n','\\r','\\0')"


def test_no_text_is_no_label_of_a_set_that_has_an_empty_one() -> None:
    said = field("string", NAME + "data.EnumSet", "set", allowed="a,,b")
    assert [(row(said, text).new or {})["v"] for text in ("", "a,", ",b")] == [0, 3, 6]


def test_an_unsigned_decimal_is_told_by_its_description() -> None:
    said = field("double", None, "decimal")
    column = row(said, 1.5, store("decimal(10,2) unsigned")).columns[1]
    assert (column.mysql_type, column.flags) == ("decimal(10,2) unsigned", ColumnFlag.UNSIGNED | ColumnFlag.NULLABLE)


@pytest.mark.filterwarnings("ignore::tidewire.runtime.wire.strange_keys.StrangeKeyWarning")
def test_values_of_a_key_are_not_read_and_can_be_what_texts_can_be() -> None:
    """A key that is no JSON costs no row; which columns are its handle key is unknown then."""
    said = field("string", None, "varchar")
    value = message({"id": 1, "v": "x"}, [ID, said])
    damaged = b'{"payload":{"id":"\xff"}}'
    keys = [(damaged, "error", False), (b'{"payload":{"\xff":1}}', "bytes", False)]
    for key, mode, known in [*keys, (damaged, "bytes", True), (damaged, "replace", True)]:
        (event,) = debezium.decode_batch([value], [key], debezium.Options(invalid_text=mode))
        assert isinstance(event, RowChange)
        assert event.new == {"id": 1, "v": "x"}
        assert (event.columns[0].flags == ColumnFlag.HANDLE_KEY) == known


@pytest.mark.parametrize(
    ("declaration", "default"),
    [
        ("datetime not null default '0000-00-00 00:00:00'", 0),
        ("datetime(6) not null default '0000-00-00 00:00:00'", 0),
        ("timestamp not null default '0000-00-00 00:00:00'", "1970-01-01T00:00:00Z"),
        ("date not null default '0000-00-00'", 0),
        ("datetime default '0000-00-00 00:00:00'", None),
        ("timestamp null default '0000-00-00 00:00:00'", None),
        ("date default '0000-00-00'", None),
    ],
)
def test_a_zero_default_where_null_is_not_allowed(declaration: str, default: object) -> None:
    assert block(declaration).get("default") == default


def test_floats_with_no_digits_behind_their_point() -> None:
    assert block("float(5,0)")["type"] == "double"
    assert block("float")["type"] == "float"
    assert described(mysql_type="double", length=10, scale=0).scale == 0
    assert described(mysql_type="double", length=22).scale is None


def test_what_a_change_says_of_a_column() -> None:
    assert described(mysql_type="enum", labels=("a",), charset="binary").charset == "binary"
    assert described(mysql_type="enum", labels=("a",), charset="latin1").charset == "latin1"
    assert described(mysql_type="float", length=-1, scale=-1).length == 12  # nobody said one
    tiny = {"mysql_type": "tinyint", "unsigned": True, "zerofill": True}
    assert [described(length=width, **tiny).length for width in (3, 4)] == [3, 4]


V = field("bytes", None, None)


def with_row(row: str) -> bytes:
    return message({"id": 1, "v": None}, [ID, V]).replace(b'{"id": 1, "v": null}', row.encode())


@pytest.mark.parametrize(
    "row",
    [
        '{"id": 1, "v": null, "id": 2}',
        '{"id": 1, "id": 1, "v": null}',
        '{"id": 1, "v": "eA==", "v": "y"}',
        '{"id": 1, "v": "eA==", "v": "eA=="}',
        '{"id": 1, "v": "eA==", "v": null}',
        '{"id": 1, "v": null, "v": "eA=="}',
        '{"v": "eA==", "id": 1, "v": "x"}',
        '{"id": 1, "v": "eA==", "v": [["x"]]}',
    ],
)
def test_a_column_that_is_there_twice_is_an_error(row: str) -> None:
    value = with_row(row)
    assert value.count(row.encode()) == 1
    name = "id" if row.count('"id"') > 1 else "v"
    with pytest.raises(DecodeError, match="given twice") as said:
        debezium.decode(value, KEY)
    assert (said.value.code, said.value.field) == ("duplicate", f"after/{name}")
    assert said.value.offset == value.rindex(f'"{name}": '.encode(), 0, value.index(row.encode()) + len(row))


@pytest.mark.parametrize(
    ("row", "image"), [('{"id": 1, "v": "eA==", "v": "x"}', b"x"), ('{"id": 1, "v": "", "v": ""}', b"")]
)
def test_bytes_in_base64_and_once_more_as_a_text_are_a_default_for_null(row: str, image: bytes) -> None:
    (event,) = debezium.decode(with_row(row), KEY)
    assert isinstance(event, RowChange)
    assert event.new == {"id": 1, "v": image}

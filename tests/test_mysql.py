"""tidewire.mysql: declared types taken apart and written, what protocols call types, classes of DDL statements."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import golden

from tidewire import mysql
from tidewire.mysql import ColumnFlag, ColumnType, Declared, declared, mapped, type_text

UNSIGNED = int(ColumnFlag.UNSIGNED)
BINARY = int(ColumnFlag.BINARY)


def says(type: int, flags: int = 0, *numbers: int | None, members: tuple[str, ...] = (), zerofill: bool = False) -> Any:
    length, decimals = (*numbers, None, None)[:2]
    return Declared(type, flags, length, decimals, members, zerofill)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", says(3)),
        ("int(11)", says(3, 0, 11)),
        ("INT(10) UNSIGNED ZEROFILL", says(3, UNSIGNED, 10, zerofill=True)),
        ("int zerofill", says(3, UNSIGNED, zerofill=True)),
        ("unsigned bigint", says(8, UNSIGNED)),
        ("  Integer ", says(3)),
        ("bool", says(1)),
        ("tinyint(1)", says(1, 0, 1)),
        ("decimal( 10 , 4 ) unsigned", says(246, UNSIGNED, 10, 4)),
        ("numeric", says(246)),
        ("double precision unsigned", says(5, UNSIGNED)),
        ("real", says(5)),
        ("double(20,3)", says(5, 0, 20, 3)),
        ("timestamp(3)", says(7, 0, None, 3)),
        ("datetime", says(12)),
        ("time(6)", says(11, 0, None, 6)),
        ("year(4)", says(13, 0, 4)),
        ("bit(12)", says(16, 0, 12)),
        ("vector(3)", says(225, 0, 3)),
        ("varchar(255)", says(15, 0, 255)),
        ("varbinary(16)", says(15, BINARY, 16)),
        ("binary", says(254, BINARY)),
        ("text", says(252)),
        ("LONGBLOB", says(251, BINARY)),
        ("enum('a','b')", says(247, members=("a", "b"))),
        ("enum('blob')", says(247, members=("blob",))),
        ("set('binary' , 'x)')", says(248, members=("binary", "x)"))),
        ("enum('a,b','it''s','','x\\'y')", says(247, members=("a,b", "it's", "", "x'y"))),
        ("enum('n\\nl','c\\\\d','\\q\\%')", says(247, members=("n\nl", "c\\d", "q\\%"))),
        ('ENUM("Ä","b""c")', says(247, members=("Ä", 'b"c'))),
        ("enum", says(247)),
    ],
)
def test_what_a_declared_type_says(text: str, expected: Declared) -> None:
    assert declared(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is no type of a column: TiDB has no type ''"),
        ("unsigned", "'unsigned' is no type of a column: TiDB has no type ''"),
        ("blob('x')", "\"blob('x')\" is no type of a column: one or two numbers stand in its parentheses"),
        ("intt(3)", "'intt(3)' is no type of a column: TiDB has no type 'intt'"),
        ("int(3", "'int(3' is no type of a column: its parentheses do not match"),
        ("int 3)", "'int 3)' is no type of a column: its parentheses do not match"),
        ("int(1,2,3)", "'int(1,2,3)' is no type of a column: one or two numbers stand in its parentheses"),
        ("int()", "'int()' is no type of a column: one or two numbers stand in its parentheses"),
        ("int(٣)", "'int(٣)' is no type of a column: one or two numbers stand in its parentheses"),
        ("int singed", "'int singed' is no type of a column: 'singed' says nothing about a type"),
        ("enum()", "'enum()' is no type of a column: its labels stand in quotes"),
        ("enum('a',)", "\"enum('a',)\" is no type of a column: its labels stand in quotes"),
        ("enum('a' 'b')", "\"enum('a' 'b')\" is no type of a column: a comma stands between labels"),
        ("enum('a)", '"enum(\'a)" is no type of a column: a label has no end'),
        ("enum('a\\')", "\"enum('a\\\\')\" is no type of a column: a label has no end"),
    ],
)
def test_a_text_that_is_no_type(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        declared(text)


def refusal(text: str) -> str | None:
    """Why a text is no type; None when it is one."""
    try:
        declared(text)
    except ValueError as error:
        return str(error)
    return None


@given(st.text() | st.text("abinteum() ',\\3"))
def test_any_text_is_a_type_or_refused_in_a_sentence(text: str) -> None:
    reason = refusal(text)
    assert reason is None or "is no type of a column: " in reason


def test_a_long_text_is_refused_at_once() -> None:
    for text in (
        "unsigned " * 200_000,
        "int " * 200_000,
        "(" * 10**6,
        "enum(" + "'" * 10**6,
        "int" + " " * 10**6 + "!",
    ):
        reason = refusal(text)
        assert reason is not None
        assert len(reason) < 300


@given(st.lists(st.text(), min_size=1))
def test_labels_are_what_was_quoted(labels: list[str]) -> None:
    quoted = ",".join("'" + label.replace("\\", "\\\\").replace("'", "''") + "'" for label in labels)
    assert declared(f"set({quoted})").members == tuple(labels)


@pytest.mark.parametrize(
    ("type", "flags", "zerofill", "text"),
    [
        (3, 0, False, "int"),
        (3, UNSIGNED | BINARY, False, "int unsigned"),
        (3, UNSIGNED, True, "int unsigned zerofill"),
        (246, UNSIGNED, False, "decimal unsigned"),
        (13, UNSIGNED | BINARY, True, "year"),
        (16, UNSIGNED, False, "bit"),
        (15, 0, False, "varchar"),
        (15, BINARY, False, "varbinary"),
        (254, BINARY, False, "binary"),
        (252, 0, False, "text"),
        (252, BINARY, False, "blob"),
        (249, BINARY, False, "tinyblob"),
        (245, BINARY, False, "json"),
        (247, 0, False, "enum"),
    ],
)
def test_how_tidb_writes_a_type(type: int, flags: int, zerofill: bool, text: str) -> None:
    assert type_text(type, flags, zerofill) == text


@pytest.mark.parametrize("type", list(ColumnType))
def test_every_type_is_read_as_it_is_written(type: ColumnType) -> None:
    for flags in (0, UNSIGNED, BINARY):
        said = declared(type_text(type, flags))
        assert said.type == type
        assert type_text(said.type, said.flags) == type_text(type, flags)
        if type != ColumnType.VAR_STRING:  # no statement declares it: TiDB has no other name for the binary one
            assert mysql.storage(said.type, said.flags) == mysql.storage(type, flags)


def test_a_type_that_is_none_has_no_text() -> None:
    with pytest.raises(ValueError, match="200 is no type code that TiDB has"):
        type_text(200, 0)


@pytest.mark.parametrize(
    ("type", "flags", "expected"),
    [
        (1, 0, (-6, None, None)),
        (1, UNSIGNED, (-6, 5, 127)),
        (2, UNSIGNED, (5, 4, 32767)),
        (9, UNSIGNED, (4, None, None)),
        (3, UNSIGNED | BINARY, (4, -5, 2147483647)),
        (8, UNSIGNED, (-5, 3, 9223372036854775807)),
        (8, BINARY, (-5, None, None)),
        (15, 0, (12, None, None)),
        (15, BINARY, (2004, None, None)),
        (252, BINARY, (2004, None, None)),
        (252, 0, (2005, None, None)),
        (13, UNSIGNED, (12, None, None)),
        (248, 0, (-7, None, None)),
    ],
)
def test_what_java_calls_a_type(type: int, flags: int, expected: tuple[int, int | None, int | None]) -> None:
    assert mapped("java_sql", type, flags) == expected


def test_other_names_of_types() -> None:
    assert mapped("avro", 3, UNSIGNED).value == "long"
    assert mapped("jdbc", 15, BINARY) == (-3, None, None)
    for kind, type in (("java_sql", 200), ("klingon", 3)):
        with pytest.raises(LookupError, match=f"column type {type} has no {kind} name"):
            mapped(kind, type, 0)


def test_classes_of_ddl_statements() -> None:
    assert [mysql.ddl_class(code) for code in (3, 14, 7, 8, 5, 23, 4, 11, 1, 65, 0, 200)] == [
        *("CREATE", "RENAME", "CINDEX", "DINDEX", "ALTER", "ALTER", "ERASE", "TRUNCATE"),
        *("QUERY", "QUERY", "QUERY", "QUERY"),
    ]
    assert mysql.ddl_types_of("CINDEX") == (7, 9, 32)
    assert mysql.ddl_types_of("nothing") == ()
    classes = {mysql.ddl_class(code) for code in mysql.DDL_TYPES}
    assert sorted(code for cls in classes for code in mysql.ddl_types_of(cls)) == sorted(mysql.DDL_TYPES)


def test_flags_that_tell() -> None:
    assert mysql.telling_flags(3) == UNSIGNED
    assert mysql.telling_flags(15) == BINARY
    assert mysql.telling_flags(13) == mysql.telling_flags(999) == 0
    for type in ColumnType:
        told = mysql.telling_flags(type)
        assert mysql.storage(type, 2**64 - 1) == mysql.storage(type, told)


def recorded_columns(root: Path) -> Iterator[dict[str, Any]]:
    for path in sorted(root.rglob("events.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield from json.loads(line).get("columns") or ()


def test_recorded_types_say_what_is_recorded_beside_them() -> None:
    """TiDB's own texts against its own fields."""
    seen = 0
    for column in recorded_columns(golden()):
        said = declared(column["mysql_type"])
        seen += 1
        assert said.type == column["type"], column
        assert said.members == tuple(column["elems"] or ()), column
        assert said.length in (None, column["flen"]), column
        assert said.decimals in (None, column["decimal"]), column
        flags = (UNSIGNED if column["unsigned"] else 0) | (BINARY if column["binary"] else 0)
        assert (said.flags ^ flags) & mysql.telling_flags(said.type) == 0, column
        assert re.sub(r"\(.*\)", "", column["mysql_type"]) == type_text(said.type, flags, said.zerofill), column
    assert seen > 100

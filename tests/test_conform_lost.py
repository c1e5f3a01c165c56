"""What the new architecture's messages lose is excused under the spec's name for it, and nothing besides.

Recordings are made of our own messages, into which the producer's fault is put:

- defaultValueExpression of a BIT: pingcap/ticdc at b813e76, pkg/sink/codec/debezium/helper.go, parseBit, which is given
  the default as JSON text has it, with U+FFFD for each byte from 128 on;
- schemas of statements: pkg/sink/codec/debezium/avro.go, encodeAvroMessage, which asks for the schema of a subject in
  version 0, and so for the first one;
- dates and times: the same file, debeziumAvroFieldValue.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tidewire import avro, debezium, debezium_avro, simple
from tidewire.cli.conform import recording, truth
from tidewire.cli.conform.check import Result, check
from tidewire.messages.registry import MemorySchemas
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

NOW = 1767323045678
LOST = "111011111011111110111101"
"""U+FFFD in UTF-8."""
WITH_STATEMENTS = {"enable-tidb-extension": True, "avro-enable-watermark": True}


def column(name: str, type: int, text: str, default: Any = None, **more: Any) -> dict[str, Any]:
    found = {"name": name, "id": len(name), "type": type, "mysql_type": text, "flags": 0, "charset": "binary"}
    found |= {"collation": "binary", "flen": 10, "decimal": 0, "elems": None, "default": default, "nullable": True}
    return found | {"unsigned": False, "zerofill": False, "binary": True, "is_handle_key": False, "is_pk": False} | more


ID = column("i", 3, "int(11)", nullable=False, is_handle_key=True, is_pk=True, flen=11)
BITS = column("bits", 16, "bit(10)", {"bytes": b64encode(b"\x02\xaa").decode()})


def event(n: int, kind: str, columns: Sequence[dict[str, Any]], schema: str = "d", **more: Any) -> dict[str, Any]:
    found = {"n": n, "kind": kind, "commit_ts": 470697900226641920 + n, "schema": schema, "table": "t", "table_id": 9}
    statement = f"CREATE TABLE `{schema}`.`t` (...)"
    said = {"query": statement, "ddl_type": 3, "table_charset": "utf8mb4"} if kind == "ddl" else {}
    return found | {"columns": columns, "table_info_version": 470697900226641920, "pk_is_handle": True} | said | more


def checked(
    tmp_path: Path,
    protocol: ModuleType,
    happened: Sequence[dict[str, Any]],
    change: Callable[[int, bytes], bytes],
    mended: bool = False,
    **options: Any,
) -> Result:
    """The result of a recording of these events, whose messages are ours after a change."""
    name = protocol.NAME
    folder = tmp_path / "ticdc" / "made"
    folder.mkdir(parents=True)
    path = folder / "events.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in happened), "utf-8")
    events = truth.load(path)
    truth.stamp(events, NOW, "UTC")
    known: dict[str, Any] = {"tables": TableStore()}
    header: dict[str, Any] = dict(options)
    if protocol is debezium_avro:
        known["schemas"] = MemorySchemas()
        header |= {"schema-registry": "http://registry", "topic": "{schema}_{table}"}
    given = {name.replace("-", "_"): value for name, value in options.items()}
    messages = protocol.encode(list(events.values()), protocol.Options(producer="ticdc", **given), **known)
    header |= {"now_ms": NOW, "time-zone": "UTC"} | ({"patched": "yes"} if mended else {})
    lines: list[dict[str, Any]] = [{"protocol": name, "producer": "ticdc", "scenario": "made", "options": header}]
    for number, (message, one) in enumerate(zip(messages, happened, strict=True)):
        value = b64encode(change(number, message.value)).decode()
        kind = one["kind"] if one["kind"] in ("ddl", "bootstrap") else "row"
        key = None if message.key is None else b64encode(message.key).decode()
        lines.append({"m": number, "kind": kind, "key": key, "value": value, "events": [one["n"]]})
    stream = folder / f"{name}.default.jsonl"
    stream.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    if protocol is debezium_avro:
        schemas = [one._asdict() | {"schema": one.text} for one in known["schemas"].schemas]
        saved = [{name: one[name] for name in ("id", "subject", "version", "schema")} for one in schemas]
        stream.with_suffix(".registry.json").write_text(json.dumps(saved), "utf-8")
    (found,) = recording.find(tmp_path)
    return check(found, recording.read(found), truth.load(path), protocol)


def with_lost_default(number: int, value: bytes) -> bytes:
    """A statement whose default lost the second of its two bytes; the first is 2."""
    assert value.count(b"1010101010") == (number == 0)
    return value.replace(b'"1010101010"', f'"10{LOST}"'.encode())


def with_lost_default_in_record(number: int, value: bytes) -> bytes:
    text = f"10{LOST}".encode()
    return value.replace(b"\x141010101010", bytes([2 * len(text)]) + text)


def test_a_default_of_bits_that_a_statement_lost(tmp_path: Path) -> None:
    row = event(1, "insert", [ID, BITS], new=[{"int": "1"}, {"uint": "5"}], old=None)
    statement = event(0, "ddl", [ID, BITS])
    result = checked(tmp_path, debezium, [statement, row], with_lost_default)
    assert result.findings == []
    assert result.reasons == {"bit-default-lost": 2}
    assert (result.decoded.identical, result.reencoded.identical, result.from_truth.identical) == (2, 1, 1)


def test_the_same_in_a_record(tmp_path: Path) -> None:
    result = checked(
        tmp_path, debezium_avro, [event(0, "ddl", [ID, BITS])], with_lost_default_in_record, **WITH_STATEMENTS
    )
    assert result.findings == []
    assert result.reasons == {"bit-default-lost": 2}


@pytest.mark.parametrize(
    ("was", "becomes"),
    [(b'"position":2', b'"position":3'), (b'"1010101010"', b'"1010101011"'), (b'"bits"', b'"bots"')],
)
def test_a_lost_default_excuses_nothing_else(tmp_path: Path, was: bytes, becomes: bytes) -> None:
    def change(number: int, value: bytes) -> bytes:
        assert was in value
        return (
            with_lost_default(number, value.replace(was, becomes))
            if b"1010101010" not in was
            else value.replace(was, becomes)
        )

    assert checked(tmp_path, debezium, [event(0, "ddl", [ID, BITS])], change).different


def test_a_lost_default_is_not_excused_of_a_mended_producer(tmp_path: Path) -> None:
    assert checked(tmp_path, debezium, [event(0, "ddl", [ID, BITS])], with_lost_default, mended=True).different


def by_first_schema(number: int, value: bytes) -> bytes:
    return value[:1] + (2).to_bytes(4, "big") + value[5:]


def test_statements_by_the_schema_of_the_first_one(tmp_path: Path) -> None:
    statements = [event(0, "ddl", [ID], "one"), event(1, "ddl", [ID], "two"), event(2, "ddl", [ID], "two")]
    result = checked(tmp_path, debezium_avro, statements, by_first_schema, **WITH_STATEMENTS)
    assert result.findings == []
    assert result.reasons == {"schema-of-first-database": 4}


def test_rows_by_another_schema_differ(tmp_path: Path) -> None:
    """Those of another table: the fault is of statements."""
    rows = [event(n, "insert", [ID], f"s{n}", new=[{"int": "1"}], old=None) for n in range(2)]
    assert checked(tmp_path, debezium_avro, rows, by_first_schema).different


def test_statements_by_a_later_schema_differ(tmp_path: Path) -> None:
    statements = [event(0, "ddl", [ID], "one"), event(1, "ddl", [ID], "two")]

    def change(number: int, value: bytes) -> bytes:
        return value[:1] + (3).to_bytes(4, "big") + value[5:]

    assert checked(tmp_path, debezium_avro, statements, change, **WITH_STATEMENTS).different


@pytest.mark.parametrize("protocol", [debezium, debezium_avro])
def test_dates_that_no_calendar_has_in_columns_with_a_default(tmp_path: Path, protocol: ModuleType) -> None:
    """They are null, which in such a column stands for the default where it is written again."""
    at = column("at", 12, "datetime(6)", {"text": "CURRENT_TIMESTAMP"}, decimal=6, flen=26)
    day = column("day", 10, "date")
    when = column("when", 7, "timestamp", flen=19)
    values = [{"text": "0000-00-00 00:00:00.000000"}, {"text": "2020-00-00"}, {"text": "0000-00-00 00:00:00"}]
    columns = [ID, at, day, when]
    row = event(1, "insert", columns, new=[{"int": "1"}, *values], old=None)
    first = [event(0, "ddl", columns)]

    def change(number: int, value: bytes) -> bytes:
        return value

    if protocol is debezium:
        result = checked(tmp_path, protocol, [*first, row], change)
    else:
        result = checked(tmp_path, protocol, [*first, row], change, **WITH_STATEMENTS)
    assert result.findings == []
    assert set(result.reasons) == {"no-calendar-date", "no-timestamp"}


EXPRESSION = column("_V$_e_0", 8, "bigint(20)", is_generated=True, is_virtual=True, flen=20)
ON_EXPRESSION = {"id": 1, "name": "e", "primary": False, "unique": False, "columns": [{"name": "_V$_e_0"}]}


def test_hidden_columns_are_no_columns_of_a_change(tmp_path: Path) -> None:
    """The new architecture leaves those of indexes on expressions out of statements, and has them in blocks of rows."""

    def change(number: int, value: bytes) -> bytes:
        assert value.count(b"_V$_e_0") == (4 if number else 0)
        return value

    columns = [ID, EXPRESSION, column("b", 3, "int(11)", flen=11)]
    row = event(1, "insert", columns, new=[{"int": "1"}, None, {"int": "2"}], old=None)
    statement = event(0, "ddl", columns, indexes=[ON_EXPRESSION])
    result = checked(tmp_path, debezium, [statement, row], change)
    assert result.findings == []
    assert result.reasons == {}


def test_a_table_that_is_described_apart_has_all_of_its_columns(tmp_path: Path) -> None:
    """A bootstrap has virtual and hidden columns, of which the hidden one has no scale."""
    hidden = column("_V$_e_0", 253, "var_string(10)", is_generated=True, is_virtual=True, decimal=-1)
    columns = [ID, hidden]
    row = event(1, "insert", columns, new=[{"int": "1"}, None], old=None)

    def change(number: int, value: bytes) -> bytes:
        assert (b'"decimal":-1' in value) == (number == 0)
        return value

    table = event(0, "bootstrap", columns, indexes=[ON_EXPRESSION])
    result = checked(tmp_path, simple, [table | {"commit_ts": 0}, row], change)
    assert result.findings == []


def test_the_integer_that_is_unique_first_may_be_told_as_the_primary_key(tmp_path: Path) -> None:
    names = {"id": 1, "primary": False, "unique": True}
    first = names | {"name": "u1", "columns": [{"name": "i"}]}
    other = names | {"name": "u2", "columns": [{"name": "j"}]}
    keyless = ID | {"is_pk": False, "is_unique": True}
    beside = column("j", 3, "int(11)", nullable=False, flen=11, is_unique=True)
    table: dict[str, Any] = {"indexes": [first, other], "pk_is_handle": False}
    row = event(1, "insert", [keyless, beside], new=[{"int": "1"}, {"int": "2"}], old=None, **table)
    statement = event(0, "ddl", [keyless, beside], **table)
    result = checked(tmp_path, simple, [statement, row], lambda _number, value: value)
    assert result.findings == []


@pytest.mark.parametrize(
    ("default", "excused"), [("9223372036854775807", True), ("9223372036854775296", True), ("9007199254740993", False)]
)
def test_rows_that_are_refused_for_a_default_that_is_too_great_for_a_double(
    tmp_path: Path, default: str, excused: bool
) -> None:
    columns = [ID, column("n", 8, "bigint(20)", {"text": default}, flen=20)]
    folder = tmp_path / "ticdc" / "made"
    folder.mkdir(parents=True)
    row = event(1, "insert", columns, new=[{"int": "1"}, {"int": "2"}], old=None)
    lines = [json.dumps(one) for one in (event(0, "ddl", columns), row)]
    (folder / "events.jsonl").write_text("\n".join(lines), "utf-8")
    header: dict[str, Any] = {"protocol": "avro", "producer": "ticdc", "scenario": "made"}
    header |= {"options": {"time-zone": "UTC", "schema-registry": "http://registry"}}
    refused = {"m": 0, "kind": "row", "error": "would lose precision", "events": [1]}
    (folder / "avro.default.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(refused)}\n", "utf-8")
    (found,) = recording.find(tmp_path)
    result = check(found, recording.read(found), truth.load(folder / "events.jsonl"), avro)
    assert (result.findings == []) == excused
    assert len(result.refused) == excused

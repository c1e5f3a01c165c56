"""Connector values read with the wrong mode: an error with the option to set, or the documented result, in all outputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from commands import tidewire as command

import tidewire
from tidewire import debezium
from tidewire.reading.types import SchemaError
from tidewire.runtime.errors import DecodeError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

SQL = (
    "CREATE TABLE shop.o (id INT PRIMARY KEY, v DECIMAL(10,2), b VARBINARY(10), u BIGINT UNSIGNED, dt DATETIME, "
    "micros DATETIME(6), t TIME, d DATE);"
)
MICROS = "adaptive-time-microseconds"
WRITTEN: dict[str, tuple[str, dict[str, Any]]] = {
    "v": ("decimal-handling-mode", {"precise": "EOQ=", "string": "43.24"}),
    "b": ("binary-handling-mode", {"base64": "3q2+7w==", "base64-url-safe": "3q2-7w=="}),
    "u": ("bigint-unsigned-handling-mode", {"precise": "AP//////////"}),
    "dt": ("time-precision-mode", {"isostring": "2020-01-01T00:00:00Z", "microseconds": 1577836800000000}),
    "micros": ("time-precision-mode", {"nanoseconds": 1577836800000000000, "isostring": "2020-01-01T00:00:00Z"}),
    "t": ("time-precision-mode", {"isostring": "01:00:00Z", "connect": 3600000, "nanoseconds": 3600000000000}),
    "d": ("time-precision-mode", {"isostring": "2020-01-01Z"}),
}
"""Columns, and values that modes write which no other one reads: by the mode."""
CHOICES = {one.name: one.choices for one in debezium.OPTIONS}


def store() -> TableStore:
    made = TableStore()
    made.add_sql(SQL)
    return made


def message(number: int, **values: Any) -> bytes:
    source = {"version": "3", "connector": "mysql", "name": "n", "ts_ms": 1, "db": "shop", "table": "o"}
    return json.dumps({"before": None, "after": {"id": number, **values}, "source": source, "op": "c"}).encode()


def wrong() -> Iterator[Any]:
    for column, (option, values) in WRITTEN.items():
        for mode, value in values.items():
            for other in CHOICES[option]:
                if other != mode:
                    yield pytest.param(column, value, option, mode, other, id=f"{column}-{mode}-as-{other}")


@pytest.mark.parametrize(("column", "value", "option", "mode", "other"), wrong())
def test_the_option_is_said(column: str, value: Any, option: str, mode: str, other: str) -> None:
    options = debezium.Options.from_strings({option: other})
    good, bad = message(1), message(2, **{column: value})
    advice = f"; the topic looks like {mode}: -o {option}={mode}"
    found = debezium.decode_batch([good, bad, good], None, options, tables=store())
    assert len(found) == 2
    (error,) = found.errors
    assert advice in str(error)
    assert error.message == 1
    with pytest.raises(DecodeError) as caught:
        debezium.decode(bad, None, options, tables=store())
    assert advice in str(caught.value)
    right = debezium.Options.from_strings({option: mode})
    assert debezium.decode_batch([bad], None, right, tables=store()).errors == []


def test_a_mode_that_cannot_help_is_not_named() -> None:
    options = debezium.Options(decimal_handling_mode="string")
    with pytest.raises(DecodeError) as caught:
        debezium.decode(message(1, v="4.3.2"), None, options, tables=store())
    assert caught.value.detail == "'4.3.2' is no DECIMAL: a number is expected, such as -12.50"
    assert caught.value.part == "value"


def test_a_block_says_how_values_are_written() -> None:
    """The mode of an option makes no difference then."""
    fields = [{"type": "int32", "optional": False, "field": "id"}, {"type": "string", "optional": True, "field": "v"}]
    row = {"type": "struct", "fields": fields, "optional": True, "name": "n.shop.o.Value"}
    block = {"type": "struct", "fields": [{**row, "field": "before"}, {**row, "field": "after"}], "name": "n.Envelope"}
    payload = json.loads(message(1, v="EOQ="))
    sent = json.dumps({"schema": block, "payload": payload}).encode()
    for mode in CHOICES["decimal-handling-mode"]:
        options = debezium.Options(decimal_handling_mode=mode)
        found = debezium.decode_batch([sent], None, options, tables=store())
        assert not any("looks like" in str(error) for error in found.errors)


@pytest.fixture
def topic(tmp_path: Path) -> str:
    path = tmp_path / "topic.txt"
    path.write_bytes(b"".join(message(number, v="EOQ=") + b"\n" for number in range(30)))
    (tmp_path / "tables.sql").write_text(SQL)
    return str(path)


@pytest.mark.parametrize("said", [[], ["-o", "decimal_handling_mode=string"]])
@pytest.mark.parametrize("to", [[], ["--table", "shop.o", "--to", "parquet"], ["--summary"]])
def test_in_every_way_out(said: list[str], to: list[str], topic: str, tmp_path: Path) -> None:
    """With the protocol's name and without: no row is given, and the first line says what to do."""
    given = [topic, "--tables", tmp_path / "tables.sql", *said, *to]
    out = tmp_path / "out"
    given += ["--out", out] if "--to" in to else []
    for named in ([], ["-p", "debezium"]):
        done = command("decode", *named, *given)
        assert done.exit_code != 0
        assert '"op"' not in done.stdout
        assert "the topic looks like precise: -o decimal-handling-mode=precise" in done.stderr.splitlines()[0]
        assert not out.exists() or pq.read_table(out)["_change_type"].null_count == 30
    mode = "-o", "decimal-handling-mode=precise"
    right = command("decode", *mode, *(one for one in given if one not in said))
    assert right.exit_code == 0, right.stderr


@pytest.mark.parametrize("to", [[], ["--table", "shop.o", "--to", "parquet"], ["--summary"]])
def test_rows_without_such_values_change_nothing(to: list[str], tmp_path: Path) -> None:
    """Some messages can be read then, as no other protocol: the first line says the option all the same."""
    path, sql, out = tmp_path / "topic.txt", tmp_path / "tables.sql", tmp_path / "out"
    rows = [message(number, **({"v": "EOQ="} if number % 5 else {})) for number in range(30)]
    path.write_bytes(b"".join(one + b"\n" for one in rows))
    sql.write_text(SQL)
    done = command("decode", path, "--tables", sql, *to, *(["--out", out] if "--to" in to else []))
    assert done.exit_code != 0
    assert "the topic looks like precise: -o decimal-handling-mode=precise" in done.stderr.splitlines()[0]
    assert "-p debezium" not in done.stderr


@pytest.mark.parametrize("lost", ["Infinity", "-Infinity", "NaN"])
def test_what_is_lost_of_another_column_is_no_mode(lost: str) -> None:
    """A REAL that is no number is not of a DECIMAL's mode, though another mode has its error before it."""
    tables = TableStore()
    tables.add_sql("CREATE TABLE shop.o (id INT PRIMARY KEY, v DECIMAL(10,2), r FLOAT);")
    options = debezium.Options(decimal_handling_mode="precise")
    with pytest.raises(DecodeError) as caught:
        debezium.decode(message(1, v="EOQ=", r=lost), None, options, tables=tables)
    assert f'"{lost}"` cannot be a value of this type: the value does not fit what Kafka ' in str(caught.value)
    assert "looks like" not in str(caught.value)
    found = debezium.decode_batch([message(1), message(2, r=lost)], None, options, tables=tables)
    assert (len(found), [str(one).count("and is lost") for one in found.errors]) == (1, [1])


def test_in_python(topic: str) -> None:
    for named in (None, "debezium"):
        with pytest.raises(SchemaError, match="the topic looks like precise: -o decimal-handling-mode=precise"):
            tidewire.read_table(topic, "shop.o", named, tables=store())
    mixed = [(None, message(1, v="43.24")), (None, message(2, v="EOQ="))]
    with pytest.warns(UserWarning, match="is no DECIMAL"):
        found = tidewire.read_table(
            mixed, "shop.o", "debezium", options={"decimal-handling-mode": "string"}, tables=store(), timezone="UTC"
        )
    assert [str(one) for one in found["v"].to_pylist()] == ["43.24", "None"]
    assert found["_change_type"].to_pylist() == ["insert", None]


@pytest.mark.parametrize("name", ["check", "detect"])
def test_commands_that_detect_say_it(name: str, topic: str, tmp_path: Path) -> None:
    done = command(name, topic, "--tables", tmp_path / "tables.sql", width=400)
    assert done.exit_code != 0
    assert "the topic looks like precise: -o decimal-handling-mode=precise" in done.output


def test_what_looks_alike_is_what_the_page_says() -> None:
    """Hexadecimal digits are base64 as well, and numbers of one unit are numbers of another."""
    for option, column, value in (
        ("binary-handling-mode", "b", "deadbeef"),
        ("time-precision-mode", "micros", 1577836800000),
    ):
        assert debezium.decode(message(1, **{column: value}), None, debezium.Options(), tables=store()), option
    page = (Path(__file__).resolve().parents[2] / "docs/debezium-mysql.md").read_text()
    assert "hexadecimal digits can be base64" in " ".join(page.split())

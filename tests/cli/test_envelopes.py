"""Messages in Kafka Connect's envelope on the command line: key and value decoded, tables as SQL, transcoded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from debezium.blocks import ID, message
from recorded import stream_name, streams
from typer.testing import CliRunner

from tidewire.cli.main import app


@pytest.fixture(scope="module")
def stream() -> Path:
    """Statements and rows with schema blocks in TiDB's words."""
    (path,) = (
        one for one in streams("debezium", own=False) if stream_name(one) == "tiflow/ddl/debezium.tidb-extension"
    )
    return path


def run(*arguments: str, code: int = 0) -> tuple[str, str]:
    result = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "120"})
    assert result.exit_code == code, result.stderr
    return result.stdout, result.stderr


def test_keys_and_values_are_decoded(stream: Path) -> None:
    out, _ = run("decode", "debezium", str(stream))
    found = [json.loads(line) for line in out.splitlines()]
    assert [one["op"] for one in found[:3]] == ["ddl", "ddl", "insert"]
    assert found[2]["key"] == ["id"]
    assert (found[2]["table"], found[2]["new"]["status"]) == ("shop.orders", 1)


def test_described_tables_are_printed_as_sql(stream: Path) -> None:
    out, told = run("schema", "sql", str(stream), "--protocol", "debezium")
    assert "CREATE TABLE `shop`.`orders` (" in out
    assert "`status` enum('new','paid','shipped') CHARACTER SET utf8mb4 NULL DEFAULT 'new'" in out
    assert ", shop.v_orders is a view: its columns have no types\n" in out
    assert told == ""


def test_what_transcoding_loses_and_concludes_is_listed(stream: Path) -> None:
    out, told = run("transcode", "debezium", "simple", str(stream))
    assert len(out.splitlines()) == 34
    assert "29 messages with 29 events became 34 messages" in told
    assert " ".join(told.split()).count("derived ddl_class") == 8


def test_columns_of_unknown_types_are_named_once(tmp_path: Path) -> None:
    strange = {"type": "string", "optional": True, "name": "com.example.Text", "field": "v"}
    lines = tmp_path / "lines"
    lines.write_bytes(b"\n".join([message({"id": 1, "v": "x"}, [ID, strange])] * 3))
    out, told = run("decode", "debezium", str(lines))
    assert [json.loads(line)["new"] for line in out.splitlines()] == [{"id": 1, "v": "x"}] * 3
    assert told == (
        "tidewire: debezium: s.t: column 'v' is string named 'com.example.Text', which is none of the types that are "
        "known: it is read as longtext\n"
    )

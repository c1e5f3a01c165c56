"""The command line as a whole: help, refusals, behaviour in pipes and terminals."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from commands import INSERT, events, tidewire
from recorded import golden

import tidewire as package
from tidewire import read_table
from tidewire.messages.protocols import ProtocolInfo, Protocols
from tidewire.reading.types import sql_name

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_protocols_who_writes_them_and_their_state() -> None:
    result = tidewire("protocols")
    assert result.exit_code == 0
    assert "craft" in result.stdout
    assert "tiflow, ticdc" in result.stdout
    assert result.stdout.count("✓ ready") == len(package.protocols())
    found = json.loads(tidewire("protocols", "--json").stdout)
    assert {one["state"] for one in found} == {"ready"}
    producers = {one["name"]: one["producers"] for one in found}
    assert producers["craft"] == ["tiflow"]
    assert producers["avro"] == ["tiflow", "ticdc"]
    assert producers.keys() == package.protocols().keys()


def test_a_protocol_whose_module_has_not_been_generated_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [*package.protocols().values(), ProtocolInfo("later", "Later", ("ticdc",), "tidewire.later", import_module)]
    monkeypatch.setattr(package, "protocols", Protocols(known, package.event_facts).protocols)
    assert "missing: make generate" in tidewire("protocols").stdout


def test_schema_of_events_rows_and_messages() -> None:
    for what, text in (("events", "_commit_version"), ("table", "_change_type"), ("craft", "bodies")):
        result = tidewire("schema", what)
        assert result.exit_code == 0, result.stderr
        assert text in result.stdout
        assert json.loads(tidewire("schema", what, "--json").stdout)["type"] == "struct"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*_topic.jsonl.gz")), ids=lambda path: path.name)
def test_the_types_of_a_table_are_those_of_its_rows(path: Path) -> None:
    registry = path.with_name(path.name.replace(".jsonl.gz", ".registry.json"))
    named = ["-o", f"schema-registry={registry}"] if registry.exists() else []
    for more in ([], ["-o", "zeroDate=string"], ["-o", "time=interval"]):
        shown = json.loads(tidewire("schema", "table", path, "--json", *named, *more).stdout)
        given = dict(one.split("=") for one in [*named, *more] if one != "-o")
        for name in ("shop.orders", "test.decs", "test.times"):
            with warnings.catch_warnings(action="ignore"):
                rows = read_table(path, name, options=given)
            ours = rows.column_names.index("_change_type")
            assert shown[name] == {one.name: sql_name(one.type).lower() for one in list(rows.schema)[:ours]}


def test_described_tables_have_the_digits_that_were_declared(tmp_path: Path) -> None:
    (tmp_path / "shop.sql").write_text("CREATE TABLE shop.orders (id int PRIMARY KEY, price decimal(10,2));")
    source = {"connector": "mysql", "db": "shop", "table": "orders", "ts_ms": 1767323058000}
    body = {"before": None, "after": {"id": 1, "price": "9.90"}, "source": source, "op": "c", "ts_ms": 1767323058001}
    (tmp_path / "in.jsonl").write_text(json.dumps({"key": '{"id":1}', "value": json.dumps(body)}) + "\n")
    shown = tidewire(
        *("schema", "table", tmp_path / "in.jsonl", "-p", "debezium", "--tables", tmp_path / "shop.sql"),
        *("-o", "decimal-handling-mode=string"),
    )
    assert shown.stdout == "-- shop.orders\nid    int,\nprice decimal(10,2)\n"


def test_schema_of_the_tables_in_a_file() -> None:
    result = tidewire("schema", "table", golden() / "tiflow/integers/craft.default.jsonl", "--protocol", "craft")
    assert result.exit_code == 0
    assert result.stdout.startswith("-- test.")
    assert "decimal(20,0)" in result.stdout, "BIGINT UNSIGNED"


def test_version_says_how_it_runs() -> None:
    result = tidewire("--version")
    assert result.exit_code == 0
    assert package.runtime.compiled_reason in result.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["decode", "crafd", "x"], "no protocol is called 'crafd'; did you mean craft? There are: "),
        (["decode", "craft", "/no/such/file"], "/no/such/file: No such file or directory"),
        (["decode", "craft", "--hex", "0x"], "--hex 1: not hex digits"),
        (["decode", "craft", "-o", "max-batch-size", "--hex", INSERT], "an option is written name=value"),
        (["decode", "craft", "-o", "a=1", "-o", "a=2", "--hex", INSERT], "a is given twice"),
        (
            ["encode", "craft", "-o", "max-batch=4", "-"],
            "max-batch-size, max-message-bytes, delete-only-output-handle-key-columns",
        ),
        (["encode", "craft", "-o", "max-batch-size=0", "-"], "max-batch-size is an integer from 1 to"),
        (["encode", "craft", "--producer", "nobody", "-"], "one of tiflow"),
        (["dissect", "craft"], "nothing to dissect"),
        (["dissect", "craft", "--hex", "zz"], "not hex digits"),
        (["schema", "nothing"], "there are events, table, sql, avro, canal-json, craft"),
        (["schema", "table", "file"], "file: No such file or directory"),
        (["schema", "events", "file"], "a file goes with schema table and schema sql only"),
        (["schema", "tables", "file"], "a file goes with schema table and schema sql only; did you mean schema table?"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(arguments: list[str], text: str) -> None:
    result = tidewire(*arguments)
    assert result.exit_code == 2
    assert text in " ".join(result.stderr.split())
    assert "Traceback" not in result.output


def test_a_reader_that_goes_away_is_no_error() -> None:
    files = " ".join(str(path) for path in golden().glob("tiflow/*/craft.batch1.jsonl"))
    command = f"{sys.executable} -m tidewire.cli decode craft {files} {files} {files} | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=dict(os.environ), check=False)
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


def test_output_stays_whole_while_progress_is_shown(tmp_path: Path) -> None:
    """Standard error is a terminal, standard output is a file."""
    import pty

    source, target = golden() / "tiflow" / "wide" / "craft.batch1.jsonl", tmp_path / "events.jsonl"
    for command, into in (("decode", target), ("encode", tmp_path / "messages.jsonl")):
        screen, terminal = pty.openpty()
        with into.open("wb") as out:
            arguments = [sys.executable, "-m", "tidewire.cli", command, "craft", str(source)]
            done = subprocess.run(
                arguments, stdout=out, stderr=terminal, env=dict(os.environ, TERM="xterm"), check=False
            )
        os.close(terminal)
        shown = os.read(screen, 1 << 16).decode()
        os.close(screen)
        assert done.returncode == 0
        assert command in shown, "the bar"
        source = target
    assert target.read_text() == tidewire("decode", "craft", golden() / "tiflow/wide/craft.batch1.jsonl").stdout
    messages = [json.loads(line) for line in (tmp_path / "messages.jsonl").read_text().splitlines()]
    assert sum(len(events(tidewire("decode", "craft", "-", stdin=json.dumps(m)))) for m in messages) == len(
        target.read_text().splitlines()
    )


def test_what_differs_between_producers() -> None:
    result = tidewire("protocols", "canal-json", "--differences")
    assert result.exit_code == 0, result.output
    for text in ("statement", "mysqlType-of-no-columns", "option output-row-key", "ticdc"):
        assert text in result.stdout
    found = json.loads(tidewire("protocols", "--differences", "--json").stdout)
    assert {"protocol": "canal-json", "name": "mysqlType-of-no-columns", "producer": "ticdc", "says": "null"} in found
    assert {one["protocol"] for one in found} >= {"canal-json", "craft"}


def test_one_protocol_can_be_listed() -> None:
    (found,) = json.loads(tidewire("protocols", "canal_json", "--json").stdout)
    assert found["name"] == "canal-json"

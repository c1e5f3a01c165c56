"""The command line: what goes in comes out, and bad input is told in a sentence."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import INSERT, RESOLVED, events, tidewire
from recorded import craft_messages, golden

from tidewire.cli.eventjson import EventJsonError, from_json, to_json, value_from_json, value_to_json
from tidewire.cli.inputs import Format, detect
from tidewire.runtime.batch import Column

# --- decode -----------------------------------------------------------------------------------------------------------


def test_decode_prints_an_event_a_line() -> None:
    result = tidewire("decode", "craft", "--hex", INSERT, "--hex", RESOLVED)
    assert result.exit_code == 0
    assert events(result) == [
        {
            "kind": "insert",
            "commit_ts": 415508878783938562,
            "schema": "test",
            "table": "t1",
            "columns": [{"name": "id", "type": 3, "flags": 10}, {"name": "val", "type": 15, "flags": 64}],
            "new": [{"int": "1"}, {"text": "aa"}],
            "old": None,
        },
        {"kind": "watermark", "commit_ts": 415508881038376963},
    ]


@pytest.mark.parametrize("form", ["auto", "hex", "jsonl", "raw", "recorded"])
def test_decode_reads_every_format(form: str, tmp_path: Path) -> None:
    raw = bytes.fromhex(INSERT)
    line = json.dumps({"m": 0, "kind": "row", "key": None, "value": base64.b64encode(raw).decode(), "events": [0]})
    header = json.dumps({"protocol": "craft", "producer": "tiflow", "options": {}, "scenario": "x"})
    contents = {
        "auto": f"{header}\n{line}\n".encode(),
        "recorded": f"{header}\n{line}\n".encode(),
        "jsonl": line.encode(),
        "hex": f"\n{INSERT[:20]} {INSERT[20:]}\n\n".encode(),
        "raw": raw,
    }
    path = tmp_path / "messages"
    path.write_bytes(contents[form])
    assert [e["kind"] for e in events(tidewire("decode", "craft", path, "--from", form))] == ["insert"]
    assert [e["kind"] for e in events(tidewire("decode", "craft", path))] == ["insert"], "found by itself"
    assert [e["kind"] for e in events(tidewire("decode", "craft", "-", stdin=contents[form]))] == ["insert"], (
        "standard input"
    )


@pytest.mark.parametrize(
    ("line", "form"),
    [
        (b'{"protocol":"craft","options":{}}\n', Format.recorded),
        (b'{"key":null,"value":"AQ=="}\n', Format.jsonl),
        (b"01 82 80\n", Format.hex),
        (b"\x01\x82\x80", Format.raw),
        (b'{"payload":{}}', Format.raw),
        (b"{not json", Format.raw),
    ],
)
def test_formats_are_told_by_the_first_line(line: bytes, form: Format) -> None:
    assert detect(line) is form


def test_a_bad_message_costs_its_neighbours_nothing(tmp_path: Path) -> None:
    path, kept = tmp_path / "m.hex", tmp_path / "bad.jsonl"
    path.write_text(f"{INSERT}\n{INSERT[:-20]}\nxyz\n{RESOLVED}\n")
    result = tidewire("decode", "craft", path, "--errors", kept)
    assert result.exit_code == 1
    assert [e["kind"] for e in events(result)] == ["insert", "watermark"]
    assert f"{path}:2: craft" in result.stderr
    assert f"{path}:3: not hex digits" in result.stderr
    assert "2 messages could not be decoded" in result.stderr
    first, second = sorted((json.loads(line) for line in kept.read_text().splitlines()), key=lambda line: line["place"])
    assert base64.b64decode(first["value"]).hex() == INSERT[:-20]
    assert first["code"] in first["reason"] or first["field"] in first["reason"]
    assert isinstance(first["offset"], int)
    assert second["value"] is None
    again = tidewire("decode", "craft", kept)
    assert again.exit_code == 1, "the kept messages can be looked at again"


def test_lines_that_are_no_messages_are_named() -> None:
    result = tidewire("decode", "craft", "-", "--from", "jsonl", stdin='{"value": 5}\n{"value": "*"}\n[]\n{oops\n')
    assert result.exit_code == 1
    for number in range(1, 5):
        assert f"standard input:{number}: " in result.stderr
    assert "4 messages could not be decoded" in result.stderr


def test_invalid_text_is_bytes_unless_told_otherwise() -> None:
    damaged = INSERT.replace("026161", "02ff61")
    assert events(tidewire("decode", "craft", "--hex", damaged))[0]["new"][1] == {"bytes": "/2E="}
    refused = tidewire("decode", "craft", "--hex", damaged, "-o", "invalid-text=error")
    assert refused.exit_code == 1
    assert "UTF-8" in refused.stderr


# --- there and back ---------------------------------------------------------------------------------------------------


@pytest.mark.codec
@pytest.mark.parametrize(("option_set", "option"), [("batch1", "max-batch-size=1"), ("batch1", "max_batch_size=1")])
def test_decode_then_encode_gives_the_same_messages(option_set: str, option: str, tmp_path: Path) -> None:
    messages = list(craft_messages(option_set=option_set))
    path = tmp_path / "events.jsonl"
    path.write_text(tidewire("decode", "craft", *golden().glob(f"tiflow/*/craft.{option_set}.jsonl")).stdout)
    result = tidewire("encode", "craft", path, "-o", option)
    assert result.exit_code == 0, result.stderr
    assert sorted(base64.b64decode(line["value"]) for line in events(result)) == sorted(m.value for m in messages)


def test_recorded_events_are_encoded(tmp_path: Path) -> None:
    source = golden() / "tiflow" / "times" / "events.jsonl"
    result = tidewire("encode", "craft", source, "--to", "hex", "-o", "max-batch-size=1")
    assert result.exit_code == 0
    assert [bytes.fromhex(line) for line in result.stdout.splitlines()] == [
        m.value for m in craft_messages("times", "batch1")
    ]


def test_rows_are_gathered_over_the_chunks_that_are_encoded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    insert = tidewire("decode", "craft", "--hex", INSERT).stdout
    whole = tidewire("encode", "craft", "-o", "max-batch-size=7", stdin=insert * 50)
    monkeypatch.setattr("tidewire.cli.encode.CHUNK_EVENTS", 5)
    parts = tidewire("encode", "craft", "-o", "max-batch-size=7", stdin=insert * 50)
    assert len(whole.stdout.splitlines()) == 8
    assert parts.stdout == whole.stdout


def test_raw_is_one_message(tmp_path: Path) -> None:
    line = tidewire("decode", "craft", "--hex", INSERT).stdout
    result = tidewire("encode", "craft", "--to", "raw", stdin=line)
    assert result.stdout_bytes == bytes.fromhex(INSERT)
    two = tidewire("encode", "craft", "--to", "raw", "-o", "max-batch-size=1", stdin=line * 2)
    assert two.exit_code == 2
    assert "jsonl or hex" in two.stderr


def test_an_event_that_cannot_be_carried_is_left_out() -> None:
    insert = json.loads(tidewire("decode", "craft", "--hex", INSERT).stdout)
    nameless = dict(insert, table="")
    huge = dict(insert, new=[{"int": str(2**63)}, None])
    bootstrap = {"kind": "bootstrap", "commit_ts": 1, "schema": "s", "table": "t", "columns": insert["columns"]}
    lines = [insert, nameless, huge, bootstrap, insert]
    result = tidewire(
        "encode", "craft", "--to", "hex", "-o", "max-batch-size=1", stdin="\n".join(map(json.dumps, lines))
    )
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [INSERT, INSERT]
    for number in (2, 3, 4):
        assert f"standard input:{number}: " in result.stderr
    assert "3 events could not be encoded" in result.stderr


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"kind": "upsert"}, 'kind is "upsert"; it is one of insert, update, delete, ddl, watermark, bootstrap'),
        ({"commit_ts": "soon"}, "commit_ts is"),
        ({"commit_ts": None}, "commit_ts is missing"),
        ({"columns": [{"name": "id"}]}, "columns/0 is"),
        ({"new": [{"int": "1"}]}, "new has 1 values for 2 columns"),
        ({"new": [{"int": "one"}, None]}, "new/0, column id"),
        ({"new": [{"int": 1}, None]}, "is text in quotes"),
        ({"new": [{"number": "1"}, None]}, "no kind of value"),
        ({"new": [1, None]}, "is no value"),
        ({"new": [None, {"bytes": "*"}]}, "not base64"),
        ({"columns": [{"name": "a", "type": 3}, {"name": "a", "type": 3}]}, "two columns have the same name"),
        ({"table": 5}, "table is 5"),
        ({"row_key": "*"}, 'row_key is "*"; it is base64 or null'),
        ({"handle_key_only": 1}, "handle_key_only is 1; it is true, false or null"),
        ({"columns": [{"name": "id", "type": 3, "mysql_type": 3}, {"name": "v", "type": 3}]}, "columns/0 is"),
    ],
)
def test_lines_that_are_no_events_are_named(change: dict[str, Any], text: str) -> None:
    insert = json.loads(tidewire("decode", "craft", "--hex", INSERT).stdout)
    result = tidewire("encode", "craft", stdin=json.dumps({**insert, **change}))
    assert result.exit_code == 1
    assert "standard input:1: " in result.stderr
    assert text in result.stderr


# --- events as JSON ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("column", "value"),
    [
        (Column("c", 8, 0), -(2**63)),
        (Column("c", 8, 128), 2**64 - 1),
        (Column("c", 5, 0), -0.0),
        (Column("c", 5, 0), 5e-324),
        (Column("c", 5, 0), float("inf")),
        (Column("c", 15, 0), 'quote"s, \0 and é 🦀'),
        (Column("c", 15, 0), b"\xff\xfe"),
        (Column("c", 15, 1), b"plain"),
        (Column("c", 246, 0), "-99999999999999999999999999999999999999999999999999999999999999999"),
        (Column("c", 11, 0), "-838:59:59"),
        (Column("c", 248, 0), 2**63),
        (Column("c", 3, 0), None),
    ],
)
def test_values_survive_json(column: Column, value: Any) -> None:
    back = value_from_json(column, json.loads(json.dumps(value_to_json(column, value))))
    assert repr(back) == repr(value)


@pytest.mark.parametrize("bits", ["7ff8000000000000", "fff0000000000001", "7ff8dead0000beef"])
def test_every_nan_survives_json(bits: str) -> None:
    import struct

    column = Column("c", 5, 0)
    value = struct.unpack(">d", bytes.fromhex(bits))[0]
    back = value_from_json(column, value_to_json(column, value))
    assert struct.pack(">d", back) == struct.pack(">d", value)


def test_images_with_other_columns_survive_json() -> None:
    columns = [{"name": "id", "type": 3, "flags": 11}, {"name": "v", "type": 15, "flags": 64}]
    line = {"kind": "update", "commit_ts": 5, "schema": "s", "table": "t", "table_id": 8, "partition_id": 9}
    line |= {
        "columns": columns,
        "old_columns": columns[:1],
        "new": [{"int": "1"}, {"text": "a"}],
        "old": [{"int": "1"}],
    }
    assert to_json(from_json(line)) == line


def test_whatever_an_event_has_survives_json() -> None:
    columns = [{"name": "id", "type": 3, "flags": 11, "mysql_type": "int(11)"}, {"name": "v", "type": 15, "flags": 64}]
    row: dict[str, Any] = {
        "kind": "insert",
        "commit_ts": None,
        "commit_ms": 5,
        "sent_ms": 6,
        "schema": "s",
        "table": "t",
    }
    row |= {"table_id": 8, "row_key": "dIA=", "handle_key_only": False, "claim_check": "s3://x", "columns": columns}
    row |= {"new": [{"int": "1"}, {"text": "a"}], "old": None}
    ddl = {"kind": "ddl", "commit_ts": 7, "sent_ms": 6, "schema": "s", "table": None, "ddl_type": None}
    ddl |= {"ddl_class": "QUERY", "query": "create database s"}
    watermark = {"kind": "watermark", "commit_ts": None, "commit_ms": 5}
    bootstrap: dict[str, Any] = {"kind": "bootstrap", "commit_ts": 0, "sent_ms": 6, "schema": "s", "table": "t"}
    bootstrap["table_id"] = 8
    bootstrap |= {"columns": columns}
    for line in (row, ddl, watermark, bootstrap):
        assert to_json(from_json(line)) == line


def test_partition_ids_come_from_recorded_events_too() -> None:
    recorded = [
        json.loads(line) for line in (golden() / "tiflow/partitions/events.jsonl").read_text("utf-8").splitlines()
    ]
    row = next(event for event in recorded if event["kind"] == "insert" and event["is_partition"])
    assert to_json(from_json(row))["partition_id"] == row["physical_table_id"]


def test_an_object_that_is_no_event_is_an_error() -> None:
    with pytest.raises(EventJsonError, match="kind is null"):
        from_json({})


# --- the rest ---------------------------------------------------------------------------------------------------------


def test_protocols_and_their_state() -> None:
    result = tidewire("protocols")
    assert result.exit_code == 0
    assert "craft" in result.stdout
    assert "✓ ready" in result.stdout
    assert "not yet" in result.stdout
    states = {p["name"]: p["state"] for p in json.loads(tidewire("protocols", "--json").stdout)}
    assert states["craft"] == "ready"
    assert states["open-protocol"] == "planned"


def test_schema_of_events_rows_and_messages() -> None:
    for what, text in (("events", "_commit_version"), ("table", "_change_type"), ("craft", "bodies")):
        result = tidewire("schema", what)
        assert result.exit_code == 0, result.stderr
        assert text in result.stdout
        assert json.loads(tidewire("schema", what, "--json").stdout)["type"] == "struct"


def test_schema_of_the_tables_in_a_file() -> None:
    result = tidewire("schema", "table", golden() / "tiflow/integers/craft.default.jsonl", "--protocol", "craft")
    assert result.exit_code == 0
    assert result.stdout.startswith("-- test.")
    assert "decimal(20,0)" in result.stdout, "BIGINT UNSIGNED"


def test_version_says_how_it_runs() -> None:
    import tidewire as package

    result = tidewire("--version")
    assert result.exit_code == 0
    assert package.runtime.compiled_reason in result.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["decode", "crafd", "x"], "no protocol is called 'crafd'; did you mean craft? there are: "),
        (["decode", "simple", "x"], "is not built yet; ready: canal-json, craft"),
        (["decode", "open-protocol", "x"], "is not built yet"),
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
        (["schema", "nothing"], "there are events, table, canal-json, craft"),
        (["schema", "table", "file"], "--protocol is missing"),
        (["schema", "events", "file"], "a file goes with schema table only"),
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
    assert {one["protocol"] for one in found} == {"canal-json", "craft"}


def test_one_protocol_can_be_listed() -> None:
    (found,) = json.loads(tidewire("protocols", "canal_json", "--json").stdout)
    assert found["name"] == "canal-json"

"""What `tidewire encode` concludes and leaves out, said once, with the option that keeps it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from commands import events, tidewire
from schema_server import schema_server

from tidewire.runtime.registry import MemorySchemas

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CANAL = EXAMPLES / "canal_json_topic.jsonl.gz"
INSERT = {
    "kind": "insert",
    "commit_ts": 470607536966860800,
    "schema": "shop",
    "table": "orders",
    "columns": [{"name": "id", "type": 3, "flags": 2}],
    "new": [{"int": "1"}],
}
DDL = {"kind": "ddl", "commit_ts": 5, "schema": "shop", "table": "orders", "query": "DROP TABLE orders"}


def test_what_messages_leave_out_is_said_with_the_option_that_keeps_it() -> None:
    exact = tidewire("decode", CANAL, "--exact").stdout
    done = tidewire("encode", "canal-json", stdin=exact)
    assert done.exit_code == 0
    first, second = done.stderr.splitlines()
    start = "tidewire: canal-json messages as written here leave out "
    assert first == f"{start}commit_ts of 145 events, 7 watermarks: -o enable-tidb-extension=true keeps them"
    assert second == f"{start}mysql_type of columns of 135 events: -o content-compatible=true keeps it"
    named = [one.split()[0] for line in (first, second) for one in line.split("-o ")[1:]]
    whole = tidewire("encode", "canal-json", *(part for one in named for part in ("-o", one)), stdin=exact)
    assert whole.stderr == ""
    again = events(tidewire("decode", "canal-json", "--exact", stdin=whole.stdout))
    assert [one["commit_ts"] for one in again] == [json.loads(one)["commit_ts"] for one in exact.splitlines()]


def test_what_no_option_keeps_is_said_without_one() -> None:
    row = dict(INSERT, columns=[{"name": "id", "type": 3, "flags": 2, "mysql_type": "int(11)"}])
    done = tidewire("encode", "craft", stdin=json.dumps(row))
    assert done.stderr == "tidewire: craft messages as written here leave out mysql_type of columns of 1 event\n"


def test_nothing_is_said_where_nothing_is_left_out() -> None:
    assert tidewire("encode", "craft", stdin=json.dumps(INSERT)).stderr == ""


def test_it_is_said_once_whatever_is_compared_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = tidewire("decode", CANAL, "--exact").stdout
    whole = tidewire("encode", "canal-json", stdin=exact)
    monkeypatch.setattr("tidewire.cli.encode.CHUNK_EVENTS", 7)
    monkeypatch.setattr("tidewire.cli.left_out.CHUNK", 10)
    monkeypatch.setattr("tidewire.cli.left_out.TRIED", 1)
    parts = tidewire("encode", "canal-json", stdin=exact)
    assert (parts.stdout, parts.stderr) == (whole.stdout, whole.stderr)


def test_the_search_for_an_option_registers_no_schemas() -> None:
    with schema_server(MemorySchemas()) as server:
        done = tidewire("encode", "avro", "-o", f"schema-registry={server.url}", stdin=json.dumps(INSERT))
        assert done.exit_code == 0, done.stderr
    assert [one for one in server.asked if one.startswith("POST")] == [
        "POST /subjects/shop_orders-key/versions",
        "POST /subjects/shop_orders-value/versions",
    ]
    assert done.stderr == "tidewire: avro messages as written here leave out commit_ts of 1 event\n"


def test_the_type_of_a_statement_is_concluded_as_transcode_does() -> None:
    exact = tidewire("decode", CANAL, "--exact").stdout
    done = tidewire("encode", "craft", stdin=exact)
    assert done.exit_code == 0
    assert "ddl_type was concluded from the text of 35 statements, as transcode does" in done.stderr
    found = events(tidewire("decode", "craft", "--exact", stdin=done.stdout))
    wanted = tidewire("transcode", "craft", CANAL)
    own = events(tidewire("decode", "craft", "--exact", stdin=wanted.stdout))
    assert [one.get("ddl_type") for one in found] == [one.get("ddl_type") for one in own]
    one = tidewire("encode", "craft", stdin=json.dumps(DDL | {"ddl_class": "ERASE"}))
    assert one.stderr == "tidewire: ddl_type was concluded from the text of 1 statement, as transcode does\n"


def test_a_statement_whose_type_cannot_be_told_is_an_error() -> None:
    done = tidewire("encode", "craft", stdin=json.dumps(DDL | {"query": "DO SOMETHING ELSE"}))
    assert (done.exit_code, done.stdout) == (1, "")
    assert "standard input:1: which DDL type it has is not to be told: " in done.stderr


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_an_event_says_so(content: str, tmp_path: Path) -> None:
    path = tmp_path / "none.jsonl"
    path.write_text(content)
    done = tidewire("encode", "craft", path)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"tidewire: there is no event in {path}: no message was written\n"


def test_the_first_events_that_cannot_be_encoded_are_listed() -> None:
    done = tidewire("encode", "simple", stdin=f"{json.dumps(INSERT)}\n" * 30)
    assert done.exit_code == 1
    assert len(re.findall(r"standard input:\d+: simple event \d+: ", done.stderr)) == 20
    assert "tidewire: 30 events could not be encoded, 10 of them are not listed" in done.stderr
    assert "as written here" not in done.stderr


def test_events_without_any_message_are_said_to_be_left_out() -> None:
    mark = {"kind": "watermark", "commit_ts": 470607536966860800}
    done = tidewire("encode", "canal-json", stdin=json.dumps(mark))
    assert done.stdout == ""
    assert done.stderr == (
        "tidewire: canal-json messages as written here leave out 1 watermark: -o enable-tidb-extension=true keeps it\n"
    )


def test_a_row_that_lies_in_another_file_is_not_left_out(tmp_path: Path) -> None:
    columns = [{"name": "id", "type": 3, "flags": 2}, {"name": "v", "type": 15}]
    row = dict(INSERT, columns=columns, new=[{"int": "1"}, {"text": "x" * 5000}])
    given = {
        "enable-tidb-extension": "true",
        "max-message-bytes": "2000",
        "large-message-handle-option": "claim-check",
        "claim-check-storage-uri": str(tmp_path / "claims"),
    }
    options = [part for name, value in given.items() for part in ("-o", f"{name}={value}")]
    done = tidewire("encode", "canal-json", *options, stdin=json.dumps(row))
    assert done.exit_code == 0
    assert "insert" not in done.stderr


def test_what_no_message_can_say_is_searched_for_once_not_once_for_each_event(monkeypatch: pytest.MonkeyPatch) -> None:
    from tidewire import simple

    calls: list[int] = []
    was = simple.encode

    def encode(*given: object, **named: object) -> object:
        calls.append(1)
        return was(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(simple, "encode", encode)
    row = json.dumps(INSERT)
    done = tidewire("encode", "simple", stdin="\n".join([row] * 500))
    assert done.exit_code == 1
    assert len(calls) < 10
    assert done.stderr.count("table_version") >= 20

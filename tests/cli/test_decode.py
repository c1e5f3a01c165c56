"""`tidewire decode --exact`: every message, with all attributes of its events."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from commands import INSERT, RESOLVED, events, tidewire


def test_decode_prints_an_event_a_line() -> None:
    result = tidewire("decode", "craft", "--exact", "--hex", INSERT, "--hex", RESOLVED)
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
            "message": 0,
        },
        {"kind": "watermark", "commit_ts": 415508881038376963, "message": 1},
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
    assert [e["kind"] for e in events(tidewire("decode", "craft", "--exact", path, "--from", form))] == ["insert"]
    assert [e["kind"] for e in events(tidewire("decode", "craft", "--exact", path))] == ["insert"], "found by itself"
    assert [e["kind"] for e in events(tidewire("decode", "craft", "--exact", "-", stdin=contents[form]))] == [
        "insert"
    ], "standard input"


def test_a_bad_message_costs_its_neighbours_nothing(tmp_path: Path) -> None:
    path, kept = tmp_path / "m.hex", tmp_path / "bad.jsonl"
    path.write_text(f"{INSERT}\n{INSERT[:-20]}\nxyz\n{RESOLVED}\n")
    result = tidewire("decode", "craft", "--exact", path, "--errors", kept)
    assert result.exit_code == 1
    assert [e["kind"] for e in events(result)] == ["insert", "watermark"]
    assert f"{path}:2: craft" in result.stderr
    assert f"{path}:3: not hex digits" in result.stderr
    assert "2 messages could not be decoded" in result.stderr
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    first, second = sorted(lines, key=lambda line: line["location"])
    assert base64.b64decode(first["value"]).hex() == INSERT[:-20]
    assert first["code"] in first["reason"] or first["field"] in first["reason"]
    assert isinstance(first["offset"], int)
    assert second["value"] is None
    again = tidewire("decode", "craft", "--exact", kept)
    assert again.exit_code == 1, "the kept messages can be looked at again"


NO_MESSAGES = "\n".join(
    ['{"value": 5}', '{"value": "*"}', "[]", "{oops", '{"key": "AQ=="}', "[" * 100_000, '{"value":"AQ==", "key": 5}']
)


def test_lines_that_are_no_messages_are_named() -> None:
    result = tidewire("decode", "craft", "--from", "jsonl", stdin=NO_MESSAGES)
    assert result.exit_code == 1
    for number in range(1, 8):
        assert f"standard input:{number}: " in result.stderr
    assert "7 messages could not be decoded" in result.stderr
    assert "standard input:6: nested too deeply" in result.stderr


def test_invalid_text_is_bytes_unless_told_otherwise() -> None:
    damaged = INSERT.replace("026161", "02ff61")
    assert events(tidewire("decode", "craft", "--exact", "--hex", damaged))[0]["new"][1] == {"bytes": "/2E="}
    refused = tidewire("decode", "craft", "--exact", "--hex", damaged, "-o", "invalid-text=error")
    assert refused.exit_code == 1
    assert "UTF-8" in refused.stderr


# --- for people and for jq --------------------------------------------------------------------------------------------


def test_the_short_form_says_what_happened_to_which_row() -> None:
    lines = tidewire("decode", "craft", "--hex", INSERT, "--hex", RESOLVED).stdout.splitlines()
    assert lines == [
        '{"op":"insert","table":"test.t1","message":0,"commit_ts":415508878783938562,"time":"2020-03-24T09:03:03.740Z",'
        '"key":["id"],"new":{"id":1,"val":"aa"}}',
        '{"op":"watermark","message":1,"commit_ts":415508881038376963,"time":"2020-03-24T09:03:12.340Z"}',
    ]


def test_what_kafka_said_of_a_message_stays_with_its_events(tmp_path: Path) -> None:
    value = base64.b64encode(bytes.fromhex(INSERT)).decode()
    record = {"topic": "t", "partition": 3, "offset": 2**60, "timestamp": "2026-11-21T01:41:26.011Z"}
    path = tmp_path / "messages.jsonl"
    path.write_text(json.dumps({"key": None, "value": value, **record}) + "\n")
    for form in ([], ["--exact"]):
        (event,) = events(tidewire("decode", "craft", path, *form))
        assert {name: event[name] for name in record} == record


@pytest.fixture
def capture() -> Path:
    return Path(__file__).parents[2] / "examples" / "craft_topic.jsonl.gz"


def test_events_of_a_table_in_any_case(capture: Path) -> None:
    for name in ("shop.orders", "Shop.ORDERS", "ORDERS", "`shop`.`orders`"):
        found = events(tidewire("decode", "craft", capture, "--table", name))
        assert [one["op"] for one in found if one["op"] != "ddl"] == ["insert", "update", "update"]
        assert {one["table"] for one in found} == {"shop.orders"}


def test_a_table_that_is_not_there_is_said() -> None:
    result = tidewire("decode", "craft", "--hex", INSERT, "--table", "test.tt1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no event of table test.tt1. Did you mean test.t1? The tables are test.t1\n" in result.stderr
    nothing = tidewire("decode", "craft", "--hex", RESOLVED, "--table", "t")
    assert "no event of table t. There is no event of any table" in nothing.stderr


def test_kinds_and_limits(capture: Path) -> None:
    found = events(tidewire("decode", "craft", capture, "--kind", "delete,watermark"))
    assert [one["op"] for one in found].count("delete") == 21
    assert len(found) == 28
    assert len(events(tidewire("decode", "craft", capture, "--kind", "row"))) == 110
    assert len(events(tidewire("decode", "craft", capture, "--kind", "ROW", "--limit", "3"))) == 3
    assert tidewire("decode", "craft", capture, "--limit", "0").stdout == ""
    wrong = tidewire("decode", "craft", capture, "--kind", "upsert")
    assert wrong.exit_code == 2
    assert "did you mean insert? There are insert, update, delete, ddl" in wrong.stderr


@pytest.mark.parametrize("width", [60, 100, 200])
def test_a_summary_fits_the_terminal(capture: Path, width: int) -> None:
    result = tidewire("decode", "craft", capture, "--summary", width=width)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    assert lines[0].split()[:5] == ["table", "insert", "update", "delete", "ddl"]
    assert "test.b1                19       4            1" in result.stdout
    assert next(line for line in lines if line.startswith("in all")).split()[2:6] == ["63", "26", "21", "35"]
    assert "152 events in 103 messages, 7 watermarks among them" in result.stdout
    assert "2026-11-21 01:41:20.613 to 2026-11-21 01:41:27.268 UTC" in result.stdout
    assert ("first (UTC)" in lines[0]) == (width >= 100)
    assert result.stdout.count("first (UTC)") == 1


def test_many_bad_messages_are_counted_and_not_all_listed(tmp_path: Path) -> None:
    path, kept = tmp_path / "m.hex", tmp_path / "bad.jsonl"
    path.write_text(f"{INSERT}\n" + "00\n" * 50)
    result = tidewire("decode", "craft", path, "--errors", kept)
    assert "50 messages could not be decoded, 30 of them are not listed" in result.stderr
    assert len(result.stderr.splitlines()) == 21
    assert len(kept.read_text().splitlines()) == 50

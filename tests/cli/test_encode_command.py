"""`tidewire encode`: lines of events become messages; others are reported in a sentence."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from commands import INSERT, events, tidewire
from recorded import craft_messages, golden


@pytest.mark.codec
@pytest.mark.parametrize(("option_set", "option"), [("batch1", "max-batch-size=1"), ("batch1", "max_batch_size=1")])
def test_decode_then_encode_gives_the_same_messages(option_set: str, option: str, tmp_path: Path) -> None:
    messages = list(craft_messages(option_set=option_set))
    path = tmp_path / "events.jsonl"
    path.write_text(tidewire("decode", "craft", "--exact", *golden().glob(f"tiflow/*/craft.{option_set}.jsonl")).stdout)
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
    insert = tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout
    whole = tidewire("encode", "craft", "-o", "max-batch-size=7", stdin=insert * 50)
    monkeypatch.setattr("tidewire.cli.encode.CHUNK_EVENTS", 5)
    parts = tidewire("encode", "craft", "-o", "max-batch-size=7", stdin=insert * 50)
    assert len(whole.stdout.splitlines()) == 8
    assert parts.stdout == whole.stdout


def test_raw_is_one_message(tmp_path: Path) -> None:
    line = tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout
    result = tidewire("encode", "craft", "--to", "raw", stdin=line)
    assert result.stdout_bytes == bytes.fromhex(INSERT)
    two = tidewire("encode", "craft", "--to", "raw", "-o", "max-batch-size=1", stdin=line * 2)
    assert two.exit_code == 2
    assert "jsonl or hex" in two.stderr


def test_an_event_that_cannot_be_carried_is_left_out() -> None:
    insert = json.loads(tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout)
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
        ({"commit_ts": None}, "needs commit_ts"),
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
    insert = json.loads(tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout)
    result = tidewire("encode", "craft", stdin=json.dumps({**insert, **change}))
    assert result.exit_code == 1
    assert "standard input:1: " in result.stderr
    assert text in result.stderr


def test_a_line_says_when_it_was_or_that_nobody_knows() -> None:
    insert = json.loads(tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout)
    del insert["commit_ts"]
    result = tidewire("encode", "craft", stdin=json.dumps(insert))
    assert "standard input:1: commit_ts is missing; it is a number" in result.stderr
    encoded = tidewire("encode", "canal-json", stdin=json.dumps({**insert, "commit_ts": None, "commit_ms": 5}))
    assert encoded.exit_code == 0, encoded.stderr


def test_deep_nesting_costs_one_line() -> None:
    line = tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout.strip()
    deep = "[" * 100_000
    near = json.loads(line) | {"new": json.loads("[" * 900 + "]" * 900)}
    lines = [line, deep, '{"op":' + deep, json.dumps(near), line]
    result = tidewire("encode", "craft", "--to", "hex", "-o", "max-batch-size=1", stdin="\n".join(lines))
    assert result.stdout.splitlines() == [INSERT, INSERT]
    assert "3 events could not be encoded" in result.stderr
    for number in (2, 3):
        assert f"standard input:{number}: nested too deeply" in result.stderr


def test_messages_are_kept(tmp_path: Path) -> None:
    """Rows share messages as they did when they were decoded, whatever the options' defaults are."""
    source = golden() / "tiflow" / "wide" / "craft.default.jsonl"
    messages = [m.value for m in craft_messages("wide", "default")]
    line = json.loads(tidewire("decode", "craft", "--exact", "--hex", INSERT).stdout)
    decoded = tidewire("decode", "craft", "--exact", source).stdout
    kept = tidewire("encode", "craft", "--to", "hex", "--messages", "keep", stdin=decoded)
    assert [bytes.fromhex(one) for one in kept.stdout.splitlines()] == messages
    # 20 rows in one message, then two in one, then one: the default closes a message at 16
    rows = [json.dumps(line | {"message": number}) for number in (*[0] * 20, 1, 1, 2)]
    kept = tidewire("encode", "craft", "--messages", "keep", stdin="\n".join(rows))
    again = events(tidewire("decode", "craft", stdin=kept.stdout))
    assert [one["message"] for one in again] == [*[0] * 20, 1, 1, 2]
    del line["message"]
    refused = tidewire("encode", "craft", "--messages", "keep", stdin=json.dumps(line))
    assert "message is missing, the number that decode prints" in refused.stderr


def test_a_file_of_messages_is_one_for_transcode() -> None:
    path = Path(__file__).resolve().parents[2] / "examples" / "canal_json_topic.jsonl.gz"
    done = tidewire("encode", "craft", path)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert ":1: this is a message, not an event: tidewire transcode craft FILE writes " in line
    named = tidewire("encode", path)
    assert named.exit_code == 2
    assert f"a file, before which a protocol is named: encode PROTOCOL {path}" in named.stderr
    swapped = tidewire("transcode", path, "debezium")
    assert f"debezium is a protocol, which stands before the files: debezium {path}" in swapped.stderr

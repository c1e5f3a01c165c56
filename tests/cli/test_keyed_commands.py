"""Commands on messages whose keys carry data: recordings of Open Protocol by both producers."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
from commands import INSERT, events, tidewire
from recorded import golden_open

LARGE = "large/open-protocol.{}.jsonl"
BOTH = ("tiflow", "ticdc")


def recording(producer: str, name: str) -> Path:
    return golden_open() / producer / name


def sent(path: Path) -> list[tuple[bytes, bytes]]:
    """Keys and values of a recording."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
    return [(base64.b64decode(line["key"]), base64.b64decode(line["value"])) for line in lines if "value" in line]


@pytest.mark.parametrize("producer", BOTH)
@pytest.mark.parametrize("packed", ["default", "snappy", "lz4"])
def test_messages_tell_their_protocol_compression_and_producer(producer: str, packed: str) -> None:
    found = json.loads(tidewire("detect", recording(producer, LARGE.format(packed)), "--json").stdout)
    assert (found["protocol"], found["certainty"], found["producers"]) == ("open-protocol", "sure", [producer])
    assert found["compression"] == ("none" if packed == "default" else packed)


@pytest.mark.parametrize("producer", BOTH)
def test_a_recording_goes_through_hex_and_back(producer: str, tmp_path: Path) -> None:
    path = recording(producer, "batches/open-protocol.default.jsonl")
    lines = tidewire("decode", path, "--exact").stdout
    (tmp_path / "events.jsonl").write_text(lines, "utf-8")
    options = ("--producer", producer, "--messages", "keep", "--to", "hex")
    written = tidewire("encode", "open-protocol", tmp_path / "events.jsonl", *options).stdout
    assert [tuple(map(bytes.fromhex, line.split(":"))) for line in written.split()] == sent(path)
    again = tidewire("decode", "-", "--exact", stdin=written)
    assert events(again) == events(tidewire("decode", path, "--exact"))


def test_a_key_is_given_with_a_value() -> None:
    ((key, value),) = [one for one in sent(recording("tiflow", LARGE.format("default"))) if b'"t":2' in one[0]][:1]
    with_key = tidewire("decode", "open-protocol", "--hex", f"{key.hex()}:{value.hex()}")
    assert [one["op"] for one in events(with_key)] == ["ddl"]
    apart = tidewire("decode", "open-protocol", "--hex", value.hex(), "--key", key.hex())
    assert events(apart) == events(with_key)
    without = tidewire("decode", "open-protocol", "--hex", value.hex())
    assert without.exit_code == 1
    needed = "is needed to know what the events are: give it with the value"
    assert f"open-protocol key: it is missing, and {needed}" in without.stderr


def test_a_raw_file_has_no_place_for_a_key() -> None:
    line = '{"op":"watermark","commit_ts":5}'
    result = tidewire("encode", "open-protocol", "--to", "raw", stdin=line)
    assert "--to raw has no place for the message's key; write jsonl or hex" in result.stderr
    assert tidewire("encode", "open-protocol", "--to", "hex", stdin=line).stdout.endswith(f":{'00' * 8}\n")


@pytest.mark.parametrize("width", [60, 120])
def test_both_parts_are_shown(width: int) -> None:
    path = recording("ticdc", LARGE.format("claim-check"))
    shown = tidewire("dissect", path, "-m", "1", width=width).stdout
    head, _, _ = shown.partition("\nvalue\n")
    assert "\nkey\n" in head
    assert "not understood" not in shown
    assert all(len(line) <= width for line in shown.splitlines())
    spans = events(tidewire("dissect", path, "-m", "1", "--json"))
    ((key, whole),) = sent(path)[1:2]
    for span in spans:
        data = key if span["part"] == "key" else whole
        assert 0 <= span["start"] <= span["end"] <= len(data)
        if span["type"] == "u64be":
            assert int.from_bytes(data[span["start"] : span["end"]], "big") == span["value"]
    assert [span["path"] for span in spans if span["part"] == "key"][:4] == ["version", "0", "0/length", "0/ts"]


def test_what_is_wrong_with_a_key_is_shown_there() -> None:
    ((key, value),) = sent(recording("tiflow", LARGE.format("default")))[:1]
    broken = key.replace(b'"ts":', b'"ts":"')
    shown = tidewire("dissect", "open-protocol", "--hex", f"{broken.hex()}:{value.hex()}")
    assert shown.exit_code == 1
    assert "✗" in shown.stdout
    assert "\nvalue\n" not in shown.stdout
    kept = tidewire("decode", "open-protocol", "--hex", f"{broken.hex()}:{value.hex()}")
    assert "open-protocol key 0" in kept.stderr


@pytest.mark.parametrize("producer", BOTH)
def test_messages_become_those_of_protocols_without_keys_and_back(producer: str, tmp_path: Path) -> None:
    path = recording(producer, "keys/open-protocol.default.jsonl")
    there = tidewire("transcode", "open-protocol", "canal-json", path, "-t", "enable-tidb-extension=true")
    assert there.exit_code == 0
    assert all(one["key"] is None for one in events(there))
    (tmp_path / "canal.jsonl").write_text(there.stdout, "utf-8")
    back = tidewire("transcode", "canal-json", "open-protocol", tmp_path / "canal.jsonl", "-t", f"producer={producer}")
    assert back.exit_code == 0
    assert all(one["key"] is not None for one in events(back))
    (tmp_path / "open.jsonl").write_text(back.stdout, "utf-8")
    own = [
        [(one["op"], one["table"], one.get("new"), one.get("old")) for one in events(tidewire("decode", name))]
        for name in (path, tmp_path / "open.jsonl")
    ]
    assert own[0] == own[1]


def test_messages_that_lost_their_keys_say_so(tmp_path: Path) -> None:
    values = [value for _, value in sent(recording("tiflow", LARGE.format("default")))]
    text = "".join(json.dumps({"value": base64.b64encode(value).decode()}) + "\n" for value in values)
    (tmp_path / "values.jsonl").write_text(text, "utf-8")
    result = tidewire("decode", tmp_path / "values.jsonl")
    assert result.exit_code == 2
    assert "open-protocol cannot be read without keys, and the messages have none: dump the topic" in result.stderr
    assert "open-protocol key: it is missing" in tidewire("detect", tmp_path / "values.jsonl").stdout


def test_messages_of_another_protocol_are_told_without_their_keys() -> None:
    result = tidewire("decode", "open-protocol", "--hex", INSERT)
    assert "(the first: key: it is missing" in result.stderr
    assert "they look like craft" in result.stderr

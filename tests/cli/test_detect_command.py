"""`tidewire detect`, and commands that detect the protocol."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import INSERT, RESOLVED, events, tidewire

EXAMPLES = Path(__file__).parents[2] / "examples"
CRAFT, CANAL = EXAMPLES / "craft_topic.jsonl.gz", EXAMPLES / "canal_json_topic.jsonl.gz"


@pytest.mark.parametrize("width", [60, 100, 200])
def test_detect_shows_what_it_found_and_why(width: int) -> None:
    result = tidewire("detect", CANAL, width=width)
    assert result.exit_code == 0
    lines = result.stdout.split("\n")
    assert lines[0] == "canal-json, sure"
    assert max(len(line) for line in lines) <= width
    text = " ".join(result.stdout.split())
    for part in (
        "events 152 in 152 messages, one in every message",
        "compression none",
        "producer tiflow or ticdc",
        "options enable-tidb-extension=true content-compatible=true",
        "152 of 152 messages can be read as canal-json",
        "the old image of 26 updates has fewer columns than the other one",
    ):
        assert part in text


def test_detect_as_json() -> None:
    found = json.loads(tidewire("detect", "--json", "--hex", INSERT, "--hex", RESOLVED).stdout)
    assert (found["protocol"], found["certainty"], found["events"]) == ("craft", "sure", 2)


def test_what_is_nobodys() -> None:
    result = tidewire("detect", "--hex", "0xffff00")
    assert result.exit_code == 1
    assert result.stdout.startswith("unknown\n")
    assert "they look like none of avro, canal-json, craft" in " ".join(result.stdout.split())
    assert "there is no message" in tidewire("detect", stdin="\n\n").output
    assert "unknown" in tidewire("detect", stdin="").output


def test_no_protocol_has_to_be_named_where_it_is_sure() -> None:
    for path in (CRAFT, CANAL):
        assert len(events(tidewire("decode", path))) == 152
    assert events(tidewire("decode", "--hex", INSERT))[0]["table"] == "test.t1"
    assert [one["op"] for one in events(tidewire("decode", stdin=f"{INSERT}\n{RESOLVED}\n"))] == ["insert", "watermark"]
    assert tidewire("dissect", CRAFT, "-m", "102").stdout.startswith("craft  83 bytes")
    assert tidewire("dissect", "--hex", INSERT).exit_code == 0
    assert len(events(tidewire("transcode", "canal-json", CRAFT))) == 145, "all but the watermarks"


def test_options_that_reading_needs_are_found(tmp_path: Path) -> None:
    path = tmp_path / "packed.jsonl"
    path.write_text(
        tidewire("transcode", "craft", "canal-json", CRAFT, "-t", "large-message-handle-compression=lz4").stdout
    )
    result = tidewire("decode", path, "--kind", "row")
    assert result.exit_code == 0, result.stderr
    assert len(events(result)) == 110


def test_a_file_that_is_named_like_a_protocol(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(CANAL, tmp_path / "craft")
    monkeypatch.chdir(tmp_path)
    assert len(events(tidewire("decode", "./craft"))) == 152
    assert len(events(tidewire("decode", "canal-json", "craft"))) == 152
    assert len(events(tidewire("transcode", "craft", "canal-json", "craft", stdin=""))) == 0, "the source is craft"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["decode", "--hex", "ffff00"], "like none of the protocols: the first one begins with the bytes ff ff 00"),
        (["decode", "nothing"], "no protocol is called 'nothing'"),
        (["decode", "nothing"], "Nor is there a file of that name"),
        (["decode", "no/such/file"], "no/such/file: No such file or directory"),
        (["decode", os.devnull], "there is no message from which to detect the protocol"),
        (["transcode", CRAFT], "name the protocol that is written"),
        (["dissect"], "nothing to dissect"),
    ],
)
def test_what_is_not_sure_is_said(arguments: list[object], text: str) -> None:
    result = tidewire(*arguments)
    assert result.exit_code == 2
    assert text in " ".join(result.stderr.split())


def test_the_wrong_protocol_is_called_that() -> None:
    for command in (["decode", "canal-json"], ["transcode", "canal-json", "craft"]):
        result = tidewire(*command, CRAFT)
        assert result.exit_code == 1
        assert result.stdout == ""
        assert (
            "103 of 103 messages are no canal-json (the first: message: `\\x01` where an object is expected); they "
            "look like craft: give craft in place of canal-json"
        ) in result.stderr
        assert "craft_topic.jsonl.gz:7" not in result.stderr, "not one by one"
    assert "it looks like craft, not canal-json" in tidewire("dissect", "canal-json", "--hex", INSERT).stderr


def test_the_wrong_protocol_is_kept_with_its_reason(tmp_path: Path) -> None:
    tidewire("decode", "canal-json", CRAFT, "--errors", tmp_path / "bad.jsonl")
    kept = [json.loads(line) for line in (tmp_path / "bad.jsonl").read_text().splitlines()]
    assert len(kept) == 103
    assert kept[5]["offset"] == 0 or "it looks like craft" in kept[5]["reason"]


def test_completion_and_short_help() -> None:
    """The shell asks with variables of its own; typer answers with a candidate a line."""
    environment = dict(os.environ, _TIDEWIRE_COMPLETE="complete_bash", COMP_WORDS="tidewire decode can", COMP_CWORD="2")
    asked = [sys.executable, "-c", "from tidewire.cli.main import app; app(prog_name='tidewire')"]
    done = subprocess.run(asked, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == ["canal-json"], done
    for command in ([], ["decode"], ["encode"], ["transcode"], ["detect"], ["dissect"], ["conform"], ["schema"]):
        assert tidewire(*command, "-h").stdout == tidewire(*command, "--help").stdout

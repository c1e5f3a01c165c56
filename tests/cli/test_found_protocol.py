"""Commands without a protocol: the detected one is reported once, and an uncertain one is an error."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from commands import INSERT, RESOLVED, tidewire
from recorded import every_stream, header, option_set, reader_arguments, stream_name

import tidewire as package

PROTOCOLS = list(package.protocols())
TAKEN = "tidewire: the messages are "


def some() -> list[Any]:
    """Of every protocol a recorded stream of each producer with each set of options."""
    found: dict[tuple[str, str, str], Path] = {}
    for name in PROTOCOLS:
        for path in every_stream(name):
            found.setdefault((name, header(path)["producer"], option_set(path)), path)
    return [pytest.param(name, path, id=f"{name}-{stream_name(path)}") for (name, _, _), path in found.items()]


def said(stderr: str) -> list[str]:
    """What was said of the protocol that was found."""
    return [line for line in stderr.splitlines() if line.startswith(TAKEN)]


@pytest.mark.parametrize(("protocol", "stream"), some())
def test_the_protocol_of_recorded_messages_is_found(protocol: str, stream: Path) -> None:
    """Options that reading needs as well: what is printed is what it is when they are given."""
    told = reader_arguments(stream)
    result = tidewire("decode", *told, stream)
    (line,) = said(result.stderr)
    assert line.startswith(f"{TAKEN}{protocol} "), line
    assert " (sure): " in line
    needed = line.removeprefix(f"{TAKEN}{protocol}").partition(" (sure)")[0].removeprefix(" with ")
    given = [part for pair in needed.split(", ") if pair for part in ("-o", _plain(pair))]
    named = tidewire("decode", "-p", protocol, *given, *told, stream)
    assert (result.exit_code, result.stdout) == (named.exit_code, named.stdout)
    assert said(named.stderr) == []


def _plain(pair: str) -> str:
    """An option as a command line has it: a value that is no plain text is said as JSON."""
    name, _, value = pair.partition("=")
    return f"{name}={json.loads(value)}" if value.startswith('"') else pair


def test_every_protocol_is_tried() -> None:
    assert {one.values[0] for one in some()} == set(PROTOCOLS)


@pytest.mark.parametrize(
    "command",
    [["decode"], ["decode", "--summary"], ["dissect"], ["transcode", "canal-json"], ["schema", "table"]],
    ids=" ".join,
)
def test_every_command_that_reads_messages_finds_it(command: list[str], tmp_path: Path) -> None:
    path = tmp_path / "messages.hex"
    path.write_text(f"{INSERT}\n{RESOLVED}\n")
    result = tidewire(*command, path)
    assert result.exit_code == 0, result.output
    (line,) = said(result.stderr)
    assert line.startswith(f"{TAKEN}craft (sure): ")
    assert line.endswith(" messages can be read as craft, and none as another protocol")
    assert said(tidewire(*command[:1], "-p", "craft", *command[1:], path).stderr) == []


def test_it_is_said_before_what_was_found(tmp_path: Path) -> None:
    """And nothing of it is among what the command prints."""
    path = tmp_path / "messages.hex"
    path.write_text(f"{INSERT}\n{INSERT[:-20]}\n{RESOLVED}\n")
    result = tidewire("decode", path)
    assert result.stderr.startswith(TAKEN)
    assert TAKEN not in result.stdout


def test_dissect_in_60_columns() -> None:
    result = tidewire("dissect", "--hex", INSERT, width=60)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 60


HOSTILE = {
    "empty": b"",
    "blank": b" \n\t\r\n\n",
    "text": b"Lorem ipsum dolor sit amet\n",
    "zeros": bytes(4096),
    "ones": b"\xff" * 4096,
    "random": random.Random(7).randbytes(1 << 16),
    "nested": b"[" * (1 << 16),
    "nested objects": b'{"a":' * (1 << 14),
    "object": b'{"a":1}\n',
    "long lengths": b"\x01" + b"\xff" * 9 + b"\x7f" * 64,
    "commands of terminals": b"\x1b[2J\x1b]0;title\x07\xe2\x80\xae\n",
}


@pytest.mark.parametrize("command", ["decode", "dissect"])
@pytest.mark.parametrize("form", ["auto", "raw"])
@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_no_message_is_an_error_with_a_remedy(name: str, form: str, command: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(HOSTILE[name])
    result = tidewire(command, path, "--from", form, width=60)
    assert result.exit_code == 2
    assert result.stdout == ""
    line, *reasons = result.stderr.splitlines()
    assert all(one.isprintable() for one in (line, *reasons))
    assert len(line) < 300
    assert "-p " not in result.stderr, "no protocol is of use"
    assert len(reasons) <= 1


def test_what_to_do_comes_first_and_the_list_is_of_detect(tmp_path: Path) -> None:
    path = tmp_path / "file.hex"
    path.write_text(f"{(bytes(4) + bytes([7]) + bytes([2]) * 5).hex()}\n" * 3)
    (line,) = tidewire("decode", path, width=60).stderr.splitlines()
    assert line == (
        "tidewire: the messages are avro or debezium-avro, and need the schemas of a registry: -o schema-registry=URL, "
        "or the path of a file that `tidewire registry snapshot` made (in Python and Spark that option)"
    )
    listed = " ".join(tidewire("detect", path).stdout.split())
    assert "not read as craft: craft version: 0 where only 1 is possible" in listed
    assert listed.count("not read as") == 5


def test_a_schema_that_cannot_be_had_is_said_once_with_a_count(tmp_path: Path) -> None:
    path, schemas = tmp_path / "file.hex", tmp_path / "schemas.json"
    schemas.write_text("{}")
    values = [bytes(4) + bytes([number]) + bytes([2]) * 5 for number in (7, 7, 8, 7)]
    path.write_text("".join(f"{value.hex()}\n" for value in values))
    result = tidewire("decode", "-p", "avro", path, "-o", f"schema-registry={schemas}")
    said = result.stderr.splitlines()
    assert [one.count("schema 7 cannot be had") for one in said] == [1, 0, 1, 0]
    assert "schema 8 cannot be had" in said[1]
    assert said[2].startswith("tidewire: 2 more messages: schema 7 cannot be had")
    assert said[3] == "tidewire: 4 messages could not be decoded"


def test_what_may_be_two_protocols_names_both(tmp_path: Path) -> None:
    """With the likelier one first."""
    path = tmp_path / "mixed.hex"
    canal = b'{"type":"INSERT"}'.hex()
    other = json.dumps({"version": 1, "type": "WATERMARK", "commitTs": 1, "buildTs": 1}).encode().hex()
    path.write_text(f"{RESOLVED}\n{RESOLVED}\n{other}\n{canal}\n")
    result = tidewire("decode", path)
    assert result.exit_code == 1
    assert result.stderr.startswith(
        f"tidewire: the messages are of 2 protocols: {path}: lines 1-2 craft, 3-4 simple. They are read as craft here"
    )


def test_the_option_is_the_protocol_and_all_arguments_are_files(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("craft").write_text(f"{INSERT}\n")
    assert tidewire("decode", "-p", "craft", "craft").exit_code == 0
    assert tidewire("transcode", "-p", "craft", "canal-json", "craft").exit_code == 0
    assert "no protocol is called 'crafd'; did you mean craft?" in tidewire("decode", "-p", "crafd", "craft").stderr
    assert "craft: No such file" in tidewire("dissect", "-p", "craft", "no/craft").stderr

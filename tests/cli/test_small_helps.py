"""Hints, helps and completions of commands."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from commands import tidewire
from typer.testing import CliRunner

from tidewire import craft
from tidewire.cli.main import app
from tidewire.cli.selection import complete_kind
from tidewire.events import Watermark

pytestmark = pytest.mark.codec

RUN = CliRunner(env={"COLUMNS": "200"})
EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_names_of_recordings_are_whole() -> None:
    shown = " ".join(RUN.invoke(app, ["conform", "--help"]).stdout.split())
    assert "PRODUCER/SCENARIO/PROTOCOL.OPTIONS.jsonl" in shown


def test_no_more_differences_are_asked_for_than_are_kept() -> None:
    done = RUN.invoke(app, ["conform", "--first", "3000", "."])
    assert done.exit_code == 2
    assert "less than or equal to 100" in done.stderr


def test_a_protocol_that_is_written_with_to() -> None:
    done = RUN.invoke(app, ["transcode", "craft", "x.jsonl", "--to", "debezium"])
    assert done.exit_code == 2
    assert "the protocol stands before the files: tidewire transcode debezium FILES" in " ".join(
        done.stderr.replace("│", " ").split()
    )
    assert "is not one of jsonl, hex, raw" in done.stderr
    assert RUN.invoke(app, ["transcode", "--to", "hex", "craft"]).exit_code == 2


def test_options_have_a_long_name_and_a_hint() -> None:
    value = craft.encode([Watermark(470607536966860800)])[0].value or b""
    done = RUN.invoke(app, ["decode", "craft", "--hex", value.hex(), "--option", "invalid-text=error"])
    assert done.exit_code == 0, done.stderr
    wrong = RUN.invoke(app, ["decode", "craft", "--hex", value.hex(), "-o", "out.jsonl"])
    assert wrong.stderr == (
        "tidewire: -o out.jsonl: an option is written name=value; a file to write is named by --out or >\n"
    )


def test_completions() -> None:
    assert complete_kind("d") == ["delete", "ddl"]
    assert complete_kind("ro") == ["row"]


def test_events_are_shown() -> None:
    (message,) = craft.encode([Watermark(470607536966860800)])
    assert repr(craft.decode(message.value)) == "<1 event: [Watermark(commit_ts=470607536966860800)]>"
    many = craft.decode_batch([message.value] * 5 + [None, b"x"])
    assert repr(many).startswith("<5 events: [Watermark(commit_ts=470607536966860800), Watermark(")
    assert repr(many).endswith(", and 2 more], 1 error, 1 tombstone>")


def test_what_is_public_in_spark() -> None:
    import tidewire.spark

    assert dir(tidewire.spark) == sorted(tidewire.spark.__all__)


@pytest.mark.parametrize("width", [80, 90, 100, 120])
def test_meanings_are_whole_where_three_lines_are_enough(width: int) -> None:
    run = CliRunner(env={"COLUMNS": str(width)})
    done = run.invoke(app, ["dissect", str(EXAMPLES / "debezium_topic.jsonl.gz"), "--message", "20"])
    assert [line for line in done.stdout.splitlines() if line.rstrip().endswith("…")] == []


EXAMPLE = str(EXAMPLES / "craft_topic.jsonl.gz")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["decode", "-p", EXAMPLE], f". {EXAMPLE} is a file, which stands without -p\n"),
        (
            ["check", EXAMPLE, "canal-json"],
            f"canal-json is a protocol, which stands before the files: canal-json {EXAMPLE}\n",
        ),
        (["schema", EXAMPLE], f"{EXAMPLE} is a file: tidewire schema table {EXAMPLE} shows the tables in it\n"),
    ],
)
def test_a_file_where_a_protocol_stands(arguments: list[str], sentence: str) -> None:
    done = RUN.invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(sentence)


def test_a_file_that_is_named_as_a_protocol_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value = craft.encode([Watermark(470607536966860800)])[0].value or b""
    (tmp_path / "craft").write_text(value.hex() + "\n")
    done = RUN.invoke(app, ["decode", "craft"], input="")
    assert "tidewire: craft is the protocol here; the file of that name is ./craft\n" in done.stderr
    assert RUN.invoke(app, ["decode", "craft", "./craft"]).stdout.count("\n") == 1


@pytest.mark.parametrize(
    "option",
    ["enum=label", "timezone=Asia/Shanghai", "zeroDate=string", "zero-date=null", "mode=FAILFAST", "keep=offset"],
)
@pytest.mark.parametrize("command", ["decode", "check", "dissect"])
def test_options_of_rows_where_there_are_events(command: str, option: str) -> None:
    done = RUN.invoke(app, [command, "craft", EXAMPLE, "-o", option])
    assert done.exit_code == 2
    name, _, value = option.partition("=")
    own = {"zero-date": "zeroDate"}.get(name, name)
    assert f"-o {name}: this option is for typed rows, which --to writes: tidewire decode FILE" in done.stderr
    assert f"--out orders.parquet -o {own}={value}. Events have their values" in done.stderr


def test_what_is_wrong_with_an_option_names_the_protocol_of_the_messages() -> None:
    canal = str(EXAMPLES / "canal_json_topic.jsonl.gz")
    for command in ("decode", "check", "detect"):
        done = RUN.invoke(app, [command, canal, "-o", "invalid-text=x"])
        assert done.exit_code == 2
        assert done.stderr.endswith("canal-json: option invalid-text is one of error, replace, bytes, not 'x'\n")
    nobody = RUN.invoke(app, ["decode", "--hex", "00ff", "-o", "invalid-text=x"])
    assert nobody.stderr == "tidewire: option invalid-text is one of error, replace, bytes, not 'x'\n"
    spelled = RUN.invoke(app, ["decode", canal, "-o", "invalidText=error"])
    assert spelled.stderr.endswith("-o invalidText: this option is invalid-text here\n")


def test_waiting_for_what_is_typed_is_said() -> None:
    """On a terminal, which stands open; the end of what is typed is there already."""
    for arguments in (["decode", "craft", "-"], ["check", "-"], ["encode", "craft", "-"], ["schema", "table", "-"]):
        own, other = pty.openpty()
        os.write(own, b"\x04\x04")
        done = subprocess.run(
            [sys.executable, "-m", "tidewire.cli", *arguments],
            stdin=other,
            capture_output=True,
            timeout=600,
            check=False,
        )
        assert b"tidewire: reading standard input; Ctrl-D ends it\n" in done.stderr
        os.close(own)
        os.close(other)


@pytest.mark.parametrize("width", [40, 60, 80, 99, 100, 200])
@pytest.mark.parametrize("command", [["decode", "--summary"], ["check"]])
def test_counts_and_times_are_whole_at_any_width(command: list[str], width: int) -> None:
    done = CliRunner(env={"COLUMNS": str(width)}).invoke(app, [*command, EXAMPLE])
    assert all(len(line) <= max(width, 40) for line in done.stdout.splitlines())
    text = " ".join(done.stdout.split())
    assert "…" not in text
    first = "2026-11-21 01:41:26.019"
    assert first in text or (width == 40 and first.partition(" ")[2] in text)
    assert text.count("first (UTC)") == text.count(" last") == 1
    for kind in ("insert", "update", "delete", "ddl"):
        assert kind in text


@pytest.mark.parametrize(
    ("width", "named"), [(40, "the bytes as text and types left out"), (60, "types left out"), (200, "")]
)
def test_columns_that_a_narrow_terminal_has_no_room_for_are_named(width: int, named: str) -> None:
    done = CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["dissect", EXAMPLE, "--message", "3"])
    lines = done.stdout.splitlines()
    assert all(len(line.rstrip()) <= width for line in lines)
    assert ("left out: there is no room" in " ".join(done.stdout.split())) == bool(named)
    assert named in " ".join(done.stdout.split())
    digits = [line for line in lines if "82 80" in line]
    assert digits
    assert "…" not in digits[0].partition("││0")[0]


def test_a_time_zone_has_a_hint_wherever_it_is_given(tmp_path: Path) -> None:
    path = Path(__file__).resolve().parents[2] / "examples" / "craft_topic.jsonl.gz"
    for command in ("decode", "detect", "check"):
        done = tidewire(command, path, "-o", "timezone=Asia/Shanghai")
        assert done.exit_code == 2
        assert "-o timezone: this option is for typed rows, which --to writes: " in done.stderr, command
        slip = tidewire(command, path, "-o", "timezon=UTC")
        assert slip.exit_code == 2
        assert "-o timezon: did you mean timezone? It is for typed rows, which --to writes: " in slip.stderr, command
        assert "-o timezone=UTC" in slip.stderr
    other = tidewire("detect", path, "-o", "time-zon=UTC")
    assert "-o time-zon: no protocol has such an option; did you mean time-zone?" in other.stderr
    done = tidewire("decode", path, "--table", "test.times", "--to", "parquet", "--out", tmp_path / "out.parquet")
    hint = "Give timezone, such as Asia/Shanghai (on the command line -o timezone=Asia/Shanghai)\n"
    assert f"they were read as UTC. {hint}" in done.stderr


@pytest.mark.parametrize(
    "command", ["", "decode", "encode", "transcode", "detect", "check", "dissect", "schema", "protocols", "sync status"]
)
def test_a_flag_takes_no_value_in_help(command: str) -> None:
    shown = tidewire(*command.split(), "--help", width=100).stdout
    assert "--help" in shown
    assert "bool>" not in shown
    assert "path>" not in shown

"""Hints, helps and completions of commands."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tidewire import craft
from tidewire.cli.main import app
from tidewire.cli.protocols import complete_option
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
    assert complete_option("decimal") == ["decimal-handling-mode="]


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

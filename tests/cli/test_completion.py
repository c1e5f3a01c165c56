"""What the shell completes, and how bash puts it on the line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.codec

ASKED = "import sys; from tidewire.cli.main import app; app(prog_name='tidewire')"


def completed(line: str) -> list[str]:
    """What bash gets for a line whose words are whole; a blank at the end begins the next one."""
    words = line.split()
    at = len(words) if line.endswith(" ") else len(words) - 1
    environment = dict(os.environ, _TIDEWIRE_COMPLETE="complete_bash", COMP_WORDS=line, COMP_CWORD=str(at))
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True, env=environment, check=False)
    return done.stdout.split()


COMMANDS = [
    "decode debezium",
    "encode debezium",
    "check debezium",
    "dissect debezium",
    "detect",
    "schema table -p debezium",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_options_and_their_values(command: str) -> None:
    assert completed(f"tidewire {command} -o time-pr") == ["time-precision-mode="]
    assert completed(f"tidewire {command} -o time-precision-mode=i") == ["time-precision-mode=isostring"]
    assert completed(f"tidewire {command} -o enable-tidb-extension=") == [
        "enable-tidb-extension=true",
        "enable-tidb-extension=false",
    ]
    assert completed(f"tidewire {command} -o max-message-bytes=1") == []


def test_options_of_the_named_protocol_alone() -> None:
    assert "avro-enable-watermark=" in completed("tidewire decode -o a")
    assert completed("tidewire decode debezium -o a") == []
    assert completed("tidewire decode -p craft -o time-p") == []
    assert completed("tidewire transcode craft debezium -t time-p") == ["time-precision-mode="]


def test_options_of_typed_rows_are_those_of_decode() -> None:
    assert {"time-precision-mode=", "time-zone=", "timezone=", "time="} <= set(completed("tidewire decode -o time"))
    assert completed("tidewire decode -o zeroDate=n") == ["zeroDate=null"]
    assert "timezone=" not in completed("tidewire detect -o time")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tidewire encode cr", ["craft"]),
        ("tidewire protocols de", ["debezium", "debezium-avro"]),
        ("tidewire schema s", ["sql", "simple"]),
        ("tidewire decode can", ["canal-json"]),
    ],
)
def test_protocols(line: str, found: list[str]) -> None:
    assert completed(line) == found


@pytest.mark.parametrize(
    ("words", "reply", "joined"),
    [
        (["tidewire", "decode", "debezium", "-o", "time-pr"], ["time-precision-mode="], True),
        (["tidewire", "decode", "debezium", "-o", "time-precision-mode", "=", "i"], ["isostring"], False),
        (["tidewire", "decode", "debezium", "-o", "debezium-disable-schema", "="], ["true", "false"], False),
        (["tidewire", "encode", "cr"], ["craft"], False),
        (["tidewire", "protocols", "debezium-"], ["debezium-avro"], False),
    ],
)
def test_bash_puts_a_value_behind_its_option(words: list[str], reply: list[str], joined: bool, tmp_path: Path) -> None:
    """Bash takes = for a word of its own; what is replaced is the word at the cursor."""
    program = tmp_path / "tidewire"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{ASKED}" "$@"\n')
    program.chmod(0o755)
    line = " ".join(words).replace(" = ", "=").replace(" =", "=")
    current = "" if words[-1] == "=" else words[-1]
    quoted = " ".join(f"'{one}'" for one in words)
    asked = (
        f'PATH={tmp_path}:$PATH\n{script()}\ncompopt() {{ echo "$2" >&2; }}\n'
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; COMP_LINE='{line}'; COMP_POINT={len(line)}\n"
        f"_tidewire_completion tidewire '{current}' '{words[-2]}'\n"
        "printf '%s\\n' \"${COMPREPLY[@]}\"\n"
    )
    done = subprocess.run(["bash", "--norc", "-c", asked], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr.split()) == (reply, ["nospace"] if joined else [])


def script() -> str:
    """The script that is installed for bash."""
    environment = dict(os.environ, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    asked = [sys.executable, "-c", ASKED, "--show-completion", "bash"]
    return subprocess.run(asked, capture_output=True, text=True, env=environment, check=True).stdout

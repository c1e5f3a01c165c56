"""Output of the command line is plain data: no markup, no emoji, no control characters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import tidewire

from tidewire import craft
from tidewire.events import Column, RowChange

HOSTILE = ":100: [red]x[/] \x1b[2J\u202e\u200b\x9b\x7f\ufe0f"


def hostile_messages(folder: Path) -> Path:
    """A file with a message whose names and values want to be more than text."""
    columns = [Column("id", 3, 11), Column(HOSTILE, 15, 64)]
    change = RowChange("insert", 7 << 18, HOSTILE, HOSTILE, new={"id": 1, HOSTILE: HOSTILE}, columns=columns)
    (message,) = craft.encode([change])
    assert message.value is not None
    path = folder / f"{HOSTILE.replace('/', '')}.hex"
    path.write_text(f"{message.value.hex()}\nno hex {HOSTILE}\n{message.value[:-5].hex()}\n", "utf-8")
    return path


@pytest.mark.parametrize(
    "arguments",
    [
        ("decode", "craft"),
        ("decode", "craft", "--exact"),
        ("decode", "craft", "--summary"),
        ("decode", "craft", "--table", "x"),
        ("decode", "craft", "--table", HOSTILE),
        ("dissect", "craft"),
        ("dissect", "craft", "--json"),
        ("transcode", "craft", "canal-json"),
        ("transcode", "craft", "craft", "-t", f"{HOSTILE}=1"),
        ("schema", "table", "--protocol", "craft"),
        ("schema", "table", "--protocol", "craft", "--json"),
        ("conform",),
    ],
)
def test_nothing_that_is_printed_commands_a_terminal(arguments: tuple[str, ...], tmp_path: Path) -> None:
    result = tidewire(*arguments, hostile_messages(tmp_path))
    assert result.stdout or result.stderr
    for text in (result.stdout, result.stderr):
        assert not set(text) & set("\x1b\u202e\u200b\x9b\x7f\ufe0f\U0001f4af")
        assert "[red]" in text or "x" not in text or HOSTILE[:5] not in text


def test_json_that_is_made_printable_says_the_same() -> None:
    from tidewire.cli.shell import json_text, printable

    found = {HOSTILE: [HOSTILE, "中文\u3000é", "\U000e0101", "\n\t\\", 1, None]}
    for text in (json_text(found), json_text(found, indent=2), json_text(found, compact=True)):
        assert json.loads(text) == found
        assert "中文\u3000é" in text
    assert printable("a\n\x1b\U000e0101中") == "a\\n\\u001b\\U000e0101中"

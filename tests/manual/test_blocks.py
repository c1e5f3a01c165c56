"""Wrong snippets of pages are detected."""

from __future__ import annotations

from pathlib import Path

import pytest

from manual.blocks import Block, Command, blocks, difference, transcript


def test_blocks_have_their_place_and_language(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n```python\nprint(1)\n```\n\n```\n1\n```\nProse.\n```\n$ ls\n```\n")
    assert blocks(page) == [
        Block(3, "python", "print(1)\n", False),
        Block(7, "", "1\n", True),
        Block(11, "", "$ ls\n", False),
    ]


def test_a_transcript_has_commands_and_what_they_show() -> None:
    block = Block(5, "", "$ ls\na\nb\n\n$ true\n", False)
    assert transcript(block) == [Command(5, "ls", "a\nb\n\n"), Command(9, "true", "")]


@pytest.mark.parametrize("shown", ["a\nb 1 c\nd\n", "a\n...\n", "...\nd\n", "a\nb ... c\nd\n", "...\nb 1 c\n...\n", ""])
def test_what_is_shown_was_printed(shown: str) -> None:
    assert difference(shown, "a\nb 1 c  \nd\n") is None


@pytest.mark.parametrize("shown", ["a\n", "a\nb 2 c\nd\n", "b 1 c\n...\n", "...\nb\n...\n", "a\nb 1 c\nd\ne\n"])
def test_what_is_shown_was_not_printed(shown: str) -> None:
    assert difference(shown, "a\nb 1 c\nd\n") is not None

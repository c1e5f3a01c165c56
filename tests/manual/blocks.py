"""The fenced blocks of a Markdown page, and the comparison of actual output with what a page shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    line: int
    """Of its first line, from 1."""
    language: str
    """What stands behind the fence: python, yaml, diff or nothing."""
    text: str
    follows: bool
    """Whether there is nothing but blank lines between it and the block before."""


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    found: list[Block] = []
    inside: list[str] | None = None
    start, language, prose = 0, "", False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith("```"):
            if inside is not None:
                inside.append(line)
            elif line.strip():
                prose = True
        elif inside is None:
            inside, start, language = [], number + 1, line[3:].strip()
        else:
            found.append(Block(start, language, "\n".join(inside) + "\n", bool(found) and not prose))
            inside, prose = None, False
    return found


@dataclass(frozen=True)
class Command:
    """A command of a transcript and what it shows."""

    line: int
    command: str
    shown: str


def transcript(block: Block) -> list[Command]:
    """The commands of a block, each behind `$ `, with the lines below it."""
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(number, line[2:], ""))
        elif found:
            last = found.pop()
            found.append(Command(last.line, last.command, last.shown + line + "\n"))
    return found


def difference(shown: str, printed: str) -> str | None:
    """Where a page shows something else than was printed; None when it does not.

    On the page, a line ``...`` stands for any lines, ``...`` in a line for any text, and a blank line at the end for
    nothing.
    """
    wanted = shown.strip("\n").splitlines() if shown.strip() else []
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    at = 0
    free = False
    for line in wanted:
        if line.strip() == "...":
            free = True
            continue
        pattern = re.compile(".*".join(map(re.escape, line.rstrip().split("..."))))
        stop = len(lines) if free else at + 1
        place = next((n for n in range(at, min(stop, len(lines))) if pattern.fullmatch(lines[n])), None)
        if place is None:
            printed_here = lines[at] if at < len(lines) else "nothing more"
            return f"the page shows\n  {line}\nwhere this was printed:\n  {printed_here}\nof\n{printed}"
        at, free = place + 1, False
    if at < len(lines) and not free and wanted:
        return f"the page lacks\n  {lines[at]}\nof\n{printed}"
    return None

"""Checks that a Markdown page renders as intended: tables, headings and links."""

from __future__ import annotations

import re


def outside_blocks(page: str) -> list[str]:
    """The lines of a page that are in no fenced block."""
    found, inside = [], False
    for line in page.splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            found.append(line)
    return found


def cells(row: str) -> int:
    """How many cells a row of a table has: a bar behind a backslash ends none."""
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) - 1


def well_formed(page: str) -> None:
    """Tables have rows of as many cells, paragraphs are apart from each other, and nothing is HTML but code."""
    width = 0
    for before, line in zip(["", *outside_blocks(page)], outside_blocks(page), strict=False):
        if line.startswith("|"):
            width = width if before.startswith("|") else cells(line)
            assert cells(line) == width, line
        assert not re.search(r"(?<!\\)<(?!/?code>|!-- )", re.sub(r"`[^`]+`", "", line)), line
        assert all(one.isprintable() for one in line), line
        if line.startswith("#"):
            assert before in ("", '<!-- Printed from spec/ by "make generate". Do not edit. -->') or "<!--" in before
    assert page.endswith("\n")
    assert "\n\n\n" not in page


def anchors(page: str) -> list[str]:
    """What the headings of a page are called in links, as GitHub makes it of them."""
    headings = [line.lstrip("#").strip().lower() for line in outside_blocks(page) if re.match(r"#+ ", line)]
    return [re.sub(r"[^\w -]", "", one).replace(" ", "-") for one in headings]

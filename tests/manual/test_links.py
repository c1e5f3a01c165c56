"""Links between README.md, the manual and generated pages are valid, and every page is reachable."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from protocol_pages.page_shape import anchors, outside_blocks

from manual.pages import MANUAL, PAGES, README, ROOT, named

LINKED = [*PAGES, *(ROOT / name for name in ("CONTRIBUTING.md", "STABILITY.md", "CHANGELOG.md", "examples/README.md"))]
MOST_OF_README, MOST_OF_PAGE = 200, 150
"""Lines."""
MOST_WIDE = 120


def links(page: Path) -> list[str]:
    """Where the links of a page lead, but for those that lead outside."""
    found = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]+`", "", "\n".join(outside_blocks(text(page)))))
    return [link for link in found if not link.startswith("https://")]


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def written(page: Path) -> tuple[str, str]:
    """What stands before and behind the figures that are printed into a page."""
    before, _, rest = text(page).partition("\n<!-- what follows is printed by ")
    return before, rest.partition("\n<!-- until here -->\n")[2]


@pytest.mark.parametrize("page", LINKED, ids=named)
def test_links_lead_somewhere(page: Path) -> None:
    """To a file, and where a heading is named to one of its headings."""
    for link in links(page):
        path, _, anchor = link.partition("#")
        there = (page.parent / path).resolve() if path else page
        assert there.exists(), f"{named(page)}: {link}"
        if anchor:
            assert anchor in anchors(text(there)), f"{named(page)}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_headings_are_called_differently(page: Path) -> None:
    known = anchors(text(page))
    assert len(known) == len(set(known))
    assert text(page).startswith("# ")


def test_readme_lists_every_page_once() -> None:
    listed = re.findall(r"\]\(([^)]+)\)", text(README).partition("\n## The manual\n")[2])
    for page in MANUAL:
        assert listed.count(named(page)) == 1, named(page)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_pages_are_short(page: Path) -> None:
    """One job each, small enough to be read at once, but for figures that are looked up."""
    lines = [line for part in written(page) for line in part.splitlines()]
    assert len(lines) <= (MOST_OF_README if page == README else MOST_OF_PAGE)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_lines_are_short(page: Path) -> None:
    """Prose and snippets; rows of tables, and what was printed, are as wide as they are."""
    lines = [line for part in written(page) for line in outside_blocks(part)]
    assert [line for line in lines if len(line) > MOST_WIDE and not line.startswith("|")] == []
    snippets = re.findall(r"^```python\n(.+?)^```", text(page), re.M | re.S)
    assert [line for snippet in snippets for line in snippet.splitlines() if len(line) > MOST_WIDE] == []

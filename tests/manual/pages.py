"""The pages of the manual and their contents; pages added to docs/ are included automatically."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
MANUAL = sorted((ROOT / "docs").glob("*.md"))
"""The pages that people write; those of docs/protocols are printed."""
PAGES = [README, *MANUAL]


def manual(name: str) -> Path:
    """The page of that name in docs/."""
    return ROOT / "docs" / f"{name}.md"


def named(page: Path) -> str:
    """A page as people call it: README.md, docs/spark.md."""
    return page.relative_to(ROOT).as_posix()


def said(page: Path) -> str:
    """What a page says, wherever its lines end."""
    return " ".join(page.read_text(encoding="utf-8").split())

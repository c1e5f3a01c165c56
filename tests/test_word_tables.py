"""The reference of the spec language: its tables of words are printed from the JSON Schemas, and it is short."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tidewire.generator.pages.word_tables import with_word_tables

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "spec" / "README.md").read_text(encoding="utf-8")
MOST_LINES = 600


def descriptions(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("description"), str):
            yield node["description"]
        for below in node.values():
            yield from descriptions(below)
    elif isinstance(node, list):
        for below in node:
            yield from descriptions(below)


def test_the_tables_are_what_the_schemas_say() -> None:
    assert with_word_tables(PAGE) == PAGE


def test_what_schemas_say_of_a_word_is_on_the_page() -> None:
    paths = [*(ROOT / "spec" / "meta").rglob("*.json"), *(ROOT / "generator/tidewire/generator").glob("*/words/*.json")]
    said = Counter(one for path in paths for one in descriptions(json.loads(path.read_text(encoding="utf-8"))))
    cells = Counter(line.split(" | ", 1)[1].removesuffix(" |") for line in PAGE.splitlines() if line.startswith("| `"))
    assert {one: times for one, times in said.items() if cells[one] != times} == {}


def test_the_page_is_read_in_an_hour() -> None:
    assert len(PAGE.splitlines()) <= MOST_LINES


def test_a_table_is_replaced_and_what_stands_behind_it_stays() -> None:
    marker = "<!-- words: generator/tidewire/generator/json/words/connect.schema.json connect -->"
    page = with_word_tables(f"# A page\n{marker}\n| word | meaning |\n|---|---|\n| `old` | Gone. |\n\nBehind it.\n")
    assert "old" not in page
    assert "| `blocks` | " in page
    assert page.endswith("|\n\nBehind it.\n")


@pytest.mark.parametrize("words", ["nobody", "object number nobody", "object number/nothing"])
def test_a_table_of_words_that_are_not_there(words: str) -> None:
    with pytest.raises(ValueError, match=r"word|no nobody"):
        with_word_tables(f"<!-- words: generator/tidewire/generator/json/words/object.schema.json {words} -->\n")

"""Every word of the language is used by two protocols, or spec/README.md says why it is general nevertheless."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tidewire.generator.load import Source, load

ROOT = Path(__file__).resolve().parent.parent
SPEC = ROOT / "spec"
SHARED = {"events", "mysql_types", "primitives"}
"""Files of spec/ that are no protocols."""


def section() -> str:
    page = (SPEC / "README.md").read_text(encoding="utf-8")
    return page.split("## Words that one protocol uses\n")[1].split("\n## ")[0]


def listed() -> dict[str, str]:
    """By word, the protocol that the page names beside it."""
    found: dict[str, str] = {}
    for words, protocol in re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", section(), flags=re.MULTILINE):
        for word in re.findall(r"`([a-z_]+)`", words):
            assert word not in found, f"{word} stands twice"
            found[word] = protocol
    return found


def words_of_schemas() -> set[str]:
    """The words that the JSON Schemas of protocols and of their containers have."""
    found: set[str] = set()
    waiting: list[Any] = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (
            SPEC / "meta" / "protocol.schema.json",
            *(SPEC / "meta" / "containers").glob("*.json"),
            *(ROOT / "generator").glob("*/words/*.json"),
        )
    ]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found |= set(one.get("properties", {}))
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def keys_of(node: Any) -> set[str]:
    if isinstance(node, dict):
        return set(node).union(*map(keys_of, node.values())) if node else set()
    return set().union(*map(keys_of, node)) if isinstance(node, list) else set()


def specs() -> dict[str, Any]:
    """By title, the protocols that are built, and those that are designed in spec/PLANNED.md."""
    texts = [path.read_text(encoding="utf-8") for path in SPEC.glob("*.yaml") if path.stem not in SHARED]
    texts += re.findall(r"^```yaml\n(.*?)^```", (SPEC / "PLANNED.md").read_text(encoding="utf-8"), re.M | re.S)
    found: dict[str, Any] = {}
    for text in texts:
        node, problems = load(Source("spec", text.encode()))
        assert node is not None
        assert not problems
        plain: Any = node.plain()
        found[plain["title"]] = plain
    return found


@pytest.fixture(scope="module")
def users() -> dict[str, list[str]]:
    """By word, the protocols that use it."""
    keys = {title: keys_of(spec) for title, spec in specs().items()}
    return {word: [title for title in keys if word in keys[title]] for word in words_of_schemas()}


def test_the_page_lists_every_word_that_fewer_than_two_protocols_use(users: dict[str, list[str]]) -> None:
    assert sorted(listed()) == sorted(word for word, titles in users.items() if len(titles) < 2)


def test_the_page_names_the_protocol(users: dict[str, list[str]]) -> None:
    wrong = {
        word: (named, users[word])
        for word, named in listed().items()
        if [title.removeprefix("TiCDC ") for title in users[word]] != ([] if named == "none" else [named])
    }
    assert wrong == {}


def test_most_words_are_used_by_two_protocols(users: dict[str, list[str]]) -> None:
    """What one protocol needs is the smaller part of the language."""
    counted = Counter(len(titles) >= 2 for titles in users.values())
    assert counted[True] > counted[False]

"""Every word of the language is used by two protocols, or is general nevertheless, which is said here.

`python -m tests.test_words_in_use` prints the words, with the protocols that use each.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from words_of_schemas import used_words, words_of

from tidewire.generator import meta
from tidewire.generator.load import Source, load

SPEC = Path(__file__).resolve().parent.parent / "spec"
SHARED = {"events", "mysql_types", "primitives"}
"""Files of spec/ that are no protocols."""
MOST, MOST_OF_ONE = 155, 37
"""The words that there are at most, and those that only one protocol uses."""
GENERAL = {
    "formats count times in seconds, milliseconds or microseconds": "unit",
    "columnar formats lay columns behind one another, with dictionaries and tables of sizes": (
        "sections chunks terms tables rows each intern enum"
    ),
    "a writer that limits messages before it knows their bytes has to guess them": "estimate",
    "a defect that can be recognized in the bytes is told from one that cannot": "overwritten",
    "records behind their lengths, with a number before them, are the commonest way to put several in one value": (
        "frames head"
    ),
    "text formats end their objects, and declare types in full or not": "lines full",
    "a message without events can be known by how its statement begins, and by its members": "begins skip",
    "an option that switches others on, or that only other formats have, is common": "implies ignored",
    "formats put one of two numbers in one place": "instead",
    "whoever sends messages in two encodings has a second one": "records",
    "Kafka Connect puts every message of every connector into this envelope, in words of its own": "blocks block words",
    "schemas say types in words of their own, which a reader has to take and a writer to give": (
        "exact plain source length scale mode json"
    ),
    "of what messages without events have, some members are never missing": "always",
    "statements say what they did to tables, or nothing, and less of columns of some types": "lists hides silent",
    "formats have values that are no records": "marks",
    "an envelope shares a topic with messages that are of no row": "others",
}
"""Why a word is general that only one protocol uses."""


def protocols() -> dict[str, Any]:
    """By name, the protocols that are built, and those that are designed in spec/PLANNED.md."""
    texts = [path.read_text(encoding="utf-8") for path in sorted(SPEC.glob("*.yaml")) if path.stem not in SHARED]
    texts += re.findall(r"^```yaml\n(.*?)^```", (SPEC / "PLANNED.md").read_text(encoding="utf-8"), re.M | re.S)
    found: dict[str, Any] = {}
    for text in texts:
        node, problems = load(Source("spec", text.encode()))
        assert node is not None
        assert not problems
        plain: Any = node.plain()
        found[plain["protocol"]] = plain
    return found


def users() -> dict[str, set[str]]:
    """By word of a protocol and of its containers, the protocols that use it where the schemas have it."""
    schema = meta.schema(meta.PROTOCOL)
    places: dict[str, set[str]] = {}
    for pointer, word in words_of(schema).items():
        kind, _, name = word.partition(" ")
        if kind == "key":
            places.setdefault(name, set()).add(pointer)
    used = {name: used_words(schema, spec) for name, spec in protocols().items()}
    return {word: {name for name, found in used.items() if found & pointers} for word, pointers in places.items()}


@pytest.fixture(scope="module")
def by_word() -> dict[str, set[str]]:
    return users()


def test_a_word_that_one_protocol_uses_is_general(by_word: dict[str, set[str]]) -> None:
    told = [word for words in GENERAL.values() for word in words.split()]
    assert sorted(told) == sorted(word for word, names in by_word.items() if len(names) < 2)


def test_the_language_does_not_grow(by_word: dict[str, set[str]]) -> None:
    assert len(by_word) <= MOST
    assert sum(len(names) < 2 for names in by_word.values()) <= MOST_OF_ONE


if __name__ == "__main__":
    found = users()
    for word, names in sorted(found.items()):
        print(f"{word:16} {', '.join(sorted(names)) or 'none'}")
    alone = sum(len(names) < 2 for names in found.values())
    print(f"{len(found)} words, {alone} of them used by one protocol")

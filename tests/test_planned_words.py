"""spec/PLANNED.md: its specs load, and use no word that is neither built nor listed as planned."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tidewire.generator.load import Source, load

SPEC = Path(__file__).resolve().parent.parent / "spec"
PAGE = (SPEC / "PLANNED.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
NEW = set(re.findall(r"^\| `([a-z_]+)[^|]*` \|", PAGE, flags=re.MULTILINE))
"""The words that the page's tables list; some are built and get another meaning."""
OF_OTHERS = {"unit"}
"""A word for messages that others than TiCDC write: they count seconds."""


def words_of(spec: dict[str, Any]) -> Iterator[str]:
    """The words in a spec, without the names that people give: those of the protocol, of parts, members and cases."""
    yield from spec
    for part in spec["parts"].values():
        yield from part
        for held in (part.get("object"), part.get("sections"), part.get("record", {}).get("fields")):
            for one in held or ():
                yield from one
        for case in part.get("cases", {}).values():
            yield from case


def loaded(block: str) -> dict[str, Any]:
    node, problems = load(Source("PLANNED.md", block.encode()))
    assert not problems
    assert node is not None
    plain: dict[str, Any] = node.plain()
    return plain


def built_words() -> set[str]:
    """Every word that the JSON Schema of specs has, wherever it has it."""
    found: set[str] = set()
    waiting: list[Any] = [json.loads((SPEC / "spec.schema.json").read_text(encoding="utf-8"))]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            found |= set(one.get("properties", {}))
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found


def test_specs_use_words_that_are_built_or_planned() -> None:
    for spec in map(loaded, BLOCKS):
        assert set(words_of(spec)) - built_words() - NEW == set(), spec["protocol"]


def test_every_planned_word_is_used() -> None:
    used = {word for block in BLOCKS for word in re.findall(r"(?:^|[{ ])([a-z_]+):", block, flags=re.MULTILINE)}
    assert NEW - used - {"producer", "encoding"} == OF_OTHERS


def test_protocols_leave_the_page_when_they_are_built() -> None:
    names = [loaded(block)["protocol"] for block in BLOCKS]
    assert [name for name in names if (SPEC / f"{name}.yaml").exists()] == []

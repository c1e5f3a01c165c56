"""Prints the tables of words in the reference of the language: the descriptions that the JSON Schemas have.

A line `<!-- words: FILE CONTAINER ... -->` stands above each table, with the file of a JSON Schema and what in it has
the words: `.` for the words of the whole file, a name of `$defs` or of a chapter, and names below it joined by `/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = "README.md"
"""The reference, in the folder of the specs."""
ROOT = Path(__file__).resolve().parents[4]
MARKER = re.compile(r"<!-- words: (\S+) (.*) -->")
HEAD = ("| word | meaning |", "|---|---|")


def with_word_tables(page: str) -> str:
    """The page with its tables printed anew.

    Raises:
        ValueError: a table is of words that a file does not have.
    """
    lines: list[str] = []
    in_table = False
    for line in page.splitlines():
        in_table = in_table and line.startswith("|")
        if in_table:
            continue
        lines.append(line)
        if found := MARKER.fullmatch(line):
            in_table = True
            lines += [*HEAD, *_rows(found[1], found[2].split())]
    return "\n".join(lines) + "\n"


def _rows(file: str, paths: list[str]) -> Iterator[str]:
    schema = json.loads((ROOT / file).read_text(encoding="utf-8"))
    for path in paths:
        rows = [
            f"| `{word}` | {one['description']} |"
            for word, one in words(schema, path).items()
            if "description" in one
        ]
        if not rows:
            raise ValueError(f"{file}: {path} has no words with a description")
        yield from rows


def words(schema: dict[str, Any], path: str) -> dict[str, Any]:
    """The words of a path, each with its schema.

    Raises:
        ValueError: there is no such path.
    """
    node = schema
    for name in path.split("/") if path != "." else ():
        inside = _inside(node) or {}
        found = inside.get(name) or schema.get("$defs", {}).get(name)
        if found is None:
            raise ValueError(f"no {name} of {path} in the JSON Schema")
        node = found
    own = _inside(node)
    if own is None:
        raise ValueError(f"{path} has no words")
    return own


def _inside(node: Any) -> dict[str, Any] | None:
    """The properties of a schema, or of the items or values that it is about."""
    if not isinstance(node, dict):
        return None
    if isinstance(own := node.get("properties"), dict):
        return own
    for step in ("items", "additionalProperties", "then"):
        if (found := _inside(node.get(step))) is not None:
            return found
    return next((found for one in node.get("allOf", ()) if (found := _inside(one.get("then"))) is not None), None)

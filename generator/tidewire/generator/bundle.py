"""All JSON Schemas of specs as one document for editors; the keys of a file determine which schema applies.

An editor finds it through the first line of each spec; it refers to nothing outside of the document.
"""

from __future__ import annotations

import json
import re
from typing import Any

from . import meta
from .check import SHARED

FILE = "spec.schema.json"
"""Its file name in the directory of the specs."""
LINE = "# yaml-language-server: $schema="
"""The comment that editors look for in a spec; followed by the path of the schema relative to the spec."""


def bundle() -> str:
    """The text of the document."""
    parts = {name: _within(meta.schema(name), name) for name in _names()}
    choices: dict[str, Any] = {"$ref": _place(meta.PROTOCOL)}
    for name in SHARED:
        # a file with no distinctive key counts as a protocol, so that errors name what a protocol needs
        own = sorted(set(parts[name]["required"]) - set(parts[meta.PROTOCOL]["properties"]))
        about: dict[str, Any] = {"anyOf": [{"required": [key]} for key in own], "not": {"required": ["protocol"]}}
        choices = {"if": about, "then": {"$ref": _place(name)}, "else": choices}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "Printed by make generate from spec/meta/ and the words/ of containers: change what is there.",
        "title": "Tidewire's specs",
        **choices,
        "$defs": parts,
    }
    return _text(document, "") + "\n"


def _text(part: Any, indent: str) -> str:
    """JSON text; whatever fits into a line is put on one."""
    short = json.dumps(part, ensure_ascii=False)
    if len(indent) + len(short) <= 110 or not isinstance(part, dict | list):
        return short
    below = indent + "  "
    if isinstance(part, list):
        inside = [_text(one, below) for one in part]
        return "[\n" + ",\n".join(below + one for one in inside) + f"\n{indent}]"
    inside = [f"{json.dumps(key, ensure_ascii=False)}: {_text(one, below)}" for key, one in part.items()]
    return "{\n" + ",\n".join(below + one for one in inside) + f"\n{indent}}}"


def _names() -> list[str]:
    """The kinds of files, by their names in `meta.schema`."""
    return [*SHARED, meta.PROTOCOL]


def _place(name: str) -> str:
    """The path of a schema in the document."""
    return f"#/$defs/{name}"


def _within(part: Any, name: str) -> Any:
    """A schema as a part of the document, with references from the top of it."""
    if isinstance(part, list):
        return [_within(one, name) for one in part]
    if not isinstance(part, dict):
        return part
    found = {key: _within(below, name) for key, below in part.items() if key != "$schema"}
    if isinstance(found.get("$ref"), str):
        found["$ref"] = _place(name) + found["$ref"].removeprefix("#")
    if isinstance(found.get("pattern"), str):
        # `$` is the end of a text in JSON Schema; some validators also let it match before a final newline
        found["pattern"] = re.sub(r"\$$", r"$(?!\\n)", found["pattern"])
    return found

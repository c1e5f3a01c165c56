"""The words of the spec language, found in the JSON Schemas, and which of them a document uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator


def words_of(schema: dict[str, Any]) -> dict[str, str]:
    """Every word of a schema: keys and values of enums, by their pointer. What only tells forms apart is none."""

    def walk(part: Any, pointer: str) -> Iterator[tuple[str, str]]:
        if isinstance(part, dict):
            for key, below in part.items():
                if key == "if":
                    continue
                if key == "properties":
                    yield from ((f"{pointer}/properties/{word}", f"key {word}") for word in below)
                elif key == "enum" and isinstance(below, list):
                    yield from ((f"{pointer}/enum/{word}", f"value {word}") for word in below)
                yield from walk(below, f"{pointer}/{key}")
        elif isinstance(part, list):
            for index, below in enumerate(part):
                yield from walk(below, f"{pointer}/{index}")

    return dict(walk(schema, "#"))


def used_words(schema: dict[str, Any], top: Any) -> set[str]:
    """The pointers of the words of a schema that a valid document uses."""
    used: set[str] = set()

    def walk(part: dict[str, Any], pointer: str, value: Any) -> None:
        if "$ref" in part:
            target = part["$ref"]
            walk(schema["$defs"][target.rsplit("/", 1)[-1]], target, value)
        for index, below in enumerate(part.get("allOf", ())):
            if "if" not in below or Draft202012Validator(below["if"]).is_valid(value):
                walk(below.get("then", below), f"{pointer}/allOf/{index}" + ("/then" if "then" in below else ""), value)
        if not isinstance(value, dict | list) and value in part.get("enum", ()):
            used.add(f"{pointer}/enum/{value}")
        if isinstance(value, dict):
            names = part.get("propertyNames", {}).get("enum", ())
            used.update(f"{pointer}/propertyNames/enum/{key}" for key in value if key in names)
            for key, below in value.items():
                if key in part.get("properties", {}):
                    used.add(f"{pointer}/properties/{key}")
                    walk(part["properties"][key], f"{pointer}/properties/{key}", below)
                elif isinstance(part.get("additionalProperties"), dict):
                    walk(part["additionalProperties"], f"{pointer}/additionalProperties", below)
        if isinstance(value, list) and "items" in part:
            for below in value:
                walk(part["items"], f"{pointer}/items", below)

    walk(schema, "#", top)
    return used

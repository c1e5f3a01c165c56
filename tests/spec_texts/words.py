"""The words of the spec language that take text, from the meta schemas, and their uses in specs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

from tidewire.generator import meta

TEXT, WIRE, NAME = "text", "wire name", "name"
"""What a word takes: any text, a text as messages have it, or what a pattern says."""


@dataclass(frozen=True)
class Use:
    """A text in a file: `path` has keys and indexes; of a key, the key itself."""

    word: str
    kind: str
    path: tuple[str | int, ...]
    key: bool


class Words:
    """A meta schema, walked.

    Args:
        name: of the schema: events, mysql_types, primitives, protocol.
    """

    def __init__(self, name: str) -> None:
        self.schema = meta.schema(name)
        self.root = name

    def all(self) -> dict[str, str]:
        """Every word that takes text, by its path in the schema, with what it takes."""
        return dict(self._all(self.schema, self.root, {}))

    def uses(self, data: Any) -> Iterator[Use]:
        """Every text of a file."""
        yield from self._uses(self.schema, data, self.root, (), {})

    def _entered(self, schema: Any, word: str, around: dict[str, str]) -> tuple[Any, str, dict[str, str]]:
        """What a reference means, and the word: in something that holds itself it is that of the outermost one."""
        while "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            word = around.get(name, word)
            around = {name: word, **around}
            schema = self.schema["$defs"][name]
        return schema, word, around

    def _resolved(self, schema: Any) -> Any:
        while "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].rsplit("/", 1)[1]]
        return schema

    @staticmethod
    def _kind(schema: Any) -> str | None:
        types = schema.get("type", ())
        if "enum" in schema or "const" in schema or "string" not in ([types] if isinstance(types, str) else types):
            return None
        if "pattern" not in schema:
            return TEXT
        return WIRE if schema["pattern"].startswith("^[^") else NAME

    def _all(self, schema: Any, word: str, around: dict[str, str]) -> Iterator[tuple[str, str]]:
        if schema.get("$ref", "").rsplit("/", 1)[-1] in around:
            return
        schema, word, around = self._entered(schema, word, around)
        if (kind := self._kind(schema)) is not None:
            yield word, kind
        for key, below in schema.get("properties", {}).items():
            yield from self._all(below, f"{word}/{key}", around)
        if isinstance(schema.get("additionalProperties"), dict):
            yield from self._all(schema["additionalProperties"], f"{word}/*", around)
        if "propertyNames" in schema:
            yield from self._all({"type": "string", **self._resolved(schema["propertyNames"])}, f"{word}/<key>", around)
        if "items" in schema:
            yield from self._all(schema["items"], f"{word}/[]", around)
        for one in schema.get("allOf", ()):
            yield from self._all(one.get("then", {}), word, around)

    def _uses(
        self, schema: Any, data: Any, word: str, path: tuple[str | int, ...], around: dict[str, str]
    ) -> Iterator[Use]:
        schema, word, around = self._entered(schema, word, around)
        if (kind := self._kind(schema)) is not None:
            yield Use(word, kind, path, False)
        if isinstance(data, dict):
            named = schema.get("properties", {})
            for key, below in data.items():
                if key in named:
                    yield from self._uses(named[key], below, f"{word}/{key}", (*path, key), around)
                elif isinstance(schema.get("additionalProperties"), dict):
                    yield from self._uses(schema["additionalProperties"], below, f"{word}/*", (*path, key), around)
                if "propertyNames" in schema:
                    kind = self._kind({"type": "string", **self._resolved(schema["propertyNames"])})
                    if kind is not None:
                        yield Use(f"{word}/<key>", kind, (*path, key), True)
        elif isinstance(data, list) and "items" in schema:
            for at, below in enumerate(data):
                yield from self._uses(schema["items"], below, f"{word}/[]", (*path, at), around)
        for one in schema.get("allOf", ()):
            condition = {**one.get("if", {}), "$defs": self.schema["$defs"]}
            if "then" in one and Draft202012Validator(condition).is_valid(data):
                yield from self._uses(one["then"], data, word, path, around)

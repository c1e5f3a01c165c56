"""Compares messages, ignoring compression and parts that producers write differently each time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from tidewire.cli.protocols import python_name
from tidewire.messages.delivery.compression import NONE, OTHERWISE, CompressionError
from tidewire.messages.delivery.items import Packing

_SPACE = " \t\r\n"


class Rule(NamedTuple):
    """A member that a producer writes differently each time."""

    name: str
    path: tuple[str, ...]
    what: str
    """`order`: the order of its members differs; `value`: the value differs."""


class Alike:
    """Finds the reasons why two messages of a protocol are equivalent.

    Args:
        protocol: module of the protocol.
        options: options with which both were written; None: unknown.
    """

    def __init__(self, protocol: Any, options: Any) -> None:
        self._rules = [Rule(name, path, what) for name, (path, what, _about) in protocol.FACTS.random.items()]
        option = protocol.FACTS.compression
        compression = NONE if option is None else getattr(options, python_name(option), NONE)
        self._packing = Packing(
            compression, protocol.FACTS.item_prefix, protocol.FACTS.packed_keys and compression != NONE
        )
        self._dissect = protocol.dissect
        self._facts = protocol.FACTS
        self._terminator = getattr(options, "terminator", "").strip(_SPACE)

    def reasons(self, wanted: bytes, got: bytes) -> tuple[str, ...] | None:
        """The reasons why messages with different bytes are equivalent; empty if the bytes are identical, None if they
        are not equivalent.
        """
        if wanted == got:
            return ()
        try:
            plain = [self._packing.unpack(data) for data in (wanted, got)]
        except CompressionError:
            return None
        found = [] if self._packing.name == NONE else [OTHERWISE]
        if plain[0] == plain[1]:
            return tuple(found)
        if self._facts.are_records(plain[0]):
            rules_of_records = self._of_records(plain)
            return None if rules_of_records is None else (*found, *rules_of_records)
        try:
            texts = [data.decode() for data in plain]
            rules = [rule.name for rule in self._rules if self._differ(rule, texts)]
            same = self._settled(texts[0]) == self._settled(texts[1])
        except (ValueError, IndexError, RecursionError):
            return None
        return (*found, *rules) if same else None

    def _of_records(self, values: Sequence[bytes]) -> tuple[str, ...] | None:
        """Like `reasons`, for two records."""
        records = self._facts.records
        contents = [records.content(value) for value in values]
        if None in contents:
            return None
        found = []
        for name, (path, what, _about) in records.random.items():
            inside = [[one for one in content if one[0][: len(path)] == path] for content in contents]
            if inside[0] == inside[1]:
                continue
            found.append(name)
            if what == "order" and sorted(inside[0]) != sorted(inside[1]):
                return None
            contents = [[one for one in content if one[0][: len(path)] != path] for content in contents]
        return tuple(found) if contents[0] == contents[1] else None

    def unpacked(self, value: bytes) -> bytes:
        """A value after decompression.

        Raises:
            CompressionError: the value cannot be decompressed.
        """
        return self._packing.unpack(value)

    def key_reasons(self, wanted: bytes | None, got: bytes | None) -> tuple[str, ...] | None:
        """Like `reasons`, for two keys."""
        if wanted == got:
            return ()
        if wanted is None or got is None:
            return None
        if self._packing.keys:
            with suppress(CompressionError):
                return (OTHERWISE,) if self._packing.unpack(wanted) == self._packing.unpack(got) else None
        first, second = self._without_random(wanted), self._without_random(got)
        found = [name for name in first[1] if first[1][name] != second[1].get(name)]
        return tuple(found) if found and first[0] == second[0] else None

    def _without_random(self, key: bytes) -> tuple[bytes, dict[str, list[bytes]]]:
        """A key without members whose values differ in every run of a producer; and the values, by name of rule."""
        by_end = {"/".join(rule.path): rule.name for rule in self._rules if rule.what == "value"}
        spans = [span for span in self._dissect(b"", key) if span.part == "key"]
        parts: dict[str, list[bytes]] = {}
        for span in sorted(spans, key=lambda span: span.start, reverse=True):
            name = by_end.get(span.path.partition("/")[2])
            if name is not None:
                parts.setdefault(name, []).append(key[span.start : span.end])
                key = key[: span.start] + key[span.end :]
        return key, parts

    def _differ(self, rule: Rule, texts: Sequence[str]) -> bool:
        parts = [[text[start:stop] for start, stop in self._spans(text, rule)] for text in texts]
        return parts[0] != parts[1]

    def _settled(self, text: str) -> str:
        """A message with members of random order sorted and random values replaced by fixed ones."""
        changes = []
        for rule in self._rules:
            for start, stop in self._spans(text, rule):
                changes.append(
                    (start, stop, _settled(text, start, stop) if rule.what == "value" else _in_order(text, start, stop))
                )
        for start, stop, part in sorted(changes, reverse=True):
            text = text[:start] + part + text[stop:]
        return text

    def _spans(self, text: str, rule: Rule) -> Iterator[tuple[int, int]]:
        """Start and end of the member's value in each object of a message."""
        at = 0
        while (at := self._begin(text, at)) < len(text):
            end = _end(text, at)
            position: int | None = at
            stop = end
            for name in rule.path:
                inside = _members(text, position) if position is not None and text[position] == "{" else {}
                position, stop = inside.get(name, (None, end))
            if position is not None and (rule.what == "value" or text[position] == "{"):
                yield position, stop
            at = end

    def _begin(self, text: str, at: int) -> int:
        """Start of the next object, after white space and terminators."""
        while at < len(text):
            if text[at] in _SPACE:
                at += 1
            elif self._terminator and text.startswith(self._terminator, at):
                at += len(self._terminator)
            else:
                break
        return at


def _end(text: str, at: int) -> int:
    return json.JSONDecoder().raw_decode(text, at)[1]


def _members(text: str, at: int) -> Mapping[str, tuple[int, int]]:
    """Start and end of the value of each member of an object."""
    return {name: (start, stop) for name, _, start, stop in _walk(text, at)}


def _settled(text: str, start: int, stop: int) -> str:
    """A fixed replacement for any text or number; other values are returned unchanged."""
    return '"*"' if text[start] == '"' else "0" if text[start] in "-0123456789" else text[start:stop]


def _in_order(text: str, start: int, stop: int) -> str:
    """An object with its members sorted; unchanged if there is white space between them."""
    members = [text[first:end] for _, first, _, end in _walk(text, start)]
    written = "{" + ",".join(members) + "}"
    return "{" + ",".join(sorted(members)) + "}" if written == text[start:stop] else text[start:stop]


def _walk(text: str, at: int) -> Iterator[tuple[str, int, int, int]]:
    """Name of each member of an object, its start, and start and end of its value."""
    at = _skip(text, at + 1)
    while text[at] != "}":
        first = at
        name, at = json.JSONDecoder().raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)  # the colon
        stop = _end(text, at)
        yield name, first, at, stop
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at

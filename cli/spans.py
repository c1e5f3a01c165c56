"""A dissected message as rows for the eye: fields in a tree, bytes that nothing explains, the place where it broke."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

TROUBLE = "trouble"
"""The type of the span with which a dissector says that it cannot read on, and why."""


class SpanLike(Protocol):
    """What a protocol's `dissect` gives: bytes `start` to `end` of a message are the field `path`."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def path(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def value(self) -> Any: ...
    @property
    def meaning(self) -> str: ...
    @property
    def depth(self) -> int: ...


class Kind(Enum):
    """What a row stands for."""

    leaf = "leaf"
    group = "group"
    """A field made of the fields in the rows below."""
    gap = "gap"
    """Bytes that belong to no field."""
    broken = "broken"
    """Where reading stopped."""


@dataclass(slots=True)
class Row:
    """A line, or several when the bytes do not fit in one."""

    kind: Kind
    start: int
    end: int
    label: str
    """The last part of the path."""
    depth: int
    """How deep it lies, from 0."""
    type: str = ""
    value: Any = None
    meaning: str = ""


@dataclass(slots=True)
class _Node:
    span: SpanLike
    children: list[_Node] = field(default_factory=list)


def rows(
    spans: Sequence[SpanLike], length: int, deepest: int | None = None, broken: tuple[int, str, str] | None = None
) -> list[Row]:
    """The rows of a message, in the order of its bytes.

    Args:
        spans: the fields that were understood.
        length: bytes in the message.
        deepest: show no field that lies deeper; its bytes stand with the field that it is part of.
        broken: offset, field path and reason, when the message could not be read to its end.
    """
    found: list[Row] = []
    _walk(_tree(spans), "", 0, deepest, found)
    if broken is not None:
        offset, path, reason = broken
        found.append(Row(Kind.broken, min(offset, length), min(offset, length), path, 0, meaning=reason))
        # The break is shown where it was noticed: behind all that begins before it.
        found.sort(key=lambda row: (row.start, row.kind is Kind.broken))
    return _with_gaps(found, length)


def _tree(spans: Sequence[SpanLike]) -> list[_Node]:
    """Spans below those that they are part of, in the order of their bytes; where two begin, the empty one first."""
    nodes = [_Node(span) for span in spans]
    groups = {node.span.path: node for node in reversed(nodes) if node.span.type != TROUBLE}
    roots: list[_Node] = []
    for node in nodes:
        parent = node.span.path
        while "/" in parent:
            parent = parent.rpartition("/")[0]
            above = groups.get(parent)
            # A length stands before the text it measures: by its path a part of it, by its bytes not.
            if above is not None and above.span.start <= node.span.start and node.span.end <= above.span.end:
                above.children.append(node)
                break
        else:
            roots.append(node)
    for siblings in [roots, *(node.children for node in nodes)]:
        siblings.sort(key=lambda n: (n.span.start, n.span.type == TROUBLE, n.span.end > n.span.start))
    return roots


def _walk(nodes: Iterable[_Node], above: str, depth: int, deepest: int | None, found: list[Row]) -> None:
    for node in nodes:
        span = node.span
        shown = node.children if deepest is None or depth < deepest else []
        kind = Kind.broken if span.type == TROUBLE else Kind.group if shown else Kind.leaf
        label = span.path.removeprefix(f"{above}/") if above else span.path
        found.append(Row(kind, span.start, span.end, label, depth, span.type, span.value, span.meaning))
        _walk(shown, span.path, depth + 1, deepest, found)


def _with_gaps(found: Sequence[Row], length: int) -> list[Row]:
    """The same rows, and one for each stretch of bytes that no leaf has."""
    result: list[Row] = []
    at = 0
    for row in found:
        if row.kind is not Kind.group and row.start > at:
            # Groups that begin behind the gap were announced already.
            place = len(result)
            while place and result[place - 1].kind is Kind.group and result[place - 1].start >= row.start:
                place -= 1
            result.insert(place, Row(Kind.gap, at, row.start, "not understood", 0))
        result.append(row)
        if row.kind is not Kind.group:
            at = max(at, row.end)
    if at < length:
        result.append(Row(Kind.gap, at, length, "not understood", 0))
    return result

"""A dissected message as display rows: a tree of fields, bytes that belong to no field, and the offset of an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

TROUBLE = "trouble"
"""The type of the span by which a dissector reports where and why it stopped."""


class SpanLike(Protocol):
    """An item of a protocol's `dissect`: bytes `start` to `end` of a message are the field `path`."""

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
    """What a row shows."""

    leaf = "leaf"
    group = "group"
    """A field that consists of the fields in the rows below."""
    gap = "gap"
    """Bytes that belong to no field."""
    broken = "broken"
    """The place where dissecting stopped."""


@dataclass(slots=True)
class SpanRow:
    """A line, or several if the bytes do not fit in one."""

    kind: Kind
    start: int
    end: int
    label: str
    """The last part of the path."""
    depth: int
    """Nesting depth, from 0."""
    type: str = ""
    value: Any = None
    meaning: str = ""


@dataclass(slots=True)
class _Node:
    span: SpanLike
    children: list[_Node] = field(default_factory=list)


class Between(Protocol):
    """Separators between the fields of a text."""

    def opened(self, value: bytes, row: SpanRow) -> int:
        """Start of the contents of a group."""

    def between(self, value: bytes, start: int, end: int) -> tuple[int, int]:
        """A range of bytes without leading and trailing separators."""


def rows(
    spans: Sequence[SpanLike],
    value: bytes,
    deepest: int | None = None,
    broken: tuple[int, str, str] | None = None,
    text: Between | None = None,
) -> list[SpanRow]:
    """The display rows of a message, in the order of its bytes.

    Args:
        spans: the dissected fields.
        value: the message.
        deepest: maximum depth of the fields shown; the bytes of deeper ones are shown with the field that contains
            them.
        broken: offset, field path and reason, if the message could not be read to its end.
        text: separators of a text format; None: every byte belongs to a field.
    """
    found: list[SpanRow] = []
    _walk(_tree(spans), "", 0, deepest, found)
    if broken is not None:
        offset, path, reason = broken
        at = min(offset, len(value))
        found.append(SpanRow(Kind.broken, at, at, path, 0, meaning=reason))
        # The error is shown where it was noticed: after all fields that begin before it.
        found.sort(key=lambda row: (row.start, row.kind is Kind.broken))
    return _with_gaps(found, value, text)


def _tree(spans: Sequence[SpanLike]) -> list[_Node]:
    """Arranges spans as a tree, in the order of their bytes; of two with the same start, the empty one is first."""
    nodes = [_Node(span) for span in spans]
    groups: dict[str, list[_Node]] = {}
    for node in nodes:
        if node.span.type != TROUBLE:
            groups.setdefault(node.span.path, []).append(node)
    roots: list[_Node] = []
    for node in nodes:
        parent = node.span.path
        while "/" in parent:
            parent = parent.rpartition("/")[0]
            # The length prefix of a text belongs to its path, but its bytes precede the text.
            above = next((one for one in groups.get(parent, ()) if _holds(one.span, node.span)), None)
            if above is not None and above is not node:
                above.children.append(node)
                break
        else:
            roots.append(node)
    for siblings in [roots, *(node.children for node in nodes)]:
        siblings.sort(key=lambda n: (n.span.start, n.span.end > n.span.start, n.span.type != TROUBLE))
    return roots


def _holds(outer: SpanLike, inner: SpanLike) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _troubles(node: _Node) -> Iterable[_Node]:
    """The rows with errors, which are shown at any depth."""
    for child in node.children:
        if child.span.type == TROUBLE:
            yield child
        else:
            yield from _troubles(child)


def _walk(nodes: Iterable[_Node], above: str, depth: int, deepest: int | None, found: list[SpanRow]) -> None:
    for node in nodes:
        span = node.span
        shown = node.children if deepest is None or depth < deepest else list(_troubles(node))
        kind = Kind.broken if span.type == TROUBLE else Kind.group if shown else Kind.leaf
        label = span.path.removeprefix(f"{above}/") if above else span.path
        found.append(SpanRow(kind, span.start, span.end, label, depth, span.type, span.value, span.meaning))
        _walk(shown, span.path, depth + 1, deepest, found)


def _with_gaps(found: Sequence[SpanRow], value: bytes, text: Between | None) -> list[SpanRow]:
    """The rows, with one added for each range of bytes that belongs to no field."""
    result: list[SpanRow] = []
    at = 0
    for row in [*found, None]:
        start = len(value) if row is None else row.start
        if start > at:
            first, last = (at, start) if text is None else text.between(value, at, start)
            if last > first:
                result.append(SpanRow(Kind.gap, first, last, "not understood", 0))
            at = start
        if row is not None:
            result.append(row)
            end = row.end if row.kind is not Kind.group else at if text is None else text.opened(value, row)
            at = max(at, end)
    return result

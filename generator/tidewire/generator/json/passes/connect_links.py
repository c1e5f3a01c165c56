"""Every name in the statements about schema blocks refers to something of the right kind."""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import by_producer, named
from ...problems import Problem
from ...words import Word
from ..connect_blocks import COLUMNS, NAMES, BlockNode
from ..connect_chapter import ConnectChapter
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """Names that refer to nothing."""
    said = context.protocol.connect
    if said is None:
        return []
    found = list(_envelopes(context, said))
    protocol = context.protocol
    if said.unsent:
        found += by_producer(protocol, tuple(said.unsent), said.at("unsent"))
    if said.nulls:
        found += by_producer(protocol, tuple(said.nulls), said.at("nulls"))
    for struct in said.structs.values():
        found += _node(context, said, struct)
    return found


def _envelopes(context: JsonContext, said: ConnectChapter) -> Iterator[Problem]:
    for envelope in context.protocol.envelopes.values():
        for cls, struct in envelope.blocks.items():
            yield from named(cls, "event class", context.spec.events.classes, "event classes")
            yield from named(struct, "struct", said.structs)


def _node(context: JsonContext, said: ConnectChapter, node: BlockNode) -> Iterator[Problem]:
    """The names in a struct and in its fields."""
    protocol = context.protocol
    yield from named(node.when, "option", protocol.options)
    for who in node.producers:
        yield from named(who, "producer", protocol.producers)
    for cls in node.of:
        yield from named(cls, "event class", context.spec.events.classes, "event classes")
    for name in node.braces:
        if name not in NAMES:
            yield from named(name, "option", protocol.options)
    columns = node.said.get("fields")
    if isinstance(columns, Word):
        yield from named(columns, "list of columns", dict.fromkeys(COLUMNS), "they")
    for inner in node.inner:
        if isinstance(inner, Word):
            yield from named(inner, "struct", said.structs)
        else:
            yield from _node(context, said, inner)

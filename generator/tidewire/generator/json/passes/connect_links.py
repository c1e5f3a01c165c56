"""Every name in what is stated of schema blocks refers to something of the right kind."""

from __future__ import annotations

from collections.abc import Iterator

from ...passes.common import by_producer, named
from ...problems import Problem
from ..connect_blocks import parts_of_blocks, stated_of_blocks
from ..connect_words import NAMES, BlockWords
from .context import JsonContext


def check(context: JsonContext) -> list[Problem]:
    """Reports names in envelopes and schema blocks that do not exist: event classes, producers, members."""
    protocol = context.protocol
    found: list[Problem] = []
    for envelope in protocol.envelopes.values():
        for cls in envelope.blocks:
            found += named(cls, "event class", context.spec.events.classes, "event classes")
    said = protocol.connect
    if said is not None and said.unsent:
        found += by_producer(protocol, tuple(said.unsent), said.at("unsent"))
    if said is not None and said.nulls:
        found += by_producer(protocol, tuple(said.nulls), said.at("nulls"))
    for one in stated_of_blocks(protocol):
        found += _words(context, one)
    for part in parts_of_blocks(protocol):
        for name in part.block.order:
            found += named(name, "member", part.members)
    return found


def _words(context: JsonContext, said: BlockWords) -> Iterator[Problem]:
    protocol = context.protocol
    yield from named(said.when, "option", protocol.options)
    for who in said.producers:
        yield from named(who, "producer", protocol.producers)
    for cls in said.optional_of:
        yield from named(cls, "event class", context.spec.events.classes, "event classes")
    for name in said.braces:
        if name not in NAMES:
            yield from named(name, "option", protocol.options)

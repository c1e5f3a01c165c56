"""The plug-in for values that are tagged fields. It has no encoder and no dissector: messages are read."""

from __future__ import annotations

from tidewire.generator.passes import LINKS, STRUCTURE
from tidewire.generator.plugin import Plugin

from .model import protocol
from .passes import links, structure
from .passes.context import TaggedContext
from .printing import codec, message

PLUGIN = Plugin(
    name="tagged",
    containers=("tagged",),
    roots={"tagged": {"unlisted": False}},
    build=protocol,
    context=TaggedContext,
    passes={LINKS: (links.check,), STRUCTURE: (structure.check,)},
    codec=codec,
    message=message,
)

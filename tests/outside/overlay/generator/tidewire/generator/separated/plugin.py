"""The plug-in for values that are fields of text."""

from __future__ import annotations

from tidewire.generator.passes import LINKS, MEANING, STRUCTURE
from tidewire.generator.plugin import Plugin

from .build import protocol
from .passes import links, marks, structure
from .passes.context import LineContext
from .printing import codec, message

PLUGIN = Plugin(
    name="separated",
    containers=("separated",),
    roots={"separated": {}},
    build=protocol,
    context=LineContext,
    passes={LINKS: (links.check,), STRUCTURE: (structure.check,), MEANING: (marks.check,)},
    codec=codec,
    message=message,
)

"""The plug-in for values that are sections of bytes."""

from __future__ import annotations

from ..plugin import Plugin
from .build import protocol
from .derived import derived
from .page import binary_page
from .passes import PASSES, BinaryContext
from .printing import codec
from .schema import binary_message

PLUGIN = Plugin(
    name="binary",
    containers=("sections", "chunks", "choice", "terms", "tables"),
    roots={
        "sections": {
            "enums": False,
            "batching": False,
            "batching.count": False,
            "batching.bytes": False,
            "batching.estimate": False,
        }
    },
    reads={"case": frozenset(("part", "class"))},
    needs={"case": ("part",)},
    build=protocol,
    derive=derived,
    context=BinaryContext,
    passes=PASSES,
    codec=codec,
    message=binary_message,
    page=binary_page,
)

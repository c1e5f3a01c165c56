"""The plug-in for keys and values that are frames: consecutive objects, each preceded by its length."""

from __future__ import annotations

from ..plugin import Plugin
from .build import protocol
from .page import frames_page
from .passes import PASSES, FramesContext
from .printing import codec
from .schema import frames_message

MEMBER = """
    id name type event const switch by_column column flagged values of when producers beside absent
    empty may_miss random about
"""
"""The words of members that the plug-in reads."""

PLUGIN = Plugin(
    name="frames",
    containers=("frames", "choice", "object"),
    roots={
        "frames": {
            "spelling": True,
            "batching": False,
            "batching.count": True,
            "batching.bytes": True,
            "batching.overhead": False,
            "compression": False,
            "large": False,
        }
    },
    reads={
        "object": frozenset(("about", "unknown", "object", "order", "kinds", "sorted")),
        "member": frozenset(MEMBER.split()),
        "by_column": frozenset(("part",)),
        "case": frozenset(("part", "class", "about")),
    },
    keyed=("frames",),
    build=protocol,
    context=FramesContext,
    passes=PASSES,
    codec=codec,
    message=frames_message,
    page=frames_page,
)

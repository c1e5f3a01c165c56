"""The plug-in for values that are one JSON object, or several, each followed by a terminator."""

from __future__ import annotations

from ..plugin import Plugin
from .build import protocol
from .derived import derived
from .page import json_page
from .passes import PASSES, JsonContext
from .printing import codec
from .schema import json_message

OBJECT = {"spelling": True, "compression": False, "large": False, "described": False, "records": False}
"""The words of a protocol of one object."""
CONNECT = {"spelling": True, "compression": False, "described": True, "connect": True, "schema_types": True}
"""The words of a protocol of one object in an envelope."""

OBJECT_WORDS = "about unknown object order cases rest missing skipped describes block"
"""The words of objects that the plug-in reads."""
MEMBER = """
    id name type event const switch class skip list by_column part of when sent absent empty
    may_miss random about zero instead option beside mapping classed lists
    accepts refused unit reads block
"""
"""The words of members that the plug-in reads."""
TOLD = "id name type list part tells numbers silent reads absent block about"
"""The words of members that describe something."""

PLUGIN = Plugin(
    name="json",
    containers=("object", "lines", "connect", "columns"),
    roots={
        "object": OBJECT,
        "lines": {**OBJECT, "batching": True, "batching.by": True},
        "connect": CONNECT,
    },
    keyed_by_class=("object", "lines", "connect"),
    inside={"object": ("columns",), "lines": ("object", "columns"), "connect": ("object", "columns")},
    reads={
        "object": frozenset(OBJECT_WORDS.split()),
        "member": frozenset(MEMBER.split()),
        "list": frozenset(("column", "flagged", "also", "by_column")),
        "described": frozenset(("about", "unknown", "object", "describes", "block")),
        "told": frozenset(TOLD.split()),
        "told_list": frozenset(("part", "tells", "sorted", "hides")),
        "changes": frozenset(("part",)),
        "by_column": frozenset(("column", "mapping", "full", "values", "sorted", "utc", "known_by")),
    },
    build=protocol,
    derive=derived,
    context=JsonContext,
    passes=PASSES,
    codec=codec,
    message=json_message,
    page=json_page,
)

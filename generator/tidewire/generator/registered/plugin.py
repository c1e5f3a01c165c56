"""The plug-in for keys and values that are Avro records with schemas in a registry."""

from __future__ import annotations

from ..plugin import Plugin
from .build import protocol
from .derived import derived
from .page import registered_page
from .passes import PASSES, RegisteredContext
from .printing import codec
from .schema import registered_message

PLUGIN = Plugin(
    name="registered",
    containers=("registered", "record", "object"),
    roots={"registered": {"spelling": True, "described": True, "schemas": True, "schema_types": True}},
    reads={
        "object": frozenset(("about", "unknown", "object")),
        "member": frozenset(("id", "name", "type", "event", "absent", "about")),
    },
    keyed=("registered",),
    build=protocol,
    derive=derived,
    context=RegisteredContext,
    passes=PASSES,
    codec=codec,
    message=registered_message,
    page=registered_page,
)

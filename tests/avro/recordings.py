"""The recordings of Avro with a schema registry: keys and values, each of which may be null, and the schemas."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import recorded
from recorded import Sent as Message
from recorded import sent as messages

from tidewire import avro
from tidewire.messages.registry import MemorySchemas, SavedSchemas

__all__ = ["STREAMS", "Message", "messages", "options_of", "schemas"]

STREAMS = recorded.streams("avro")


@cache
def schemas(stream: Path) -> MemorySchemas:
    """The schemas that the stream's messages name: a copy in memory."""
    return MemorySchemas(SavedSchemas(str(stream.with_suffix(".registry.json"))).schemas)


def options_of(stream: Path, **more: Any) -> avro.Options:
    """Those that the stream was written with; the time zone is none of them, since messages do not say it."""
    head = recorded.header(stream)
    said = head["options"]
    sums = bool(said.get("enable-row-checksum") or said.get("integrity-check-level"))
    known = {name.replace("-", "_"): value for name, value in said.items()}
    own = {one.python_name: known[one.python_name] for one in avro.OPTIONS if one.python_name in known}
    own |= {"producer": head["producer"], "enable_row_checksum": sums, "schema_registry": "", "time_zone": ""}
    return avro.Options(**{**own, **more})

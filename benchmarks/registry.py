"""The registry of a benchmark's process: it has the schemas of all records that were written there."""

from __future__ import annotations

from functools import cache

from tidewire.messages.registry import MemorySchemas


@cache
def schemas() -> MemorySchemas:
    """The one that all share, so that a schema has the same id everywhere."""
    return MemorySchemas()

"""Chapters shared by protocols: one has the chapter in its file, others refer to that protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..model import Protocol


def with_shared_chapters(protocols: Mapping[str, Protocol]) -> dict[str, Protocol]:
    """The protocols, with references to chapters replaced by the chapters."""
    return {name: _with_chapter(protocol, protocols) for name, protocol in protocols.items()}


def _with_chapter(protocol: Protocol, protocols: Mapping[str, Protocol]) -> Protocol:
    own = protocol.schema_types
    other = None if own is None or own.like is None else protocols.get(own.like)
    if own is None or other is None or other.schema_types is None or other.schema_types.like is not None:
        return protocol
    found = replace(other.schema_types, like=own.like, about=own.about or other.schema_types.about)
    return replace(protocol, schema_types=found)

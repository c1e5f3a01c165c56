"""Claim-check files beside messages, for protocols that have them."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from ..cases import Options
from .base import Protocol

LARGE = "large-message-handle-option"
STORAGE = "claim-check-storage-uri"
RAW = "claim-check-raw-value"
THEIR_STORAGE, OUR_STORAGE = "s3://bkt/claims", "memory://claims"
"""Of one length, as the location is part of a message."""
CLAIMED = "messages identical but for the name of their claim-check file"


class Stored(Protocol):
    """A protocol whose messages may point to files: ours lie in memory, TiCDC's are put there."""

    def ours(self, options: Options) -> Any:
        """See the base."""
        return super().ours({**options, "claim-check": OUR_STORAGE} if STORAGE in options else options)

    def asked(self, options: Options) -> dict[str, Any]:
        """See the base; what was stored before is forgotten."""
        files().store.clear()
        return super().asked(as_stored(options))

    def received(self, answer: Mapping[str, Any]) -> None:
        """See the base."""
        for claim in answer.get("claims") or []:
            files().pipe(f"/claims/{claim['name']}", base64.b64decode(claim["content"]))

    def beside(self, options: Options) -> list[dict[str, str]]:
        """See the base."""
        if STORAGE not in options:
            return []
        memory = files()
        return [
            {"name": path.rpartition("/")[2], "content": base64.b64encode(memory.cat_file(path)).decode()}
            for path in sorted(memory.store)
        ]


def as_stored(options: Options) -> dict[str, Any]:
    """Options with TiCDC's name of the storage."""
    return {**options, STORAGE: THEIR_STORAGE} if STORAGE in options else dict(options)


def files() -> Any:
    """The files."""
    import fsspec

    return fsspec.filesystem("memory")


def claimed(location: str, options: Options) -> tuple[object, bytes]:
    """What is around a message in a claim-check file, and the message."""
    data: bytes = files().cat("/claims/" + location.rpartition("/")[2])
    if options.get(RAW):
        return None, data
    held = json.loads(data)
    return [*held, held["key"], data[:20]], base64.b64decode(held["value"])

"""The recordings with row checksums."""

from __future__ import annotations

import json
from pathlib import Path

from simple.recordings import STREAMS, plain


def messages(stream: Path) -> list[bytes]:
    """The values of a stream."""
    return [value for _, value in plain(stream)]


def summed(values: list[bytes]) -> list[int]:
    """The numbers of those values that have checksums."""
    return [at for at, value in enumerate(values) if "checksum" in json.loads(value)]


def corrupted(values: list[bytes]) -> list[int]:
    """The numbers of those whose producer found another checksum than TiDB's."""
    return [at for at in summed(values) if json.loads(values[at])["checksum"]["corrupted"]]


RECORDINGS = [stream for stream in STREAMS if summed(messages(stream))]

"""Craft: binary, columns with their flags as they are, batches of rows."""

from __future__ import annotations

import random
from typing import Any

from ..cases import (
    BIT,
    DATES,
    DECIMAL,
    DOUBLE,
    ENUM,
    FLOAT,
    HANDLE,
    INTEGERS,
    JSON,
    NEWDATE,
    SET,
    STRINGS,
    VECTOR,
    YEAR,
    Case,
    Options,
    Row,
)
from .base import Cell, Protocol, PublicReader, Reader

FLOAT_DEFECT = "float-overwritten"
VECTOR_LOST = "decoder-loses-vectors"
"""TiCDC's decoder takes every good vector for a bad one and gives null."""
NAN_PAYLOAD = "oracle-nan-payload"
"""The oracle's JSON writes a NaN without its payload; the bytes were compared before."""
KEYS_OF_DELETES = "delete-only-output-handle-key-columns"


class Craft(Protocol):
    """See the module."""

    name = "craft"
    types = (*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, DOUBLE, *DATES, NEWDATE, JSON, DECIMAL, *STRINGS)
    valueless = (0, 6, 255, 17, 200, 244)
    damaged = (FLOAT,)
    differences = (FLOAT_DEFECT, VECTOR_LOST, "empty-text-becomes-null", "value-of-no-type-dropped")
    any_flags = True
    wide = True
    finite = False
    empty_texts = False  # TiCDC writes null for them: refusals.py
    partitions = True
    wrong_refused = True
    readers = (Reader("TiCDC's wire decoder", {"wire": True}), PublicReader("TiCDC's public decoder", {}, whole=True))

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        options: dict[str, Any] = {}
        if r.random() < 0.6:
            options["max-batch-size"] = r.choice((1, 2, 3, 4, 16, 64, 1000))
        if r.random() < 0.3:
            options["max-message-bytes"] = r.choice((1, 32, 100, 300, 600, 1000, 3000, 20000))
        if r.random() < 0.25:
            options[KEYS_OF_DELETES] = True
        return options

    def ours(self, options: Options) -> Any:
        """See the base."""
        return super().ours({**options, "invalid-text": "bytes"})

    def reading(self, options: Options) -> dict[str, Any]:
        """Nothing."""
        return {}

    def wants_key(self, options: Options) -> bool:
        """TiCDC panics on a delete without columns."""
        return bool(options.get(KEYS_OF_DELETES))

    def has(self, row: Row, side: str, position: int, options: Options, message: bytes) -> bool:
        """See the base."""
        keys_only = row.kind == "delete" and options.get(KEYS_OF_DELETES)
        return not keys_only or bool(row.table.columns[position].flags & HANDLE)

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """Where there are FLOATs, TiCDC's message has the same length."""
        return f"messages {FLOAT_DEFECT}" if FLOAT in case.types() and len(theirs) == len(ours) else None

    def excuse(self, stage: str, wanted: Cell, got: Cell) -> str | None:
        """See the base."""
        if stage == "theirs" and wanted.type == FLOAT and wanted.value[1][:4] == got.value[1][:4]:
            # What was written after it took its last four bytes; the first four are its own.
            return f"cells {FLOAT_DEFECT}"
        if stage in ("theirs", "ours"):
            return None
        if wanted.type == VECTOR and got.value is None:
            return f"cells {VECTOR_LOST}"
        return f"cells {NAN_PAYLOAD}" if _nan(wanted.value) and _nan(got.value) else None


def _nan(value: Any) -> bool:
    return isinstance(value, tuple) and value[1][6:] in (b"\xf8\x7f", b"\xf8\xff")

"""Simple as records of Avro: what it says in JSON, but for what a record has no place for."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from simple.record_twin import in_order, places

from tidewire.tables import TableDescription

from ..cases import DECIMAL, Case, Column, Happening, Options, Table, Value
from ..fitting import DATETIME, TIME, TIMESTAMP
from .base import Cells, Text
from .simple import Simple
from .stored import CLAIMED, STORAGE, claimed

ENCODING = {"encoding-format": "avro"}
ORDER = "messages identical but for the order of columns"
"""TiCDC leaves it to chance."""


class SimpleRecords(Simple):
    """See the module."""

    name = "simple-records"
    protocol = "simple"
    differences: ClassVar[tuple[str, ...]] = ()
    commit_bits = version_bits = 63  # a long

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        return {**super().options(r), **ENCODING}

    def ours(self, options: Options) -> Any:
        """See the base; a text that is no UTF-8 stays what it is."""
        return super().ours({**ENCODING, **options, "invalid-text": "bytes"})

    def asked(self, options: Options) -> dict[str, Any]:
        """See the base."""
        return super().asked({**ENCODING, **options})

    def reading(self, options: Options) -> dict[str, Any]:
        """See the base."""
        return {**super().reading(options), **ENCODING}

    # ---- what a reader finds

    def said_of(self, table: Table) -> TableDescription:
        """Nobody says how many digits the fractions of times have."""
        found = self.description(table)
        columns = [
            replace(one, scale=one.scale if column.type == DECIMAL else None)
            for one, column in zip(found.columns, table.columns, strict=True)
        ]
        return found.replaced(columns=columns)

    def described_of(self, table: Table, column: Column, options: Options) -> tuple[int, int, Text]:
        """See `said_of`."""
        kind, flags, declared = super().described_of(table, column, options)
        assert column.declared is not None
        return kind, flags, column.declared.short if kind in (TIMESTAMP, TIME, DATETIME) else declared

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """See the base: nothing is lost."""
        return value

    def in_order(self, image: Cells) -> Cells:
        """As the description has them: what is read has its order."""
        return image

    # ---- messages

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """But for the order of columns, and for names of files, which are random: then what is in them is the same."""
        one, other = in_order(theirs), in_order(ours)
        if one == other:
            return ORDER
        locations = self.location(theirs), self.location(ours)
        if not locations[0] or not locations[1]:
            return None
        one, other = (
            message.replace(where.encode(), b"")
            for message, where in zip((one, other), locations, strict=True)
            if where
        )
        files: list[tuple[Any, bytes]] = [claimed(where, case.options) for where in locations if where]
        held = [(around and around[1:2], in_order(content)) for around, content in files]
        return CLAIMED if one == other and held[0] == held[1] else None

    def location(self, message: bytes) -> str | None:
        """See the base."""
        return _said(message)[0]

    def cut(self, message: bytes) -> bool:
        """See the base."""
        location, partial = _said(message)
        return partial and location is None

    def rewriting(self, case: Case) -> Options | None:
        """See the base: nothing is lost."""
        return None if STORAGE in case.options else case.options

    def readable(self, value: bytes) -> bytes:
        """See the base."""
        return value

    def declined(self, event: Happening) -> str | None:
        """See the base."""
        return None


@lru_cache(1024)
def _said(message: bytes) -> tuple[str | None, bool]:
    """Where the rest of a row lies, and whether the message has its handle key only."""
    found = {one.name: message[one.start : one.end] for one in places(message)}
    partial = found.get("handleKeyOnly") == b"\x01"
    where = next((one for one in places(message) if (one.kind, one.name) == ("string", "claimCheckLocation")), None)
    if where is None:
        return None, partial
    text = message[where.start : where.end]
    size = 1 if text[0] < 0x80 else 2  # of its length
    return text[size:].decode(), partial

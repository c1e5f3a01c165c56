"""Open Protocol read by hand to the end: msgspec's structs, and of them Arrow columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from benchmarks.cases import Change
from benchmarks.peers.base import Message, Truth
from benchmarks.peers.canal_json import arrow_type, columns_truth
from benchmarks.peers.open_json import MsgspecTyped


class OpenColumns(MsgspecTyped):
    """msgspec's structs, and of them Arrow columns: what a Spark function by hand has to give back. Updates only."""

    name = "JSON, msgspec typed, columns"
    result = "to Arrow columns"
    decodes = MsgspecTyped.decodes + "; then a pyarrow.array for each column and image, and for the events' own fields"
    encodes = ""

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.types = {
            table: [(column.name, arrow_type(column)) for column in columns] for table, columns in self.tables.items()
        }

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        rows: Sequence[Any] = super().decode(messages)
        groups: dict[tuple[str, str], list[Any]] = {}
        for number, (key, value) in enumerate(rows):
            groups.setdefault((key.scm, key.tbl), []).append((number, key, value))
        found: list[object] = []
        for table, numbered in groups.items():
            images = [
                [pa.array([getattr(image, name).v for image in side], type_) for name, type_ in self.types[table]]
                for side in ([value.u for *_, value in numbered], [value.p for *_, value in numbered])
            ]
            times = pa.array([key.ts for _, key, _ in numbered], pa.uint64())
            kinds = pa.array([key.t for _, key, _ in numbered], pa.int64())
            found.append((table, [number for number, *_ in numbered], times, kinds, *images))
        return found

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return columns_truth(self.tables, decoded)

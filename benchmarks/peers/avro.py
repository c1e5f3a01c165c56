"""Avro with fastavro: change records in an array per message, no registry header, the schema known."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import fastavro

from benchmarks.cases import FLOAT, FLOAT_TYPES, HANDLE_KEY, SIGNED_TYPES, Change, ColumnDef
from benchmarks.peers.base import Message, Peer, Truth


def column_type(column: ColumnDef) -> object:
    """The type of a column's values; null too, but for a key."""
    if column.type in SIGNED_TYPES:
        base = "long"  # the unsigned values measured here fit 63 bits
    elif column.type in FLOAT_TYPES:
        base = "float" if column.type == FLOAT else "double"
    else:
        base = "string"
    return base if column.flags & HANDLE_KEY else ["null", base]


class Avro(Peer):
    """fastavro's compiled schemaless reader and writer. One table only: an Avro schema is a table's schema."""

    name = "Avro, fastavro"
    decodes = "schemaless_reader of every message into dicts (column names and types known, not on the wire)"
    encodes = "schemaless_writer of every message from the row dicts"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        if len(self.tables) != 1:
            raise ValueError(
                f"an Avro message has the schema of one table; these rows are of {len(self.tables)}: pass one table's"
            )
        ((_, columns),) = self.tables.items()
        row = {
            "type": "record",
            "name": "Row",
            "fields": [{"name": column.name, "type": column_type(column)} for column in columns],
        }
        fields = [("commit_ts", "long"), ("schema", "string"), ("table", "string"), ("new", row), ("old", "Row")]
        change = {
            "type": "record",
            "name": "Change",
            "fields": [{"name": name, "type": type_} for name, type_ in fields],
        }
        self.schema: Any = fastavro.parse_schema({"type": "array", "items": change})

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        messages = []
        for rows in batches:
            out = BytesIO()
            records = [
                {"commit_ts": row.commit_ts, "schema": row.schema, "table": row.table, "new": row.new, "old": row.old}
                for row in rows
            ]
            fastavro.schemaless_writer(out, self.schema, records)
            messages.append(Message(None, out.getvalue()))
        return messages

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        decoded: list[object] = []
        for _, value in messages:
            # None: no separate reader schema
            decoded.extend(fastavro.schemaless_reader(BytesIO(value), self.schema, None))  # type: ignore[arg-type]
        return decoded

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return [(row["commit_ts"], row["schema"], row["table"], row["new"], row["old"]) for row in decoded]

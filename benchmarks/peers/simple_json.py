"""Simple's JSON read and written by hand: msgspec, with structs made for every table.

As with Canal-JSON, whoever reads it by hand has every value as text, and has to know what it is; here not even a
message of the row says it. Decimals and times stay text, as in our columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from benchmarks.cases import Change
from benchmarks.peers import canal_text
from benchmarks.peers.base import Message, Peer, Truth, as_go_escapes
from benchmarks.peers.canal_json import Head, _python_type, _widened, arrow_type, columns_truth

VERSION = 470607709161390000
"""Of all tables that are measured."""
TABLE_ID = 100
_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class RowMessage(msgspec.Struct, gc=False, omit_defaults=True):
    """A message to write: all rows are dicts."""

    version: int
    database: str
    table: str
    tableID: int
    type: str
    commitTs: int
    buildTs: int
    schemaVersion: int
    data: dict[str, str | None] | None = None
    old: dict[str, str | None] | None = None


class SimpleStructs(Peer):
    """msgspec, with structs made for every table: names and types known beforehand, numbers read out of their text."""

    name = "by hand, msgspec"
    result = "to structs"
    decodes = "msgspec decode (lax: numbers out of text) of every message into structs made for this table"
    encodes = "a struct for each message, its rows dicts with values as text (str of each), msgspec encode"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.head = msgspec.json.Decoder(Head).decode
        self.encoder = msgspec.json.Encoder()
        self.decoders: dict[tuple[str, str], Callable[[bytes], Any]] = {}
        for (schema, table), columns in self.tables.items():
            fields = [(column.name, _python_type(column)) for column in columns]
            row: Any = msgspec.defstruct(f"Row_{table}", fields, gc=False)
            members: list[Any] = [
                *(("database", str), ("table", str), ("type", str), ("commitTs", int), ("schemaVersion", int)),
                *(("data", row | None), ("old", row | None, None)),
            ]
            message = msgspec.defstruct(f"Message_{table}", members, gc=False)
            self.decoders[schema, table] = msgspec.json.Decoder(message, strict=False).decode
        self.only = next(iter(self.decoders.values())) if len(self.decoders) == 1 else None

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        encode = self.encoder.encode
        messages = []
        for rows in batches:
            for row in rows:
                old, new = [
                    {name: None if value is None else str(value) for name, value in image.items()}
                    for image in (row.old, row.new)
                ]
                kind = "UPDATE" if old else "INSERT"
                message = RowMessage(
                    *(1, row.schema, row.table, TABLE_ID, kind, row.commit_ts, canal_text.SENT_MS, VERSION),
                    data=new,
                    old=old or None,
                )
                messages.append(Message(None, encode(message)))
        return messages

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return [Message(None, exact(row).encode()) for rows in batches for row in rows]

    def structs(self, messages: Sequence[Message]) -> list[Any]:
        """The messages as structs."""
        if self.only is not None:
            only = self.only
            return [only(value) for _, value in messages]
        head, decoders = self.head, self.decoders
        found = []
        for _, value in messages:
            of = head(value)
            found.append(decoders[of.database, of.table](value))
        return found

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        return self.structs(messages)

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return [
            (
                m.commitTs,
                m.database,
                m.table,
                *(
                    _widened(self.tables[m.database, m.table], None if row is None else msgspec.structs.asdict(row))
                    for row in (m.data, m.old)
                ),
            )
            for m in decoded
        ]


class SimpleColumns(SimpleStructs):
    """msgspec's structs, and of them Arrow columns: what a Spark function by hand has to give back."""

    result = "to Arrow columns"
    decodes = SimpleStructs.decodes + "; then a pyarrow.array for each column and image, and for the events' own fields"
    encodes = ""

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.types = {
            table: [(column.name, arrow_type(column)) for column in columns] for table, columns in self.tables.items()
        }

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        groups: dict[tuple[str, str], list[Any]] = {}
        for number, message in enumerate(self.structs(messages)):
            groups.setdefault((message.database, message.table), []).append((number, message))
        found: list[object] = []
        for table, numbered in groups.items():
            images = []
            for structs in ([m.data for _, m in numbered], [m.old for _, m in numbered if m.old is not None]):
                images.append(
                    [pa.array([getattr(s, name) for s in structs], type_) for name, type_ in self.types[table]]
                    if structs
                    else None
                )
            times = pa.array([m.commitTs for _, m in numbered], pa.uint64())
            kinds = pa.array([m.type for _, m in numbered], pa.string())
            found.append((table, [number for number, _ in numbered], times, kinds, *images))
        return found

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return columns_truth(self.tables, decoded)


def exact(row: Change) -> str:
    """The message that TiCDC writes for a row; columns are in the order of their names."""
    message: dict[str, Any] = {
        "version": 1,
        "database": row.schema,
        "table": row.table,
        "tableID": TABLE_ID,
        "type": row.kind.upper(),
        "commitTs": row.commit_ts,
        "buildTs": canal_text.SENT_MS,
        "schemaVersion": VERSION,
        "data": _image(row, row.new),
    }
    if row.kind == "update":
        message["old"] = _image(row, row.old)
    return as_go_escapes(_compact(message))


def _image(row: Change, values: Any) -> dict[str, str | None]:
    columns = sorted(row.columns, key=lambda column: column.name.encode())
    return {column.name: canal_text.text(column, values[column.name]) for column in columns}

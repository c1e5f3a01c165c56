"""Simple's records read and written with fastavro, by the schema that TiCDC has in a file.

Every message is a union of all records there, and a row's begins with the same three bytes: so whoever reads rows alone
reads the record behind them.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any

import fastavro
import pyarrow as pa

from benchmarks.cases import FLOAT, FLOAT_TYPES, SIGNED_TYPES, UNSIGNED, Change, ColumnDef
from benchmarks.peers import canal_text
from benchmarks.peers.base import Message, Peer, Truth
from benchmarks.peers.canal_json import arrow_type, columns_truth
from benchmarks.peers.simple_json import TABLE_ID, VERSION

HEAD = b"\x16\x06\x06"
"""The numbers of the record Message, of the type DML and of the record DML."""
_BIG = 8


def _record(name: str, **fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": key, "type": kind} for key, kind in fields.items()]}


_VALUES = {
    "type": "map",
    "values": [
        *("null", "long", "float", "double", "string", "bytes"),
        _record("Timestamp", location="string", value="string"),
        _record("UnsignedBigint", value="long"),
    ],
}
_AGAIN = {"type": "map", "values": [*_VALUES["values"][:6], "Timestamp", "UnsignedBigint"]}
SCHEMA: Any = fastavro.parse_schema(
    _record(
        "DML",
        version="int",
        database="string",
        table="string",
        tableID="long",
        type={"type": "enum", "name": "DMLType", "symbols": ["INSERT", "UPDATE", "DELETE"]},
        commitTs="long",
        buildTs="long",
        schemaVersion="long",
        claimCheckLocation=["null", "string"],
        handleKeyOnly=["null", "boolean"],
        checksum=["null", _record("Checksum", version="int", corrupted="boolean", current="long", previous="long")],
        data=["null", _VALUES],
        old=["null", _AGAIN],
    )
)
"""A row's record."""


class RecordColumns(Peer):
    """fastavro's schemaless reader, and of its dicts Arrow columns: what a Spark function by hand has to give back."""

    name = "by hand, fastavro"
    result = "to Arrow columns"
    decodes = (
        "schemaless_reader of every message into dicts (the schema of rows known); then a pyarrow.array for each "
        "column and image, and for the events' own fields"
    )
    encodes = "schemaless_writer of every message from the row dicts, numbers in the branches that TiCDC has them in"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.types = {
            table: [(column, arrow_type(column)) for column in columns] for table, columns in self.tables.items()
        }

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        messages = []
        for rows in batches:
            for row in rows:
                record = {
                    "version": 1,
                    "database": row.schema,
                    "table": row.table,
                    "tableID": TABLE_ID,
                    "type": row.kind.upper(),
                    "commitTs": row.commit_ts,
                    "buildTs": canal_text.SENT_MS,
                    "schemaVersion": VERSION,
                    "claimCheckLocation": None,
                    "handleKeyOnly": None,
                    "checksum": None,
                    "data": _image(row, row.new),
                    "old": _image(row, row.old) if row.old else None,
                }
                out = BytesIO(HEAD)
                out.seek(len(HEAD))
                fastavro.schemaless_writer(out, SCHEMA, record)
                messages.append(Message(None, out.getvalue()))
        return messages

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        groups: dict[tuple[str, str], list[Any]] = {}
        for number, (_, value) in enumerate(messages):
            stream = BytesIO(value)
            if stream.read(len(HEAD)) != HEAD:
                raise ValueError("the message has no row")
            record: Any = fastavro.schemaless_reader(stream, SCHEMA, None)
            groups.setdefault((record["database"], record["table"]), []).append((number, record))
        found: list[object] = []
        for table, numbered in groups.items():
            images = []
            for maps in ([r["data"] for _, r in numbered], [r["old"] for _, r in numbered if r["old"] is not None]):
                images.append(
                    [pa.array(_values(maps, column), type_) for column, type_ in self.types[table]] if maps else None
                )
            times = pa.array([r["commitTs"] for _, r in numbered], pa.uint64())
            kinds = pa.array([r["type"] for _, r in numbered], pa.string())
            found.append((table, [number for number, _ in numbered], times, kinds, *images))
        return found

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return columns_truth(self.tables, decoded)


def _values(maps: Sequence[dict[str, Any]], column: ColumnDef) -> list[Any]:
    """The values of a column; those of records are in them, an unsigned number as its bits."""
    name = column.name
    if column.type == _BIG and column.flags & UNSIGNED:
        return [None if (one := image[name]) is None else one["value"] % 2**64 for image in maps]
    return [image[name] for image in maps]


def _image(row: Change, values: Any) -> dict[str, Any]:
    return {column.name: _written(column, values[column.name]) for column in row.columns}


def _written(column: ColumnDef, value: Any) -> Any:
    """A value with the branch of the union that it is."""
    if value is None:
        return None
    if column.type in FLOAT_TYPES:
        return ("float" if column.type == FLOAT else "double", value)
    if column.type in SIGNED_TYPES:
        bits = value - 2**64 if value >= 2**63 else value
        return ("UnsignedBigint", {"value": bits}) if column.type == _BIG and column.flags & UNSIGNED else bits
    return value

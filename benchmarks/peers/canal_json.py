"""Canal-JSON read and written by hand, with the libraries that a consumer of it would take.

Whoever reads it by hand has every value as text and has to know what it is: all readers here end in integers, floats
and text (decimals and times stay text, as in our columns), two of them in Arrow columns. Readers that are made for a
table are picked by the message's database and table; where a topic has one table only, they do not look.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

from benchmarks.cases import FLOAT, FLOAT_TYPES, SIGNED_TYPES, UNSIGNED, Change, ColumnDef, Value, as_float32
from benchmarks.peers import canal_text
from benchmarks.peers.base import Message, Peer, Truth

_compact = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_CONVERTERS: dict[str, Callable[[str], Value]] = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year"), int),
    **dict.fromkeys(("float", "double"), float),
}
"""What makes a value of a text, by the first word of mysqlType; other types stay text."""


def arrow_type(column: ColumnDef) -> pa.DataType:
    """The type of a column of the measured tables."""
    if column.type in SIGNED_TYPES:
        return pa.uint64() if column.flags & UNSIGNED else pa.int64()
    return pa.float64() if column.type in FLOAT_TYPES else pa.string()


def _widened(columns: Sequence[ColumnDef], image: dict[str, Any] | None) -> dict[str, Value]:
    """FLOAT travels as the shortest text of its 32 bits: what was read of it is not yet what it was."""
    floats = {column.name for column in columns if column.type == FLOAT}
    found = image or {}
    return {name: as_float32(value) if name in floats and value is not None else value for name, value in found.items()}


# ----------------------------------------------------------------------------------------- dicts, for any table


class Dicts(Peer):
    """A JSON library that gives dicts; values become what mysqlType tells, which is looked at once for a table."""

    loads: Callable[[bytes], Any]
    dumps: Callable[[Any], bytes]
    decodes = (
        "loads of every message, then a dict of typed values for each image (converters by mysqlType, kept per table)"
    )
    encodes = "a dict for each message with its values as text (str of each; names and types prepared), dumps"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.shapes = {
            table: (canal_text.keys(columns), canal_text.sql_types(columns), canal_text.mysql_types(columns))
            for table, columns in self.tables.items()
        }

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        dumps = type(self).dumps
        messages = []
        for rows in batches:
            for row in rows:
                keys, sql_types, mysql_types = self.shapes[row.schema, row.table]
                images = [
                    [{name: None if value is None else str(value) for name, value in image.items()}] if image else None
                    for image in (row.old, row.new)
                ]
                message = {
                    "id": 0,
                    "database": row.schema,
                    "table": row.table,
                    "pkNames": keys,
                    "isDdl": False,
                    "type": "UPDATE" if images[0] else "INSERT",
                    "es": row.commit_ts >> 18,
                    "ts": canal_text.SENT_MS,
                    "sql": "",
                    "sqlType": sql_types,
                    "mysqlType": mysql_types,
                    "old": images[0],
                    "data": images[1],
                    "_tidb": {"commitTs": row.commit_ts},
                }
                messages.append(Message(None, dumps(message)))
        return messages

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return canal_text.exact(batches)

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        loads = type(self).loads
        known: dict[tuple[str, str], list[tuple[str, Callable[[str], Value] | None]]] = {}
        decoded: list[object] = []
        for _, value in messages:
            message = loads(value)
            table = message["database"], message["table"]
            converters = known.get(table)
            if converters is None:
                types = message["mysqlType"].items()
                converters = known[table] = [(name, _CONVERTERS.get(text.split()[0])) for name, text in types]
            images: list[dict[str, Value] | None] = []
            for side in ("data", "old"):
                rows = message[side]
                if rows is None:
                    images.append(None)
                    continue
                row = rows[0]
                images.append(
                    {
                        name: row[name] if convert is None or row[name] is None else convert(row[name])
                        for name, convert in converters
                    }
                )
            decoded.append((message["_tidb"]["commitTs"], *table, *images))
        return decoded

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return [
            (ts, schema, table, *(_widened(self.tables[schema, table], image) for image in images))
            for ts, schema, table, *images in decoded
        ]


class OrjsonDicts(Dicts):
    """orjson, the fastest of those that give dicts."""

    name = "by hand, orjson"
    loads = staticmethod(orjson.loads)
    dumps = staticmethod(orjson.dumps)


class StdlibDicts(Dicts):
    """The ``json`` module."""

    name = "by hand, stdlib json"
    loads = staticmethod(json.loads)
    dumps = staticmethod(lambda message: _compact(message).encode())


# ---------------------------------------------------------------------------------- msgspec, structs for each table


class Head(msgspec.Struct, gc=False):
    """What tells the table of a message."""

    database: str
    table: str


class Extension(msgspec.Struct, gc=False):
    """``_tidb``."""

    commitTs: int


class Message_(msgspec.Struct, gc=False):
    """A message to write: all rows are dicts."""

    id: int
    database: str
    table: str
    pkNames: list[str]
    isDdl: bool
    type: str
    es: int
    ts: int
    sql: str
    sqlType: dict[str, int]
    mysqlType: dict[str, str]
    old: list[dict[str, str | None]] | None
    data: list[dict[str, str | None]]
    tidb: Extension = msgspec.field(name="_tidb")


def _python_type(column: ColumnDef) -> Any:
    base: Any = int if column.type in SIGNED_TYPES else float if column.type in FLOAT_TYPES else str
    return base | None


class MsgspecStructs(Peer):
    """msgspec, with structs made for every table: names and types known beforehand, numbers read out of their text."""

    name = "by hand, msgspec"
    result = "to structs"
    decodes = (
        "msgspec decode (lax: numbers out of text) of every message into structs made for this table; sqlType skipped"
    )
    encodes = "a struct for each message, its rows dicts with values as text (str of each), msgspec encode"

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.head = msgspec.json.Decoder(Head).decode
        self.encoder = msgspec.json.Encoder()
        self.decoders: dict[tuple[str, str], Callable[[bytes], Any]] = {}
        self.shapes = {
            table: (canal_text.keys(columns), canal_text.sql_types(columns), canal_text.mysql_types(columns))
            for table, columns in self.tables.items()
        }
        for (schema, table), columns in self.tables.items():
            fields = [(column.name, _python_type(column)) for column in columns]
            row: Any = msgspec.defstruct(f"Row_{table}", fields, gc=False)
            members = [
                *(("database", str), ("table", str), ("type", str), ("es", int)),
                *(("old", list[row] | None), ("data", list[row]), ("tidb", Extension)),
            ]
            message = msgspec.defstruct(f"Message_{table}", members, gc=False, rename={"tidb": "_tidb"})
            self.decoders[schema, table] = msgspec.json.Decoder(message, strict=False).decode
        self.only = next(iter(self.decoders.values())) if len(self.decoders) == 1 else None

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        encode = self.encoder.encode
        messages = []
        for rows in batches:
            for row in rows:
                keys, sql_types, mysql_types = self.shapes[row.schema, row.table]
                old, new = [
                    {name: None if value is None else str(value) for name, value in image.items()}
                    for image in (row.old, row.new)
                ]
                message = Message_(
                    0,
                    row.schema,
                    row.table,
                    keys,
                    False,
                    "UPDATE" if old else "INSERT",
                    row.commit_ts >> 18,
                    canal_text.SENT_MS,
                    "",
                    sql_types,
                    mysql_types,
                    [old] if old else None,
                    [new],
                    Extension(row.commit_ts),
                )
                messages.append(Message(None, encode(message)))
        return messages

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return canal_text.exact(batches)

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
                m.tidb.commitTs,
                m.database,
                m.table,
                *(
                    _widened(self.tables[m.database, m.table], msgspec.structs.asdict(rows[0]) if rows else None)
                    for rows in (m.data, m.old)
                ),
            )
            for m in decoded
        ]


class MsgspecColumns(MsgspecStructs):
    """msgspec's structs, and of them Arrow columns: what a Spark function by hand has to give back."""

    name = "by hand, msgspec"
    result = "to Arrow columns"
    decodes = (
        MsgspecStructs.decodes + "; then a pyarrow.array for each column and image, and for the events' own fields"
    )
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
            for rows in ([m.data for _, m in numbered], [m.old for _, m in numbered if m.old]):
                structs = [row[0] for row in rows]
                images.append(
                    [pa.array([getattr(s, name) for s in structs], type_) for name, type_ in self.types[table]]
                    if structs
                    else None
                )
            times = pa.array([m.tidb.commitTs for _, m in numbered], pa.uint64())
            kinds = pa.array([m.type for _, m in numbered], pa.string())
            found.append((table, [number for number, _ in numbered], times, kinds, *images))
        return found

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return columns_truth(self.tables, decoded)


def columns_truth(tables: Any, decoded: Sequence[Any]) -> list[Truth]:
    """Rows of columns: (table, numbers of the messages, commit ts, kinds, columns of the new rows, of the old)."""
    rows: dict[int, Truth] = {}
    for table, numbers, times, _, *images in decoded:
        columns = tables[table]
        names = [column.name for column in columns]
        sides: list[list[dict[str, Value]]] = [
            [{}] * len(numbers)
            if image is None
            else [
                _widened(columns, dict(zip(names, row, strict=True)))
                for row in zip(*(column.to_pylist() for column in image), strict=True)
            ]
            for image in images
        ]
        for number, ts, new, old in zip(numbers, times.to_pylist(), *sides, strict=True):
            rows[number] = (ts, *table, new, old)
    return [rows[number] for number in range(len(rows))]


# -------------------------------------------------------------------------------------------------- pyarrow.json


class ArrowJson(Peer):
    """pyarrow's reader of JSON lines, one thread. One table only: its schema is that of a table."""

    name = "by hand, pyarrow.json"
    result = "to Arrow columns"
    decodes = (
        "messages joined by line feeds, pyarrow.json.read_json with the table's schema given, images cast out of text"
    )
    encodes = ""

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        if len(self.tables) != 1:
            raise ValueError(f"the schema given is that of one table; these rows are of {len(self.tables)}")
        ((self.table, self.columns),) = self.tables.items()
        image = pa.list_(pa.struct([pa.field(column.name, pa.string()) for column in self.columns]))
        fields: list[pa.Field[Any]] = [
            *(pa.field(name, pa.string()) for name in ("database", "table", "type")),
            *(pa.field("data", image), pa.field("old", image)),
            pa.field("_tidb", pa.struct([pa.field("commitTs", pa.uint64())])),
        ]
        self.options = pj.ParseOptions(explicit_schema=pa.schema(fields), unexpected_field_behavior="ignore")

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        raise NotImplementedError("pyarrow writes no JSON")

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return canal_text.exact(batches)

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        lines = b"\n".join([value for _, value in messages])
        reading = pj.ReadOptions(use_threads=False, block_size=len(lines) + 1)
        read = pj.read_json(pa.BufferReader(lines), reading, self.options).combine_chunks()
        images: list[list[Any] | None] = []
        for side in ("data", "old"):
            rows = read.column(side).combine_chunks()
            if rows.null_count == len(rows):
                images.append(None)
                continue
            structs: Any = rows.flatten()
            images.append([self._cast(column, structs.field(k)) for k, column in enumerate(self.columns)])
        times = pc.struct_field(read.column("_tidb"), "commitTs")
        return [(self.table, range(len(messages)), times, read.column("type"), *images)]

    def _cast(self, column: ColumnDef, texts: Any) -> Any:
        if column.type == FLOAT:
            return texts.cast(pa.float32()).cast(pa.float64())
        return texts.cast(arrow_type(column))

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        return columns_truth(self.tables, decoded)

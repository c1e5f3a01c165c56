"""Debezium read and written by hand: msgspec, with structs made for every table.

Numbers are numbers here, but what they stand for has to be known: days, milliseconds, decimals. Schema blocks are
passed: whoever makes structs by hand knows the columns. In our columns decimals and times are text; by hand they are
what costs least, doubles and Arrow's own dates and times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import pyarrow as pa

from benchmarks.cases import (
    DATE,
    DATETIME,
    DECIMAL,
    FLOAT,
    FLOAT_TYPES,
    SIGNED_TYPES,
    Change,
    ColumnDef,
    Value,
    as_float32,
)
from benchmarks.peers import debezium_text
from benchmarks.peers.base import Message, Peer, Truth
from benchmarks.peers.canal_json import arrow_type


class Source(msgspec.Struct, gc=False):
    """What a reader wants of `source`."""

    db: str
    table: str
    commit_ts: int


class HeadPayload(msgspec.Struct, gc=False):
    """What tells the table of a message."""

    source: Source


class Head(msgspec.Struct, gc=False):
    """The same in its envelope."""

    payload: HeadPayload


class WrittenSource(msgspec.Struct, gc=False):
    """`source` to write."""

    version: str
    connector: str
    name: str
    ts_ms: int
    snapshot: str
    db: str
    table: str
    server_id: int
    gtid: None
    file: str
    pos: int
    row: int
    thread: int
    query: None
    commit_ts: int
    cluster_id: str


class WrittenPayload(msgspec.Struct, gc=False):
    """A payload to write: rows are dicts."""

    source: WrittenSource
    ts_ms: int
    transaction: None
    op: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class DebeziumStructs(Peer):
    """msgspec, with structs made for every table."""

    name = "by hand, msgspec"
    result = "to structs"
    decodes = "msgspec decode of every value into structs made for this table; schema blocks and keys are passed"
    encodes = (
        "a struct for each message, its rows dicts of numbers made of decimals and times, msgspec encode of key and "
        "value; schema blocks are ready made"
    )
    blocks = True
    """Whether messages have schema blocks."""
    digits: int | None = None
    """How many a DATETIME has behind its seconds in the rows; None: as many as it takes."""

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.head = msgspec.json.Decoder(Head).decode
        self.encoder = msgspec.json.Encoder()
        self.decoders: dict[tuple[str, str], Callable[[bytes], Any]] = {}
        self.tails: dict[tuple[str, str], tuple[bytes, bytes]] = {}
        self.converters: dict[tuple[str, str], list[tuple[str, Callable[[Any], Any]]]] = {}
        self.keys: dict[tuple[str, str], list[str]] = {}
        for (schema, table), columns in self.tables.items():
            row: Any = msgspec.defstruct(f"Row_{table}", [(c.name, _python_type(c)) for c in columns], gc=False)
            members: list[Any] = [("source", Source), ("op", str), ("before", row | None, None), ("after", row | None)]
            inner: Any = msgspec.defstruct(f"Payload_{table}", members, gc=False, kw_only=True)
            message = msgspec.defstruct(f"Message_{table}", [("payload", inner)], gc=False)
            self.decoders[schema, table] = msgspec.json.Decoder(message).decode
            blocks = (debezium_text.key_block, debezium_text.value_block) if self.blocks else ()
            key_tail, tail = [f',"schema":{of(schema, table, columns)}}}'.encode() for of in blocks] or (b"}", b"}")
            self.tails[schema, table] = key_tail, tail
            self.converters[schema, table] = [(c.name, _WRITTEN[c.type]) for c in columns if c.type in _WRITTEN]
            self.keys[schema, table] = [column.name for column in debezium_text.key_columns(columns)]
        self.only = next(iter(self.decoders.values())) if len(self.decoders) == 1 else None

    def encode(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        encode = self.encoder.encode
        messages = []
        for rows in batches:
            for row in rows:
                table = row.schema, row.table
                converters = self.converters[table]
                images = []
                for image in (row.old, row.new):
                    made: dict[str, Any] = dict(image)
                    for name, convert in converters if image else ():
                        if made[name] is not None:
                            made[name] = convert(made[name])
                    images.append(made)
                before, after = images
                source = WrittenSource(
                    "2.4.0.Final",
                    "TiCDC",
                    "default",
                    row.commit_ts >> 18,
                    "false",
                    row.schema,
                    row.table,
                    0,
                    None,
                    "",
                    0,
                    0,
                    0,
                    None,
                    row.commit_ts,
                    "default",
                )
                op = "u" if before else "c"
                value = WrittenPayload(source, debezium_text.SENT_MS, None, op, before or None, after)
                key_tail, tail = self.tails[table]
                key = encode({name: after[name] for name in self.keys[table]})
                messages.append(
                    Message(b'{"payload":%b%b' % (key, key_tail), b'{"payload":%b%b' % (encode(value), tail))
                )
        return messages

    def sample(self, batches: Sequence[Sequence[Change]]) -> list[Message]:
        """See :class:`Peer`."""
        return debezium_text.exact(batches, self.blocks)

    def structs(self, messages: Sequence[Message]) -> list[Any]:
        """The payloads as structs."""
        if self.only is not None:
            only = self.only
            return [only(value).payload for _, value in messages]
        head, decoders = self.head, self.decoders
        found = []
        for _, value in messages:
            source = head(value).payload.source
            found.append(decoders[source.db, source.table](value).payload)
        return found

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        return self.structs(messages)

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        found: list[Truth] = []
        for one in decoded:
            table = one.source.db, one.source.table
            images = [{} if row is None else msgspec.structs.asdict(row) for row in (one.after, one.before)]
            found.append(
                (one.source.commit_ts, *table, *(_shown(self.tables[table], image, self.digits) for image in images))
            )
        return found


class DebeziumColumns(DebeziumStructs):
    """msgspec's structs, and of them Arrow columns: what a Spark function by hand has to give back."""

    result = "to Arrow columns"
    decodes = DebeziumStructs.decodes + "; then a pyarrow.array for each column and image, and for the events' fields"
    encodes = ""

    def __init__(self, rows: Sequence[Change]) -> None:
        super().__init__(rows)
        self.types = {
            table: [(column.name, _ARROW.get(column.type) or arrow_type(column)) for column in columns]
            for table, columns in self.tables.items()
        }

    def decode(self, messages: Sequence[Message]) -> Sequence[object]:
        """See :class:`Peer`."""
        groups: dict[tuple[str, str], list[Any]] = {}
        for number, one in enumerate(self.structs(messages)):
            groups.setdefault((one.source.db, one.source.table), []).append((number, one))
        found: list[object] = []
        for table, numbered in groups.items():
            images = []
            for structs in (
                [one.after for _, one in numbered if one.after is not None],
                [one.before for _, one in numbered if one.before is not None],
            ):
                images.append(
                    [pa.array([getattr(s, name) for s in structs], type_) for name, type_ in self.types[table]]
                    if structs
                    else None
                )
            times = pa.array([one.source.commit_ts for _, one in numbered], pa.uint64())
            kinds = pa.array([one.op for _, one in numbered], pa.string())
            found.append((table, [number for number, _ in numbered], times, kinds, *images))
        return found

    def truth(self, decoded: Sequence[Any]) -> list[Truth]:
        """See :class:`Peer`."""
        rows: dict[int, Truth] = {}
        for table, numbers, times, _, *images in decoded:
            columns = self.tables[table]
            sides: list[list[dict[str, Value]]] = [[{}] * len(numbers)] * 2
            for side, image in enumerate(images):
                if image is not None:
                    cells = [_integers(column, array) for column, array in zip(columns, image, strict=True)]
                    names = [column.name for column in columns]
                    rows_of = zip(*cells, strict=True)
                    sides[side] = [_shown(columns, dict(zip(names, row, strict=True)), self.digits) for row in rows_of]
            for number, ts, new, old in zip(numbers, times.to_pylist(), *sides, strict=True):
                rows[number] = (ts, *table, new, old)
        return [rows[number] for number in range(len(rows))]


class BareStructs(DebeziumStructs):
    """The same of messages without schema blocks."""

    blocks = False
    digits = 3


class BareColumns(DebeziumColumns):
    """The same of messages without schema blocks."""

    blocks = False
    digits = 3


_WRITTEN: dict[int, Callable[[Any], Any]] = {
    DECIMAL: float,
    DATE: debezium_text.day_of,
    DATETIME: debezium_text.milliseconds_of,
}
"""How numbers are made of what a row has as text."""
_ARROW: dict[int, pa.DataType] = {DECIMAL: pa.float64(), DATE: pa.date32(), DATETIME: pa.timestamp("ms")}


def _python_type(column: ColumnDef) -> Any:
    if column.type in SIGNED_TYPES or column.type in (DATE, DATETIME):
        return int | None
    return (float if column.type in FLOAT_TYPES or column.type == DECIMAL else str) | None


def _integers(column: ColumnDef, array: Any) -> list[Any]:
    """The values of a column as the message has them."""
    if column.type == DATE:
        array = array.cast(pa.int32())
    elif column.type == DATETIME:
        array = array.cast(pa.int64())
    values: list[Any] = array.to_pylist()
    return values


def _shown(columns: Sequence[ColumnDef], image: Mapping[str, Any], digits: int | None) -> dict[str, Value]:
    """A row as :class:`Change` has it."""
    texts: dict[int, Callable[[Any], Value]] = {
        DECIMAL: debezium_text.plain,
        DATE: debezium_text.day_text,
        DATETIME: lambda value: debezium_text.time_text(value, digits),
        FLOAT: as_float32,
    }
    return {
        column.name: texts[column.type](image[column.name])
        if column.type in texts and image[column.name] is not None
        else image[column.name]
        for column in columns
        if column.name in image
    }

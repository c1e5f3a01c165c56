"""The fuzzing engine for Debezium, whose rows are read by schema blocks and by what statements said of their tables.

Inputs are keys and values (`keyed_inputs.py`); no key where its length is 0. Which good messages come between the bad
ones: those that say themselves all that their columns are, as any statement can describe a table anew from a time on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import recorded
from debezium.blocks import ID, KEY, Field, field, message
from debezium.twin import Flat, read
from debezium.twin_blocks import declared_as
from debezium.twin_tables import Table, Tables
from debezium.values import Declared, Unit
from json_twin import ForeignError, MalformedError, bits
from open_protocol.wire import Made

from tidewire import debezium
from tidewire.debezium.decoder import Decoder
from tidewire.events import Ddl, RowChange, Watermark
from tidewire.messages.delivery.compression import compress
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.json.table_changes import described_column
from tidewire.runtime.tables.differences import contradiction
from tidewire.runtime.tables.store import MOST_IN_TURN
from tidewire.tables import ColumnDescription, IndexDescription, TableDescription, TableStore

from . import keyed_inputs
from .crowd import Row
from .described_engine import DescribedEngine
from .engine import FIXED_NS, Paired, Wire
from .envelope_mutations import edited, exchanged, halved, reworded
from .keyed_inputs import joined, parted
from .paths import Halves

LAST = 2**64 - 1
ATTRIBUTES = {
    "name": "name", "typeName": "type_name", "charsetName": "charset", "length": "length", "scale": "scale",
    "position": "position", "optional": "nullable", "comment": "comment", "defaultValueExpression": "default",
    "enumValues": "labels",
}  # fmt: skip
"""What a statement says of a column, and as what `described_column` takes it."""
CHANGING = (Unit.MILLIS, Unit.MICROS, Unit.OF_DAY, Unit.ZONED)
"""Columns of which a description says more than a block."""

_FORMS: list[tuple[Field, Any]] = [
    (field("boolean", None, "bit"), True),
    (field("bytes", "io.debezium.data.Bits", "bit", length="9"), "AQE="),
    (field("int16", None, "tinyint"), -128),
    (field("int64", None, "bigint unsigned"), -1),
    (field("float", None, "float"), 1.5),
    (field("double", None, "decimal"), -1.50),
    (field("string", None, "varbinary"), "AP8="),
    (field("string", None, "varchar"), "é😀\n"),
    (field("string", "io.debezium.data.Enum", "enum", allowed="x,y\\,z"), "y,z"),
    (field("string", "io.debezium.data.EnumSet", "set", allowed="x,y"), "x,y"),
    (field("string", "io.debezium.data.Json", "json"), '{"a": 1}'),
    (field("int32", "io.debezium.time.Date", "date"), -354285),
    (field("int64", "io.debezium.time.Timestamp", "datetime"), -1),
    (field("int64", "io.debezium.time.MicroTimestamp", "datetime"), 1577836800123456),
    (field("int64", "io.debezium.time.MicroTime", "time"), -3020399000000),
    (field("string", "io.debezium.time.ZonedTimestamp", "timestamp"), "2020-01-01T00:00:00.120Z"),
    (field("int32", "io.debezium.time.Year", "year"), "2155"),
]


@cache
def _made() -> list[Made]:
    named = [({**said, "field": f"c{k}"}, value) for k, (said, value) in enumerate(_FORMS)]
    row = {"id": 1} | {said["field"]: value for said, value in named}
    fields = [ID, *(said for said, _ in named)]
    bare = [{k: v for k, v in said.items() if k != "tidb_type"} for said in fields]
    wide = [{**field("int32", None, "int"), "field": f"w{k}"} for k in range(40)]
    key = json.dumps({"payload": {"id": 1}, "schema": {"type": "struct", "fields": [ID]}}, separators=(",", ":"))
    source = b'"source":{"db":"s","table":"t","ts_ms":7}'
    changes = (
        b'[{"type":"CREATE","id":"\\"s\\".\\"t\\"","table":{"columns":[{"name":"id","typeName":"INT","position":1}]}}]'
    )
    return [
        Made(KEY, message(row, fields)),
        Made(key.encode(), message(row, fields, op="u", before=row)),
        Made(b"", message(row, bare)),
        Made(KEY, message(dict.fromkeys((f"w{k}" for k in range(40)), 5), wide)),
        Made(KEY, message("null", fields, op="d", before=row)),
        Made(b"{}", b' { "ts_ms" : 1 , ' + source[:-1] + b',"commit_ts":6}, "op":"m", "x":[{"y":null}]} '),
        Made(b"", b'{"ts_ms":1}'),
        Made(b'{"id":1}', b'{"before":null,"after":{"id":5},' + source + b',"op":"r","ts_ms":5}'),
        Made(b"", b"{" + source + b',"op":"t","ts_ms":5}'),
        Made(b"", b"{" + source + b',"ts_ms":-5,"ddl":"create table \\u00e9","tableChanges":' + changes + b"}"),
    ]


# ---- what is known of tables


def _as_twin(table: TableDescription) -> Table:
    found: Table = {}
    for one in table.row_columns():
        try:
            found[one.name] = declared_as(one.mysql_type or "", None, one.flags)
        except MalformedError:
            found[one.name] = Declared("nothing", False, None, (), None)
    return found


class Known(Tables):
    """What the twin knows of tables: what well-formed messages say, and what it reads. Whether a description is one,
    and whether two contradict each other, it asks `tidewire.tables`.
    """

    def __init__(self, before: Tables, described: TableStore) -> None:
        """
        Args:
            before: what well-formed messages say.
            described: the same as descriptions.
        """
        super().__init__()
        self.before, self.described = before, described
        self.made: dict[Any, TableDescription] = {}

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get(key, None) or self.before.get(key, default)

    def learn(self, schema: str, table: str, when: int | None, described: dict[str, Any]) -> int | None:
        made = self._made(schema, table, when, described)
        known = self.get((schema, table), {})
        first = when
        while when in known:
            before = self.made.get((schema, table, when)) or self.described.find(schema, table, when)
            if contradiction(before, made) is None:
                return when
            if when is None or first is None or when >= min(LAST, first + MOST_IN_TURN - 1):
                raise MalformedError("contradiction")
            when += 1
        self[schema, table] = {**known, when: _as_twin(made)}
        self.made[schema, table, when] = made
        return when

    def _made(self, schema: str, table: str, when: int | None, described: dict[str, Any]) -> TableDescription:
        key = described["primaryKeyColumnNames"]
        try:
            columns = [self._column(one, described["literals"]) for one in described["columns"]]
            indexes = [IndexDescription("PRIMARY", tuple(key), True, True, False)] if key else []
            charset = described["defaultCharsetName"] or None
            comment = described["comment"]
            return TableDescription(schema, table, columns, indexes, None, when, charset, comment)
        except ValueError as error:
            raise MalformedError(str(error)) from None

    @staticmethod
    def _column(said: dict[str, Any], literals: bool) -> ColumnDescription:
        given = {ATTRIBUTES[name]: value for name, value in said.items() if name in ATTRIBUTES and value is not None}
        given["labels"] = tuple(given.get("labels", ()))
        return described_column(given, TableDescription.TYPES, literals)


# ---- events


def _image(image: Any) -> dict[str, Any] | None:
    return None if image is None else {name: bits(value) for name, value in image.items()}


def of_event(event: Any) -> tuple[Any, ...]:
    """What an event says, as `of_twin` says it."""
    told = event.commit_ts, event.commit_ms, event.sent_ms
    if isinstance(event, Watermark):
        return "watermark", *told
    if isinstance(event, Ddl):
        after, before = event.table_after, event.table_before
        columns = after and tuple((one.name, one.nullable, one.position, one.comment) for one in after.columns)
        names = [one and (one.schema or "", one.table) for one in (after, before)]
        return "ddl", *told, event.schema, event.table, event.ddl_type == 11, event.query, columns, *names
    assert isinstance(event, RowChange)
    return (
        event.kind, *told, event.schema, event.table, event.start_ts, event.types_from, event.time_zone == "UTC",
        _image(event.new), _image(event.old),
    )  # fmt: skip


def of_twin(found: Flat) -> tuple[Any, ...]:
    """What the twin found."""
    told = found.commit_ts, found.commit_ms, found.sent_ms
    if found.kind == "watermark":
        return "watermark", *told
    if found.kind == "ddl":
        after = found.after
        names = (None, None) if after is None else ((after.schema, after.table), after.before)
        truncated = found.ddl_class == "truncate_table"
        return "ddl", *told, found.schema, found.table, truncated, found.query, after and after.columns, *names
    return (
        found.kind, *told, found.schema, found.table, found.start_ts, found.types_from, found.zoned, _image(found.new),
        _image(found.old),
    )  # fmt: skip


class DebeziumEngine(DescribedEngine):
    """The decoder of Debezium."""

    name = "debezium"
    module = debezium
    largest = 5124
    sparse = 200
    spread = FIXED_NS  # hundreds of columns in a block are a millisecond or two
    points = False

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return [joined(one) for one in _made()]

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams("debezium"):
            yield [joined(Made(one.key or b"", one.value)) for one in recorded.plain(stream)]

    @classmethod
    def least(cls) -> int:
        return 4096

    def decoder_with(self, tables: TableStore) -> Wire:
        return Paired(Decoder(store=tables), self.halves)

    def of_crowds(self) -> Wire:
        return self.decoder_with(TableStore())

    @classmethod
    @cache
    def twins(cls) -> Tables:
        """What is described, as the twin has it."""
        found = Tables()
        for one in cls.described():
            found.setdefault((one.schema, one.table), {})[one.version] = _as_twin(one)
        return found

    def known_before(self) -> Any:
        return Known(self.twins(), self._described())

    def known_nothing(self) -> Any:
        return Known(Tables(), TableStore())

    def read(self, value: bytes, known: Any) -> list[Any]:
        made = parted(value)
        found = read(made.key or None, made.value, known)
        return [] if found is None else [of_twin(found)]

    def is_steady(self, value: bytes) -> bool:
        """Whether a good message says all of its columns itself."""
        made = parted(value)
        try:
            found = read(made.key or None, made.value, Tables())
        except (MalformedError, ForeignError):
            return False
        if found is None or found.columns is None:
            return True
        told = found.columns.values()
        return found.types_from is None and not any(
            one.unit in CHANGING or one.mysql_type == "decimal" for one in told
        )  # fmt: skip

    def said(self, event: Any) -> Any:
        return of_event(event)

    def halves(self, inputs: Sequence[bytes]) -> Halves:
        values, keys = keyed_inputs.halves(inputs)
        return values, [key or None for key in keys]

    def part(self, value: bytes, error: DecodeError) -> bytes:
        return keyed_inputs.part(value, error)

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """One to three changes: of value or key, of which of them go together, of what a block says."""
        made = parted(chance.choice(corpus))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            kind = chance.random()
            if kind < 0.5:
                made = made._replace(value=edited(chance, corpus, made.value))
            elif kind < 0.55:
                made = made._replace(key=edited(chance, corpus, made.key))
            elif kind < 0.7:
                made = exchanged(chance, made, parted(chance.choice(corpus)))
            elif halved(made.value)[1] is not None:
                made = reworded(chance, made)
            else:
                made = made._replace(value=edited(chance, corpus, made.value))
        return joined(made)

    def written(self, row: Row) -> bytes:
        fields = [ID] + [{**field("string", None, "varchar"), "field": f"c{k}"} for k in range(len(row.texts))]
        values = {"id": row.id} | {f"c{k}": value for k, value in enumerate(row.texts)}
        return joined(Made(KEY, message(json.dumps(values, ensure_ascii=row.id % 2 == 0), fields, table=row.table)))

    def packed(self, name: str, value: bytes) -> bytes | None:
        """An input with its key and its value compressed."""
        made = parted(value)
        return joined(Made(compress(name, made.key) if made.key else b"", compress(name, made.value)))

"""Debezium: an object in Kafka Connect's envelope, with a schema block or without; statements describe tables."""

from __future__ import annotations

import base64
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tidewire.messages.delivery.compression import decompress
from tidewire.tables import TableDescription

from ..cases import (
    BINARY,
    BIT,
    DATES,
    DECIMAL,
    DOUBLE,
    ENUM,
    FLOAT,
    HANDLE,
    INTEGERS,
    JSON,
    NULLABLE,
    PRIMARY,
    SET,
    STRINGS,
    UNIQUE,
    UNSIGNED,
    VAR_STRING,
    VECTOR,
    YEAR,
    Case,
    Column,
    Description,
    Happening,
    Mark,
    Options,
    Row,
    Statement,
    Table,
    Value,
)
from ..fitting import NOW, TIMESTAMP
from .avro_names import EMPTY_LABEL, has_empty_label
from .base import Cells, Found, Protocol, Text
from .connect_losses import EPOCH, as_carried
from .described import as_described, described_table
from .respelled import TWICE, respelled
from .respelled import YEAR as YEAR_AS_TEXT
from .texts import unreadable

EXTENSION, SCHEMALESS, OLD = "enable-tidb-extension", "debezium-disable-schema", "debezium-output-old-value"
ZONE, COMPRESSION = "time-zone", "large-message-handle-compression"
KEYS_OF_DELETES = "delete-only-output-handle-key-columns"
AS_IT_IS = "text-as-it-is"
"""TiCDC writes a text that is no UTF-8 as it is, and then its message is none; ours refuses it."""
TOLD = BINARY | HANDLE | NULLABLE | UNSIGNED
REFUSALS = {
    "no-calendar-datetime-refused": "Incorrect datetime value",
    "bytes-default-crash": "panic: runtime error: slice bounds out of range",
}
"""Why TiCDC writes no message of events that ours takes, by names of the spec, and what it says then."""
SENT_MS = 1767323045678
CREATE, DROP, FOREIGN_KEY, TRUNCATE, RENAME, COMMENT = 3, 4, 9, 11, 14, 17
UNDECLARED = "alter table t comment = 'x'"
"""A statement that names no columns: TiCDC looks those that a statement names up, and fails when there are none."""


class Debezium(Protocol):
    """See the module."""

    name = "debezium"
    types = (*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, FLOAT, DOUBLE, *DATES, JSON, DECIMAL, *STRINGS)
    valueless = ()
    empty_statements = False
    declares = True
    describes = True
    fitting = True
    commit_bits = 62  # descriptions are found by it
    differences = (AS_IT_IS, *REFUSALS, TWICE, YEAR_AS_TEXT)
    takes_shapes = frozenset({"delete without handle key columns, and only those are sent"})
    stricter = frozenset(
        ("row without a schema", "row without a table", "insert without an image", "delete without an image")
    )
    laxer = frozenset({"row without columns"})
    row_facts = ("types_from", "time_zone", "sent_ms")
    ddl_facts = ("query", "table_after", "table_before", "sent_ms")
    mark_facts = ("sent_ms",)
    sent_ms = SENT_MS
    readers = ()  # TiCDC's reads messages with TiDB's types only, and gives texts of times, numbers and labels

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        chances = {EXTENSION: 0.5, SCHEMALESS: 0.3}
        options: dict[str, Any] = {name: True for name, chance in chances.items() if r.random() < chance}
        if r.random() < 0.3:
            options[OLD] = False
        if r.random() < 0.3:
            options[COMPRESSION] = r.choice(("none", "snappy", "lz4"))
        return {**options, ZONE: r.choice(("UTC", "UTC", "Asia/Shanghai", "America/New_York"))}

    def ours(self, options: Options) -> Any:
        """See the base; the zone is told by events, and deletes have all columns."""
        named = {name: value for name, value in options.items() if name not in (ZONE, KEYS_OF_DELETES)}
        return super().ours({**named, "invalid-text": "bytes"})

    # ---- descriptions

    def prepared(self, case: Case) -> Case:
        """A table is described by a statement before its first row, as of the time of its earliest; no two have one
        name. Statements about no table keep to a database.
        """
        own = {id(e.table): e.table for e in case.events if isinstance(e, Row | Description)}
        names: dict[tuple[str, str], int] = {}
        for key, table in own.items():
            place = (table.schema, table.name)
            names[place] = number = names.get(place, 0) + 1
            if number > 1:
                own[key] = replace(table, name=f"{table.name}{number}")
        first: dict[int, int] = {}
        for event in case.events:
            if isinstance(event, Row):
                first[id(event.table)] = min(event.commit_ts, first.get(id(event.table), event.commit_ts))
        events: list[Happening] = []
        seen = {id(e.table) for e in case.events if isinstance(e, Description)}
        for event in case.events:
            if isinstance(event, Row):
                table = own[id(event.table)]
                if id(event.table) not in seen:
                    seen.add(id(event.table))
                    events.append(_described(table, first[id(event.table)]))
                event = replace(event, table=table, partition=None)
            elif isinstance(event, Statement):
                event = replace(event, table="", type=CREATE if event.type == DROP else event.type)
            events.append(event)
        last = max((event.commit_ts for event in events), default=0)
        ends = (_ended(table, last) for key, table in own.items() if key in first)
        return replace(case, events=(*events, *(end for end in ends if end is not None)))

    def description(self, table: Table) -> TableDescription:
        """See the base."""
        return described_table(table, digits=True)

    def told(self, row: Row, options: Options) -> dict[str, Any]:
        """See the base."""
        return {"time_zone": options.get(ZONE, "UTC")}

    # ---- what a reader finds

    def fact(self, name: str, value: Any) -> Any:
        """Of a table what its rows are read by. The start of 1970 stands for a default that is the time of now, and of
        a DECIMAL nobody says that it is unsigned.
        """
        if isinstance(value, TableDescription):
            columns = [(c.name, c.nullable, EPOCH if c.default == NOW else c.default) for c in value.columns]
            typed = [(c.name, c.type, *_told(c.type, c.flags, c.mysql_type)) for c in value.row_columns()]
            return value.schema, value.table, columns, typed, value.handle_key
        return value

    def found(self, event: Happening, options: Options, message: bytes) -> Found | None:
        """See the base."""
        if isinstance(event, Description):
            assert event.statement is not None
            described = [
                (name, self.fact(name, self.description(table)))
                for name, table in (("table_after", event.table), ("table_before", event.before))
                if table is not None and _tells(event.statement[0], name)
            ]
            more = (("query", event.statement[1]), *described, ("sent_ms", SENT_MS))
            return Found("ddl", ("commit_ts", event.commit_ts), event.table.schema, event.table.name, more=more)
        return super().found(event, options, message)

    def more(self, event: Happening, options: Options, message: bytes) -> tuple[tuple[str, Any], ...]:
        """See the base."""
        clock = (("sent_ms", SENT_MS),)
        if isinstance(event, Statement):
            return (("query", event.query), *clock)
        if isinstance(event, Mark):
            return clock
        zoned = any(column.type == TIMESTAMP for column in event.table.columns)
        return (
            *((("types_from", "described"),) if not _exact(options) else ()),
            *((("time_zone", "UTC"),) if zoned else ()),
            *clock,
        )

    def described_of(self, table: Table, column: Column, options: Options) -> tuple[int, int, Text]:
        """Without TiDB's types a row is read by its table's description, whose key is a primary one whatever it is;
        with them the block and the key tell.
        """
        kind, flags, declared = as_described(table, column, digits=True)
        if column.type in (FLOAT, DOUBLE) and column.declared and column.declared.decimal == 0:
            name, _, words = column.declared.full.partition(" ")
            declared = f"{name}({column.declared.flen},0) {words}".rstrip()
        if flags & UNIQUE:
            flags = flags & ~UNIQUE | PRIMARY
        if _exact(options):
            binary = BINARY if column.type in STRINGS else 0
            unsigned = 0 if column.type in (YEAR, BIT, DECIMAL) else UNSIGNED
            flags = column.flags & (HANDLE | NULLABLE | unsigned | binary)
            if column.type not in (BIT, ENUM, SET) and not any(map(_says_more, table.columns)):
                assert column.declared is not None
                declared = column.declared.short.removesuffix(" zerofill")
        if kind == DECIMAL and declared is not None:
            flags, declared = flags & ~UNSIGNED, declared.partition(" ")[0]
        return kind, flags, declared

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """See the base."""
        return as_carried(column, value, options.get(ZONE, "UTC"))

    def _image(self, row: Row, side: str, options: Options, message: bytes) -> Cells:
        if side == "old" and row.kind == "update" and options.get(OLD) is False:
            return None
        return super()._image(row, side, options, message)

    # ---- messages

    def plain(self, oracle: Any, values: Sequence[bytes], options: Options) -> list[bytes]:
        """See the base."""
        codec = options.get(COMPRESSION, "none")
        if codec == "none":
            return list(values)
        packed = [base64.b64encode(value).decode() for value in values]
        answer = oracle.checked({"inflate": {"codec": codec, "values": packed}})
        return [base64.b64decode(value) for value in answer.get("values") or []]

    def same_key(self, theirs: bytes | None, ours: bytes | None, case: Case) -> bool:
        """See the base."""
        if theirs is None or ours is None:
            return theirs is ours
        codec = case.options.get(COMPRESSION, "none")
        one, other = (decompress(codec, key) if codec != "none" else key for key in (theirs, ours))
        return one == other or respelled(one, other) is not None

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """But for how NULL is written that has become a default."""
        return (
            "messages identical but for how their key is spelled or compressed"
            if theirs == ours
            else respelled(theirs, ours)
        )

    def rewriting(self, case: Case) -> Options | None:
        """Times are read in UTC. What ours refuses cannot be written again; and a date that was lost is null, which is
        written as the default.
        """
        if any(self.declined(event) or (isinstance(event, Row) and _becomes_null(event)) for event in case.events):
            return None
        return {name: value for name, value in case.options.items() if name != ZONE}

    def refused(self, error: str) -> bool:
        """See the base."""
        return self.taken({}, error) is not None

    def taken(self, options: Options, error: str) -> str | None:
        """See the base."""
        return next((f"events {name}" for name, text in REFUSALS.items() if text in error), None)

    def declined(self, event: Happening) -> str | None:
        """See the base."""
        if not isinstance(event, Row):
            return None
        images = [zip(event.table.columns, image, strict=True) for image in (event.new, event.old) if image is not None]
        if any(unreadable(column, value) for image in images for column, value in image):
            return AS_IT_IS
        return EMPTY_LABEL if has_empty_label(event) else None


def _exact(options: Options) -> bool:
    """Whether blocks have TiDB's types."""
    return bool(options.get(EXTENSION)) and not options.get(SCHEMALESS)


def _told(type: int, flags: int, declared: Text) -> tuple[int, Text]:
    """Flags and declared type of a column as far as changes of tables tell them."""
    if type == DECIMAL and declared is not None:
        return flags & TOLD & ~UNSIGNED, declared.partition(" ")[0]
    return flags & TOLD, declared


def _becomes_null(row: Row) -> bool:
    """Whether a date of a row is lost, of a column that has a default."""
    images = [zip(row.table.columns, image, strict=True) for image in (row.new, row.old) if image is not None]
    return any(
        value is not None and column.declared and column.declared.default and as_carried(column, value, "UTC") is None
        for image in images
        for column, value in image
    )


def _says_more(column: Column) -> bool:
    """Whether a description says more of a column than a block with TiDB's types, of how its values are written: how
    many digits they have, and what the labels are that quotes and backslashes are in.
    """
    labels = "".join(column.declared.elems) if column.declared and column.type == ENUM else ""
    return column.type in (*DATES, DECIMAL) or "'" in labels or "\\" in labels or "," in labels


def _tells(type: int, name: str) -> bool:
    """Whether the message of a statement of this type has the table as it is after it, or was before."""
    return type in (CREATE, COMMENT, RENAME) if name == "table_after" else type == RENAME


def _ended(table: Table, commit_ts: int) -> Description | None:
    """The last statement on a table, chosen by its version."""
    which = table.version % 5
    if which == 1:
        return Description(commit_ts, table, (DROP, "drop table t"), table)
    if which == 2:
        return Description(commit_ts, table, (TRUNCATE, "truncate table t"), table)
    if which == 3:
        return Description(commit_ts, table, (FOREIGN_KEY, "alter table t add foreign key (a) references u (a)"), table)
    if which == 4:
        renamed = replace(table, name=f"{table.name}_")
        return Description(commit_ts, renamed, (RENAME, "rename table t to t_"), table)
    return None


def _described(table: Table, commit_ts: int) -> Description:
    """How a table is described: chosen by its version, so that parts of a case describe it alike."""
    names = table.schema, table.name, *(column.name for column in table.columns)
    # no statement declares a VAR_STRING, nor a name that ends in a space
    if table.version % 3 == 0 or any(c.type == VAR_STRING for c in table.columns) or any(n[-1:] == " " for n in names):
        return Description(commit_ts, table, (COMMENT, UNDECLARED))
    return Description(commit_ts, table, (CREATE, described_table(table, digits=True).to_sql()))

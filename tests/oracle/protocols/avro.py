"""Avro with a schema registry: records after their schema ids, which both codecs register."""

from __future__ import annotations

import random
import re
import warnings
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from simple.checksums import value_bytes

from tidewire.events import RowChange
from tidewire.messages.checksums.verifying import UnverifiedWarning
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import declared
from tidewire.tables import TableDescription, TableStore

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
    NULLABLE,
    SET,
    STRINGS,
    VECTOR,
    YEAR,
    Case,
    Column,
    Happening,
    Options,
    Row,
    Table,
    Value,
)
from ..fitting import TIMESTAMP
from .avro_names import (
    EMPTY_LABEL,
    adjusted,
    coarse,
    has_empty_label,
    labels_as_read,
    listed_alike,
    subject_of,
    told_apart,
)
from .base import Cell, Cells, Found, Protocol, Reader, Sent, Text
from .described import described_table

EXTENSION, WATERMARK, CHECKSUM = "enable-tidb-extension", "avro-enable-watermark", "enable-row-checksum"
DECIMALS, BIGINTS, TOPIC = "avro-decimal-handling-mode", "avro-bigint-unsigned-handling-mode", "topic"
_KINDS = {**dict.fromkeys((*INTEGERS, YEAR, BIT, ENUM, SET), "int"), FLOAT: "float", DOUBLE: "double", VECTOR: "vector"}
"""What values count as in a checksum; others as texts."""
OPERATION = "_tidb_op"
KEYS_OF_DELETES = "delete-only-output-handle-key-columns"
TEXT_OF_DECIMAL = {DECIMALS: "string", BIGINTS: "string"}
_PRINTED = re.compile(r"(?:int32|\*big\.Rat) (-?[0-9]+(?:/[0-9]+)?)")
"""As the oracle prints what its form of values does not have."""
COLLIDING = "two fields of one name"
VERSION = 2
"""What stands beside a checksum."""


class AvroReader(Reader):
    """TiCDC's decoder: it wants the extension, and knows of types what the parameters of a schema say."""

    def takes(self, event: Happening, found: Found, options: Options) -> bool:
        """Statements, watermarks, and rows with a key whose values it does not fail at."""
        if not isinstance(event, Row):
            return True
        if not any(column.flags & HANDLE for column in event.table.columns):
            return False
        if event.checksum is not None and any(column.type == TIMESTAMP for column in event.table.columns):
            return False  # it takes local times for those of its own zone
        if any(adjusted(column.name) == OPERATION for column in event.table.columns):
            return False  # behind it no columns are looked for
        return all(map(_is_plain, event.table.columns)) and (event.kind == "delete" or bool(options.get(EXTENSION)))

    def sees(self, found: Found, options: Options) -> Found:
        """Names, and values as they are in a record; a commit ts that is not told is 0."""
        new, old = (
            image
            and tuple(cell._replace(type=0, flags=0, mysql_type=None, value=_seen(cell, options)) for cell in image)
            for image in (found.new, found.old)
        )
        kind, when = found.kind, found.when
        if kind == "update":
            kind, old = "insert", None
        if when[1] is None:
            when = ("commit_ts", 0)
        facts = tuple(one for one in found.more if found.kind == "ddl")
        return found._replace(kind=kind, when=when, partition=None, new=new, old=old, more=facts)


class Avro(Protocol):
    """See the module."""

    name = "avro"
    types = (*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, FLOAT, DOUBLE, *DATES, JSON, DECIMAL, *STRINGS)
    valueless = ()
    declares = True
    describes = True
    fitting = True
    commit_bits = 63  # a long
    stricter = frozenset(
        ("row without a schema", "insert without an image", "delete without an image", "row without columns")
    )
    takes_shapes = frozenset({"delete without handle key columns, and only those are sent"})
    row_facts = ("types_from", "checksum", "checksum_corrupted", "checksum_version")
    readers = (AvroReader("TiCDC's decoder"),)

    def __init__(self) -> None:
        self.theirs: list[dict[str, Any]] = []
        self.ours_registered = MemorySchemas()

    # ---- options

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        options: dict[str, Any] = {}
        if r.random() < 0.65:
            options[EXTENSION] = True
            if r.random() < 0.5:
                options[WATERMARK] = True
            if r.random() < 0.3:
                options |= {CHECKSUM: True, **TEXT_OF_DECIMAL}
        for name in (DECIMALS, BIGINTS):
            if r.random() < 0.3:
                options[name] = "string"
        if r.random() < 0.5:
            options[TOPIC] = r.choice(("{schema}.{table}", "a.b-{schema}_{table}", "{table}{schema}"))
        return options

    def has_others(self, options: Options) -> bool:
        """See the base."""
        return WATERMARK in options

    def ours(self, options: Options) -> Any:
        """See the base; a text that is no UTF-8 stays what it is, and deletes have a key only whatever is said."""
        unused = {KEYS_OF_DELETES} if EXTENSION in options else {KEYS_OF_DELETES, WATERMARK, CHECKSUM}
        named = {name: value for name, value in options.items() if name not in unused}
        return super().ours({**named, "invalid-text": "bytes"})

    # ---- messages and their schemas

    def prepared(self, case: Case) -> Case:
        """Each table has a subject of its own, and columns that schemas tell apart but for some; rows have checksums
        where these are told. Nobody reads rows with labels that schemas list alike.
        """
        tables: dict[int, Table] = {}
        subjects: set[str] = set()
        events: list[Happening] = []
        for event in case.events:
            if isinstance(event, Row):
                if any(map(listed_alike, event.table.columns)):
                    continue
                if id(event.table) not in tables:
                    table = event.table if event.table.version % 16 == 0 else told_apart(event.table)
                    subject = subject_of(table)
                    if subject in subjects or len(subject) > 200:
                        table = replace(table, schema="s", name=f"t{len(tables)}")
                        subject = subject_of(table)
                    subjects.add(subject)
                    tables[id(event.table)] = replace(table, shuffled=bool(table.version & 2))
                event = replace(event, table=tables[id(event.table)], partition=None)
            events.append(event)
        made = replace(case, events=tuple(events))
        if CHECKSUM not in case.options:
            return made
        every = computes(made)
        summed = (
            replace(e, checksum=row_sum(e))
            if isinstance(e, Row) and e.new and (every or e.commit_ts % 3) and not says_less(e)
            else e
            for e in events
        )
        return replace(made, events=tuple(summed))

    def received(self, answer: Mapping[str, Any]) -> None:
        """See the base: the schemas."""
        self.theirs = list(answer.get("registry") or [])

    def store(self, case: Case) -> TableStore:
        """The tables of a case, those that can be described."""
        own = {id(e.table): e.table for e in case.events if isinstance(e, Row)}
        return TableStore(
            _described(table)
            for table in own.values()
            if table.name and table.columns and all(one.declared and one.declared.short for one in table.columns)
        )

    def encoded(self, events: Any, options: Options, case: Case) -> Any:
        """See the base."""
        self.ours_registered = MemorySchemas()
        if CHECKSUM in options and computes(case):
            options = {**options, "compute-checksum": True}
            events = [replace_sums(event) for event in events]
        return self.codec.encode(events, self.ours(options), tables=self.store(case), schemas=self.ours_registered)

    def decoded(self, values: Sequence[bytes | None], keys: Sequence[bytes | None] | None, options: Options) -> Any:
        """See the base: schemas are those that TiCDC registered, which ours are the same as."""
        known = MemorySchemas(
            RegisteredSchema(one["id"], one["subject"], one["version"], one["schema"]) for one in self.theirs
        )
        verified = {**options, "verify-checksum": True} if CHECKSUM in options else options
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnverifiedWarning)  # of local times
            return self.codec.decode_batch(values, keys, self.ours(verified), schemas=known)

    def value(self, sent: Sent) -> bytes | None:
        """No value is empty: that stands for none."""
        return sent.value or None

    def registered(self) -> list[dict[str, Any]]:
        """See the base."""
        return [
            {"id": one.id, "subject": one.subject, "version": one.version, "schema": one.text}
            for one in self.ours_registered.schemas
        ]

    def differs(self) -> str:
        """See the base: the schemas."""
        ours = self.registered()
        for one, other in zip(self.theirs, ours, strict=False):
            if one != other:
                return f"schemas are registered otherwise:\n  TiCDC {one}\n  ours  {other}"
        if len(self.theirs) != len(ours):
            return f"TiCDC registers {len(self.theirs)} schemas, we {len(ours)}"
        return ""

    def refused(self, error: str) -> bool:
        """What no schema or record can have."""
        return True

    def taken(self, options: Options, error: str) -> str | None:
        """A default of a BIGINT that TiCDC's library takes for a float64, which has no such number: the schema is
        right, and TiCDC registers it before it fails.
        """
        return "events with defaults that TiCDC rounds" if "would lose precision" in error else None

    def declined(self, event: Happening) -> str | None:
        """See the base."""
        return EMPTY_LABEL if isinstance(event, Row) and has_empty_label(event) else None

    def rewriting(self, case: Case) -> Options | None:
        """Names and defaults are lost: there is nothing to make the same schemas of."""
        return None

    def reading(self, options: Options) -> dict[str, Any]:
        """See the base."""
        return {name: value for name, value in options.items() if name != TOPIC}

    # ---- what a reader finds

    def told(self, row: Row, options: Options) -> dict[str, Any]:
        """See the base."""
        if row.checksum is None:
            return {}
        return {"checksum": row.checksum, "checksum_version": VERSION, "checksum_corrupted": False}

    def found(self, event: Happening, options: Options, message: bytes) -> Found | None:
        """Nothing of a row that is gone and has no key; of others that are gone the key."""
        found = super().found(event, options, message)
        if found is None or not isinstance(event, Row):
            return found
        keyed = any(column.flags & HANDLE for column in event.table.columns)
        found = found._replace(schema=adjusted(found.schema), table=adjusted(found.table))
        if event.kind == "delete":
            when = ("commit_ms", None)
            return found._replace(kind="delete", when=when) if keyed else None
        kind = event.kind if options.get(EXTENSION) else "insert"
        return found._replace(kind=kind, old=None)

    def when(self, commit_ts: int, options: Options) -> tuple[str, int | None]:
        """See the base."""
        return ("commit_ts", commit_ts) if options.get(EXTENSION) else ("commit_ms", None)

    def more(self, event: Happening, options: Options, message: bytes) -> tuple[tuple[str, Any], ...]:
        """See the base."""
        if isinstance(event, Row):
            if CHECKSUM not in options or event.kind == "delete" or event.checksum is None:
                return ()
            return (("checksum", event.checksum), ("checksum_version", VERSION))
        return super().more(event, options, message)

    def _image(self, row: Row, side: str, options: Options, message: bytes) -> Cells:
        image = super()._image(row, side, options, message)
        if image and CHECKSUM in options and row.kind != "delete":
            ids = dict(zip([column.name for column in row.table.columns], row.table.ids(), strict=True))
            image = tuple(sorted(image, key=lambda cell: ids[cell.name]))
        return image and tuple(cell._replace(name=adjusted(cell.name)) for cell in image)

    def described_of(self, table: Table, column: Column, options: Options) -> tuple[int, int, Text]:
        """What parameters tell of a type."""
        text = coarse(column, options.get(DECIMALS) == "string")
        read = declared(text)
        return read.type, read.flags | column.flags & (NULLABLE | HANDLE), text

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """See the base."""
        if column.type in (ENUM, SET) and isinstance(value, int):
            return labels_as_read(column, value)
        return value

    def has(self, row: Row, side: str, position: int, options: Options, message: bytes) -> bool:
        """See the base."""
        return row.kind != "delete" or bool(row.table.columns[position].flags & HANDLE)


def _described(table: Table) -> TableDescription:
    """A table from the beginning of time on, with the ids of its columns."""
    found = described_table(table, digits=True)
    columns = [replace(one, id=id) for one, id in zip(found.columns, table.ids(), strict=True)]
    return found.replaced(columns=columns, version=0)


def computes(case: Case) -> bool:
    """Whether our encoder computes the checksums of a case: it has no local times, of which nobody says the zone, and
    no empty labels of sets.
    """
    rows = [event for event in case.events if isinstance(event, Row)]
    local = any(column.type == TIMESTAMP for row in rows for column in row.table.columns)
    return not local and not any(map(says_less, rows))


def says_less(row: Row) -> bool:
    """Whether a record says of a set nothing where it is an empty label, so that its checksum is another row's."""
    cells = zip(row.table.columns, row.new or (), strict=False)
    return any(column.type == SET and value and labels_as_read(column, int(value)) != value for column, value in cells)


def row_sum(row: Row) -> int:
    """The checksum of the new row, by the plain second implementation; local times are in UTC."""
    assert row.new is not None
    cells = sorted(zip(row.table.ids(), row.table.columns, row.new, strict=True), key=lambda one: one[0])
    return zlib.crc32(b"".join(value_bytes(_KINDS.get(column.type, "varchar"), value) for _, column, value in cells))


def replace_sums(event: Any) -> Any:
    """An event without checksums."""
    if isinstance(event, RowChange):
        event.checksum = event.checksum_version = event.checksum_corrupted = None
    return event


def _is_plain(column: Column) -> bool:
    """Whether TiCDC's decoder reads values of such a column: it takes labels apart at each comma, does not find those
    again that have lost quotes, and looks them up without the spaces behind them.
    """
    labels = column.declared.elems if column.declared else ()
    return not any("," in label or "'" in label or label != label.strip() for label in labels)


def _seen(cell: Cell, options: Options) -> Any:
    """A value as TiCDC's decoder gives it."""
    value = cell.value
    if cell.mysql_type == "bigint unsigned" and isinstance(value, int):
        if options.get(BIGINTS) == "string":
            return str(value).encode()
        return value - 2**64 if value >> 63 else value
    if cell.mysql_type is not None and cell.type == DECIMAL and isinstance(value, str):
        return value.encode() if options.get(DECIMALS) == "string" else Fraction(value)
    if cell.mysql_type is not None and cell.type == BIT and isinstance(value, int):
        return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big")
    if isinstance(value, str):
        number = _PRINTED.fullmatch(value)
        return Fraction(number[1]) if number else value.encode()
    return value

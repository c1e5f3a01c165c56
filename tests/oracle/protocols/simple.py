"""Simple in JSON: an object for an event; a message of its own describes a table, rows say their values by column."""

from __future__ import annotations

import base64
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

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
    SET,
    STRINGS,
    VECTOR,
    YEAR,
    Case,
    Column,
    Description,
    Happening,
    Options,
    Row,
    Statement,
    Table,
    Value,
)
from .base import Cells, Found, Reader, Text
from .canal_json import CLASSES
from .described import as_described, described_table
from .stored import CLAIMED, LARGE, OUR_STORAGE, RAW, STORAGE, Stored, as_stored, claimed
from .texts import LOST, REPLACED, carried, unreadable

ZONE = "time-zone"
COMPRESSION = "large-message-handle-compression"
CUT = b'"handleKeyOnly":true'
SENT_MS = 1767323045678
CREATE, ADD_COLUMN = 3, 5
UNCLASSED = (37, 38)
"""Types of statements that Canal-JSON knows and Simple does not."""
TIMESTAMP, NULL, GEOMETRY = 7, 6, 255
_LOCATION = re.compile(rb'"claimCheckLocation":"([^"]*)",')


class SimpleReader(Reader):
    """TiCDC's decoder asks a database for rows that were cut, and tells neither DDL types nor bootstraps apart."""

    def takes(self, event: Happening, found: Found, options: Options) -> bool:
        """What it does not fail at; a message without columns it takes for a statement."""
        if not isinstance(event, Row):
            return True
        keyless = STORAGE in options and not any(column.flags & HANDLE for column in event.table.columns)
        return dict(found.more).get("handle_key_only") is None and bool(found.cells()) and not keyless

    def sees(self, found: Found, options: Options) -> Found:
        """Names, types and values; statements without their type."""
        query = tuple((name, value) for name, value in found.more if name == "query")
        kind = "ddl" if found.kind == "bootstrap" else found.kind
        if found.kind == "bootstrap":
            query = (("query", ""),)
        new, old = (_bare(image) for image in (found.new, found.old))
        return found._replace(kind=kind, more=query, new=new, old=old, partition=None)


def _bare(cells: Cells) -> Cells:
    if cells is None:
        return None
    found = [
        cell._replace(
            flags=0, mysql_type=None, value=cell.value.encode() if isinstance(cell.value, str) else cell.value
        )
        for cell in cells
    ]
    return tuple(sorted(found, key=lambda cell: cell.name))


class Simple(Stored):
    """See the module."""

    name = "simple"
    types = (*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, FLOAT, DOUBLE, *DATES, JSON, DECIMAL, *STRINGS)
    valueless = (NULL, GEOMETRY)
    empty_statements = False
    declares = True
    describes = True
    defaults = True
    partitions = True
    differences: ClassVar[tuple[str, ...]] = (REPLACED,)
    takes_shapes = frozenset({"delete without handle key columns, and only those are sent"})
    stricter = frozenset(
        (
            *("row without a schema", "row without a table", "insert without an image", "delete without an image"),
            "row without columns",  # TiCDC writes a message whose type is an empty text
        )
    )
    readers = (SimpleReader("TiCDC's decoder"),)
    row_facts = ("table_id", "table_version", "time_zone", "handle_key_only", "sent_ms")
    ddl_facts = ("ddl_class", "query", "table_after", "table_before", "sent_ms")
    bootstrap_facts = ("table_after", "sent_ms")
    mark_facts = ("sent_ms",)
    sent_ms = SENT_MS

    def options(self, r: random.Random) -> dict[str, Any]:
        """See the base."""
        options: dict[str, Any] = {ZONE: r.choice(("UTC", "UTC", "Asia/Shanghai", "America/New_York"))}
        mood = r.random()
        if mood < 0.3:
            # Not together with a limit: two compressors need not come to the same length.
            options[COMPRESSION] = r.choice(("none", "snappy", "lz4"))
        elif mood < 0.4:
            options |= {LARGE: "claim-check", "max-message-bytes": r.choice((700, 1000, 1500)), STORAGE: OUR_STORAGE}
            options[RAW] = r.random() < 0.5
        elif mood < 0.55:
            options |= {LARGE: "handle-key-only", "max-message-bytes": r.choice((300, 500, 700, 1000, 1500, 3000))}
        elif mood < 0.65:
            options["max-message-bytes"] = r.choice((500, 1000, 2000, 5000, 10485760))
        return options

    def ours(self, options: Options) -> Any:
        """Whose zone it is the events say."""
        return super().ours({name: value for name, value in options.items() if name != ZONE})

    def reading(self, options: Options) -> dict[str, Any]:
        """With handle-key-only it asks for a database; only what a reader needs."""
        needed = [ZONE, COMPRESSION, *([LARGE, STORAGE, RAW] if STORAGE in options else [])]
        return {name: value for name, value in as_stored(options).items() if name in needed}

    # ---- descriptions

    def prepared(self, case: Case) -> Case:
        """A table is described before its first row: in a bootstrap, by the statement that makes it, or by one that
        gives it its last column.
        """
        events: list[Happening] = []
        seen: set[int] = set()
        for event in case.events:
            if isinstance(event, Description):
                seen.add(id(event.table))
            if isinstance(event, Row) and id(event.table) not in seen:
                seen.add(id(event.table))
                events.append(_described(event.table, event.commit_ts))
            events.append(event)
        return replace(case, events=tuple(events))

    def description(self, table: Table) -> TableDescription:
        """What TiCDC says of a table that the oracle makes of these columns."""
        return described_table(table)

    def told(self, row: Row, options: Options) -> dict[str, Any]:
        """See the base."""
        zone = options.get(ZONE, "UTC")
        return {"table_id": row.table.id, "table_version": row.table.version, "time_zone": zone}

    # ---- what a reader finds

    def found(self, event: Happening, options: Options, message: bytes) -> Found | None:
        """A statement names its table in a description only."""
        if isinstance(event, Description):
            after = self.said_of(event.table)
            if event.statement is None:
                more: tuple[tuple[str, Any], ...] = (("table_after", after), ("sent_ms", SENT_MS))
                return Found("bootstrap", ("commit_ts", 0), after.schema or "", after.table, more=more)
            said = self.statement(*event.statement)
            before = (("table_before", self.said_of(event.before)),) if event.before else ()
            more = (*said, ("table_after", after), *before, ("sent_ms", SENT_MS))
            return Found("ddl", ("commit_ts", event.commit_ts), after.schema or "", after.table, more=more)
        found = super().found(event, options, message)
        assert found is not None
        if isinstance(event, Statement):
            more = (*self.statement(event.type, event.query), ("sent_ms", SENT_MS))
            return found._replace(schema="", table="", more=more)
        return found._replace(new=self.in_order(found.new), old=self.in_order(found.old), partition=None)

    def in_order(self, image: Cells) -> Cells:
        """The columns of an image as messages have them: by name."""
        return image and tuple(sorted(image, key=lambda cell: cell.name.encode()))

    def said_of(self, table: Table) -> TableDescription:
        """What a message says of a table: of a default of bits the number."""
        found = self.description(table)
        return found.replaced(columns=[replace(one, default_length=None) for one in found.columns])

    def statement(self, type: int, query: str) -> tuple[tuple[str, Any], ...]:
        """What a message says of a statement."""
        known = (name for name, types in CLASSES.items() if type in types and type not in UNCLASSED)
        return ("ddl_class", next(known, "QUERY")), ("query", query)

    def more(self, event: Happening, options: Options, message: bytes) -> tuple[tuple[str, Any], ...]:
        """See the base."""
        if not isinstance(event, Row):
            return (("sent_ms", SENT_MS),)
        table = event.table
        located = any(
            column.type == TIMESTAMP and value is not None and self.has(event, side, position, options, message)
            for side, image in (("new", event.new), ("old", event.old))
            for position, (column, value) in enumerate(zip(table.columns, image or (), strict=bool(image)))
        )
        return (
            ("table_id", table.id if event.partition is None else event.partition),
            ("table_version", table.version),
            *((("time_zone", options.get(ZONE, "UTC")),) if located else ()),
            *((("handle_key_only", True),) if self.cut(message) else ()),
            ("sent_ms", SENT_MS),
        )

    def described_of(self, table: Table, column: Column, options: Options) -> tuple[int, int, Text]:
        """See the base."""
        return as_described(table, column)

    def carried(self, column: Column, value: Value, options: Options) -> Value:
        """Bytes that are no UTF-8 are lost in a text."""
        if isinstance(value, bytes) and not column.flags & BINARY:
            return carried(value)
        return value

    def has(self, row: Row, side: str, position: int, options: Options, message: bytes) -> bool:
        """See the base."""
        return not self.cut(message) or bool(row.table.columns[position].flags & HANDLE)

    # ---- messages

    def plain(self, oracle: Any, values: Sequence[bytes], options: Options) -> list[bytes]:
        """See the base."""
        codec = options.get(COMPRESSION, "none")
        if codec == "none":
            return list(values)
        packed = [base64.b64encode(value).decode() for value in values]
        answer = oracle.checked({"inflate": {"codec": codec, "values": packed}})
        return [base64.b64decode(value) for value in answer.get("values") or []]

    def same(self, theirs: bytes, ours: bytes, case: Case) -> str | None:
        """Names of files are random: then what is in them is the same."""
        one, other = self.location(theirs), self.location(ours)
        if not one or not other or _LOCATION.sub(b"", theirs) != _LOCATION.sub(b"", ours):
            return None
        return CLAIMED if claimed(one, case.options) == claimed(other, case.options) else None

    def location(self, message: bytes) -> str | None:
        """Where the file lies that a message points to."""
        found = _LOCATION.search(message)
        return found and found[1].decode()

    def cut(self, message: bytes) -> bool:
        """Whether it has the handle key of a row only, and the rest is nowhere."""
        return CUT in message and not self.location(message)

    def rewriting(self, case: Case) -> Options | None:
        """What is lost of texts is written shorter than it was."""
        options = case.options
        lossy = any(self.declined(event) for event in case.events)
        return None if STORAGE in options or (lossy and "max-message-bytes" in options) else options

    def readable(self, value: bytes) -> bytes:
        """What was no UTF-8 is a character now, and written as one."""
        return LOST.sub(b"\\1\xef\xbf\xbd", value)

    def refused(self, error: str) -> bool:
        """A message that is too large, whatever is done about it."""
        return "ErrMessageTooLarge" in error or "too large" in error

    def declined(self, event: Happening) -> str | None:
        """See the base."""
        if not isinstance(event, Row):
            return None
        images = [zip(event.table.columns, image, strict=True) for image in (event.new, event.old) if image is not None]
        return REPLACED if any(unreadable(column, value) for image in images for column, value in image) else None


def _described(table: Table, commit_ts: int) -> Description:
    """How a table is described: chosen by its version, so that parts of a case describe it alike."""
    chosen = table.version % 3
    if chosen == 0:
        return Description(commit_ts, table)
    if chosen == 1 or len(table.columns) < 2:
        return Description(commit_ts, table, (CREATE, "create table t (id int)"))
    before = replace(table, columns=table.columns[:-1], version=table.version - 1)
    return Description(commit_ts, table, (ADD_COLUMN, "alter table t add column c int"), before)

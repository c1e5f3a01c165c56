"""The columns of a table's rows: derived from its changes, or given as a schema."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from tidewire.reading.files.arrivals import is_cut
from tidewire.reading.files.streams import InputError
from tidewire.reading.images import METADATA
from tidewire.reading.infer import TableColumn, both, columns_seen, latest_first, merge
from tidewire.reading.options import ReadOptions
from tidewire.reading.row_batches import MEMBERS, TableReading
from tidewire.reading.sources import Received
from tidewire.reading.tables import MOST_KEPT, Name, absent, asked, fitting, positions, several
from tidewire.reading.types import CANDIDATES, SchemaError, sql_name
from tidewire.runtime.batch import EventColumns, TableName
from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.runtime.shortened import shown


class _Seen(NamedTuple):
    """The facts about a column, in the form that `tidewire.reading.infer` needs."""

    name: str
    type: int
    flags: int
    mysql_type: str | None
    version: int
    whole: bool
    position: int
    digits: int | None
    scale: int | None
    text: bool


SeenColumns: TypeAlias = dict[TableName, dict[Any, dict[str, Any]]]
"""What batches show about columns, by table and column."""


def note(seen: SeenColumns, decoded: EventColumns, wanted: Collection[int]) -> None:
    """Adds what a batch shows about the columns of some tables, given by index."""
    for (table, column), one in columns_seen(decoded, wanted).items():
        known = seen.setdefault(decoded.tables[table], {})
        known[column] = one if column not in known else both(known[column], one)


def columns_of(seen: Mapping[Any, dict[str, Any]], options: ReadOptions) -> list[TableColumn]:
    """Merges observations of a table's columns.

    Raises:
        SchemaError: as in `merge`.
    """
    found = [_Seen(**column._asdict(), **one) for column, one in seen.items()]
    return merge(sorted(found, key=latest_first), options)


class _Unread:
    """Messages that could not be read while a table was looked for.

    Attributes:
        messages: how many were looked at.
    """

    def __init__(self, wanted: Name) -> None:
        self.messages = self._failed = 0
        self._wanted = wanted
        self._first = self._cut = self._undescribed = ""

    def lines(self, batch: Received) -> None:
        """Counts messages, and those that are none."""
        self.messages += batch.rows
        self._failed += len(batch.problems)
        for at, why in batch.problems.items():
            said = f"{batch.origin(at)}: {why}"
            self._first = self._first or said
            if is_cut(why):
                self._cut = said

    def errors(self, batch: Received, errors: Iterable[DecodeError]) -> None:
        """Counts messages that could not be decoded."""
        for error in errors:
            self._failed += 1
            self._first = self._first or f"{batch.origin(error.message or 0)}: {error}"
            if not isinstance(error, MissingTableError) or self._undescribed or error.table is None:
                continue
            if fitting(self._wanted, [(error.schema, error.table)]):
                self._undescribed = error.detail.partition(": ")[2]

    def absent(self, others: Collection[TableName]) -> str:
        """A sentence about the table, of which no change was read: first why, where messages that could not be read
        are the likely reason.

        Args:
            others: the tables of which there are changes.
        """
        sentence = absent(self._wanted, others, "these messages")
        unread = f"{self._failed:,} of {self.messages:,} messages could not be read, the first: {self._first}"
        if self._undescribed:
            name = asked(self._wanted)
            return f"table {name} is not described, without which its rows cannot be read: {self._undescribed}"
        if self._cut:
            return f"{self._cut}; {sentence}"
        if 2 * self._failed > self.messages:
            return f"{unread}; {sentence}"
        return f"{sentence} ({unread})" if self._failed else sentence


def derived(read: TableReading) -> tuple[list[TableColumn], TableName | None]:
    """The columns of the table, from all messages; and the table's name, if another table's differs only in case.

    Raises:
        SchemaError: there is no change of it, or the name is ambiguous.
        InputError: there is no message.
    """
    seen: SeenColumns = {}
    others: set[TableName] = set()
    decoder = read.decoder()
    unread = _Unread(read.table)
    for batch in map(Received, read.batches()):
        unread.lines(batch)
        for decoded in read.parts(decoder, batch):
            wanted = positions(decoded.tables, read.table)
            note(seen, decoded, wanted)
            if len(others) < MOST_KEPT:
                others |= {decoded.tables[layout.table] for layout in decoded.layouts if layout.table not in wanted}
            unread.errors(batch, decoded.errors)
    if not unread.messages:
        raise InputError("there is no message to read")
    if not seen:
        raise SchemaError(unread.absent(others))
    if len(seen) > 1:
        if read.table not in seen:
            raise SchemaError(several(read.table, fitting(read.table, seen)))
        seen = {read.table: seen[read.table]}
    (name,) = seen
    return columns_of(seen[name], read.options), name if name == read.table else None


def meant(read: TableReading, wanted: Name) -> TableName | None:
    """The table that a name refers to, as messages spell it. Reading stops at an exact match. None if the name includes
    a schema and the table has no changes.

    Raises:
        SchemaError: the name can mean several tables, or has no schema and no table with changes.
    """
    there: set[TableName] = set()
    decoder, unread = read.decoder(), _Unread(wanted)
    for batch in map(Received, read.batches()):
        unread.lines(batch)
        for decoded in read.parts(decoder, batch):
            unread.errors(batch, decoded.errors)
            there |= {decoded.tables[layout.table] for layout in decoded.layouts}
        if wanted[0] is not None and wanted in there:
            return wanted
    fits = [name for name in fitting(wanted, there) if name[0] is not None]
    if len(fits) > 1:
        raise SchemaError(several(wanted, fits))
    if not fits and wanted[0] is None:
        raise SchemaError(unread.absent(there))
    return fits[0] if fits else None


def of_schema(schema: Any, options: ReadOptions) -> list[TableColumn]:
    """The table's columns in a user's schema, which may also contain the metadata columns of rows.

    Raises:
        SchemaError: it is not a schema, or a column has a type that no change is decoded to.
    """
    if not isinstance(schema, pa.Schema):
        raise SchemaError(f"a schema is a pyarrow.Schema, such as that of a table that was read, not {shown(schema)}")
    ours = {*METADATA.names, options.corrupt_column, options.misfit_column, *(own for _, own in options.keep)}
    found = []
    for field in schema:
        if field.name in ours:
            continue
        try:
            sql_name(field.type)
        except KeyError:
            raise SchemaError(
                f"column {field.name!r}: {field.type} is not a type that changes are decoded to; there are "
                f"{', '.join(str(one.arrow) for one in CANDIDATES)}, and decimal128 of any digits"
            ) from None
        members = (field.metadata or {}).get(MEMBERS.encode())
        with suppress(ValueError):
            found.append(TableColumn(field.name, field.type, {} if members is None else {MEMBERS: json.loads(members)}))
    return found

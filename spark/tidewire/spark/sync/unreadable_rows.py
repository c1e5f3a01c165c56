"""Determines the rows of messages that could not be decoded because single values are wrong, so that only their keys
wait instead of the whole table. Each wrong value is replaced by null, and the message is decoded again. The resulting
rows are never staged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.messages.delivery.claims import ClaimError
from tidewire.messages.facade import FacadeDecoder
from tidewire.reading.images import text_where_possible
from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.types import SchemaError
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError
from tidewire.spark.sync.by_table import by_table, runs
from tidewire.spark.sync.changed_rows import ChangedRows

MOST_VALUES = 16
"""The most wrong values of one message that are left out; with more, its row counts as unknown."""
_SCALAR = re.compile(rb'(?:"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][0-9.eE+-]*|true|false)(?=\s*[,}\]])')
_BEFORE = (b":", b",", b"[")
_NULL = b"null"

LeftOut = Mapping[int, Sequence[set[str]]]
"""By message: the paths of the values that were left out."""


class UnreadableRow(NamedTuple):
    """A row of a message that could not be decoded.

    Attributes:
        table: schema and name of the table.
        key: `key_text` of the row; empty if unknown.
        ts: commit ts of the row; 0 if unknown.
    """

    table: tuple[str, str]
    key: str
    ts: int


def unreadable_rows(
    decoder: FacadeDecoder[Any],
    messages: MessageBatch,
    errors: Iterable[DecodeError],
    rows: ChangedRows,
    ordered: Callable[[EventColumns], EventColumns],
) -> Mapping[int, Sequence[UnreadableRow]]:
    """By message, the rows that can be determined.

    Args:
        messages: the batch.
        errors: errors of messages of the batch.
        rows: converts changes to rows.
        ordered: sets the order of changes.
    """
    found: dict[int, set[UnreadableRow]] = {}
    for events, left_out in _decoded(decoder, messages, errors):
        changes = runs(events)
        columns = {column.name for layout in events.layouts for column in layout.columns}
        for number, mine in by_table(ordered(events), changes, changes.tables):
            for at, row in _rows(rows, number, mine, left_out, columns):
                found.setdefault(at, set()).add(row)
    return {at: sorted(each) for at, each in found.items()}


def _rows(
    rows: ChangedRows, number: int, changes: EventColumns, left_out: LeftOut, columns: set[str]
) -> Iterator[tuple[int, UnreadableRow]]:
    """The rows of one table, each with its message number.

    Args:
        left_out: values that were left out; the key is unknown if part of it was, or something that is not a column
            value.
        columns: columns of all tables of the messages.
    """
    schema, table = changes.tables[number]
    if not table:
        return
    name = schema or "", table
    try:
        made = rows.of(name, number, changes, refused="a value cannot be read")
    except SchemaError:
        for at in pc.unique(changes.events.column("message")).to_pylist():
            yield at, UnreadableRow(name, "", 0)
        return
    for one in made:
        keys = {column.name for column in one.shape.keys}
        for row in one.failed:
            known = all(path & columns and not path & keys for path in left_out[row.message])
            yield row.message, UnreadableRow(name, row.key if known else "", row.ts)


def _decoded(
    decoder: FacadeDecoder[Any], messages: MessageBatch, errors: Iterable[DecodeError]
) -> Iterator[tuple[EventColumns, LeftOut]]:
    """The events of messages after removal of their wrong values."""
    left_out: dict[int, list[set[str]]] = {}
    values: dict[int, bytes] = {}
    pending = {int(error.message or 0): error for error in errors}
    away = [at for at, error in pending.items() if isinstance(error, ClaimError)]
    if away:
        # an event that points to a file contains the key
        left_out |= {at: [] for at in away}
        pointers = decoder.with_options(replace(decoder.options, claim_check=""))
        events = _again(pointers, messages, {at: messages.values[at].as_py() for at in away})
        yield _of(events, dict(enumerate(away))), left_out
        pending = {at: error for at, error in pending.items() if at not in left_out}
    for _ in range(MOST_VALUES):
        refused: dict[int, tuple[EventColumns, dict[int, int]]] = {}
        again: list[int] = []
        for at, error in pending.items():
            left_out.setdefault(at, []).append(set(error.field.split("/")))
            if error.rest is not None:
                events, number = error.rest
                refused.setdefault(id(events), (events, {}))[1][number] = at
            elif decoder.FACTS.text:
                without = _without(values.get(at) or messages.values[at].as_py(), error)
                if without is not None:
                    values[at] = without
                    again.append(at)
        for events, numbers in refused.values():
            yield _of(events, numbers), left_out
        if not again:
            return
        decoded = _again(decoder, messages, {at: values[at] for at in again})
        yield _of(decoded, dict(enumerate(again))), left_out
        pending = {again[int(error.message or 0)]: error for error in decoded.errors}


def _again(decoder: FacadeDecoder[Any], messages: MessageBatch, values: Mapping[int, bytes]) -> EventColumns:
    """Decodes messages after some values were replaced."""
    keys = None if messages.keys is None else messages.keys.take(column_of(list(values), pa.int64())).to_pylist()
    decoded = decoder.attempt(list(values.values()), keys)
    text_where_possible(decoded.layouts)
    return decoded


def _of(events: EventColumns, numbers: dict[int, int]) -> EventColumns:
    """The events of some messages, with new message numbers."""
    found: list[Any] = events.events.column("message").to_pylist()
    rows = [row for row, number in enumerate(found) if number in numbers]
    message = column_of([numbers[found[row]] for row in rows], pa.int64())
    return events.take(rows).with_columns({"message": message})


def _without(value: bytes | None, error: DecodeError) -> bytes | None:
    """A JSON message with null in place of the wrong value. Its length stays the same if possible, since some protocols
    have length prefixes. None if the error is not about a value.
    """
    if value is None or error.part == "key":
        return None
    for start in (error.offset, error.offset - 1):
        found = _SCALAR.match(value, start) if start > 0 else None
        if found is not None and value[:start].rstrip().endswith(_BEFORE):
            null = _NULL.ljust(found.end() - start)
            return value[:start] + null + value[found.end() :]
    return None

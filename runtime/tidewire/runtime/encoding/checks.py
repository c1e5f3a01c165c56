"""Checks the columns that encoders are given, which can come from any source, before they are read.

Every problem is an `EncodeError` that names the column, and the event if there is one; arrays are never read out of
bounds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.columns import stored
from tidewire.runtime.arrow.literals import constant
from tidewire.runtime.arrow.storage import TEXT
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.shortened import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tidewire.runtime.batch import EventColumns, Layout

MOST_BYTES = 0x7FFFFFF0
"""Maximum bytes of an Arrow binary array, whose offsets have 32 bits."""
_MOST_FLAGS = (1 << 64) - 1
_ALWAYS = frozenset(("kind", "table", "new_layout", "new_row", "old_layout", "old_row"))
"""Columns of events that are never null; -1 means no image."""


def event_source(protocol: str, given: EventColumns, names: Sequence[str], storages: Sequence[int]) -> ColumnReader:
    """A reader of columns of a batch of events.

    Args:
        protocol: name of the protocol, for errors.
        given: the batch; those made by our own decoders and builders need no checks.
        names: names of the columns that are read.
        storages: storage of each of them.

    Raises:
        EncodeError: a column is missing, has another type, or has nulls where every event needs a value.
    """
    if given.laid():
        return given.source(names, storages)
    events = given.events
    positions = {name: position for position, name in enumerate(events.schema.names)}
    arrays: list[pa.Array] = []
    for name, storage in zip(names, storages):
        position = positions.get(name)
        if position is None:
            raise EncodeError(protocol, None, None, f"the batch of events has no column {shown(name)}")
        try:
            array = stored(events.column(position), storage)
        except TypeError as error:
            raise EncodeError(protocol, None, None, f"the batch of events, column {shown(name)}: {error}") from None
        if name in _ALWAYS and array.null_count:
            raise EncodeError(protocol, _first(pc.is_null(array)), None, f"it says nothing about its {name}")
        if storage == TEXT and array.type != pa.utf8():
            array = _text(protocol, name, array)
        arrays.append(array)
    return ColumnReader(arrays, storages)


def _text(protocol: str, name: str, array: pa.Array) -> pa.Array:
    """Binary as utf8; raises an error for the first value that is not UTF-8."""
    try:
        return array.cast(pa.utf8())
    except pa.ArrowInvalid:
        pass
    for event, value in enumerate(array.to_pylist()):
        try:
            (value or b"").decode()
        except UnicodeDecodeError:
            raise EncodeError(protocol, event, None, f"its {name} is not UTF-8: {shown(value)}") from None
    return array


def column_source(protocol: str, layout: Layout, chosen: Sequence[int], storages: Sequence[int]) -> ColumnReader:
    """A reader of some columns of row images.

    Args:
        protocol: name of the protocol, for errors.
        layout: the row images.
        chosen: positions of the layout's columns that are read.
        storages: storage of each; -1: the protocol has no representation of its type.

    Raises:
        EncodeError: a column's storage does not match its type, or it has not one value per row.
    """
    lying = layout.lying(chosen, storages)
    if lying is not None:
        return lying
    arrays = layout.arrays
    if len(arrays) != len(layout.columns):
        reason = f"its row image has {len(layout.columns)} columns and {len(arrays)} arrays of values"
        raise EncodeError(protocol, None, None, reason)
    found: list[pa.Array] = []
    for position, storage in zip(chosen, storages):
        name, kind, flags, _ = layout.columns[position]
        if storage < 0:
            raise EncodeError(protocol, None, name, f"the protocol has no values of type {kind}")
        try:
            array = stored(arrays[position], storage)
        except TypeError as error:
            reason = f"type {kind} with flags {flags} has other values: {error}"
            raise EncodeError(protocol, None, name, reason) from None
        if len(array) != layout.num_rows:
            reason = f"it has {len(array)} values, and its row images are {layout.num_rows}"
            raise EncodeError(protocol, None, name, reason)
        found.append(array)
    return ColumnReader(found, storages)


def check_columns(protocol: str, columns: Iterable[Column], most: int) -> None:
    """Checks the descriptions of columns.

    Args:
        protocol: name of the protocol, for errors.
        columns: columns of a row image.
        most: greatest type code of the protocol.

    Raises:
        EncodeError: a name is not text or is duplicate; type, flags or declared type are invalid.
    """
    known: set[str] = set()
    for column in columns:
        if not isinstance(column, Column):
            reason = f"the columns of a row image are given as Column, not as {shown(column)}"
            raise EncodeError(protocol, None, None, reason)
        name, kind, flags, declared = column
        if not isinstance(name, str) or not _is_text(name):
            raise EncodeError(protocol, None, str(name), f"the name {shown(name)} is not text that UTF-8 can hold")
        if name in known:
            raise EncodeError(protocol, None, name, "its name is given twice")
        known.add(name)
        if not (isinstance(kind, int) and isinstance(flags, int)):
            raise EncodeError(protocol, None, name, f"type {shown(kind)} and flags {shown(flags)} are not integers")
        if not (0 <= kind <= most and 0 <= flags <= _MOST_FLAGS):
            reason = f"type {kind} and flags {flags}: at most {most} and 64 bits can be said"
            raise EncodeError(protocol, None, name, reason)
        if not (declared is None or (isinstance(declared, str) and _is_text(declared))):
            raise EncodeError(protocol, None, name, f"mysql_type {shown(declared)} is not text that UTF-8 can hold")


def table_names(protocol: str, columns: EventColumns) -> list[tuple[str, str]]:
    """Schema and name of the events' tables; empty where there is none.

    Raises:
        EncodeError: the name of an event's table is not text, or has a lone surrogate.
    """
    found: list[tuple[str, str]] = []
    for number, names in enumerate(columns.tables):
        reason = _table_trouble(names)
        if reason:
            event = _first(pc.equal(columns.events.column("table"), constant(number, pa.int64())))
            if event is not None:
                raise EncodeError(protocol, event, None, reason)
            names = ("", "")
        schema, table = names
        found.append((schema or "", table or ""))
    return found


def _table_trouble(names: object) -> str:
    """What is wrong with the schema or the name of a table, in words; empty: nothing."""
    if not isinstance(names, tuple) or len(names) != 2:
        return f"its table is named by schema and name, not by {shown(names)}"
    for name in names:
        if not (name is None or (isinstance(name, str) and _is_text(name))):
            return f"the name {shown(name)} is not text that UTF-8 can hold"
    return ""


def too_many_bytes(protocol: str, size: int, ends: Sequence[int], firsts: Sequence[int]) -> EncodeError:
    """The error of a batch of messages that does not fit an Arrow array.

    Args:
        protocol: name of the protocol, for errors.
        size: bytes of all messages.
        ends: end offset of each message.
        firsts: first event of each message.
    """
    event = next((first for end, first in zip(ends, firsts) if end > MOST_BYTES), None)
    return EncodeError(protocol, event, None, f"{size} bytes of messages: encode fewer events at once")


def _first(which: pa.Array) -> int | None:
    position: int = pc.index(which, constant(True, pa.bool_())).as_py()
    return None if position < 0 else position


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""From a protocol's messages to those that are sent: compressed, and no longer than they may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from tidewire.runtime import compute as pc
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.delivery.compression import NONE, compress
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.literals import column_of, constant, filled, with_column
from tidewire.runtime.written_messages import WrittenMessages

Encode = Callable[[EventColumns], pa.RecordBatch]
"""Events -> messages: key, value, first_event, events."""
Write = Callable[[EventColumns], WrittenMessages]
"""The same, of which nothing has been made yet."""
_ROWS = ("new_row", "old_row")
"""Columns of events that are -1 where there is no such row image."""


class Store(Protocol):
    """Where whole messages are kept."""

    def location(self) -> str:
        """A place for a message that is not there yet."""

    def write(self, location: str, value: bytes, key: bytes | None) -> None:
        """Keeps a message there."""


@dataclass(frozen=True, slots=True)
class Way:
    """What becomes of a row whose message is too long: it is written again with some of its columns.

    Attributes:
        keep: the flag of those columns.
        mark: the event's field that says so.
        stored: whether the whole message is kept elsewhere, and `mark` says where.
    """

    keep: int
    mark: str
    stored: bool


@dataclass(frozen=True, slots=True)
class Limit:
    """How long the message of a row may be.

    Attributes:
        bytes: most bytes of key, value and overhead.
        overhead: of every message.
        option: name of the option that chooses what becomes of longer ones, for errors.
        chosen: what was chosen.
        ways: what the choices mean; one without a meaning refuses such rows.
    """

    bytes: int
    overhead: int
    option: str
    chosen: str
    ways: Mapping[str, Way]

    @property
    def way(self) -> Way | None:
        """What was chosen means; None: rows that are too long are refused."""
        return self.ways.get(self.chosen)


class MessageWriter:
    """A protocol's encoder, with what lies around its messages.

    Args:
        protocol: for errors.
        encode: the protocol's own.
        compression: what values are compressed with, `none` for nothing.
        limit: how long rows may be; None: as long as they are.
        store: where whole messages are kept, needed by a way that stores.
        write: the protocol's own for a few messages.
    """

    def __init__(
        self,
        protocol: str,
        encode: Encode,
        compression: str = NONE,
        limit: Limit | None = None,
        store: Store | None = None,
        write: Write | None = None,
    ) -> None:
        self._protocol = protocol
        self._encode = encode
        self._compression = compression
        self._limit = limit
        self._store = store
        self._write = write

    def encode(self, columns: EventColumns, keeps: bool = True) -> pa.RecordBatch:
        """Events as messages.

        Args:
            columns: the events.
            keeps: whether messages that are too long are kept in the store.

        Raises:
            EncodeError: the protocol cannot carry an event, or its message is too long.
        """
        batch = self._compressed(self._encode(columns))
        if self._limit is None:
            return batch
        long = self._too_long(self._limit, batch, columns)
        return self._shorten(self._limit, batch, columns, long, keeps) if long else batch

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The same as a list: key, value, first event and number of events of each message.

        Raises:
            EncodeError: as above.
        """
        if self._write is not None and self._compression == NONE:
            written = self._write(columns)
            if self._limit is None or written.longest() <= self._limit.bytes - self._limit.overhead:
                return written.rows()
        batch = self.encode(columns)
        return [(row["key"], row["value"], row["first_event"], row["events"]) for row in batch.to_pylist()]

    def _compressed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if self._compression == NONE:
            return batch
        values = [
            None if value is None else compress(self._compression, value) for value in batch.column("value").to_pylist()
        ]
        return with_column(batch, "value", column_of(values, batch.schema.field("value").type))

    def _too_long(self, limit: Limit, batch: pa.RecordBatch, columns: EventColumns) -> list[int]:
        """Messages with a row that are longer than they may be."""
        lengths = _lengths(batch)
        long = pc.indices_nonzero(pc.greater(lengths, constant(limit.bytes - limit.overhead, lengths.type))).to_pylist()
        first = batch.column("first_event").take(column_of(long, pa.int64())).to_pylist()
        rows = [at for at, event in zip(long, first, strict=True) if self._has_image(columns, event)]
        several = [at for at in rows if batch.column("events")[at].as_py() > 1]
        refused = rows if limit.way is None else several
        if refused:
            at = refused[0]
            told = f"set {limit.option} to {' or '.join(limit.ways)}, or " if limit.way is None and limit.ways else ""
            raise EncodeError(
                self._protocol,
                batch.column("first_event")[at].as_py(),
                None,
                f"its message takes {lengths[at].as_py() + limit.overhead} bytes and may have {limit.bytes}: "
                f"{told}allow more bytes",
            )
        return rows

    def _has_image(self, columns: EventColumns, event: int) -> bool:
        return any(columns.events.column(row)[event].as_py() >= 0 for row in _ROWS)

    def _shorten(
        self, limit: Limit, batch: pa.RecordBatch, columns: EventColumns, long: Sequence[int], keeps: bool
    ) -> pa.RecordBatch:
        """The messages, with those that are too long written again as the way says."""
        way = limit.way
        assert way is not None
        at = column_of(long, pa.int64())
        rows = batch.column("first_event").take(at)
        marks: list[Any]
        if way.stored:
            if self._store is None:
                reason = "its message is too long and there is no place to keep it: give the encoder a store"
                raise EncodeError(self._protocol, rows[0].as_py(), None, reason)
            marks = [self._store.location() for _ in long]
        else:
            marks = [1] * len(long)
        short = self._compressed(self._encode_again(way, columns, rows, marks))
        for event, length in zip(rows.to_pylist(), _lengths(short).to_pylist(), strict=True):
            if length > limit.bytes - limit.overhead:
                raise EncodeError(
                    self._protocol,
                    event,
                    None,
                    f"even cut down ({limit.option}={limit.chosen}) its message takes {length + limit.overhead} "
                    f"bytes and may have {limit.bytes}: allow more bytes",
                )
        if keeps and way.stored and self._store is not None:
            # last, so that nothing is left behind of rows that are refused
            for message, location in zip(long, marks, strict=True):
                self._store.write(
                    location, batch.column("value")[message].as_py(), batch.column("key")[message].as_py()
                )
        place = {message: number for number, message in enumerate(long)}
        order = [batch.num_rows + place[k] if k in place else k for k in range(batch.num_rows)]
        found = batch
        for name in ("key", "value"):
            both = pa.concat_arrays([batch.column(name), short.column(name).cast(batch.schema.field(name).type)])
            found = with_column(found, name, both.take(column_of(order, pa.int64())))
        return found

    def _encode_again(self, way: Way, columns: EventColumns, rows: pa.Array, marks: Sequence[Any]) -> pa.RecordBatch:
        """Messages of these events with the way's columns only, one for each."""
        chosen = columns.take(rows)
        mark = column_of(marks, columns.events.schema.field(way.mark).type)
        layouts = [_kept(layout, way.keep) for layout in columns.layouts]
        try:
            batch = self._encode(chosen.with_columns({way.mark: mark}, layouts))
        except EncodeError as error:
            event = None if error.event is None else rows[error.event].as_py()
            raise EncodeError(error.protocol, event, error.column, error.reason) from None
        if batch.num_rows != len(rows):
            raise EncodeError(
                self._protocol, rows[0].as_py(), None, "cut down, it shares a message with the row behind it"
            )
        return batch


def _kept(layout: Layout, flag: int) -> Layout:
    """A layout with those of its columns that have the flag."""
    places = [at for at, column in enumerate(layout.columns) if column.flags & flag]
    columns = tuple(layout.columns[at] for at in places)
    return Layout(layout.table, columns, [layout.arrays[at] for at in places], layout.num_rows, layout.lacks)


def _lengths(batch: pa.RecordBatch) -> pa.Array:
    """Bytes of key and value of each message, int64."""
    both = [filled(pc.binary_length(batch.column(name)).cast(pa.int64()), 0) for name in ("key", "value")]
    return pc.add(*both)

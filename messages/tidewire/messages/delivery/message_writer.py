"""Compresses a protocol's messages, and cuts down those that exceed the limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import pyarrow as pa

from tidewire.messages.delivery.compression import NONE
from tidewire.messages.delivery.items import Packing
from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant, filled, with_column
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.batch.event_columns import IMAGES
from tidewire.runtime.errors import EncodeError

PLAIN = Packing()


class Written(Protocol):
    """The messages that a protocol's encoder has written (`WrittenMessages`)."""

    @property
    def longest_event(self) -> int:
        """The size of the longest message with a single row event, if messages hold several, in bytes."""

    def longest(self) -> int:
        """Bytes of the longest message."""

    def batch(self) -> pa.RecordBatch:
        """Their key, value, first_event, events."""

    def rows(self) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """The messages as a list."""


Write = Callable[[EventColumns], Written]
"""Events -> messages."""


class Store(Protocol):
    """A store for whole messages."""

    def location(self) -> str:
        """A new location, at which there is no message yet."""

    def write(self, location: str, value: bytes, key: bytes | None) -> None:
        """Stores a message at a location."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a row whose message is too long is written again with some of its columns.

    Attributes:
        keep: the flag of those columns.
        mark: the event field that marks it.
        stored: whether the whole message is stored elsewhere, with its location in `mark`.
        also: further event fields that are set to true.
    """

    keep: int
    mark: str
    stored: bool
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit for the message of a row.

    Attributes:
        bytes: the most bytes of key, value and overhead.
        overhead: added for every message.
        option: name of the option that selects the handling of longer ones, for errors.
        chosen: its value.
        ways: the meaning of each choice; a choice without one refuses such rows.
        refuses: codes of kinds of events without a row whose longer messages are refused.
    """

    bytes: int
    overhead: int
    option: str
    chosen: str
    ways: Mapping[str, Way]
    refuses: tuple[int, ...] = ()

    @property
    def way(self) -> Way | None:
        """The selected way; None if rows that are too long are refused."""
        return self.ways.get(self.chosen)


@dataclass(frozen=True, slots=True)
class Prepared:
    """Messages whose whole versions are not stored yet.

    Attributes:
        messages: key, value, first_event, events.
        whole: the messages of the events that are too long, without a limit.
        files: for each of these, its position in `whole`, its event and the location that its message names.
        store: where they will be stored.
    """

    messages: pa.RecordBatch
    whole: pa.RecordBatch | None = None
    files: tuple[tuple[int, int, str], ...] = ()
    store: Store | None = None

    def keep(self, stop: int | None = None) -> None:
        """Stores the complete messages of the events before `stop`; None: of all events.

        Raises:
            EncodeError: the store cannot take them.
        """
        for message, event, location in self.files:
            if self.store is not None and self.whole is not None and (stop is None or event < stop):
                value, key = (self.whole.column(name)[message].as_py() for name in ("value", "key"))
                self.store.write(location, value, key)


class MessageWriter:
    """A protocol's encoder with compression and the length limit.

    Args:
        protocol: name for errors.
        write: the encoder generated for the protocol.
        packing: how whole values, and keys, are compressed; items are compressed by the generated encoder.
        limit: the length limit for rows; None: no limit.
        store: the store for complete messages, required by a way that stores them.
        alone: the generated encoder with one event per message, if messages can otherwise hold several.
    """

    def __init__(
        self,
        protocol: str,
        write: Write,
        packing: Packing = PLAIN,
        limit: Limit | None = None,
        store: Store | None = None,
        alone: Write | None = None,
    ) -> None:
        self._protocol = protocol
        self._write = write
        self._packing = packing
        self._limit = limit
        self._store = store
        self._alone = alone
        self._plain = packing.name == NONE and limit is None

    def encode(self, columns: EventColumns) -> pa.RecordBatch:
        """Events as messages: key, value, first_event, events.

        Raises:
            EncodeError: the protocol cannot carry an event, or its message is too long.
        """
        prepared = self.prepare(columns)
        prepared.keep()
        return prepared.messages

    def prepare(self, columns: EventColumns) -> Prepared:
        """`encode`, except that the caller stores complete messages, since it may not send all messages.

        Raises:
            EncodeError: as in `encode`.
        """
        return self._finished(self._write(columns), columns)

    def messages(self, columns: EventColumns) -> list[tuple[bytes | None, bytes | None, int, int]]:
        """`encode` as a list: key, value, first event and number of events of each message.

        Raises:
            EncodeError: as above.
        """
        written = self._write(columns)
        if self._plain or (self._packing.name == NONE and self._fits(written)):
            return written.rows()
        prepared = self._finished(written, columns)
        prepared.keep()
        return [(row["key"], row["value"], row["first_event"], row["events"]) for row in prepared.messages.to_pylist()]

    def _finished(self, written: Written, columns: EventColumns) -> Prepared:
        """Compresses the messages that were written and applies the limit."""
        limit = self._limit
        if limit is None or (self._packing.name == NONE and self._fits(written)):
            return Prepared(self._compressed(written.batch()))
        if self._alone is None:
            batch = self._compressed(written.batch())
            long = self._too_long(limit, batch, columns)
            return self._replaced(limit, batch, columns, long) if long else Prepared(batch)
        apart = self._compressed(self._alone(columns).batch())
        long = self._too_long(limit, apart, columns)
        return self._gathered(limit, apart, columns, long) if long else Prepared(self._compressed(written.batch()))

    def _fits(self, written: Written) -> bool:
        """Whether every row's message is within the limit."""
        if self._limit is None:
            return True
        longest = written.longest() if self._alone is None or self._limit.refuses else written.longest_event
        return longest <= self._limit.bytes - self._limit.overhead

    def _compressed(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        if self._packing.name == NONE:
            return batch
        for name in ("value", "key") if self._packing.keys else ("value",):
            packed = [None if one is None else self._packing.pack(one) for one in batch.column(name).to_pylist()]
            batch = with_column(batch, name, column_of(packed, batch.schema.field(name).type))
        return batch

    def _too_long(self, limit: Limit, batch: pa.RecordBatch, columns: EventColumns) -> list[int]:
        """Messages with a row that exceed the limit.

        Raises:
            EncodeError: such rows are refused.
        """
        lengths = _lengths(batch)
        long = pc.indices_nonzero(pc.greater(lengths, constant(limit.bytes - limit.overhead, lengths.type)))
        image = [columns.events.column(row).take(batch.column("first_event").take(long)) for _, row in IMAGES]
        has_row = pc.or_(*(pc.greater_equal(rows, constant(0, rows.type)) for rows in image))
        found: list[int] = long.filter(has_row).to_pylist()
        self._refuse(limit, batch, columns, long.filter(pc.invert(has_row)).to_pylist(), lengths)
        several = [at for at in found if batch.column("events")[at].as_py() > 1]
        refused = found if limit.way is None else several
        if refused:
            at = refused[0]
            advice = f"set {limit.option} to {' or '.join(limit.ways)}, or " if limit.way is None and limit.ways else ""
            raise self._error(limit, batch, at, lengths, advice)
        return found

    def _refuse(
        self, limit: Limit, batch: pa.RecordBatch, columns: EventColumns, long: Sequence[int], lengths: pa.Array
    ) -> None:
        """Refuses messages without a row whose kind must not exceed the limit.

        Raises:
            EncodeError: there is one.
        """
        if not limit.refuses or not long:
            return
        events = batch.column("first_event").take(column_of(long, pa.int64()))
        kinds = columns.events.column("kind").take(events).to_pylist()
        for at, kind in zip(long, kinds, strict=True):
            if kind in limit.refuses:
                raise self._error(limit, batch, at, lengths, "")

    def _error(self, limit: Limit, batch: pa.RecordBatch, at: int, lengths: pa.Array, advice: str) -> EncodeError:
        """The error of a message that is too long."""
        said = f"its message takes {lengths[at].as_py() + limit.overhead} bytes and may have {limit.bytes}: "
        event = batch.column("first_event")[at].as_py()
        return EncodeError(self._protocol, event, None, f"{said}{advice}allow more bytes")

    def _replaced(self, limit: Limit, batch: pa.RecordBatch, columns: EventColumns, long: Sequence[int]) -> Prepared:
        """The messages, of one event each; those that are too long are encoded again as the way requires."""
        rows = batch.column("first_event").take(column_of(long, pa.int64()))
        marks = self._marks(limit, rows)
        short = self._again(limit, columns.take(rows), range(len(rows)), marks, rows, self._write)
        position = {message: number for number, message in enumerate(long)}
        order = [batch.num_rows + position[k] if k in position else k for k in range(batch.num_rows)]
        found = batch
        for name in ("key", "value"):
            both = pa.concat_arrays([batch.column(name), short.column(name).cast(batch.schema.field(name).type)])
            found = with_column(found, name, both.take(column_of(order, pa.int64())))
        return self._prepared(limit, found, batch, long, marks)

    def _gathered(self, limit: Limit, apart: pa.RecordBatch, columns: EventColumns, long: Sequence[int]) -> Prepared:
        """All events in messages that hold several; events that are too long are reduced as the way requires.

        Args:
            limit: the length limit for rows.
            apart: every event in a message of its own.
            long: indexes of the messages in `apart` that are too long.
        """
        assert self._alone is not None
        assert limit.way is not None
        rows = apart.column("first_event").take(column_of(long, pa.int64()))
        marks = self._marks(limit, rows)
        self._again(limit, columns.take(rows), range(len(rows)), marks, rows, self._alone)
        found = self._write(_cut(limit.way, columns, rows.to_pylist(), marks))
        return self._prepared(limit, self._compressed(found.batch()), apart, long, marks)

    def _marks(self, limit: Limit, rows: pa.Array) -> list[Any]:
        """The mark of each reduced event: true, or the location of the complete message.

        Raises:
            EncodeError: there is no store for complete messages.
        """
        assert limit.way is not None
        if not limit.way.stored:
            return [1] * len(rows)
        if self._store is None:
            reason = "its message is too long and there is no place to keep it: give the encoder a store"
            raise EncodeError(self._protocol, rows[0].as_py(), None, reason)
        return [self._store.location() for _ in rows]

    def _prepared(
        self, limit: Limit, messages: pa.RecordBatch, whole: pa.RecordBatch, long: Sequence[int], marks: Sequence[Any]
    ) -> Prepared:
        """The messages, with the complete ones to be stored later, so that no files are left behind if a row is
        refused.
        """
        if limit.way is None or not limit.way.stored:
            return Prepared(messages)
        events = whole.column("first_event").take(column_of(long, pa.int64())).to_pylist()
        return Prepared(messages, whole, tuple(zip(long, events, marks, strict=True)), self._store)

    def _again(
        self,
        limit: Limit,
        chosen: EventColumns,
        which: Sequence[int],
        marks: Sequence[Any],
        rows: pa.Array,
        write: Write,
    ) -> pa.RecordBatch:
        """Encodes each event, reduced to the way's columns, as a message of its own.

        Args:
            limit: the length limit.
            which: indexes of all these events.
            rows: their indexes among all events, for errors.
            write: the encoder generated for the protocol.

        Raises:
            EncodeError: a reduced event cannot be encoded, or is still too long.
        """
        assert limit.way is not None
        cut = _cut(limit.way, chosen, which, marks)
        try:
            short = self._compressed(write(cut).batch())
        except EncodeError as error:
            event = None if error.event is None else rows[error.event].as_py()
            reason = error.reason
            if error.event is not None and _is_empty(cut, error.event):
                reason = (
                    f"its message is too long, and none of its columns has the flag {limit.way.keep}, and "
                    f"{limit.option}={limit.chosen} keeps those alone: flag the columns of its key, or allow more bytes"
                )
            raise EncodeError(error.protocol, event, error.column, reason) from None
        if short.num_rows != len(rows):
            reason = "cut down, it shares a message with the row behind it"
            raise EncodeError(self._protocol, rows[0].as_py(), None, reason)
        for event, length in zip(rows.to_pylist(), _lengths(short).to_pylist(), strict=True):
            if length > limit.bytes - limit.overhead:
                raise EncodeError(
                    self._protocol,
                    event,
                    None,
                    f"even cut down ({limit.option}={limit.chosen}) its message takes {length + limit.overhead} "
                    f"bytes and may have {limit.bytes}: allow more bytes",
                )
        return short


def _cut(way: Way, columns: EventColumns, rows: Sequence[int], marks: Sequence[Any]) -> EventColumns:
    """The events, of which some are reduced to the way's columns and marked.

    Args:
        way: the columns that remain, and the fields for marks.
        rows: the events to reduce.
    """
    by_row = dict(zip(rows, marks, strict=True))
    said = columns.events.column(way.mark)
    changed: dict[str, pa.Array] = {
        way.mark: column_of([by_row.get(row, old) for row, old in enumerate(said.to_pylist())], said.type)
    }
    for name in way.also:
        values = columns.events.column(name)
        changed[name] = column_of(
            [1 if row in by_row else old for row, old in enumerate(values.to_pylist())], values.type
        )
    layouts = list(columns.layouts)
    moved: dict[int, int] = {-1: -1}
    for name, _ in IMAGES:
        numbers = columns.events.column(name).to_pylist()
        for row in rows:
            number = numbers[row]
            if number not in moved:
                moved[number] = len(layouts)
                layouts.append(_kept(columns.layouts[number], way.keep))
            numbers[row] = moved[number]
        changed[name] = column_of(numbers, pa.int64())
    return columns.with_columns(changed, layouts)


def _is_empty(columns: EventColumns, event: int) -> bool:
    """Whether some row image of an event has no columns."""
    numbers = [columns.events.column(name)[event].as_py() for name, _ in IMAGES]
    return any(number >= 0 and not columns.layouts[number].columns for number in numbers)


def _kept(layout: Layout, flag: int) -> Layout:
    """A layout with only the columns that have the flag."""
    positions = [at for at, column in enumerate(layout.columns) if column.flags & flag]
    columns = tuple(layout.columns[at] for at in positions)
    return Layout(layout.table, columns, [layout.arrays[at] for at in positions], layout.num_rows, layout.lacks)


def _lengths(batch: pa.RecordBatch) -> pa.Array:
    """The size in bytes of key and value of each message, int64."""
    both = [filled(pc.binary_length(batch.column(name)).cast(pa.int64()), 0) for name in ("key", "value")]
    return pc.add(*both)

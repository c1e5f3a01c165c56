"""Encodes frames of events to messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType

from tidewire.events import EVENT_SCHEMA, KINDS
from tidewire.messages.delivery.message_writer import Prepared
from tidewire.messages.delivery.refused import refused
from tidewire.reading.message_batch import CORRUPT
from tidewire.reading.types import SchemaError, record_batch
from tidewire.runtime.arrow.literals import column_of, constant, filled, with_column
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.event_batches import complete
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.registered.schema_builder import is_by_table, topic_of
from tidewire.schemas import CORRUPT_RECORD, EVENTS
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.descriptions import DESCRIBED, DescriptionsOfFrame, RowOfDescription
from tidewire.spark.event_images import Codes, GroupedImages
from tidewire.spark.known_tables import encoder_of
from tidewire.spark.options import WriteOptions, codec_names, load, write_options
from tidewire.spark.source import check_frame
from tidewire.spark.workers import run_on

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_COMMIT = ("_commit_version", "_commit_timestamp")
_TOPIC = "topic"
_MESSAGE = (_TOPIC, "partition", "offset")
BOOTSTRAP = "bootstrap"
"""The kind of event that only describes a table."""
_IDENTITY = ("kind", "schema", "table", *_COMMIT, *_MESSAGE)
"""The columns that identify an event."""
_TAKEN = tuple(name for name in EVENTS.names if name not in ("event", *_MESSAGE))


def to_ticdc(df: DataFrame, protocol: str, options: Mapping[str, Any] | None = None) -> DataFrame:
    """Encodes a frame of events as messages with the columns of a Kafka sink: `key`, `value`, and `events`, the number
    of events in each.

    The frame has the columns of `from_ticdc`. Required are `kind` and `_commit_version`, or `_commit_timestamp` in its
    place. The origin columns are ignored, and rows without a kind (corrupt records) are refused. `new` and `old` have
    exactly the columns listed in `columns` (`old_columns`). Rows are gathered into messages as the producer does it, in
    the order of the Spark partition: if the order was lost, sort within partitions by version and rank first, and keep
    the events of one table in one partition.

    An event that the protocol cannot carry fails the query; the error names the event, its column and its origin. In
    mode PERMISSIVE it becomes a row without `value`, with the reason in the corrupt-record column, which is last: write
    such rows elsewhere, since Kafka treats a row without a value as a tombstone. In mode DROPMALFORMED it is left out.

    Args:
        df: events.
        protocol: name of the protocol.
        options: see `tidewire.spark.options.WriteOptions`, and the protocol's own.

    Raises:
        OptionError: an option is unknown or invalid.
        SchemaError: the frame lacks a column, or a column has another type.
        EncodeError: (in the query, in mode FAILFAST) the protocol cannot carry an event.
    """
    check_frame(df, "events")
    chosen = write_options(protocol, options)
    types = {field.name: field.dataType for field in df.schema}
    keep = chosen.messages == "keep"
    commit = tuple(name for name in _COMMIT if name in types) or _COMMIT[:1]
    needed, taken = ("kind", *commit), _TAKEN
    if keep:
        needed, taken = needed + _MESSAGE, taken + _MESSAGE
    else:  # for errors, which name the origin of an event
        taken += tuple(name for name in _MESSAGE if types.get(name) == EVENTS[name].dataType)
    missing = [name for name in needed if name not in types]
    wrong = [f for f in EVENTS if f.name in taken and f.name in types and types[f.name] != f.dataType]
    if missing or wrong:
        lacks = [f"lacks {name} {EVENTS[name].dataType.simpleString().upper()}" for name in missing]
        has = [
            f"has {f.name} {types[f.name].simpleString().upper()}, not {f.dataType.simpleString().upper()}"
            for f in wrong
        ]
        raise SchemaError(f"this is no frame of events: it {', '.join(lacks + has)}; `from_ticdc` makes such frames")
    schema = StructType(
        [StructField("key", BinaryType()), StructField("value", BinaryType()), StructField("events", IntegerType())]
        + ([StructField("topic", StringType())] if chosen.topic is not None else [])
        + ([StructField(chosen.corrupt_column, CORRUPT_RECORD)] if chosen.mode == "PERMISSIVE" else [])
    )
    if len({name.lower() for name in schema.names}) < len(schema.names):
        raise SchemaError(
            f"messages have the columns {', '.join(schema.names[:-1])}: option columnNameOfCorruptRecord needs another "
            f"name than {chosen.corrupt_column}"
        )
    events = df.select(*[name for name in taken if name in types])
    return run_on(events, EncodeTask(protocol, chosen, arrow_schema(schema)), schema)


class WrittenPart(NamedTuple):
    """The messages of a range of events of a batch."""

    messages: pa.RecordBatch
    prepared: Prepared
    """The same messages, including the stored contents of those that are too large."""
    start: int
    """The index of the first event in the range."""


class WrittenBatch(NamedTuple):
    """The messages of a batch of events."""

    messages: pa.RecordBatch
    first: int
    """The first event of the last message, which may still grow."""
    parts: list[WrittenPart]
    """The ranges of events and their messages."""

    def keep(self, stop: int) -> None:
        """Writes the claim-check files of messages whose events precede `stop`."""
        for part in self.parts:
            part.prepared.keep(stop=stop - part.start)


@dataclass(frozen=True)
class EncodeTask:
    """`mapInArrow`: events -> messages. The messages do not depend on where Arrow batches are split."""

    protocol: str
    options: WriteOptions
    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        encoder, known = encoder_of(self.protocol, self.options)
        rest: pa.RecordBatch | None = None
        done = 0
        for batch in batches:
            if batch.num_rows == 0:
                continue
            if known is not None:
                known.batch_done()
            if rest is not None:
                batch = pa.Table.from_batches([rest, batch]).combine_chunks().to_batches()[0]
            try:
                written = self.encode(encoder, batch, done)
            except EncodeError as error:
                bad = self.refused(encoder, batch, error, done)
                if self.options.mode == "PERMISSIVE":
                    yield self.corrupt(batch, bad)
                batch = batch.take(column_of([row for row in range(batch.num_rows) if row not in bad], pa.int64()))
                done += len(bad)
                if batch.num_rows == 0:
                    rest = None
                    continue
                written = self.encode(encoder, batch, done)
            # the last message may not be full yet: its events are encoded again with the next batch, and no file is
            # written for it
            first = written.first
            complete = pc.sum(pc.less(written.messages.column("first_event"), constant(first, pa.int64()))).as_py() or 0
            if complete:
                written.keep(first)
                yield self.output(written.messages.slice(0, complete))
            rest = batch.slice(first) if first < batch.num_rows else None
            done += first
        if rest is not None:
            written = self.encode(encoder, rest, done)
            written.keep(rest.num_rows)
            yield self.output(written.messages)

    def refused(self, encoder: Any, batch: pa.RecordBatch, error: EncodeError, done: int) -> dict[int, EncodeError]:
        """The rows of a batch that cannot be encoded, with their errors.

        Raises:
            EncodeError: in mode FAILFAST, or if the error is not about a single event.
        """
        if error.event is None:
            raise error
        if self.options.mode == "FAILFAST":
            reason = (
                f"{error.reason} ({_place(batch, error.event - done)}). Mode PERMISSIVE keeps such events in a column "
                "of their own, DROPMALFORMED drops them"
            )
            raise EncodeError(error.protocol, error.event, error.column, reason)
        return refused(lambda some: self.check(encoder, batch.take(column_of(some, pa.int64()))), range(batch.num_rows))

    def check(self, encoder: Any, batch: pa.RecordBatch) -> None:
        """Raises the error of the first of these events that cannot be encoded, or has no topic."""
        columns = event_columns(self.protocol, batch)
        if self.by_table:
            self.topics(columns, encoder.prepare(columns).messages, 0)
        else:
            encoder.check(columns)

    def corrupt(self, batch: pa.RecordBatch, bad: Mapping[int, EncodeError]) -> pa.RecordBatch:
        """Rows with a reason, for events without a message."""
        rows = column_of(bad, pa.int64())
        reasons = [_told(error) for error in bad.values()]
        origins = [
            batch.column(name).take(rows) if name in batch.schema.names else pa.nulls(len(bad), kind)
            for name, kind in ((name, CORRUPT.field(name).type) for name in _MESSAGE)
        ]
        nothing = pa.nulls(len(bad), pa.binary())
        record = pa.StructArray.from_arrays(
            [nothing, column_of(reasons, pa.utf8()), *origins, nothing], fields=list(CORRUPT)
        )
        return record_batch(self.schema, {self.options.corrupt_column: record}, len(bad))

    def encode(self, encoder: Any, batch: pa.RecordBatch, done: int) -> WrittenBatch:
        """The messages of a batch of events.

        Args:
            batch: rows of an event frame, at least one.
            done: how many events of this partition precede the batch, for event numbers in errors.
        """
        columns = event_columns(self.protocol, batch, done)
        parts = [self.messages(encoder, columns, done)]
        messages = parts[0].messages
        first = messages.column("first_event")
        starts = column_of(_message_starts(batch) if self.options.messages == "keep" else [], first.type)
        if pc.all(pc.is_in(starts, value_set=first)).as_py() is False:
            # rows of several messages were merged into one
            stops = [*starts.to_pylist(), batch.num_rows]
            parts = [
                self.messages(encoder, columns, done, start, stop)
                for start, stop in zip([0, *stops[:-1]], stops, strict=True)
            ]
            messages = pa.Table.from_batches([part.messages for part in parts]).combine_chunks().to_batches()[0]
        if self.by_table:
            messages = messages.append_column(_TOPIC, self.topics(columns, messages, done))
        if messages.num_rows == 0:  # these events have no message in this protocol
            return WrittenBatch(messages, batch.num_rows, parts)
        last = starts[-1] if len(starts) else messages.column("first_event")[messages.num_rows - 1]
        return WrittenBatch(messages, int(last.as_py()), parts)

    def messages(
        self, encoder: Any, columns: EventColumns, done: int, start: int = 0, stop: int | None = None
    ) -> WrittenPart:
        """The messages of a range of events; event numbers count from the start of `columns`."""
        some = EventColumns(
            columns.events[start:stop], columns.tables, columns.layouts, descriptions=columns.descriptions
        )
        try:
            prepared = encoder.prepare(some)
        except EncodeError as error:
            event = None if error.event is None else done + start + error.event
            raise EncodeError(error.protocol, event, error.column, error.reason) from None
        first = pc.add(prepared.messages.column("first_event"), constant(start, pa.int64()))
        return WrittenPart(with_column(prepared.messages, "first_event", first), prepared, start)

    @cached_property
    def by_table(self) -> bool:
        """Whether the topic depends on the table's name."""
        own = self.options.topic is not None and _TOPIC in codec_names(self.protocol)
        return own and is_by_table(self.options.topic or "")

    def topics(self, columns: EventColumns, messages: pa.RecordBatch, done: int) -> pa.Array:
        """The topic of each message; each message has one event.

        Args:
            done: added to event numbers in errors.

        Raises:
            EncodeError: an event has no table.
        """
        first = messages.column("first_event")
        tables = columns.events.column("table").take(first)
        pattern = self.options.topic or ""
        names = [topic_of(pattern, (schema or "", name)) if name else None for schema, name in columns.tables]
        found = column_of(names, pa.utf8()).take(tables)
        if found.null_count:
            at = pc.index(pc.is_null(found), constant(True, pa.bool_())).as_py()
            reason = f"it is of no table, of which the topic {pattern} could be made: write it with another topic"
            raise EncodeError(self.protocol, done + first[at].as_py(), None, reason)
        return found

    def output(self, messages: pa.RecordBatch) -> pa.RecordBatch:
        """The columns that a Kafka sink reads."""
        columns = {
            "key": messages.column("key").cast(pa.binary()),
            "value": messages.column("value").cast(pa.binary()),
            "events": messages.column("events").cast(pa.int32()),
        }
        if self.by_table:
            columns[_TOPIC] = messages.column(_TOPIC)
        elif self.options.topic is not None:
            columns[_TOPIC] = pa.repeat(constant(self.options.topic, pa.utf8()), messages.num_rows)
        return record_batch(self.schema, columns, messages.num_rows)


def _told(error: EncodeError) -> str:
    return error.reason if error.column is None else f"column {error.column!r}: {error.reason}"


def _place(batch: pa.RecordBatch, row: int) -> str:
    """Describes for an error which event of the frame a row is."""
    found = {name: batch.column(name)[row].as_py() for name in _IDENTITY if name in batch.schema.names}
    return ", ".join(f"{name} {value}" for name, value in found.items() if value is not None)


def _message_starts(batch: pa.RecordBatch) -> list[int]:
    """The rows of an event frame that start another message; without the first row."""
    differ = [pc.not_equal(batch.column(name)[1:], batch.column(name)[:-1]) for name in _MESSAGE]
    return [1 + row for row in pc.indices_nonzero(filled(pc.or_(pc.or_(*differ[:2]), differ[2]), True)).to_pylist()]


def event_columns(protocol: str, batch: pa.RecordBatch, done: int = 0) -> EventColumns:
    """Rows of an event frame as `EventColumns`, the input of encoders.

    Args:
        protocol: its name, for errors.
        done: added to event numbers in errors.

    Raises:
        EncodeError: a row has no kind, or an image that does not fit its columns.
    """
    rows = batch.num_rows

    def column(name: str) -> pa.Array:
        return (
            batch.column(name) if name in batch.schema.names else pa.nulls(rows, arrow_schema(EVENTS).field(name).type)
        )

    kind = pc.index_in(column("kind"), value_set=column_of(list(KINDS), pa.utf8()))
    version = column("_commit_version")
    # without a version, the time is used
    microseconds = column("_commit_timestamp").cast(pa.int64())
    time = pc.if_else(pc.is_valid(version), constant(None, pa.int64()), microseconds)
    thousand = constant(1000, pa.int64())
    milliseconds = pc.divide(time, thousand)
    # an event that only describes a table has no time
    timed = filled(pc.not_equal(column("kind"), constant(BOOTSTRAP, pa.utf8())), True)
    timeless = pc.and_(pc.is_null(version), pc.is_null(time))
    if load(protocol).FACTS.registry is not None:
        # records may lack the time: the encoder knows which records need it
        timeless = pc.and_(timeless, constant(False, pa.bool_()))
    for wrong, text in (
        (pc.is_null(kind), f"kind is one of {', '.join(KINDS)}, not {{}}"),
        (pc.and_(timed, timeless), "it has no _commit_version and no _commit_timestamp"),
        (
            filled(pc.not_equal(pc.multiply(milliseconds, thousand), time), False),
            "its _commit_timestamp is no whole millisecond, and there is no _commit_version",
        ),
    ):
        if pc.any(wrong).as_py():
            row = pc.index(wrong, constant(True, pa.bool_())).as_py()
            given = column("kind")[row].as_py()
            hint = " (a corrupt record? filter those out first)" if given is None else ""
            raise EncodeError(protocol, done + row, None, text.format(given) + hint)
    negative = pc.less(version, constant(0, pa.int64()))
    if pc.any(negative).as_py():
        raise EncodeError(
            protocol,
            done + pc.index(negative, constant(True, pa.bool_())).as_py(),
            None,
            "_commit_version is negative, a TSO is not",
        )
    tables = Codes([column("schema"), column("table")])
    images = GroupedImages(protocol, rows, tables.codes, column, done)
    found = {
        "kind": column_of(list(KINDS.values()), pa.int64()).take(kind),
        "commit_ts": version.cast(pa.uint64()),
        "commit_ms": milliseconds,
        "table": tables.codes,
        **dict(zip(("new_layout", "new_row", "old_layout", "old_row"), images.image_columns(), strict=True)),
    }
    descriptions = DescriptionsOfFrame()
    for name in DESCRIBED:
        try:
            found[name] = descriptions.numbers(column(name))
        except RowOfDescription as error:
            raise EncodeError(protocol, done + error.row, None, f"`{name}`: {error.reason}") from None
    for one in EVENT_SCHEMA:
        if one.name in batch.schema.names and one.name not in found:
            found[one.name] = column(one.name).cast(one.type)
    events = complete(EVENT_SCHEMA, found, rows)
    named = [(schema or None, table or None) for schema, table in tables.values()]
    return EventColumns(events, named, images.layouts, descriptions=list(descriptions.known))

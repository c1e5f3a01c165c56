"""Converts messages of one protocol to another, and reports what is lost.

Losses are measured rather than assumed: every encoded message is decoded again, and whatever its events lack is counted
in the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from tidewire.messages.delivery.assume_nullable import with_nullable_columns
from tidewire.messages.delivery.ddl_types import EventFacts, with_ddl_types
from tidewire.messages.delivery.describing import RowDescriber
from tidewire.messages.delivery.losses import Loss, losses
from tidewire.messages.delivery.refused import refused as impossible
from tidewire.messages.in_use import one_at_a_time
from tidewire.messages.options import CLAIM_CHECK, MAX_UNPACKED_BYTES, MOST_UNPACKED, VERIFY_CHECKSUM
from tidewire.messages.singles import is_single
from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant, filled, with_column
from tidewire.runtime.batch import Column, EventColumns
from tidewire.runtime.batch.roles import LOCATION, PARTIAL, Roles
from tidewire.runtime.errors import ArgumentError, DecodeError, EncodeError, OptionError
from tidewire.runtime.registered.errors import REMEDY
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.description import DescribedTable

if TYPE_CHECKING:
    from tidewire.messages.registry import SchemaRegistry
    from tidewire.runtime.tables.facts import TypesOfTables

_PARTIAL = {
    PARTIAL: "it has its handle key columns only",
    LOCATION: "it only points to the whole row (the source's option claim-check says where to fetch it)",
}
"""Roles of fields that mark an event as partial, in words."""


class Refused(NamedTuple):
    """An event that the target cannot express."""

    event: int
    """Its number among all events."""
    message: int | None
    """Index of its message; None if the events did not come from messages."""
    kind: str
    reason: str


@dataclass(slots=True)
class Report:
    """The result of transcoding.

    Attributes:
        messages: number of messages read.
        tombstones: number of messages without a value, which have no events.
        events: number of events in them.
        written: number of messages written.
        losses: what events lost, with the number of events.
        refused: events that the target cannot carry.
        derived: inferred values with their number: field, value.
        errors: messages that could not be decoded.
    """

    messages: int = 0
    tombstones: int = 0
    events: int = 0
    written: int = 0
    losses: Counter[Loss] = field(default_factory=Counter)
    refused: list[Refused] = field(default_factory=list)
    derived: Counter[tuple[str, str]] = field(default_factory=Counter)
    errors: list[DecodeError] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether everything that was read was written without loss."""
        return not (self.losses or self.refused or self.errors)

    def add(self, other: Report) -> None:
        """Adds the counts of a later report."""
        self.refused += [
            one._replace(
                event=one.event + self.events, message=None if one.message is None else one.message + self.messages
            )
            for one in other.refused
        ]
        for error in other.errors:
            error.message = None if error.message is None else error.message + self.messages
        self.errors += other.errors
        self.messages += other.messages
        self.tombstones += other.tombstones
        self.events += other.events
        self.written += other.written
        self.losses += other.losses
        self.derived += other.derived


class Transcoder:
    """Converts messages of one protocol to another. It has state; use one for all batches of a topic, one call at a
    time.

    Args:
        source: module of the protocol to read.
        target: module of the protocol to write.
        source_options: options of the source, None for its defaults.
        target_options: options of the target, None for its defaults.
        facts: facts about events and statements.
        tables: table descriptions, to decode rows if the source does not describe all tables itself, and to describe
            rows without a description if the target requires one.
        schemas: the schema registry; None: the one in the options.

    Raises:
        OptionError: the target registers schemas, and no registry is given.
    """

    in_use = False
    called = "transcoder"

    def __init__(
        self,
        source: Any,
        target: Any,
        source_options: Any,
        target_options: Any,
        facts: EventFacts,
        tables: Iterable[DescribedTable] = (),
        schemas: SchemaRegistry | None = None,
    ) -> None:
        if not isinstance(tables, Iterable):
            raise ArgumentError(f"tables: a TableStore or descriptions of tables are expected, not {shown(tables)}")
        given = list(tables)
        self._decoder = source.Decoder(source_options, **_known(source, given, schemas))
        self._target = target
        self._encoder = target.Encoder(target_options, **_known(target, given, schemas))
        option = target.FACTS.registry
        if option is not None and self._encoder.schemas is None:
            raise OptionError(f"{target.NAME}: messages carry the ids of schemas that a registry has: {REMEDY}")
        self._reader = target.Decoder(for_reading(target, self._encoder.options), **_known(target, given, schemas))
        self._describer = _describer(target, self._reader, given, facts.roles)
        self._source = source.FACTS
        # the database's flags, if schemas of the target carry nullability and the source's rows do not
        self._untold: TypesOfTables | None = None if option is None else self._reader.tables.DESCRIPTION.TYPES
        if self._untold is not None and self._source.carried_flags & self._untold.flag("NULLABLE"):
            self._untold = None
        self._facts = facts
        self._names = {code: name for name, code in facts.kinds.items()}

    @one_at_a_time
    def transcode(self, values: Any, keys: Any = None) -> tuple[pa.RecordBatch, Report]:
        """Converts messages. Returns messages (key, value, first_event, events) and a report.

        `first_event` and `events` count decoded events; refused ones belong to no message. A message that only
        describes the table of the following rows has no events.
        """
        total = Report()
        batches = []
        for columns in self._decoder.parts(values, keys):
            batch, report = self._written(columns)
            report.tombstones = len(columns.tombstones)
            report.errors = list(columns.errors)
            if total.events:
                first = pc.add(batch.column("first_event"), constant(total.events, pa.int64()))
                batch = with_column(batch, "first_event", first)
            batches.append(batch)
            total.add(report)
        total.messages = len(values)
        made = batches[0] if len(batches) == 1 else pa.Table.from_batches(batches).combine_chunks().to_batches()[0]
        return made, total

    @one_at_a_time
    def encode(self, columns: EventColumns) -> tuple[pa.RecordBatch, Report]:
        """Encodes events. Returns messages and a report.

        Raises:
            InUseError: another call is using the transcoder.
        """
        return self._written(columns)

    def _written(self, columns: EventColumns) -> tuple[pa.RecordBatch, Report]:
        report = Report(events=columns.num_events)
        columns, unknown = with_ddl_types(columns, self._target, self._facts, self._source.classed_as, report.derived)
        refused = unknown | self._partial(columns)
        first: list[tuple[int, DescribedTable]] = []
        if self._describer is not None:
            found = self._describer.describe(columns, self._source.carried_flags)
            columns, first = found.columns, found.first
            refused |= found.unknown
            for _, described in first:
                self._encoder.tables.add(described)
            report.derived += found.described
        kept = [k for k in range(columns.num_events) if k not in refused]
        ready = columns if self._untold is None else with_nullable_columns(columns, self._untold)
        batch, kept = self._encode(ready, kept, refused)
        kinds = columns.events.column("kind").to_pylist()
        message = columns.events.column("message").to_pylist()
        names = [self._names.get(kind, str(kind)) for kind in kinds]
        report.refused = [Refused(k, message[k], names[k], why) for k, why in sorted(refused.items())]
        first_event = (
            column_of(kept, pa.int64()).take(batch.column("first_event")) if kept else batch.column("first_event")
        )
        if first:
            batch, first_event = self._with_descriptions(batch, first_event, first, kept)
        report.written = batch.num_rows
        these = columns.without(refused)
        again = self._reader.decode(batch.column("value"), batch.column("key"))
        report.losses = losses(
            these, again, batch, self._names, self._facts.ddl_class, self._facts.roles, self._facts.flag_name
        )
        return with_column(batch, "first_event", first_event), report

    def _with_descriptions(
        self, batch: pa.RecordBatch, first_event: pa.Array, first: list[tuple[int, DescribedTable]], kept: list[int]
    ) -> tuple[pa.RecordBatch, pa.Array]:
        """Inserts messages with table descriptions, which have no events. Returns the messages and their first events.

        Args:
            batch: messages of rows.
            first_event: first event of each message, counted among all events.
            first: index of the event that each description must precede, and the description.
            kept: indexes of the events that have messages.
        """
        store = self._reader.tables
        described = self._encoder.encode(store.VIEW.of([store.event(one) for _, one in first]).columns)
        described = with_column(described, "events", column_of([0] * len(first), pa.int64()))
        events = column_of([event for event, _ in first], pa.int64())
        starts, counts = batch.column("first_event").to_pylist(), batch.column("events").to_pylist()
        last = [kept[start + count - 1] for start, count in zip(starts, counts, strict=True)]
        # the sort is stable: a description precedes the message of the same event
        order = pc.sort_indices(pa.concat_arrays([events, column_of(last, pa.int64())]))
        both = pa.Table.from_batches([described, batch.cast(described.schema)]).take(order).combine_chunks()
        return both.to_batches()[0], pa.concat_arrays([events, first_event]).take(order)

    def _encode(
        self, columns: EventColumns, kept: list[int], refused: dict[int, str]
    ) -> tuple[pa.RecordBatch, list[int]]:
        """Encodes the events that the target can carry; the others are added to `refused`."""
        try:
            return self._encoder.encode(columns.without(refused)), kept
        except EncodeError:
            errors = impossible(lambda rows: self._encoder.check(columns.take(rows)), kept)
        for row, error in errors.items():
            refused[row] = self._reason(columns, row, error)
        kept = [row for row in kept if row not in errors]
        return self._encoder.encode(columns.without(refused)), kept

    def _reason(self, columns: EventColumns, row: int, error: EncodeError) -> str:
        """Why an event is refused, with the defect's name if the source's producer is known to damage such values."""
        if error.column is None:
            return error.reason
        for column, value in _values(columns, row, error.column):
            for name, (_, types, *_) in self._source.defects.items():
                if column.type in types and isinstance(value, float) and not is_single(value):
                    return f"column {shown(error.column)}: {name}, its value is not what was in the database"
        return f"column {shown(error.column)}: {error.reason}"

    def _partial(self, columns: EventColumns) -> dict[int, str]:
        """Errors for partial events if the target cannot mark them: readers would mistake them for complete rows."""
        found: dict[int, str] = {}
        for role, why in _PARTIAL.items():
            name = self._facts.roles[role]
            array = columns.events.column(name)
            if name not in self._target.CARRIES and array.null_count < len(array):
                said = pc.is_valid(array) if role == LOCATION else pc.equal(array, constant(1, array.type))
                for row in pc.indices_nonzero(filled(said, False)).to_pylist():
                    found[row] = f"{why}, and {self._target.NAME} cannot say so"
        return found


def _known(protocol: Any, given: list[DescribedTable], schemas: SchemaRegistry | None) -> dict[str, Any]:
    """The additional arguments of a protocol's decoder and encoder: a store of table descriptions and a schema
    registry, if it needs them.
    """
    found: dict[str, Any] = {} if protocol.FACTS.registry is None else {"schemas": schemas}
    if protocol.FACTS.described:
        found["tables"] = protocol.Decoder().tables
        for one in given:
            found["tables"].add(one)
    return found


def _describer(target: Any, reader: Any, given: list[DescribedTable], roles: Roles) -> RowDescriber | None:
    """Describes rows without a table description; None if the target does not need descriptions."""
    facts = target.FACTS
    if facts.described_by is None or facts.described_by not in facts.carries or "bootstrap" not in facts.kinds:
        return None
    return RowDescriber(given, reader.tables.DESCRIPTION, facts.described_by, roles)


def _values(columns: EventColumns, row: int, name: str) -> Iterator[tuple[Column, object]]:
    """A column of an event's row images, with its values."""
    for layout, image_row in columns.images(row):
        for column, array in zip(layout.columns, layout.arrays, strict=True):
            if column.name == name:
                yield column, array[image_row].as_py()


def for_reading(protocol: Any, options: Any) -> Any:
    """Options with which the messages are read that these options write."""
    changes: dict[str, Any] = {"invalid_text": "bytes"}
    store = protocol.FACTS.store
    if store is not None:
        changes[CLAIM_CHECK.python_name] = options.value(store)
    if hasattr(options, VERIFY_CHECKSUM.python_name):
        changes[VERIFY_CHECKSUM.python_name] = False  # they are those that were computed, or that were read
    if hasattr(options, MAX_UNPACKED_BYTES.python_name):
        changes[MAX_UNPACKED_BYTES.python_name] = MOST_UNPACKED  # messages that were just written are in memory already
    return replace(options, **changes)

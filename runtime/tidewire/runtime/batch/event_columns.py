"""A batch of events as columns; Arrow arrays of the events are made on demand.

Making them costs more than decoding a message, and reading a few events as Python objects does not need them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.arrays import arrays_of, batch_of
from tidewire.runtime.arrow.column_reader import ColumnReader
from tidewire.runtime.arrow.literals import column_of, with_column

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.batch.event_batches import EventBatches
    from tidewire.runtime.batch.layout import Layout
    from tidewire.runtime.batch.table_parts import TableName
    from tidewire.runtime.errors import DecodeError
    from tidewire.runtime.tables.description import DescribedTable

IMAGES = (("new_layout", "new_row"), ("old_layout", "old_row"))
"""The event columns with the layout and row of each row image."""


class EventColumns:
    """Events, in order, as columns.

    `events` has a row for each event (`tidewire.events.EVENT_SCHEMA`): `message` (index of its message, null if it was
    not decoded), `kind` (a code of tidewire.events), `commit_ts` (TSO) or `commit_ms`, `table` (index into `tables`),
    the other fields of events (null if absent or not carried), and for the new and the old row image the index into
    `layouts` and the row there; both are -1 if there is no such image.
    A bootstrap event has a layout and no row (-1).

    Attributes:
        tables: schema and table of each table that has events.
        layouts: the row images.
        errors: messages that could not be decoded, with their index; they have no events here.
        tombstones: indexes of messages without a value (null; not those with an empty one) that have no meaning in
            their protocol: they have no events, and are no errors.
        descriptions: table descriptions; the description columns of the events hold indexes into this list, or null.
    """

    def __init__(
        self,
        events: pa.RecordBatch,
        tables: list[TableName],
        layouts: list[Layout],
        errors: list[DecodeError] | None = None,
        tombstones: list[int] | None = None,
        descriptions: list[DescribedTable] | None = None,
    ) -> None:
        self.made: pa.RecordBatch | None = events
        self.tables = tables
        self.layouts = layouts
        self.errors = [] if errors is None else errors
        self.tombstones = [] if tombstones is None else tombstones
        self.descriptions = [] if descriptions is None else descriptions
        self.filled: Columns | None = None
        self.batches: EventBatches | None = None
        self.block: bytearray | None = None
        self.data: list[bytearray | None] | None = None
        self.rows = self.room = 0

    @staticmethod
    def of(
        filled: Columns,
        batches: EventBatches,
        tables: list[TableName],
        layouts: list[Layout],
        errors: list[DecodeError],
        tombstones: list[int],
        descriptions: list[DescribedTable] | None = None,
    ) -> EventColumns:
        """Events in the memory of `filled`, which must not be used afterwards.

        Args:
            filled: the carried columns, with one row for each event.
            batches: creates Arrow batches of them.
            tables, layouts, errors, tombstones, descriptions: as in the class.
        """
        found: EventColumns = EventColumns.__new__(EventColumns)
        found.made = None
        found.tables = tables
        found.layouts = layouts
        found.errors = errors
        found.tombstones = tombstones
        found.descriptions = [] if descriptions is None else descriptions
        found.filled = filled
        found.batches = batches
        found.block = filled.block
        found.data = filled.data
        found.rows = filled.rows
        found.room = filled.room
        filled.begin()
        return found

    @property
    def events(self) -> pa.RecordBatch:
        """The events as an Arrow batch."""
        if self.made is None:
            rows = self.rows
            filled: Columns = self.filled  # type: ignore[assignment]
            batches: EventBatches = self.batches  # type: ignore[assignment]
            if cython.compiled and rows > 0 and self.block is not None:
                schema, positions, absent = batches.parts()
                self.events = batch_of(filled, self.block, self.data, rows, self.room, schema, positions, absent)
            else:
                self.events = batches.batch(arrays_of(filled, self.block, self.data, rows, self.room, False), rows)
        return self.made

    @events.setter
    def events(self, events: pa.RecordBatch) -> None:
        self.made = events
        self.block = self.data = None

    @property
    def num_events(self) -> int:
        """How many events there are."""
        return self.rows if self.made is None else int(self.made.num_rows)

    def laid(self) -> cython.bint:
        """Whether the events are still in the memory of a decoder or builder, and no Arrow batch was made."""
        return self.made is None

    def source(self, names: Sequence[str], storages: Sequence[int]) -> ColumnReader:
        """A reader of some columns of the events.

        Args:
            names: the columns.
            storages: the storage of each (tidewire.runtime.arrow.storage).

        Raises:
            TypeError: a column has another type.
        """
        if self.made is None:
            carried = self.batches.carried(names)  # type: ignore[union-attr]
            filled: Columns = self.filled  # type: ignore[assignment]
            return ColumnReader.of(filled, self.block, self.data, self.rows, self.room, carried, storages)
        columns = dict(zip(self.made.schema.names, self.made.columns, strict=True))
        return ColumnReader([columns[name] for name in names], storages)

    def take(self, rows: Sequence[int] | pa.Array) -> EventColumns:
        """The events at these rows, in this order. Tables, layouts, descriptions and errors stay, including row images
        that no event uses any more.
        """
        chosen = rows if isinstance(rows, pa.Array) else column_of(rows, pa.int64())
        return self._with(self.events.take(chosen), self.layouts)

    def without(self, rows: Collection[int]) -> EventColumns:
        """All events except those at these rows."""
        gone = set(rows)
        return self.take([row for row in range(self.num_events) if row not in gone]) if gone else self

    def with_columns(self, columns: Mapping[str, pa.Array], layouts: list[Layout] | None = None) -> EventColumns:
        """The events with some columns replaced, and with other row images if they are given."""
        events = self.events
        for name, values in columns.items():
            events = with_column(events, name, values)
        return self._with(events, self.layouts if layouts is None else layouts)

    def _with(self, events: pa.RecordBatch, layouts: list[Layout]) -> EventColumns:
        """Other events that refer to the same tables and descriptions."""
        return EventColumns(events, self.tables, layouts, self.errors, self.tombstones, self.descriptions)

    def images(self, row: int) -> list[tuple[Layout, int]]:
        """The row images of an event, the new one first: layout, and row there."""
        found = []
        for layout_name, row_name in IMAGES:
            layout, image_row = (self.events.column(name)[row].as_py() for name in (layout_name, row_name))
            if layout is not None and layout >= 0 and image_row >= 0:
                found.append((self.layouts[layout], image_row))
        return found

    def _parts(self) -> tuple[object, ...]:
        """All parts, in the order of the constructor's arguments."""
        return self.events, self.tables, self.layouts, self.errors, self.tombstones, self.descriptions

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EventColumns):
            return NotImplemented
        return self._parts() == other._parts()

    def __reduce__(self) -> tuple[object, ...]:
        return EventColumns, self._parts()

    def __repr__(self) -> str:
        return (
            f"EventColumns(events={self.events!r}, tables={self.tables!r}, layouts={self.layouts!r}, "
            f"errors={self.errors!r}, tombstones={self.tombstones!r}, descriptions={self.descriptions!r})"
        )

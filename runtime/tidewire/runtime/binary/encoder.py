"""The base of encoders of binary messages: message boundaries, and the dictionaries of names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.binary.interning import Terms, WrittenColumns, WrittenImages
from tidewire.runtime.binary.sink import Sink
from tidewire.runtime.encoding.message_encoder import FAILURES, Carried, MessageEncoder
from tidewire.runtime.encoding.written_messages import WrittenMessages

if TYPE_CHECKING:
    from tidewire.runtime.batch import Column, EventColumns, Layout


class BinaryEncoder(MessageEncoder):
    """The base class of encoders of binary messages.

    Attributes:
        codes: by kind of event, its code on the wire.
        chunk: the numbers of the chunk being written.
        schema_terms, table_terms, column_terms: the dictionaries of such names; None if names are written in full.
        schema_places, table_places: for each table, the positions of its names in the dictionaries; -1 for no name.
        limit: the most bytes of a message by the producer's estimate; -1: there is no limit.
        measured: whether estimates are needed in this batch.
        shared: whether events of this batch share rows.
        at_event: the event being checked or written.
    """

    def __init__(self, carried: Carried, codes: Mapping[int, int]) -> None:
        """Args:
            carried: what the protocol carries.
            codes: see the attributes.
        """
        super().__init__(carried)
        self.chunk = Numbers()
        self.codes = Numbers()
        self.codes.take(max(codes) + 1)
        for kind, code in codes.items():
            self.codes.i64[kind] = code
        self.dictionaries: list[Terms] = []
        self.schema_terms: Terms | None = None
        self.table_terms: Terms | None = None
        self.column_terms: Terms | None = None
        self.schema_positions = Numbers()
        self.table_positions = Numbers()
        self.limit = -1
        self.measured = self.shared = False
        self.at_event = 0

    # ---- set by the generated encoder

    def message_end(self, first: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The end of the message that begins with this event: the index after its last event."""
        return first + 1

    def most_bytes(self) -> cython.Py_ssize_t:
        """An upper bound of the sum of all events' estimates, if no two share a row: below the limit nothing is
        measured.
        """
        return 0

    def write_message(self, s: Sink, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """Writes a message with the events from `first` up to `stop` (exclusive)."""
        raise NotImplementedError

    # ---- what all of them do

    def bind(self, columns: EventColumns) -> None:
        terms: Terms
        for terms in self.dictionaries:
            if terms.refresh():
                self.table_names = None  # their positions have become invalid
                for known in self.known:
                    known.clear()
        MessageEncoder.bind(self, columns)

    def spell_tables(self, named: list[tuple[str, str]]) -> None:
        self.schema_positions.take(0)
        self.table_positions.take(0)
        for schema, table in named:
            self.schemas.append(schema.encode())
            self.tables.append(table.encode())
            self.schema_positions.append(self.position(self.schema_terms, schema))
            self.table_positions.append(self.position(self.table_terms, table))

    def position(self, terms: Terms | None, name: str) -> cython.Py_ssize_t:
        """The position of a name in the dictionary; -1 if it is empty, or names are written in full."""
        return terms.position(name) if terms is not None and name else -1

    def describe(self, columns: Sequence[Column], chosen: list[int], codecs: list[Any]) -> WrittenColumns:
        return WrittenColumns(self.column_terms, columns, chosen, codecs)

    def made_ready(self, described: WrittenColumns, layout: Layout) -> WrittenImages:
        return WrittenImages(self.protocol, described, layout)

    def check_image(self, layout: cython.longlong, row: cython.longlong) -> cython.int:
        images: WrittenImages
        MessageEncoder.check_image(self, layout, row)
        images = self.prepare(layout, 0)
        if images.width == 0:
            self.refuse("a row image without columns")
        if row <= images.last:
            self.shared = True
        images.last = row
        return 0

    def write(self, columns: EventColumns) -> WrittenMessages:
        s: Sink = Sink()
        ends: Numbers = Numbers()
        firsts: Numbers = Numbers()
        counts: Numbers = Numbers()
        first: cython.Py_ssize_t = 0
        stop: cython.Py_ssize_t
        event: cython.Py_ssize_t
        self.bind(columns)
        self.shared = False
        ends.append(0)
        try:
            for event in range(self.events.rows):
                self.at_event = event
                self.check_event(event)
            if self.limit >= 0:
                self.measured = self.shared or self.most_bytes() > self.limit
            while first < self.events.rows:
                self.at_event = first
                stop = self.message_end(first)
                try:
                    self.write_message(s, first, stop)
                except OverflowError as error:
                    self.at_event = first
                    self.refuse(f"its message cannot be written: {error}")
                ends.append(s.pos)
                firsts.append(first)
                counts.append(stop - first)
                first = stop
        except FAILURES as error:
            self.failed(self.at_event, error)
        return WrittenMessages(self.protocol, s.data, ends, firsts, counts)

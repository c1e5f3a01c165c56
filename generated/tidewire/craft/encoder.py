"""Encoder of TiCDC Craft.

A binary, columnar protocol: one Kafka value holds one or more events. Numbers that repeat are kept as deltas,
names once in a dictionary, sizes in tables at the end. The Kafka key is empty.

Follow a message through `write_message`: sizes and counts that a reader is told are taken from what is written.
"""
# Generated from spec/craft.yaml by "make generate". Do not edit.

from __future__ import annotations

from tidewire.craft.decoder import column_values
from tidewire.craft.names import EVENT_COLUMNS, EVENT_STORAGE
from tidewire.events import KIND_NAMES
from tidewire.runtime import require_api
from tidewire.runtime.binary.encoder import BinaryEncoder
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.binary.interning import Terms, WrittenColumns, WrittenImages
from tidewire.runtime.binary.sink import Sink
from tidewire.runtime.encoding.message_encoder import Carried
from tidewire.runtime import cython
from tidewire.craft.names import (
    KIND, COMMIT_TS, TABLE, PARTITION_ID, DDL_TYPE, QUERY, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, EVENT_TYPE_ROW,
    EVENT_TYPE_DDL, EVENT_TYPE_RESOLVED, IMAGE_KIND_NEW, IMAGE_KIND_OLD, ALL_COLUMNS, HANDLE_KEY_COLUMNS
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BOOTSTRAP, HANDLE_KEY


require_api(1)

CODES = {
    INSERT: EVENT_TYPE_ROW,
    UPDATE: EVENT_TYPE_ROW,
    DELETE: EVENT_TYPE_ROW,
    DDL: EVENT_TYPE_DDL,
    WATERMARK: EVENT_TYPE_RESOLVED,
}
"""Kind of an event -> its code on the wire."""

CARRIED = Carried("craft", EVENT_COLUMNS, EVENT_STORAGE, (0, HANDLE_KEY), column_values, 255)
"""What messages carry of events."""


class Encoder(BinaryEncoder):
    """Columns to messages."""

    def __init__(
        self,
        max_batch_size: int,
        max_message_bytes: int,
        delete_only_output_handle_key_columns: bool,
        producer: str,
    ) -> None:
        super().__init__(CARRIED, CODES)
        self.max_batch_size = max_batch_size
        self.max_message_bytes = max_message_bytes
        self.delete_only_output_handle_key_columns = delete_only_output_handle_key_columns
        self.producer = producer
        self.sizes_meta = Numbers()
        self.sizes_bodies = Numbers()
        self.sizes_groups = Numbers()
        self.sizes_groups_ends = Numbers()
        self.terms = Terms()
        self.dictionaries = [self.terms]
        self.schema_terms = self.terms
        self.table_terms = self.terms
        self.column_terms = self.terms
        self.limit = max_message_bytes

    def check_event(self, event: cython.Py_ssize_t) -> cython.int:
        """The event has what the protocol needs, and nothing that it cannot carry."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        table: cython.longlong = self.table_at(event, TABLE)
        if kind == INSERT:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("insert needs a row image `new`")
            self.check_image(self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event))
            if self.events.int_at(OLD_LAYOUT, event) >= 0:
                self.refuse("insert has no row image `old`, this one has: is it an update?")
            if self.nameless and not self.has_schema(table):
                self.refuse("insert needs a schema")
            if self.nameless and not self.has_table(table):
                self.refuse("insert needs a table")
        elif kind == UPDATE:
            if self.events.int_at(NEW_LAYOUT, event) < 0:
                self.refuse("update needs a row image `new`")
            self.check_image(self.events.int_at(NEW_LAYOUT, event), self.events.int_at(NEW_ROW, event))
            if self.events.int_at(OLD_LAYOUT, event) < 0:
                self.refuse("update needs a row image `old`")
            self.check_image(self.events.int_at(OLD_LAYOUT, event), self.events.int_at(OLD_ROW, event))
            if self.nameless and not self.has_schema(table):
                self.refuse("update needs a schema")
            if self.nameless and not self.has_table(table):
                self.refuse("update needs a table")
        elif kind == DELETE:
            if self.events.int_at(NEW_LAYOUT, event) >= 0:
                self.refuse("delete has no row image `new`, this one has: is it an update?")
            if self.events.int_at(OLD_LAYOUT, event) < 0:
                self.refuse("delete needs a row image `old`")
            self.check_image(self.events.int_at(OLD_LAYOUT, event), self.events.int_at(OLD_ROW, event))
            if self.nameless and not self.has_schema(table):
                self.refuse("delete needs a schema")
            if self.nameless and not self.has_table(table):
                self.refuse("delete needs a table")
            if self.delete_only_output_handle_key_columns and self.images_of(event, OLD_LAYOUT).width == 0:
                self.refuse(
                    "no column is flagged handle_key, and delete-only-output-handle-key-columns keeps only those: flag "
                    "the columns of its key, or encode without it"
                )
        elif kind == DDL:
            if self.events.null_at(DDL_TYPE, event):
                self.refuse("ddl needs ddl_type")
            if not self.events.null_at(DDL_TYPE, event) and not 0 <= self.events.int_at(DDL_TYPE, event) <= 255:
                self.refuse("ddl_type is 0 to 255 on the wire")
            if self.events.null_at(QUERY, event):
                self.refuse("ddl needs query")
        elif kind == WATERMARK:
            pass
        elif kind == BOOTSTRAP:
            self.refuse("TiCDC Craft cannot carry a bootstrap event")
        else:
            self.refuse(f"there is no kind {kind} of events; the kinds are {KIND_NAMES}")
        if self.events.null_at(COMMIT_TS, event):
            self.refuse("an event needs commit_ts")
        if not self.events.null_at(PARTITION_ID, event) and self.events.int_at(PARTITION_ID, event) == -1:
            self.refuse("partition_id -1 means none on the wire")
        return 0

    def images_of(self, event: cython.Py_ssize_t, side: cython.int) -> WrittenImages:
        """A row image of an event, which is there; side is the column that holds its layout."""
        way: cython.int = ALL_COLUMNS
        if (
            self.delete_only_output_handle_key_columns
            and side == OLD_LAYOUT
            and self.events.int_at(KIND, event) == DELETE
        ):
            way = HANDLE_KEY_COLUMNS
        images: WrittenImages = self.prepare(self.events.int_at(side, event), way)
        return images

    # ---- which events share a message

    def message_end(self, first: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Where the message that begins with this event ends. Rows are gathered; any other event closes the
        message before it and is a message of its own."""
        stop: cython.Py_ssize_t = first
        estimate: cython.longlong = 0
        if not self.gathered(first):
            return first + 1
        while stop < self.events.rows and self.gathered(stop):
            if self.measured:
                estimate += self.estimate(stop)
            stop += 1
            if stop - first >= self.max_batch_size:
                break
            if estimate > self.max_message_bytes:
                break
        return stop

    def gathered(self, event: cython.Py_ssize_t) -> cython.bint:
        """Whether the event can share a message with others."""
        kind: cython.longlong = self.events.int_at(KIND, event)
        return kind == INSERT or kind == UPDATE or kind == DELETE

    def estimate(self, event: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The size of an event as the producer guesses it, in bytes."""
        images: WrittenImages
        table: cython.Py_ssize_t = self.events.int_at(TABLE, event)
        size: cython.Py_ssize_t = 32
        size += len(self.schemas[table])
        size += len(self.tables[table])
        if self.events.int_at(NEW_LAYOUT, event) >= 0:
            images = self.images_of(event, NEW_LAYOUT)
            size += images.estimate(self.events.int_at(NEW_ROW, event), 16, 1, 1)
        if self.events.int_at(OLD_LAYOUT, event) >= 0:
            images = self.images_of(event, OLD_LAYOUT)
            size += images.estimate(self.events.int_at(OLD_ROW, event), 16, 1, 1)
        return size

    def most_bytes(self) -> cython.Py_ssize_t:
        """What the estimates of all events add up to at most, when no two share a row: below the limit nothing is
        measured."""
        images: WrittenImages
        name: bytes
        longest: cython.Py_ssize_t = 0
        for name in self.schemas:
            longest = max(longest, len(name))
        for name in self.tables:
            longest = max(longest, len(name))
        size: cython.Py_ssize_t = self.events.rows * (32 + 2 * longest)
        for images in self.images:
            if images is not None:
                size += images.most_bytes(16, 1, 1)
        return size

    # ---- a message

    def write_message(self, s: Sink, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """version | headers | bodies | terms | sizes | sizes_length

        One Kafka value.
        """
        start: cython.Py_ssize_t
        k: cython.Py_ssize_t
        self.terms.begin()
        self.sizes_meta.take(2)
        self.sizes_bodies.take(0)
        self.sizes_groups.take(0)
        self.sizes_groups_ends.take(0)
        self.sizes_groups_ends.append(0)
        s.uvarint(1)  # version
        start = s.pos
        self.write_header_columns(s, first, stop)
        self.sizes_meta.i64[0] = s.pos - start
        for k in range(first, stop):
            start = s.pos
            self.write_body(s, k)
            self.sizes_bodies.append(s.pos - start)
        start = s.pos
        self.write_dictionary(s)
        self.sizes_meta.i64[1] = s.pos - start
        start = s.pos
        self.write_size_tables(s)
        sizes_size: cython.Py_ssize_t = s.pos - start
        s.reversed_uvarint(sizes_size)  # sizes_length
        return 0

    def write_header_columns(self, s: Sink, first: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """commit_ts | event_type | partition | schema | table

        What every event has, one chunk for each field.
        """
        k: cython.Py_ssize_t
        self.chunk.take(stop - first)
        for k in range(first, stop):  # commit_ts
            self.chunk.u64[k - first] = self.events.uint_at(COMMIT_TS, k)
        s.delta_uvarints(self.chunk)
        for k in range(first, stop):  # event_type
            self.chunk.i64[k - first] = self.codes.i64[self.events.int_at(KIND, k)]
        s.uvarints(self.chunk)
        for k in range(first, stop):  # partition
            if self.events.null_at(PARTITION_ID, k):
                self.chunk.i64[k - first] = -1
            else:
                self.chunk.i64[k - first] = self.events.int_at(PARTITION_ID, k)
        s.delta_varints(self.chunk)
        for k in range(first, stop):  # schema
            self.chunk.i64[k - first] = self.terms.use_or(self.schema_positions.i64[self.events.int_at(TABLE, k)], -1)
        s.delta_varints(self.chunk)
        for k in range(first, stop):  # table
            self.chunk.i64[k - first] = self.terms.use_or(self.table_positions.i64[self.events.int_at(TABLE, k)], -1)
        s.delta_varints(self.chunk)
        return 0

    def write_column_group(
        self, s: Sink, images: WrittenImages, row: cython.Py_ssize_t, code: cython.longlong
    ) -> cython.int:
        """kind | count | columns

        One row image.
        """
        s.byte(code)  # kind
        s.uvarint(images.width)  # count
        columns: WrittenColumns = images.columns
        if columns.described(self.terms):
            s.raw(columns.image)
        else:
            description: cython.Py_ssize_t = s.pos
            s.delta_varints(columns.ids)
            s.uvarints(columns.types)
            s.uvarints(columns.flags)
            columns.keep(s, description, self.terms.message)
        images.write(s, row)
        return 0

    def write_row_body(self, s: Sink, event: cython.Py_ssize_t) -> cython.int:
        """groups

        The row images of a change: new of an insert, new and old of an update, old of a delete.
        """
        start: cython.Py_ssize_t
        images: WrittenImages
        if self.events.int_at(NEW_LAYOUT, event) >= 0:
            start = s.pos
            images = self.images_of(event, NEW_LAYOUT)
            self.write_column_group(s, images, self.events.int_at(NEW_ROW, event), IMAGE_KIND_NEW)
            self.sizes_groups.append(s.pos - start)
        if self.events.int_at(OLD_LAYOUT, event) >= 0:
            start = s.pos
            images = self.images_of(event, OLD_LAYOUT)
            self.write_column_group(s, images, self.events.int_at(OLD_ROW, event), IMAGE_KIND_OLD)
            self.sizes_groups.append(s.pos - start)
        self.sizes_groups_ends.append(self.sizes_groups.size)
        return 0

    def write_ddl_body(self, s: Sink, event: cython.Py_ssize_t) -> cython.int:
        """type | query

        A DDL statement that was executed.
        """
        s.uvarint(self.events.int_at(DDL_TYPE, event))  # type
        s.string(self.events.binary(QUERY, event))  # query
        return 0

    def write_body(self, s: Sink, event: cython.Py_ssize_t) -> cython.int:
        """What the kind of the event says."""
        self.at_event = event
        code: cython.longlong = self.codes.i64[self.events.int_at(KIND, event)]
        if code == EVENT_TYPE_ROW:
            self.write_row_body(s, event)
        elif code == EVENT_TYPE_DDL:
            self.write_ddl_body(s, event)
        return 0

    def write_dictionary(self, s: Sink) -> cython.int:
        """Names of schemas, tables and columns, numbered in order of first use."""
        start: cython.Py_ssize_t = s.pos
        if self.terms.order.size == 0:
            return 0
        image: bytes | None = self.terms.kept_image()
        if image is not None:
            return s.raw(image)
        s.uvarint(self.terms.order.size)
        s.strings(self.terms.texts())
        return self.terms.keep(s, start)

    def write_size_tables(self, s: Sink) -> cython.int:
        """Tables of sizes; each is a count and as many numbers."""
        k: cython.Py_ssize_t
        s.uvarint(self.sizes_meta.size)
        s.delta_varints(self.sizes_meta)
        s.uvarint(self.sizes_bodies.size)
        s.delta_varints(self.sizes_bodies)
        for k in range(self.sizes_groups_ends.size - 1):
            s.uvarint(self.sizes_groups_ends.i64[k + 1] - self.sizes_groups_ends.i64[k])
            s.delta_varints_of(self.sizes_groups, self.sizes_groups_ends.i64[k], self.sizes_groups_ends.i64[k + 1])
        return 0

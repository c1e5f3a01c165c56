"""Decoder of TiCDC Craft.

A binary, columnar protocol: one Kafka value holds one or more events. Numbers that repeat are kept as deltas,
names once in a dictionary, sizes in tables at the end. The Kafka key is empty.

Follow a message through `read_message`: it reads the sections in the order in which they can be found.
"""
# Generated from spec/craft.yaml by "make generate". Do not edit.

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidewire.craft.names import EVENT_POSITIONS, EVENT_STORAGE
from tidewire.events import EVENT_SCHEMA
from tidewire.runtime import require_api
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.binary import codecs
from tidewire.runtime.binary.codec import BinaryCodec
from tidewire.runtime.binary.cursor import Cursor
from tidewire.runtime.binary.dictionaries import Dictionaries, Dictionary
from tidewire.runtime.binary.table_layouts import BinaryImages, TableLayouts
from tidewire.runtime.errors import COUNT, DUPLICATE, MISSING, MIXED, DecodeError, WireError
from tidewire.runtime.decoding.message_decoder import MessageDecoder
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.wire.messages import Values
from tidewire.runtime import cython
from tidewire.craft.names import (
    MESSAGE, KIND, COMMIT_TS, TABLE, PARTITION_ID, DDL_TYPE, QUERY, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW,
    EVENT_TYPE_ROW, EVENT_TYPE_DDL, EVENT_TYPE_RESOLVED, IMAGE_KIND_NEW, IMAGE_KIND_OLD, HAS_NEW, HAS_OLD
)
from tidewire.names import INSERT, UPDATE, DELETE, DDL, WATERMARK, BINARY, UNSIGNED


require_api(1)

FIELDS = (
    "version", "headers", "headers/commit_ts", "headers/event_type", "headers/partition", "headers/schema",
    "headers/table", "bodies", "bodies/{bodies}/groups", "bodies/{bodies}/groups/{groups}/kind",
    "bodies/{bodies}/groups/{groups}/count", "bodies/{bodies}/groups/{groups}/columns",
    "bodies/{bodies}/groups/{groups}/columns/name", "bodies/{bodies}/groups/{groups}/columns/type",
    "bodies/{bodies}/groups/{groups}/columns/flags", "bodies/{bodies}/groups/{groups}/columns/value",
    "bodies/{bodies}/type", "bodies/{bodies}/query", "terms", "sizes", "sizes/meta", "sizes/bodies", "sizes/groups",
    "sizes_length"
)
"""The fields of a message; {...} is the index of a repetition. The constants below are their positions."""

(
    MESSAGE_VERSION, MESSAGE_HEADERS, HEADER_COLUMNS_COMMIT_TS, HEADER_COLUMNS_EVENT_TYPE, HEADER_COLUMNS_PARTITION,
    HEADER_COLUMNS_SCHEMA, HEADER_COLUMNS_TABLE, MESSAGE_BODIES, ROW_BODY_GROUPS, COLUMN_GROUP_KIND, COLUMN_GROUP_COUNT,
    COLUMN_GROUP_COLUMNS, GROUP_COLUMNS_NAME, GROUP_COLUMNS_TYPE, GROUP_COLUMNS_FLAGS, GROUP_COLUMNS_VALUE,
    DDL_BODY_TYPE, DDL_BODY_QUERY, MESSAGE_TERMS, MESSAGE_SIZES, SIZE_TABLES_META, SIZE_TABLES_BODIES,
    SIZE_TABLES_GROUPS, MESSAGE_SIZES_LENGTH
) = range(24)


def column_values(type: int, flags: int) -> BinaryCodec:
    """How a value is written, by column type and flags.

    Args:
        type: MySQL type code.
        flags: column flags.
    """
    if type in (1, 2, 3, 8, 9):  # tinyint, smallint, mediumint, int, bigint
        return codecs.UVARINT if flags & UNSIGNED else codecs.VARINT
    if type == 13:  # year
        return codecs.VARINT
    if type in (16, 247, 248):  # bit, enum, set
        return codecs.UVARINT
    if type in (4, 5):  # float, double
        return codecs.FLOAT64
    if type in (15, 249, 250, 251, 252, 253, 254):  # varchar, var_string, char, tinyblob, mediumblob, longblob, blob
        return codecs.BYTES if flags & BINARY else codecs.TEXT
    if type in (7, 10, 11, 12, 14, 225, 245, 246):  # timestamp, date, time, datetime, newdate, decimal, json, vector
        return codecs.TEXT
    if type in (0, 6, 255):  # unspecified, null, geometry
        return codecs.NOTHING
    return codecs.NOTHING


class Decoder(MessageDecoder):
    """Messages to columns."""

    def __init__(self, invalid_text: str = "error") -> None:
        """
        Args:
            invalid_text: what becomes of text that is not UTF-8: error, replace or bytes.
        """
        self.checked = invalid_text == "error"
        super().__init__("craft", FIELDS, EVENT_SCHEMA, EVENT_POSITIONS, EVENT_STORAGE, invalid_text == "replace")
        self.group_columns_name = Numbers()
        self.group_columns_type = Numbers()
        self.group_columns_flags = Numbers()
        self.group_columns_value = Numbers()
        self.sizes_meta = Numbers()
        self.sizes_bodies = Numbers()
        self.sizes_groups = Numbers()
        self.sizes_groups_ends = Numbers()
        self.header_columns_commit_ts = Numbers()
        self.header_columns_event_type = Numbers()
        self.header_columns_partition = Numbers()
        self.header_columns_schema = Numbers()
        self.header_columns_table = Numbers()
        self.terms = Dictionary(b"", [])
        self.terms_ends = Numbers()
        self.terms_seen = Dictionaries(self.cache)
        self.at_bodies = 0
        self.at_groups = 0

    def read_message(self, r: Cursor, message: cython.Py_ssize_t) -> cython.int:
        """version | headers | bodies | terms | sizes | sizes_length

        One Kafka value.
        """
        offset: cython.Py_ssize_t
        begin: cython.Py_ssize_t = r.pos
        end: cython.Py_ssize_t = r.end
        r.select(begin, end)
        offset = r.pos
        r.expect(r.uvarint(MESSAGE_VERSION), 1, offset, MESSAGE_VERSION)
        version_end: cython.Py_ssize_t = r.pos
        r.select(version_end, end)
        sizes_length: cython.ulonglong = r.reversed_uvarint(MESSAGE_SIZES_LENGTH)
        sizes_length_start: cython.Py_ssize_t = r.end
        sizes_start: cython.Py_ssize_t = r.before(sizes_length_start, sizes_length, MESSAGE_SIZES)
        r.select(sizes_start, sizes_length_start)
        self.read_size_tables(r)
        r.consumed(MESSAGE_SIZES)
        headers_end: cython.Py_ssize_t = r.extent(version_end, self.sizes_meta.i64[0], sizes_start, MESSAGE_HEADERS)
        bodies_end: cython.Py_ssize_t = r.extents(headers_end, self.sizes_bodies, sizes_start, MESSAGE_BODIES)
        terms_end: cython.Py_ssize_t = r.extent(bodies_end, self.sizes_meta.i64[1], sizes_start, MESSAGE_TERMS)
        r.select(bodies_end, terms_end)
        self.read_dictionary(r)
        r.consumed(MESSAGE_TERMS)
        r.select(version_end, headers_end)
        self.read_header_columns(r, self.sizes_bodies.size)
        r.consumed(MESSAGE_HEADERS)
        self.check_repeated(
            r,
            self.sizes_groups_ends.size - 1,
            self.header_columns_event_type,
            EVENT_TYPE_ROW,
            SIZE_TABLES_GROUPS,
            HEADER_COLUMNS_EVENT_TYPE,
        )
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t = headers_end
        limit: cython.Py_ssize_t = bodies_end
        self.events.reserve(self.events.rows + self.sizes_bodies.size)
        for k in range(self.sizes_bodies.size):
            self.at_bodies = k
            r.select(start, r.extent(start, self.sizes_bodies.i64[k], limit, MESSAGE_BODIES))
            start = r.end
            self.read_body(r, message, k)
            r.consumed(MESSAGE_BODIES)
        r.select(start, limit)
        r.meet(terms_end, sizes_start, MESSAGE_TERMS)
        return 0

    def read_column_group(
        self, r: Cursor, message: cython.Py_ssize_t, row: cython.Py_ssize_t, described: TableLayouts, seen: cython.int
    ) -> cython.int:
        """kind | count | columns

        One row image.
        """
        offset: cython.Py_ssize_t
        element: cython.Py_ssize_t = r.pos
        image: cython.int = 0
        layout: cython.int = 0
        row_column: cython.int = 0
        offset = r.pos
        kind_: cython.longlong = r.u8(COLUMN_GROUP_KIND)
        if kind_ != IMAGE_KIND_NEW and kind_ != IMAGE_KIND_OLD:
            return r.undefined(kind_, offset, COLUMN_GROUP_KIND)
        count: cython.Py_ssize_t = r.count(COLUMN_GROUP_COUNT)
        images: BinaryImages | None = described.match(r, count)
        if images is None:
            images = self.read_group_columns(r, count, described)
        slot: cython.Py_ssize_t = self.cache.open(images, described, message)
        r.nullable_sizes(images.width, self.group_columns_value, GROUP_COLUMNS_VALUE)
        image_row: cython.Py_ssize_t = images.read(r, self.group_columns_value, GROUP_COLUMNS_VALUE)
        if kind_ == IMAGE_KIND_NEW:
            image = HAS_NEW
            layout = NEW_LAYOUT
            row_column = NEW_ROW
        elif kind_ == IMAGE_KIND_OLD:
            image = HAS_OLD
            layout = OLD_LAYOUT
            row_column = OLD_ROW
        if seen & image:
            return r.fail(DUPLICATE, COLUMN_GROUP_KIND, element, 0, 0)
        self.events.put_int(layout, row, slot)
        self.events.put_int(row_column, row, image_row)
        return image

    def read_row_body(
        self, r: Cursor, message: cython.Py_ssize_t, row: cython.Py_ssize_t, k: cython.Py_ssize_t
    ) -> cython.int:
        """groups

        The row images of a change: new of an insert, new and old of an update, old of a delete.
        """
        described: TableLayouts = self.terms.described_table(
            self.cache, self.header_columns_schema.i64[k], self.header_columns_table.i64[k]
        )
        g: cython.Py_ssize_t
        seen: cython.int = 0
        first: cython.Py_ssize_t = self.sizes_groups_ends.i64[k]
        stop: cython.Py_ssize_t = r.end
        for g in range(first, self.sizes_groups_ends.i64[k + 1]):
            self.at_groups = g - first
            r.select(r.pos, r.extent(r.pos, self.sizes_groups.i64[g], stop, ROW_BODY_GROUPS))
            seen |= self.read_column_group(r, message, row, described, seen)
            r.consumed(ROW_BODY_GROUPS)
        r.select(r.pos, stop)
        if seen == HAS_NEW:
            self.events.put_int(KIND, row, INSERT)
        elif seen == HAS_NEW | HAS_OLD:
            self.events.put_int(KIND, row, UPDATE)
        elif seen == HAS_OLD:
            self.events.put_int(KIND, row, DELETE)
        else:
            return r.fail(MISSING, ROW_BODY_GROUPS, r.pos, 1, 0)
        return 0

    def read_ddl_body(
        self, r: Cursor, message: cython.Py_ssize_t, row: cython.Py_ssize_t, k: cython.Py_ssize_t
    ) -> cython.int:
        """type | query

        A DDL statement that was executed.
        """
        offset: cython.Py_ssize_t
        offset = r.pos
        type_: cython.longlong = r.limited(r.uvarint(DDL_BODY_TYPE), 255, offset, DDL_BODY_TYPE)
        self.events.put_int(DDL_TYPE, row, type_)
        offset = r.string(DDL_BODY_QUERY)
        self.events.put_bytes(QUERY, row, r, offset, r.pos - offset, DDL_BODY_QUERY)
        return 0

    def read_header_columns(self, r: Cursor, n: cython.Py_ssize_t) -> cython.int:
        """What every event has, one chunk for each field."""
        offset: cython.Py_ssize_t
        r.delta_uvarints(n, self.header_columns_commit_ts, HEADER_COLUMNS_COMMIT_TS)
        r.uvarints(n, self.header_columns_event_type, HEADER_COLUMNS_EVENT_TYPE)
        r.delta_varints(n, self.header_columns_partition, HEADER_COLUMNS_PARTITION)
        offset = r.pos
        r.delta_varints(n, self.header_columns_schema, HEADER_COLUMNS_SCHEMA)
        self.terms.check(r, self.header_columns_schema, -1, offset, HEADER_COLUMNS_SCHEMA)
        offset = r.pos
        r.delta_varints(n, self.header_columns_table, HEADER_COLUMNS_TABLE)
        self.terms.check(r, self.header_columns_table, -1, offset, HEADER_COLUMNS_TABLE)
        return 0

    def read_dictionary(self, r: Cursor) -> cython.int:
        """Names of schemas, tables and columns, numbered in order of first use."""
        start: cython.Py_ssize_t = r.pos
        known: Dictionary | None = self.terms_seen.find(r)
        if known is None:
            self.terms_ends.take(1)
            if r.pos < r.end:
                r.strings(r.count(MESSAGE_TERMS), self.terms_ends, MESSAGE_TERMS)
            r.consumed(MESSAGE_TERMS)
            known = self.terms_seen.learn(r, start, self.terms_ends, MESSAGE_TERMS)
        self.terms = known
        return 0

    def read_size_tables(self, r: Cursor) -> cython.int:
        """Tables of sizes; each is a count and as many numbers."""
        offset: cython.Py_ssize_t
        offset = r.pos  # headers, terms
        r.expect(r.uvarint(SIZE_TABLES_META), 2, offset, SIZE_TABLES_META)
        r.delta_varints(2, self.sizes_meta, SIZE_TABLES_META)
        offset = r.pos
        r.delta_varints(r.count(SIZE_TABLES_BODIES), self.sizes_bodies, SIZE_TABLES_BODIES)
        if self.sizes_bodies.size == 0:
            return r.fail(MISSING, SIZE_TABLES_BODIES, offset, 1, 0)
        self.sizes_groups.take(0)
        self.sizes_groups_ends.take(1)
        self.sizes_groups_ends.i64[0] = 0
        while r.pos < r.end:
            r.append_delta_varints(r.count(SIZE_TABLES_GROUPS), self.sizes_groups, SIZE_TABLES_GROUPS)
            self.sizes_groups_ends.append(self.sizes_groups.size)
        return 0

    def read_body(self, r: Cursor, message: cython.Py_ssize_t, k: cython.Py_ssize_t) -> cython.int:
        """What the type of the event says."""
        code: cython.ulonglong = self.header_columns_event_type.u64[k]
        row: cython.Py_ssize_t = self.events.rows
        self.events.put_int(MESSAGE, row, message)
        self.events.put_int(
            TABLE,
            row,
            self.terms.position(self.cache, self.header_columns_schema.i64[k], self.header_columns_table.i64[k]),
        )
        self.events.put_uint(COMMIT_TS, row, self.header_columns_commit_ts.u64[k])
        if self.header_columns_partition.i64[k] == -1:
            self.events.put_null(PARTITION_ID, row)
        else:
            self.events.put_int(PARTITION_ID, row, self.header_columns_partition.i64[k])
        self.events.put_int(NEW_LAYOUT, row, -1)
        self.events.put_int(NEW_ROW, row, -1)
        self.events.put_int(OLD_LAYOUT, row, -1)
        self.events.put_int(OLD_ROW, row, -1)
        if code == EVENT_TYPE_ROW:
            self.events.put_null(DDL_TYPE, row)
            self.events.put_null(QUERY, row)
            if self.terms.unnamed(self.header_columns_schema.i64[k]):
                return r.fail(MISSING, HEADER_COLUMNS_SCHEMA, r.pos, 1, 0)
            if self.terms.unnamed(self.header_columns_table.i64[k]):
                return r.fail(MISSING, HEADER_COLUMNS_TABLE, r.pos, 1, 0)
            self.read_row_body(r, message, row, k)
        elif code == EVENT_TYPE_DDL:
            self.events.put_int(KIND, row, DDL)
            self.read_ddl_body(r, message, row, k)
        elif code == EVENT_TYPE_RESOLVED:
            self.events.put_null(DDL_TYPE, row)
            self.events.put_null(QUERY, row)
            self.events.put_int(KIND, row, WATERMARK)
        else:
            return r.undefined(code, r.pos, HEADER_COLUMNS_EVENT_TYPE)
        self.events.rows = row + 1
        return 0

    def read_group_columns(self, r: Cursor, n: cython.Py_ssize_t, described: TableLayouts) -> BinaryImages:
        """Names, types and flags of columns that were not seen before; once they are seen again, they are
        remembered under the bytes that say them."""
        offset: cython.Py_ssize_t
        start: cython.Py_ssize_t = r.pos
        k: cython.Py_ssize_t
        if n == 0:
            r.fail(MISSING, GROUP_COLUMNS_NAME, start, 1, 0)
        offset = r.pos
        r.delta_varints(n, self.group_columns_name, GROUP_COLUMNS_NAME)
        self.terms.check(r, self.group_columns_name, 0, offset, GROUP_COLUMNS_NAME)
        offset = r.pos
        r.uvarints(n, self.group_columns_type, GROUP_COLUMNS_TYPE)
        r.at_most(self.group_columns_type, 255, offset, GROUP_COLUMNS_TYPE)
        r.uvarints(n, self.group_columns_flags, GROUP_COLUMNS_FLAGS)
        names = tuple([self.terms.texts[self.group_columns_name.i64[k]] for k in range(n)])
        images: BinaryImages | None = described.find(
            self.cache, names, self.group_columns_type, self.group_columns_flags
        )
        if images is None:
            return self.new_layout(r, described, names, start)
        described.learn(r.copy(start, r.pos), images)
        return images

    def new_layout(
        self, r: Cursor, described: TableLayouts, names: Sequence[str], start: cython.Py_ssize_t
    ) -> BinaryImages:
        """The layout of columns whose names, types and flags were just read, from start on."""
        k: cython.Py_ssize_t
        codecs_of = [
            column_values(self.group_columns_type.i64[k], self.group_columns_flags.u64[k]) for k in range(len(names))
        ]
        return described.layout(
            r, self.cache, names, self.group_columns_type, self.group_columns_flags, codecs_of, self.checked, start,
            GROUP_COLUMNS_NAME
        )

    def check_repeated(
        self,
        r: Cursor,
        found: cython.Py_ssize_t,
        switch: Numbers,
        code: cython.ulonglong,
        field: cython.int,
        switch_field: cython.int,
    ) -> cython.int:
        """There is a table for each event of that code, and all events are of it or none: else nobody knows whose table
        is whose."""
        k: cython.Py_ssize_t
        wanted: cython.Py_ssize_t = 0
        for k in range(switch.size):
            if switch.u64[k] == code:
                wanted += 1
        if found == wanted and (wanted == 0 or wanted == switch.size):
            return 0
        for k in range(switch.size):
            if (
                switch.u64[k] != EVENT_TYPE_ROW
                and switch.u64[k] != EVENT_TYPE_DDL
                and switch.u64[k] != EVENT_TYPE_RESOLVED
            ):
                return r.undefined(switch.u64[k], r.pos, switch_field)
        if wanted != 0 and wanted != switch.size:
            return r.fail(MIXED, switch_field, r.pos, wanted, switch.size)
        return r.fail(COUNT, field, r.pos, found, wanted)

    def decode_pieces(self, pieces: Iterable[Values]) -> EventColumns:
        r: Cursor = Cursor()
        errors: list[DecodeError] = []
        tombstones: list[int] = []
        base: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t
        rows: cython.Py_ssize_t
        missing: frozenset[int]
        self.events.begin()
        self.cache.begin()
        for values in pieces:
            missing = r.receive(values)
            for k in range(r.messages):
                if missing and k in missing:
                    tombstones.append(base + k)
                    continue
                rows = self.events.rows
                self.cache.start()
                try:
                    r.load(k)
                    self.read_message(r, base + k)
                except WireError as error:
                    errors.append(self.readable(error, base + k))
                    self.events.rows = rows
                    self.cache.undo()
            base += r.messages
        return self.finish(errors, tombstones)

    def indexes(self, error: WireError) -> dict[str, object]:
        """Where in its field the trouble is."""
        return {"bodies": self.at_bodies, "groups": self.at_groups}

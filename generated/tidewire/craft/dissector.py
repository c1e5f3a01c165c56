"""Dissector of TiCDC Craft: every field of a message beside its bytes.

It reads what the decoder reads, in the same order, in plain Python.
"""
# Generated from spec/craft.yaml by "make generate". Do not edit.

from __future__ import annotations

from tidewire.craft.decoder import column_values
from tidewire.craft.names import EVENT_TYPE_ROW, EVENT_TYPE_DDL, EVENT_TYPE_RESOLVED, IMAGE_KIND_NEW, IMAGE_KIND_OLD
from tidewire.mysql import DDL_TYPES, ColumnFlag, ColumnType
from tidewire.runtime import require_api
from tidewire.runtime.dissecting.sections import Trace, Traced, Trouble
from tidewire.runtime.dissecting.spans import Span, flagged, named, tso

require_api(1)

TYPES = {member.value: member.name.lower() for member in ColumnType}
FLAGS = {member.value: member.name.lower() for member in ColumnFlag if member.name is not None}


def nothing(value: int) -> str:
    """A number that says all itself."""
    return ""


def dissect(value: bytes) -> list[Span]:
    """Every field of a message, in the order of the bytes; of a malformed one those before the trouble, and the
    trouble."""
    t = Trace(value)
    try:
        Dissector().read_message(t)
    except Trouble:
        pass
    return t.result()


class Dissector:
    """Reads one message."""

    def __init__(self) -> None:
        self.group_columns_name = Traced()
        self.group_columns_type = Traced()
        self.group_columns_flags = Traced()
        self.group_columns_value = Traced()
        self.sizes_meta = Traced()
        self.sizes_bodies = Traced()
        self.sizes_groups: list[Traced] = []
        self.header_columns_commit_ts = Traced()
        self.header_columns_event_type = Traced()
        self.header_columns_partition = Traced()
        self.header_columns_schema = Traced()
        self.header_columns_table = Traced()
        self.terms: list[str] = []

    def terms_text(self, number: int) -> str:
        """A term by its number."""
        return self.terms[number] if 0 <= number < len(self.terms) else "none" if number < 0 else "?"

    def read_message(self, t: Trace) -> None:
        """version | headers | bodies | terms | sizes | sizes_length"""
        begin, end = t.pos, t.end
        t.select(begin, end)
        at = t.pos
        version = t.uvarint("version", nothing, "Version of the protocol.")
        t.check(version, version == 1, "version", at, "where only 1 is possible")
        version_end = t.pos
        t.select(version_end, end)
        sizes_length = t.reversed_uvarint("sizes_length", nothing, "Size of the tables in bytes.")
        sizes_length_start = t.end
        sizes_start = t.before(sizes_length_start, sizes_length, "sizes")
        t.select(sizes_start, sizes_length_start)
        with t.group("sizes", "size_tables", "The sizes of everything before."):
            self.read_size_tables(t)
        t.consumed("rest")
        headers_end = t.extent(version_end, self.sizes_meta.i64[0], sizes_start, "headers")
        bodies_end = t.extents(headers_end, self.sizes_bodies, sizes_start, "bodies")
        terms_end = t.extent(bodies_end, self.sizes_meta.i64[1], sizes_start, "terms")
        t.select(bodies_end, terms_end)
        with t.group("terms", "dictionary", "Every name once; left out when no event has a name."):
            self.read_dictionary(t)
        t.consumed("rest")
        t.select(version_end, headers_end)
        with t.group("headers", "header_columns", "One header per event, column by column."):
            self.read_header_columns(t, self.sizes_bodies.size)
        t.consumed("rest")
        wanted = self.header_columns_event_type.count(EVENT_TYPE_ROW)
        t.check(
            f"{wanted} of {len(self.header_columns_event_type)} events",
            wanted in (0, len(self.header_columns_event_type)),
            "rest",
            t.pos,
            "have a table: all or none must",
        )
        t.check(
            f"{len(self.sizes_groups)} tables", len(self.sizes_groups) == wanted, "rest", t.pos, f"for {wanted} events"
        )
        start, limit = headers_end, bodies_end
        with t.group("bodies", "body", "One body per event."):
            for k, size in enumerate(self.sizes_bodies):
                t.select(start, t.extent(start, size, limit, str(k)))
                start = t.end
                with t.group(str(k), "body", ""):
                    self.read_body(t, k)
                    t.consumed("rest")
        t.meet(terms_end, sizes_start, "rest")

    def read_column_group(self, t: Trace) -> None:
        """kind | count | columns"""
        at = t.pos
        kind_ = t.u8("kind", named({1: "new", 2: "old"}), "Which row image.")
        t.check(kind_, kind_ in (IMAGE_KIND_NEW, IMAGE_KIND_OLD), "kind", at, "is none of the values that are defined")
        count = t.uvarint("count", nothing, "Number of columns.")
        with t.group("columns", "group_columns", "The columns of the row image."):
            self.read_group_columns(t, count)

    def read_row_body(self, t: Trace, k: int) -> None:
        """groups"""
        stop = t.end
        with t.group("groups", "column_group", "The row images."):
            for g, size in enumerate(self.sizes_groups[k]):
                t.select(t.pos, t.extent(t.pos, size, stop, str(g)))
                with t.group(str(g), "column_group", ""):
                    self.read_column_group(t)
                    t.consumed("rest")
        t.select(t.pos, stop)

    def read_ddl_body(self, t: Trace, k: int) -> None:
        """type | query"""
        at = t.pos
        type_ = t.uvarint("type", named(DDL_TYPES), "TiDB's DDL action code.")
        t.check(type_, 0 <= type_ <= 255, "type", at, "is out of range, at most 255 is possible")
        t.string("query", "The statement.")

    def read_header_columns(self, t: Trace, n: int) -> None:
        """What every event has, one chunk for each field."""
        self.header_columns_commit_ts = t.numbers(
            "delta_uvarint", n, "commit_ts", tso, "TSO of the transaction; of a watermark the resolved ts."
        )
        self.header_columns_event_type = t.numbers(
            "uvarint", n, "event_type", named({1: "row", 2: "ddl", 3: "resolved"}), "What happened."
        )
        self.header_columns_partition = t.numbers(
            "delta_varint", n, "partition", nothing, "TiDB's id of the partition, -1 for none."
        )
        self.header_columns_schema = t.numbers(
            "delta_varint", n, "schema", self.terms_text, "The database, by its term; -1 for none."
        )
        for number in self.header_columns_schema:
            t.check(
                f"term {number}",
                number == -1 or 0 <= number < len(self.terms),
                "schema",
                t.pos,
                "is not in the dictionary",
            )
        self.header_columns_table = t.numbers(
            "delta_varint", n, "table", self.terms_text, "The table, by its term; -1 for none."
        )
        for number in self.header_columns_table:
            t.check(
                f"term {number}",
                number == -1 or 0 <= number < len(self.terms),
                "table",
                t.pos,
                "is not in the dictionary",
            )

    def read_dictionary(self, t: Trace) -> None:
        """Names of schemas, tables and columns, numbered in order of first use."""
        if t.pos == t.end:
            return
        count = t.uvarint("count", nothing, "Number of terms.")
        self.terms = t.texts(count, "entries", "The terms.")

    def read_size_tables(self, t: Trace) -> None:
        """Tables of sizes; each is a count and as many numbers."""
        with t.group("meta", "table", "headers, terms"):
            count = t.uvarint("count", nothing)
            t.check(count, count == 2, "count", t.pos, "where only 2 is possible")
            self.sizes_meta = t.numbers("delta_varint", count, "numbers", nothing, "")
        with t.group("bodies", "table", ""):
            count = t.uvarint("count", nothing)
            t.check(count, count > 0, "count", t.pos, "events in the message")
            self.sizes_bodies = t.numbers("delta_varint", count, "numbers", nothing, "")
        while t.pos < t.end:
            with t.group(f"groups/{len(self.sizes_groups)}", "table", "The sizes of the parts of one event."):
                count = t.uvarint("count", nothing)
                self.sizes_groups.append(t.numbers("delta_varint", count, "numbers", nothing, ""))

    def read_body(self, t: Trace, k: int) -> None:
        """What the type of the event says."""
        code = self.header_columns_event_type[k]
        if code == EVENT_TYPE_ROW:
            self.read_row_body(t, k)
        elif code == EVENT_TYPE_DDL:
            self.read_ddl_body(t, k)
        elif code == EVENT_TYPE_RESOLVED:
            return
        else:
            t.check(code, False, "rest", t.pos, "is none of the types that are defined")

    def read_group_columns(self, t: Trace, n: int) -> None:
        """Names, types, flags and values of a row image."""
        t.check(n, n > 0, "name", t.pos, "columns")
        self.group_columns_name = t.numbers(
            "delta_varint", n, "name", self.terms_text, "Names of the columns, by their terms."
        )
        for number in self.group_columns_name:
            t.check(f"term {number}", 0 <= number < len(self.terms), "name", t.pos, "is not in the dictionary")
        self.group_columns_type = t.numbers("uvarint", n, "type", named(TYPES), "MySQL's type codes.")
        for number in self.group_columns_type:
            t.check(number, 0 <= number <= 255, "type", t.pos, "is out of range, at most 255 is possible")
        self.group_columns_flags = t.numbers("uvarint", n, "flags", flagged(FLAGS), "What the columns are.")
        types, flags = self.group_columns_type, self.group_columns_flags
        codecs = [column_values(type, flag) for type, flag in zip(types, flags, strict=True)]
        names = [self.terms_text(number) for number in self.group_columns_name]
        kinds = [TYPES.get(type, "") for type in types]
        t.values(codecs, names, kinds, "value", "The values, null or as many bytes as the size says.")

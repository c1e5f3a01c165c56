"""Rows as JSON objects keyed by column names, read into the columns of their layout without an object for each value.

A row is scanned twice: first its members are found, then their texts are put into the layout that these determine.
Compiled code mostly reads a row with the same columns as the previous one in one pass (fast_rows.py).
"""

from __future__ import annotations

import json
from binascii import a2b_base64
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.decoding.row_table import NO_COLUMNS
from tidewire.runtime.errors import DUPLICATE, MISSING, OUTSIDE, SYNTAX, StatedError, WireError
from tidewire.runtime.json.cells import HIGH, STRING, RowCells
from tidewire.runtime.json.stated_tables import learn_name
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import INT_TEXT

if cython.compiled:
    from cython.cimports.tidewire.runtime.decoding.declared import DeclaredType, DeclaredTypes
    from cython.cimports.tidewire.runtime.json.fast_rows import put_known_row
    from cython.cimports.tidewire.runtime.wire.swar import plain, same
else:
    import re
    _MEMBER = re.compile(rb'("([^"\\\x00-\x1f]*)":)(?:"([^"\\\x00-\x1f]*)"|null)')

MOST_DIGITS = 64
"""Maximum digits of a number, including leading zeros, that is considered."""
LEAST_UNSIGNED = 1 << 63
"""The least number that does not fit a signed 64-bit integer."""

if TYPE_CHECKING:
    from tidewire.runtime.decoding.declared import DeclaredType, DeclaredTypes
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.decoding.row_layouts import RowLayoutBuilder
    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.decoding.table_columns import TableColumns
    from tidewire.runtime.json.cursor import JsonCursor


class Rows(RowCells):
    """The rows in one member of a message: layout and row in the batch of each.

    Attributes:
        alone: whether a single row without an array is accepted, as some producers write it. Not if the message has
            unknown members: it may belong to another protocol.
        single: offset of a row without an array; -1: none.
        bare: offset of the last row without columns; -1: none.
    """

    def __init__(self) -> None:
        RowCells.__init__(self, False)
        self.slots = Numbers()
        self.row_numbers = Numbers()
        self.clear()

    def clear(self) -> cython.int:
        """Resets to no rows."""
        self.alone = True
        self.single = self.count = self.bare = -1
        self.at_row = 0
        self.slots.size = self.row_numbers.size = 0
        self.location.start = -1
        return 0

    def read(
        self,
        r: JsonCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """Reads the array of rows at the cursor, or a single row without an array; null is no rows.

        Args:
            member: number of this member among those that hold rows.
            whole: whether rows are expected to have all columns that are known of their table.
            field: field of the member.
            column_field: field of a value.
        """
        i: cython.Py_ssize_t = r.pos
        alone: cython.bint = self.alone
        self.clear()
        if r.p[i] != chars.OPEN_LIST:
            if alone and r.p[i] == chars.OPEN_OBJECT:
                self.count = 0
                self.single = i
                return self.row(r, table, cache, message, member, whole, field, column_field)
            if r.given(field):
                return r.another(field, i, "an array")
            return 0
        self.count = 0
        i = r.space(i + 1)
        if r.p[i] == chars.CLOSE_LIST:
            r.pos = i + 1
            return 0
        while True:
            if r.p[i] != chars.OPEN_OBJECT:
                return r.another(field, i, "an object")
            r.pos = i
            self.row(r, table, cache, message, member, whole, field, column_field)
            i = r.pos
            if r.p[i] <= chars.SPACE:
                i = r.space(i)
            if r.p[i] == chars.COMMA:
                i = r.space(i + 1)
            elif r.p[i] == chars.CLOSE_LIST:
                r.pos = i + 1
                return 0
            else:
                return r.broken(SYNTAX, field, i)

    def columned(self, r: JsonCursor, table: RowTable, told: cython.bint, field: cython.int) -> cython.int:
        """Refuses a row without columns (`bare`), unless the message allows that its table has none.

        Args:
            table: table of the rows.
            told: whether the message must say explicitly that the table has no columns; otherwise it must not describe
                any.
            field: field of the rows.
        """
        columns: TableColumns = table.columns
        if columns.outlines or (not columns.bare and (told or columns.described)):
            raise StatedError(MISSING, field, self.bare, NO_COLUMNS)
        return 0

    def among_others(self, r: JsonCursor, field: cython.int) -> cython.int:
        """Records that the message has an unknown member.

        Args:
            field: field of the rows.
        """
        if self.single >= 0:
            return r.another(field, self.single, "an array")
        self.alone = False
        return 0

    def read_single(
        self,
        r: JsonCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """Reads the single row at the cursor, in messages that have no array around it; null is no row.

        Arguments as in `read`.
        """
        self.clear()
        if r.p[r.pos] != chars.OPEN_OBJECT:
            if r.given(field):
                return r.another(field, r.pos, "an object")
            return 0
        self.count = 0
        return self.row(r, table, cache, message, member, whole, field, column_field)

    def read_nothing(
        self,
        r: JsonCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        column_field: cython.int,
    ) -> cython.int:
        """Adds a row without columns, which the message omits; arguments as in `read`."""
        images: RowLayoutBuilder
        self.clear()
        self.numbers.take(0)
        images = table.layout(r, self.numbers, member, False, column_field, r.pos)
        self.slots.append(cache.open(images, table, message))
        if images.rows + 1 >= images.room:
            images.reserve(images.rows + 1)
        self.row_numbers.append(images.rows)
        images.rows += 1
        self.count = 1
        return 0

    def row(
        self,
        r: JsonCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """Reads the row object at the cursor."""
        start: cython.Py_ssize_t = r.pos
        columns: TableColumns = table.columns
        images: RowLayoutBuilder | None = table.last[member]
        self.at_row = self.count
        self.location.start = -1
        if (
            cython.compiled
            and images is not None
            and images.beginnings
            and images.descriptions_version == columns.descriptions_version
            and columns.described == columns.count
        ):
            if put_known_row(self, r, columns, images, column_field):
                if images.width == 0:
                    self.bare = start
                self.slots.append(cache.open(images, table, message))
                self.row_numbers.append(images.rows)
                images.rows += 1
                self.count += 1
                return 0
            self.location.start = -1
        return self.other_row(r, table, cache, message, member, whole, field, column_field)

    def other_row(
        self,
        r: JsonCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """Reads a row whose columns or descriptions differ from those of the previous row; arguments as in `row`.

        It is a function of its own because its error handling would slow down the fast path of `row`.
        """
        start: cython.Py_ssize_t = r.pos
        row: cython.Py_ssize_t
        columns: TableColumns = table.columns
        images: RowLayoutBuilder | None = table.last[member]
        if self.scan(r, columns, images, field, column_field) and images is not None:
            if (
                images.descriptions_version != columns.descriptions_version or columns.described != columns.count
            ) and not table.holds(images, whole):
                images = None
            elif cython.compiled and not images.beginnings:
                images.begin_columns()  # only on its second use: a hostile message can have a layout for each row
        else:
            images = None
        if images is None:
            images = table.layout(r, self.numbers, member, whole, column_field, start)
        if images.width == 0:
            self.bare = start
        self.slots.append(cache.open(images, table, message))
        row = images.rows
        if row + 1 >= images.room:
            images.reserve(row + 1)
        try:
            self.fill(r, columns, images, row, column_field)
        except WireError as error:
            images = self.unsigned(r, table, images, member, whole, column_field, start, error)
            self.slots.i64[self.slots.size - 1] = cache.open(images, table, message)
            row = images.rows
            images.reserve(row + 1)
            self.fill(r, columns, images, row, column_field)
        images.rows = row + 1
        self.row_numbers.append(row)
        self.count += 1
        return 0

    def unsigned(
        self,
        r: JsonCursor,
        table: RowTable,
        images: RowLayoutBuilder,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        column_field: cython.int,
        start: cython.Py_ssize_t,
        error: WireError,
    ) -> RowLayoutBuilder:
        """The layout of a row with numbers that only unsigned columns can hold, in messages that do not declare them
        unsigned: older producers declare a BIGINT UNSIGNED as BIGINT.

        Args:
            r, table, member, whole, column_field: as in `read`.
            images: layout for the types as declared.
            start: offset of the row.
            error: error of the number that does not fit.

        Raises:
            WireError: the error, if no column has such a number.
        """
        columns: TableColumns = table.columns
        types: DeclaredTypes = table.tables.types
        declared: DeclaredType
        wide: DeclaredType
        changed: list[tuple[int, int]] = []
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        codec_of = table.tables.codec_of
        if error.code != OUTSIDE or table.tables.given is None or table.tables.store is not None or codec_of is None:
            raise error
        for j in range(images.width):
            k = images.columns_read[j].number
            if images.columns_read[j].codec != INT_TEXT or columns.all[k].described != columns.message:
                continue
            text: bytes = r.copy(self.cells[j].start, min(self.cells[j].end, self.cells[j].start + MOST_DIGITS))
            if not text.isdigit() or int(text) < LEAST_UNSIGNED:
                continue
            declared = types.numbers[images.columns_read[j].type]
            said = f"{declared.text} unsigned"
            try:
                found = types.declared(said)
            except ValueError:
                continue
            greatest: int | None = table.tables.given.greatest(found.type, found.flags)
            if found.type == declared.type and greatest is not None and int(text) <= greatest:
                codec: Any = codec_of(found.type, found.flags)
                wide = types.written_by(said, codec)
                changed.append((k, declared.number))
                columns.set_type(k, wide.number)
        if not changed:
            raise error
        try:
            return table.layout(r, self.numbers, member, whole, column_field, start)
        finally:
            for k, number in changed:
                columns.set_type(k, number)

    def is_default_again(
        self, r: JsonCursor, n: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.bint:
        """Whether a value, message[start:end], is the previous member's value, bytes in base64, repeated as text: a
        producer may write NULL this way for a bytes column with a default.
        """
        text = r.copy(start, end)
        if text[:1] != b'"':
            return False
        try:
            image = a2b_base64(r.copy(self.cells[n].start, self.cells[n].end), strict_mode=True)
            again = json.loads(text)
        except ValueError:
            return False
        return "\ufffd" in again or again.encode(errors="surrogatepass") == image  # stands for bytes that are not UTF-8

    def scan(
        self,
        r: JsonCursor,
        names: TableColumns,
        images: RowLayoutBuilder | None,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.bint:
        """Finds the members of the object at the cursor; returns whether they are the columns of the images, in their
        order.
        """
        p = r.p
        i: cython.Py_ssize_t = r.pos + 1
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        n: cython.Py_ssize_t = 0
        width: cython.Py_ssize_t = 0 if images is None else images.width
        on: cython.bint = images is not None
        known: cython.bint
        c: cython.int
        high: cython.ulonglong
        names.object_number += 1
        r.release()
        if p[i] <= chars.SPACE:
            i = r.space(i)
        if p[i] == chars.CLOSE_OBJECT:
            r.pos = i + 1
            self.numbers.size = 0
            return on and width == 0
        while True:
            # ---- name
            known = False
            if cython.compiled:
                on = on and n < width
                k = images.columns_read[n].number if on else 0 if last < 0 else names.all[last].next
                if k < names.count and same(
                    p + i,
                    p + r.end,
                    names.all[k].word,
                    names.all[k].mask,
                    names.pool.u8 + names.all[k].spelling,
                    names.all[k].size,
                ):
                    known = True
                    j = i + names.all[k].size
            else:
                found = _MEMBER.match(p, i)
                k = -1 if found is None else names.spelled.get(found[1], -1)
                if found is not None and k >= 0:
                    known = True
                    j = found.end(1)
            if not known:
                j = r.key(i, field)
                k = r.match_end(names, i, j, field)
                if k < 0:
                    k = learn_name(names, r, i, j, field)
                on = False
                if last >= 0:
                    names.all[last].next = k
            if not cython.compiled:
                on = on and images is not None and n < width and images.columns_read[n].number == k
            last = k
            if n >= self.room:
                self.enlarge()
            if names.all[k].seen == names.object_number:
                names.at_column = k
                first: cython.Py_ssize_t = i
                j = j if p[j] > chars.SPACE else r.space(j)
                i = r.pass_over(j, column_field)
                if not names.takes_first or self.numbers.i64[n - 1] != k or not self.is_default_again(r, n - 1, j, i):
                    r.fail(DUPLICATE, column_field, first, 0, 0)
                if p[i] <= chars.SPACE:
                    i = r.space(i)
                if p[i] == chars.COMMA:
                    i = r.space(i + 1)
                    continue
                if p[i] != chars.CLOSE_OBJECT:
                    r.broken(SYNTAX, field, i)
                r.pos = i + 1
                self.numbers.size = n
                return on and n == width
            names.all[k].seen = names.object_number
            self.numbers.i64[n] = k
            # ---- value
            i = j if p[j] > chars.SPACE else r.space(j)
            c = p[i]
            j = i
            if c == chars.QUOTE:
                high = 0
                if cython.compiled:
                    j = plain(p, i + 1, cython.address(high))
                elif found is not None and i == found.start(3) - 1:
                    j = found.end(3)
                    high = not found[3].isascii()
            if j > i and p[j] == chars.QUOTE:
                self.cells[n].start = i + 1
                self.cells[n].end = j
                self.cells[n].form = STRING | HIGH if high else STRING
                i = j + 1
            else:
                names.at_column = k
                i = self.find_value(r, n, i, column_field)
            n += 1
            # ---- comma or end
            c = p[i]
            if c <= chars.SPACE:
                i = r.space(i)
                c = p[i]
            if c == chars.COMMA:
                i += 1
                if p[i] <= chars.SPACE:
                    i = r.space(i)
            elif c == chars.CLOSE_OBJECT:
                r.pos = i + 1
                self.numbers.size = n
                return on and n == width
            else:
                r.broken(SYNTAX, field, i)

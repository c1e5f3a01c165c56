"""Row images as JSON objects of column objects, {"id":{"t":3,"v":1},…}: each column states its type, flags and value.

The text between the values is mostly the same as in the previous image. Compiled code compares it as a whole and puts
the values into their columns at once. On any difference or error the image is read again from its start: first its
columns are found, then its layout, then the values are put.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.decoding.declared import FLAGS_MISSING
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.errors import DUPLICATE, MISSING, SYNTAX
from tidewire.runtime.json.cells import RowCells
from tidewire.runtime.json.stated_tables import learn_name
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import (
    BASE64_BYTES,
    BASE64_CHECKED_TEXT,
    BASE64_UNCHECKED_TEXT,
    CHECKED_TEXT,
    FLOAT32_NUMBER,
    FLOAT64_NUMBER,
    INT_NUMBER,
    QUOTED_BYTES,
    UINT_NUMBER,
    UNCHECKED_TEXT,
)

if cython.compiled:
    from cython.cimports.libc.string import memcpy
    from cython.cimports.tidewire.runtime.arrow.puts import put_float, put_int, put_known, put_null
    from cython.cimports.tidewire.runtime.json.base64 import decode64
    from cython.cimports.tidewire.runtime.json.escapes import unescaped
    from cython.cimports.tidewire.runtime.json.go_unquote import unquote
    from cython.cimports.tidewire.runtime.json.values import float64, usual_float
    from cython.cimports.tidewire.runtime.wire.swar import begins, decimal, plain, plain_whole, same, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.decoding.row_layouts import RowLayoutBuilder
    from tidewire.runtime.decoding.row_table import RowTable
    from tidewire.runtime.decoding.table_columns import TableColumns
    from tidewire.runtime.json.cursor import JsonCursor


class ColumnMembers:
    """The members of a column object.

    Attributes:
        names: names of the members.
        type, flags, handle, value: position of each of these members; -1: the object has no such member.
        handle_flag: flags of a column that has `handle` set and no `flags`.
    """

    def __init__(self, names: Sequence[str], type: int, flags: int, handle: int, value: int, handle_flag: int) -> None:
        """
        Args:
            names: names of the members, in the order in which they are usually written.
            type: position of the member with the column's type code, 0 to 255.
            flags: position of the member with the column's flags, 64 bits; -1: none.
            handle: position of the member that is true for handle key columns; -1: none. `flags` takes precedence.
            value: position of the member with the value.
            handle_flag: flags of a column that has `handle` set and no `flags`.
        """
        self.names = Names(names)
        self.type = type
        self.flags = flags
        self.handle = handle
        self.value = value
        self.handle_flag = handle_flag


class ColumnObjects(RowCells):
    """The row image in one member of a message: its layout and row in the batch.

    Attributes:
        count: -1: the member is absent or null; 0: the image has no columns; 1: it has some.
        slots, row_numbers: position of the image's layout in the batch, and its row in that layout.
    """

    def __init__(self, members: ColumnMembers) -> None:
        RowCells.__init__(self, True)
        self.members = members
        self.slots = Numbers()
        self.row_numbers = Numbers()
        self.slots.take(1)
        self.row_numbers.take(1)
        self.at_row = 0
        self.clear()

    def clear(self) -> cython.int:
        """Resets to no image."""
        self.count = -1
        return 0

    def read(
        self,
        r: JsonCursor,
        table: RowTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """Reads the image at the cursor; null is no image.

        Args:
            table: table of the row.
            message: number of the message in the batch.
            member: number of this member among those that hold images.
            field: field number of the member.
            column_field: field number of a column; the fields of the column's members follow it in order.
        """
        columns: TableColumns = table.columns
        start: cython.Py_ssize_t = r.pos
        row: cython.Py_ssize_t
        value_field: cython.int = column_field + 1 + self.members.value
        images: RowLayoutBuilder | None
        self.clear()
        if r.p[start] != chars.OPEN_OBJECT:
            if r.given(field):
                return r.another(field, start, "an object")
            return 0
        if cython.compiled:
            images = table.last[member]
            if (
                images is not None
                and images.descriptions_version == columns.descriptions_version
                and self.read_again(r, columns, images, value_field)
            ):
                return self.open(images, table, cache, message)
        self.scan(r, columns, field, column_field)
        images = table.layout_of_objects(r, self.numbers, member, column_field, start)
        row = images.rows
        if row + 1 >= images.room:
            images.reserve(row + 1)
        self.fill(r, columns, images, row, value_field)
        return self.open(images, table, cache, message)

    def open(
        self, images: RowLayoutBuilder, table: RowTable, cache: LayoutCache, message: cython.Py_ssize_t
    ) -> cython.int:
        """Counts the image that has just been put into the next row."""
        self.slots.i64[0] = cache.open(images, table, message)
        self.row_numbers.i64[0] = images.rows
        images.rows += 1
        self.count = 1 if images.width else 0
        return 0

    def scan(self, r: JsonCursor, names: TableColumns, field: cython.int, column_field: cython.int) -> cython.int:
        """Finds the columns of the image at the cursor, with their types, flags and values."""
        i: cython.Py_ssize_t = r.space(r.pos + 1)
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        n: cython.Py_ssize_t = 0
        value_field: cython.int = column_field + 1 + self.members.value
        names.object_number += 1
        r.release()
        self.numbers.size = 0
        if r.p[i] == chars.CLOSE_OBJECT:
            r.pos = i + 1
            return 0
        while True:
            k = -1
            j = i
            if cython.compiled:
                k = 0 if last < 0 else names.all[last].next
                if k < names.count and same(
                    r.p + i,
                    r.p + r.end,
                    names.all[k].word,
                    names.all[k].mask,
                    names.pool.u8 + names.all[k].spelling,
                    names.all[k].size,
                ):
                    j = i + names.all[k].size
                else:
                    k = -1
            if k < 0:
                j = r.key(i, field)
                k = r.match_end(names, i, j, field)
                if k < 0:
                    k = learn_name(names, r, i, j, field)
                if last >= 0:
                    names.all[last].next = k
            last = k
            names.at_column = k
            if names.all[k].seen == names.object_number:
                r.fail(DUPLICATE, column_field, i, 0, 0)
            names.all[k].seen = names.object_number
            if n >= self.room:
                self.enlarge()
            self.numbers.i64[n] = k
            if not (cython.compiled and self.read_value(r, names, n, i, value_field)):
                r.pos = j if r.p[j] > chars.SPACE else r.space(j)
                self.read_object(r, names, n, i, column_field)
            n += 1
            i = r.space(r.pos)
            if r.p[i] == chars.CLOSE_OBJECT:
                r.pos = i + 1
                self.numbers.size = n
                return 0
            if r.p[i] != chars.COMMA:
                return r.broken(SYNTAX, field, i)
            i = r.space(i + 1)

    def read_object(
        self,
        r: JsonCursor,
        names: TableColumns,
        n: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """Reads the column object at the cursor, the n-th; its name starts at `start`, `field` is the column's field.
        """
        members: ColumnMembers = self.members
        first: cython.int = field + 1
        k: cython.Py_ssize_t
        type: cython.longlong = -1
        flags: cython.ulonglong = 0
        flagged: cython.bint = False
        handle: cython.bint = False
        value: cython.Py_ssize_t = -1
        stop: cython.Py_ssize_t = -1
        r.open(members.names, field)
        while r.member(members.names, field, first):
            k = r.which
            if k < 0:
                r.passed(field)
            elif k == members.value:
                value = r.pos
                r.pos = stop = self.find_value(r, n, value, first + members.value)
            elif not r.given(first + k):
                continue
            elif k == members.type:
                type = r.between(0, 255, first + k)
            elif k == members.flags:
                flags = r.uinteger(first + k)
                flagged = True
            else:
                handle = r.boolean(first + k)
        if type < 0:
            return r.fail(MISSING, first + members.type, r.pos, 1, 0)
        if value < 0:
            return r.fail(MISSING, first + members.value, r.pos, 1, 0)
        if not flagged:
            type += FLAGS_MISSING
            flags = members.handle_flag if handle else 0
        # set if the object ends right after the value
        return names.learn_object(
            r, names.at_column, start if stop == r.pos - 1 else -1, value, cython.cast(cython.int, type), flags
        )

    if cython.compiled:

        def read_value(
            self, r: JsonCursor, names: TableColumns, n: cython.Py_ssize_t, start: cython.Py_ssize_t, field: cython.int
        ) -> cython.bint:
            """Fast path: reads the value of the column object whose name starts at `start`, if all text before the
            value is the same as last time; otherwise returns False.
            """
            k: cython.Py_ssize_t = names.at_column
            size: cython.Py_ssize_t = names.all[k].type_size
            free: cython.Py_ssize_t = r.free
            if not begins(r.p + start, names.pool.u8 + names.all[k].type_start, size):
                return False
            r.pos = self.find_value(r, n, start + size, field)
            if r.p[r.pos] == chars.CLOSE_OBJECT:
                r.pos += 1
                return True
            r.free = free  # the object will be read again, and the scratch space holds its text only once
            return False

        def read_again(
            self, r: JsonCursor, names: TableColumns, images: RowLayoutBuilder, field: cython.int
        ) -> cython.bint:
            """Fast path: puts the image into the next row of these images; False if its columns differ or anything is
            wrong.
            """
            p = r.p
            i: cython.Py_ssize_t = r.pos
            k: cython.Py_ssize_t
            n: cython.Py_ssize_t
            row: cython.Py_ssize_t = images.rows
            codec: cython.int
            j: cython.Py_ssize_t
            value: cython.longlong = 0
            if row + 1 >= images.room:
                images.reserve(row + 1)
            r.release()
            for n in range(images.width):
                i += 1  # the brace or the comma
                k = images.columns_read[n].number
                if not begins(p + i, names.pool.u8 + names.all[k].type_start, names.all[k].type_size):
                    return False
                i += names.all[k].type_size
                codec = images.columns_read[n].codec
                if p[i] == chars.QUOTE:
                    i = self.put_string(r, images, n, row, i + 1, codec, field)
                elif p[i] == chars.LOWER_N:
                    if p[i + 1] != chars.LOWER_U or p[i + 2] != chars.LOWER_L or p[i + 3] != chars.LOWER_L:
                        return False
                    put_null(images, n, row)
                    i += 4
                elif codec == INT_NUMBER or codec == UINT_NUMBER:
                    j = plain_whole(p, i, cython.address(value))
                    if j < 0 or (value < 0 and codec == UINT_NUMBER):
                        j = whole(p, i, codec == INT_NUMBER, cython.cast(cython.p_ulonglong, cython.address(value)))
                    put_int(images, n, row, value)  # the same bits
                    i = j
                elif codec == FLOAT64_NUMBER or codec == FLOAT32_NUMBER:
                    i = self.put_number(r, images, n, row, i, codec == FLOAT32_NUMBER, field)
                else:
                    return False
                if i < 0 or p[i] != chars.CLOSE_OBJECT:
                    return False
                i += 1
                if n + 1 < images.width and p[i] != chars.COMMA:
                    return False
            if p[i] != chars.CLOSE_OBJECT:
                return False
            r.pos = i + 1
            return True

        def put_number(
            self,
            r: JsonCursor,
            images: RowLayoutBuilder,
            n: cython.Py_ssize_t,
            row: cython.Py_ssize_t,
            start: cython.Py_ssize_t,
            single: cython.bint,
            field: cython.int,
        ) -> cython.Py_ssize_t:
            """Puts the float at `start`; returns the offset of its end, or -1 if it is malformed or needs the slow
            path.
            """
            digits: cython.int = 0
            power: cython.int = 0
            v: cython.ulonglong = 0
            value: cython.double = 0
            end: cython.Py_ssize_t = usual_float(r, start, single, cython.address(value))
            if end < 0:
                end = decimal(r.p, start, cython.address(v), cython.address(power), cython.address(digits))
                if end < 0 or single or digits + power > 300:
                    return -1
                value = float64(r, start, end, field)
            put_float(images, n, row, value)
            return end

        def put_string(
            self,
            r: JsonCursor,
            images: RowLayoutBuilder,
            n: cython.Py_ssize_t,
            row: cython.Py_ssize_t,
            start: cython.Py_ssize_t,
            codec: cython.int,
            field: cython.int,
        ) -> cython.Py_ssize_t:
            """Puts the string whose content begins at `start`; returns as `put_number`."""
            p = r.p
            out: cython.p_uchar = r.scratch.u8 + r.free
            high: cython.ulonglong = 0
            size: cython.Py_ssize_t = 0
            lone: cython.Py_ssize_t = -1
            end: cython.Py_ssize_t = plain(p, start, cython.address(high))
            escaped: cython.bint = p[end] == chars.BACKSLASH
            content: cython.Py_ssize_t = start
            if escaped:
                memcpy(out, p + start, end - start)
                content = end
                end = unescaped(
                    p, end, cython.address(high), out + (end - start), cython.address(size), cython.address(lone)
                )
                if end < 0 or (lone >= 0 and codec != UNCHECKED_TEXT):
                    return -1
                size += content - start
                content = r.free
            elif p[end] == chars.QUOTE:
                size = end - start
            else:
                return -1
            if high != 0 and codec != UNCHECKED_TEXT and not r.utf8(content, content + size):
                return -1
            if codec == QUOTED_BYTES:
                # without JSON escapes it has no escapes of Go either
                if escaped:
                    size = unquote(out, out, size)
            elif codec == BASE64_UNCHECKED_TEXT or codec == BASE64_BYTES or codec == BASE64_CHECKED_TEXT:
                size = decode64(out, p + content, size)
                content = r.free
                if size > 0 and codec == BASE64_CHECKED_TEXT and not r.utf8(content, content + size):
                    return -1
            elif codec != CHECKED_TEXT and codec != UNCHECKED_TEXT:
                return -1
            if size < 0:
                return -1
            if content == start:
                put_known(images, n, row, r, content, size, field)
            else:
                images.put_known(n, row, r, content, size, field)
            return end + 1

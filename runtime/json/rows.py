"""Rows as JSON objects keyed by column names, read into the columns of their layout without an object for each value.

A row is looked at twice: first its members are found, which tells its layout, then their texts become values there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import DUPLICATE, KIND, SYNTAX, UNKNOWN, UTF8
from tidewire.runtime.memory import Memory, Numbers

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.tidewire.runtime.json import character_numbers as chars
    from cython.cimports.tidewire.runtime.json.codec_numbers import (
        CHECKED_TEXT,
        FLOAT32_TEXT,
        FLOAT64_TEXT,
        INT_TEXT,
        LATIN1_TEXT,
        SET_TEXT,
        UINT_TEXT,
        UNCHECKED_TEXT,
    )
    from cython.cimports.tidewire.runtime.json.rows import ESCAPED, HIGH, NUMBER, OTHER, STRING, Cell
    from cython.cimports.tidewire.runtime.json.swar import plain, same, small
    from cython.cimports.tidewire.runtime.json.values import all_digits, float32, float64, label, plain_digits
    from cython.cimports.tidewire.runtime.storage_numbers import NOTHING
else:
    import re

    from tidewire.runtime.json import characters as chars
    from tidewire.runtime.json.codecs import (
        CHECKED_TEXT,
        FLOAT32_TEXT,
        FLOAT64_TEXT,
        INT_TEXT,
        LATIN1_TEXT,
        SET_TEXT,
        UINT_TEXT,
        UNCHECKED_TEXT,
    )
    from tidewire.runtime.json.values import all_digits, float32, float64, label, plain_digits
    from tidewire.runtime.storage import NOTHING

    # what a cell is: bits, 0 for null
    STRING, ESCAPED, HIGH, NUMBER, OTHER = 1, 2, 4, 8, 16
    _MEMBER = re.compile(rb'("([^"\\\x00-\x1f]*)":)(?:"([^"\\\x00-\x1f]*)"|null)')

if TYPE_CHECKING:
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.images import JsonImages
    from tidewire.runtime.json.table_columns import TableColumns
    from tidewire.runtime.json.tables import JsonTable
    from tidewire.runtime.layout_cache import LayoutCache


class _Cell:
    """Interpreted: what the C struct of rows.pxd is compiled."""

    start: int
    end: int
    form: int


class Rows:
    """The rows of one member of a message: where each of them went."""

    def __init__(self) -> None:
        self.slots = Numbers()
        self.places = Numbers()
        self.numbers = Numbers()
        self.memory = Memory(1)
        self.room = 0
        if not cython.compiled:
            self.cells: list[Any] = []
        self.clear()

    def clear(self) -> cython.int:
        """There are none."""
        self.count = -1
        self.at_row = 0
        self.slots.size = self.places.size = 0
        return 0

    def enlarge(self) -> cython.int:
        """Room for more members."""
        room: cython.Py_ssize_t = 2 * self.room + 32
        if cython.compiled:
            self.memory.reserve(room * cython.sizeof(Cell))
            self.cells = cython.cast(cython.pointer(Cell), self.memory.u8)
        else:
            self.cells += [_Cell() for _ in range(room - self.room)]
        self.numbers.reserve(8 * room)
        self.room = room
        return 0

    def read(
        self,
        r: JsonCursor,
        table: JsonTable,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        whole: cython.bint,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """The array of rows at the cursor; null is none.

        Args:
            member: the number of this member among those that hold rows.
            whole: whether the rows should have all columns that their table is known to have.
            field: the member's field.
            column_field: the field of a value.
        """
        i: cython.Py_ssize_t = r.pos
        row: cython.Py_ssize_t
        columns: TableColumns = table.columns
        images: JsonImages | None
        self.clear()
        if r.p[i] != chars.OPEN_LIST:
            if r.given(field):
                return r.broken(KIND, field, i)
            return 0
        self.count = 0
        i = r.space(i + 1)
        if r.p[i] == chars.CLOSE_LIST:
            r.pos = i + 1
            return 0
        while True:
            if r.p[i] != chars.OPEN_OBJECT:
                return r.broken(KIND, field, i)
            self.at_row = self.count
            r.pos = i
            images = table.last[member]
            if (
                not self.scan(r, columns, images, field, column_field)
                or images is None
                or (
                    (images.descriptions_version != columns.descriptions_version or columns.described != columns.count)
                    and not table.holds(images, whole)
                )
            ):
                images = table.layout(r, self.numbers, member, whole, column_field, i)
            self.slots.append(cache.open(images, table, message))
            row = images.rows
            if row + 1 >= images.room:
                images.reserve(row + 1)
            self.fill(r, columns, images, row, column_field)
            images.rows = row + 1
            self.places.append(row)
            self.count += 1
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

    def scan(
        self,
        r: JsonCursor,
        names: TableColumns,
        images: JsonImages | None,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.bint:
        """Finds the members of the object at the cursor; whether they are the columns of the images, in their order."""
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
        form: cython.int
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
            # ---- the column
            known = False
            if cython.compiled:
                on = on and n < width
                k = images.places[n].number if on else 0 if last < 0 else names.all[last].next
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
                k = names.match_end(r, i, j, field)
                if k < 0:
                    k = names.learn_name(r, i, j, field)
                on = False
                if last >= 0:
                    names.all[last].next = k
            if not cython.compiled:
                on = on and images is not None and n < width and images.places[n].number == k
            last = k
            if names.all[k].seen == names.object_number:
                names.at_column = k
                r.fail(DUPLICATE, column_field, i, 0, 0)
            names.all[k].seen = names.object_number
            if n >= self.room:
                self.enlarge()
            self.numbers.i64[n] = k
            # ---- its value
            i = j if p[j] > chars.SPACE else r.space(j)
            c = p[i]
            if c == chars.QUOTE:
                self.cells[n].start = i + 1
                high = 0
                if cython.compiled:
                    j = plain(p, i + 1, cython.address(high))
                elif found is not None and i == found.start(3) - 1:
                    j = found.end(3)
                    high = not found[3].isascii()
                else:
                    j = i  # what `keep` is told of it does not count
                if p[j] == chars.QUOTE and j > i:
                    i = j + 1
                    form = STRING | HIGH if high else STRING
                else:
                    names.at_column = k
                    i = r.keep(i + 1, j, high != 0, column_field)
                    form = STRING
                    if r.escaped:
                        form |= ESCAPED
                        if cython.compiled:
                            self.cells[n].place = r.place
                            self.cells[n].size = r.size_kept
                            self.cells[n].lone = r.lone
                    if r.high:
                        form |= HIGH
                self.cells[n].end = i - 1
                self.cells[n].form = form
            else:
                names.at_column = k
                self.cells[n].start = i
                if c == chars.LOWER_N:
                    i = r.literal(i, column_field)
                    form = 0
                elif c == chars.MINUS or (c >= chars.ZERO and c <= chars.NINE):
                    i = r.number(i, column_field)
                    form = NUMBER
                else:
                    i = r.skip(i, column_field)
                    form = OTHER
                self.cells[n].end = i
                self.cells[n].form = form
            n += 1
            # ---- what follows
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

    def fill(
        self, r: JsonCursor, names: TableColumns, images: JsonImages, row: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Puts the values of the members that were found into their columns."""
        j: cython.Py_ssize_t
        codec: cython.int
        form: cython.int
        value: cython.longlong = 0
        for j in range(images.width):
            form = self.cells[j].form
            codec = images.places[j].codec
            if form == 0:
                images.put_null(j, row)
            elif form == STRING and (codec == CHECKED_TEXT or codec == UNCHECKED_TEXT or codec == LATIN1_TEXT):
                images.put_known(j, row, r, self.cells[j].start, self.cells[j].end - self.cells[j].start, field)
            else:
                if cython.compiled and codec == INT_TEXT and form == STRING:
                    if small(r.p, self.cells[j].start, cython.address(value)) == self.cells[j].end:
                        images.put_int(j, row, value)
                        continue
                names.at_column = images.places[j].number
                self.put(r, images, j, row, codec, field)
        return 0

    def put(
        self,
        r: JsonCursor,
        images: JsonImages,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.int:
        """Puts one value into its column."""
        form: cython.int = self.cells[j].form
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        if codec == NOTHING:
            return r.fail(UNKNOWN, field, start, end - start, 0)
        if codec >= CHECKED_TEXT:
            if not form & STRING:
                return self.put_bare(r, images, j, row, codec, field)
            if form & ESCAPED or codec == LATIN1_TEXT:
                self.unescape(r, j, codec, field)
                start = self.cells[j].start
                end = self.cells[j].end
            elif codec == CHECKED_TEXT and not r.utf8(start, end):
                return r.fail(UTF8, field, start, end - start, 0)
            return images.put_known(j, row, r, start, end - start, field)
        if form & OTHER:
            if (codec == INT_TEXT or codec == UINT_TEXT) and (
                r.p[start] == chars.LOWER_T or r.p[start] == chars.LOWER_F
            ):
                if codec == INT_TEXT:
                    return images.put_int(j, row, r.p[start] == chars.LOWER_T)
                return images.put_uint(j, row, r.p[start] == chars.LOWER_T)
            return r.fail(KIND, field, start, end - start, 0)
        if form & ESCAPED:
            self.unescape(r, j, CHECKED_TEXT, field)
            start = self.cells[j].start
            end = self.cells[j].end
        if codec == INT_TEXT:
            return images.put_int(j, row, r.signed_digits(start, end, field))
        if codec == UINT_TEXT:
            return images.put_uint(j, row, r.digits(start, end, field))
        if codec == FLOAT64_TEXT:
            return images.put_float(j, row, float64(r, start, end, field))
        if codec == FLOAT32_TEXT:
            return images.put_float(j, row, float32(r, start, end, field))
        if form & NUMBER or all_digits(r, start, end):
            return images.put_uint(j, row, r.digits(start, end, field))
        return images.put_uint(j, row, label(r, images.labels_of(j), start, end, codec == SET_TEXT, field))

    def unescape(self, r: JsonCursor, j: cython.Py_ssize_t, codec: cython.int, field: cython.int) -> cython.int:
        """From here on a string is where it has no escapes."""
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        place: cython.Py_ssize_t = r.free
        size: cython.Py_ssize_t
        r.high = self.cells[j].form & HIGH != 0
        if cython.compiled and self.cells[j].form & ESCAPED:
            place = self.cells[j].place
            size = r.unescape_kept(start, end, place, self.cells[j].size, self.cells[j].lone, codec, field)
        else:
            size = r.unescape(start, end, codec, field)
        self.cells[j].start = place
        self.cells[j].end = place + size
        return 0

    def put_bare(
        self,
        r: JsonCursor,
        images: JsonImages,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.int:
        """Puts a value that is no string into a column of text: as it is written, a number in plain digits."""
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        if codec == LATIN1_TEXT:
            return r.fail(KIND, field, start, end - start, 0)
        if self.cells[j].form & NUMBER:
            image: bytes = r.copy(start, end)
            digits: bytes = plain_digits(image)
            if digits is not image:
                return images.put_text(j, row, digits.decode())
        elif codec == CHECKED_TEXT and not r.utf8(start, end):
            return r.fail(UTF8, field, start, end - start, 0)
        return images.put_known(j, row, r, start, end - start, field)

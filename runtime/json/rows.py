"""Rows as JSON objects keyed by column names, read into the columns of their layout without an object for each value.

A row is looked at twice: first its members are found, which tells its layout, then their texts become values there.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import DUPLICATE, KIND, OUTSIDE, SYNTAX, UNKNOWN, UTF8, VALUE
from tidewire.runtime.memory import Memory, Numbers

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.math import isinf
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
    from cython.cimports.tidewire.runtime.json.floats import POWERS, string_to_double
    from cython.cimports.tidewire.runtime.json.rows import ESCAPED, HIGH, NUMBER, OTHER, STRING, Cell
    from cython.cimports.tidewire.runtime.json.swar import plain, same, small
    from cython.cimports.tidewire.runtime.storage_numbers import NOTHING
else:
    import re
    import struct
    from math import isinf

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
    from tidewire.runtime.storage import NOTHING

    # what a cell is: bits, 0 for null
    STRING, ESCAPED, HIGH, NUMBER, OTHER = 1, 2, 4, 8, 16
    _MEMBER = re.compile(rb'("([^"\\\x00-\x1f]*)":)(?:"([^"\\\x00-\x1f]*)"|null)')
    _FLOAT = re.compile(rb"-?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tidewire.runtime.catalog import Catalog, RowImages
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.names import Names
    from tidewire.runtime.json.tables import JsonTable, RowLayout


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
        catalog: Catalog,
        message: cython.Py_ssize_t,
        member: cython.Py_ssize_t,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.int:
        """The array of rows at the cursor; null is none.

        Args:
            member: the number of this member among those that hold rows.
            field: the member's field.
            column_field: the field of a value.
        """
        i: cython.Py_ssize_t = r.pos
        row: cython.Py_ssize_t
        layout: RowLayout | None
        images: RowImages
        self.clear()
        if r.p[i] != 91:
            if r.given(field):
                return r.broken(KIND, field, i)
            return 0
        self.count = 0
        i = r.space(i + 1)
        if r.p[i] == 93:
            r.pos = i + 1
            return 0
        while True:
            if r.p[i] != 123:
                return r.broken(KIND, field, i)
            self.at_row = self.count
            r.pos = i
            layout = table.last[member]
            if (
                not self.scan(r, table, layout, field, column_field)
                or layout is None
                or (
                    (layout.epoch != table.epoch or table.described != table.names.count)
                    and not table.holds(layout, r, column_field, i)
                )
            ):
                layout = table.layout(r, self.numbers, member, column_field, i)
            images = layout.images
            self.slots.append(catalog.open(images, table.route, message))
            row = images.rows
            if row + 1 >= images.room:
                images.reserve(row + 1)
            self.fill(r, table, layout, row, column_field)
            images.rows = row + 1
            self.places.append(row)
            self.count += 1
            i = r.pos
            if r.p[i] <= 32:
                i = r.space(i)
            if r.p[i] == 44:
                i = r.space(i + 1)
            elif r.p[i] == 93:
                r.pos = i + 1
                return 0
            else:
                return r.broken(SYNTAX, field, i)

    def scan(
        self,
        r: JsonCursor,
        table: JsonTable,
        layout: RowLayout | None,
        field: cython.int,
        column_field: cython.int,
    ) -> cython.bint:
        """Finds the members of the object at the cursor; whether they are the columns of the layout, in its order."""
        names: Names = table.names
        p = r.p
        i: cython.Py_ssize_t = r.pos + 1
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        last: cython.Py_ssize_t = -1
        n: cython.Py_ssize_t = 0
        width: cython.Py_ssize_t = 0 if layout is None else layout.width
        like: Numbers = self.numbers if layout is None else layout.numbers
        on: cython.bint = layout is not None
        known: cython.bint
        c: cython.int
        form: cython.int
        high: cython.ulonglong
        names.serial += 1
        if p[i] <= 32:
            i = r.space(i)
        if p[i] == 125:
            r.pos = i + 1
            self.numbers.size = 0
            return on and width == 0
        while True:
            # ---- the column
            known = False
            if cython.compiled:
                on = on and n < width
                k = like.i64[n] if on else 0 if last < 0 else names.all[last].next
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
                    k = table.learn_name(r, i, j, field)
                on = False
                if last >= 0:
                    names.all[last].next = k
            if not cython.compiled:
                on = on and n < width and like.i64[n] == k
            last = k
            if names.all[k].seen == names.serial:
                table.at_column = k
                r.fail(DUPLICATE, column_field, i, 0, 0)
            names.all[k].seen = names.serial
            if n >= self.room:
                self.enlarge()
            self.numbers.i64[n] = k
            # ---- its value
            i = j if p[j] > 32 else r.space(j)
            c = p[i]
            if c == 34:
                self.cells[n].start = i + 1
                j = -1
                if cython.compiled:
                    high = 0
                    j = plain(p, i + 1, cython.address(high))
                    if p[j] != 34:
                        j = -1
                elif found is not None and i == found.start(3) - 1:
                    j = found.end(3)
                    high = not found[3].isascii()
                if j >= 0:
                    i = j + 1
                    form = STRING | HIGH if high else STRING
                else:
                    table.at_column = k
                    i = r.string(i + 1, column_field)
                    form = STRING
                    if r.escaped:
                        form |= ESCAPED
                    if r.high:
                        form |= HIGH
                self.cells[n].end = i - 1
                self.cells[n].form = form
            else:
                table.at_column = k
                self.cells[n].start = i
                if c == 110:
                    i = r.literal(i, column_field)
                    form = 0
                elif c == 45 or (c >= 48 and c <= 57):
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
            if c <= 32:
                i = r.space(i)
                c = p[i]
            if c == 44:
                i += 1
                if p[i] <= 32:
                    i = r.space(i)
            elif c == 125:
                r.pos = i + 1
                self.numbers.size = n
                return on and n == width
            else:
                r.broken(SYNTAX, field, i)

    def fill(
        self, r: JsonCursor, table: JsonTable, layout: RowLayout, row: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Puts the values of the members that were found into their columns."""
        images: RowImages = layout.images
        j: cython.Py_ssize_t
        codec: cython.int
        form: cython.int
        value: cython.longlong = 0
        for j in range(layout.width):
            form = self.cells[j].form
            codec = layout.codecs.i64[j]
            if form == 0:
                images.put_null(j, row)
            elif form == STRING and (codec == CHECKED_TEXT or codec == UNCHECKED_TEXT or codec == LATIN1_TEXT):
                images.put_known(j, row, r, self.cells[j].start, self.cells[j].end - self.cells[j].start, field)
            else:
                if cython.compiled and codec == INT_TEXT and form == STRING:
                    if small(r.p, self.cells[j].start, cython.address(value)) == self.cells[j].end:
                        images.put_int(j, row, value)
                        continue
                table.at_column = layout.numbers.i64[j]
                self.put(r, layout, j, row, codec, field)
        return 0

    def put(
        self,
        r: JsonCursor,
        layout: RowLayout,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.int:
        """Puts one value into its column."""
        images: RowImages = layout.images
        form: cython.int = self.cells[j].form
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        if codec == NOTHING:
            return r.fail(UNKNOWN, field, start, end - start, 0)
        if codec >= CHECKED_TEXT:
            if not form & STRING:
                return r.fail(KIND, field, start, end - start, 0)
            if form & ESCAPED or codec == LATIN1_TEXT:
                r.high = form & HIGH != 0
                end = r.unescape(start, end, codec, field)
                start = r.free
                end += start
            elif codec == CHECKED_TEXT and not r.utf8(start, end):
                return r.fail(UTF8, field, start, end - start, 0)
            return images.put_known(j, row, r, start, end - start, field)
        if form & OTHER:
            return r.fail(KIND, field, start, end - start, 0)
        if form & ESCAPED:
            r.high = form & HIGH != 0
            end = r.unescape(start, end, CHECKED_TEXT, field)
            start = r.free
            end += start
        if codec == INT_TEXT:
            return images.put_int(j, row, r.signed_digits(start, end, field))
        if codec == UINT_TEXT:
            return images.put_uint(j, row, r.digits(start, end, field))
        if codec == FLOAT64_TEXT:
            return images.put_float(j, row, self.float64(r, start, end, field))
        if codec == FLOAT32_TEXT:
            return images.put_float(j, row, self.float32(r, start, end, field))
        if form & NUMBER or _all_digits(r, start, end):
            return images.put_uint(j, row, r.digits(start, end, field))
        return images.put_uint(j, row, self.label(r, layout.labels[j], start, end, codec == SET_TEXT, field))

    # ---- values that take more than a line

    def label(
        self,
        r: JsonCursor,
        labels: Mapping[str, int] | None,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        many: cython.bint,
        field: cython.int,
    ) -> cython.ulonglong:
        """The number of an enum's label, from 1, or the bits of a set's; no text at all is 0, if it is no label."""
        found: cython.ulonglong = 0
        one: cython.ulonglong = 1
        place: cython.int
        text: str = r.decoded(start, end, field)
        for label in text.split(",") if many else [text]:
            known = None if labels is None else labels.get(label)
            if known is None:
                if text:
                    r.fail(VALUE, field, start, end - start, 0)
                return 0
            place = known
            found |= one << place if many else place + 1
        return found

    def float64(
        self, r: JsonCursor, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int
    ) -> cython.double:
        """message[start:end] as the nearest float64, whatever the locale."""
        value: cython.double
        if not cython.compiled:
            text = bytes(r.p[start:end])
            if _FLOAT.fullmatch(text) is None:
                r.fail(VALUE, field, start, end - start, 0)
            value = float(text)
        else:
            p = r.p
            i: cython.Py_ssize_t = start
            stop: cython.p_char = cython.NULL
            digits: cython.Py_ssize_t = 0
            power: cython.Py_ssize_t = 0
            exponent: cython.Py_ssize_t = 0
            first: cython.Py_ssize_t
            v: cython.ulonglong = 0
            exact: cython.ulonglong = 9007199254740992
            negative: cython.bint = p[i] == 45
            down: cython.bint = False
            if negative:
                i += 1
            first = i
            while i < end and p[i] >= 48 and p[i] <= 57:
                v = v * 10 + (p[i] - 48)
                i += 1
            digits = i - first
            if digits == 0:
                r.fail(VALUE, field, start, end - start, 0)
            if i < end and p[i] == 46:
                i += 1
                first = i
                while i < end and p[i] >= 48 and p[i] <= 57:
                    v = v * 10 + (p[i] - 48)
                    i += 1
                power = first - i
                digits -= power
                if power == 0:
                    r.fail(VALUE, field, start, end - start, 0)
            if i < end and p[i] | 32 == 101:
                i += 1
                if i < end and (p[i] == 43 or p[i] == 45):
                    down = p[i] == 45
                    i += 1
                first = i
                while i < end and p[i] >= 48 and p[i] <= 57:
                    if exponent < 100000:
                        exponent = exponent * 10 + (p[i] - 48)
                    i += 1
                if i == first:
                    r.fail(VALUE, field, start, end - start, 0)
                power += -exponent if down else exponent
            if i != end:
                r.fail(VALUE, field, start, end - start, 0)
            if digits <= 19 and v <= exact and power >= -22 and power <= 22:
                # both are exact as they are, so there is one rounding
                value = v
                value = value / POWERS[-power] if power < 0 else value * POWERS[power]
                return -value if negative else value
            # without a place for the end it wants the text to end there; what was unescaped has anything behind it
            value = string_to_double(cython.cast(cython.p_char, p + start), cython.address(stop), cython.NULL)
            if stop != cython.cast(cython.p_char, p + end):
                value = float(p[start:end])
        if isinf(value):
            r.fail(OUTSIDE, field, start, end - start, 0)
        return value

    def float32(
        self, r: JsonCursor, start: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int
    ) -> cython.double:
        """The same as the nearest float32.

        Rounding twice goes wrong only when the nearest float64 lies in the very middle of two float32 values and the
        text does not.
        """
        value: cython.double = self.float64(r, start, end, field)
        near: cython.double = _nearest(value)
        other: cython.double
        if isinf(near):
            r.fail(OUTSIDE, field, start, end - start, 0)
        if near != value:
            # the other neighbour, if the value is in the middle: as far away on its other side
            other = value + (value - near)
            if _nearest(other) == other and other != near:
                text = r.copy(start, end).decode()
                if Decimal(text) > Decimal(value) if other > near else Decimal(text) < Decimal(value):
                    return other
        return near


@cython.cfunc
@cython.exceptval(check=False)
def _all_digits(r: JsonCursor, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
    """Whether message[i:end] is digits, at least one."""
    if i == end:
        return False
    while i < end:
        if r.p[i] < 48 or r.p[i] > 57:
            return False
        i += 1
    return True


if cython.compiled:

    @cython.cfunc
    @cython.inline
    @cython.exceptval(check=False)
    def _nearest(value: cython.double) -> cython.double:
        """The nearest float32; beyond the largest one, infinity."""
        near: cython.float = cython.cast(cython.float, value)
        return near

else:

    def _nearest(value: float) -> float:
        """The nearest float32; beyond the largest one, infinity."""
        try:
            near: float = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            return math.copysign(math.inf, value)
        return near

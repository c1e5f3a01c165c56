"""The values of a row image: finds where each is in the message, and puts it into the column of its layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.arrow.plain_puts import put_known, put_null
from tidewire.runtime.arrow.storage import NOTHING, TEXT
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.errors import CONTRADICTION, DUPLICATE, KIND, MISSING, UNKNOWN, UTF8, VALUE, WireError
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.cursor import JsonCursor
from tidewire.runtime.json.values import all_digits, float32, float64, label, plain_digits
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import (
    BASE64_CHECKED_TEXT,
    CALLED,
    CHECKED_TEXT,
    FLOAT32_NUMBER,
    FLOAT32_TEXT,
    FLOAT64_NUMBER,
    FLOAT64_TEXT,
    INT_NUMBER,
    INT_TEXT,
    LATIN1_TEXT,
    LOCATED_TEXT,
    QUOTED_BYTES,
    SET_TEXT,
    UINT_NUMBER,
    UINT_TEXT,
    UNCHECKED_TEXT,
)
from tidewire.runtime.wire.excerpts import shown
from tidewire.runtime.wire.part import Part
from tidewire.runtime.wire.value_codec import RefusedValueError, holds_text, reading_trouble

STRING, ESCAPED, HIGH, NUMBER, OTHER = 1, 2, 4, 8, 16
if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.puts import put_int, put_uint
    from cython.cimports.tidewire.runtime.json.base64 import decode64
    from cython.cimports.tidewire.runtime.json.cells import WHOLE, Cell
    from cython.cimports.tidewire.runtime.json.go_unquote import unquote
    from cython.cimports.tidewire.runtime.wire.swar import plain, small
else:
    from tidewire.runtime.json.bytes_as_text import decoded64, unquoted

if TYPE_CHECKING:
    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.decoding.row_layouts import RowLayoutBuilder
    from tidewire.runtime.decoding.table_columns import TableColumns


class _Cell:
    """One value; interpreted replacement for the C struct of cells.pxd."""

    start: int
    end: int
    form: int


class RowCells:
    """The values of one row image.

    Attributes:
        numbers: for each value, the number of its column among the table's names.
        cells: for each value, its position in the message and its form.
        strict: whether text columns accept JSON strings only; otherwise any JSON value is taken as its source text.
        location: the location (time zone) that values of the row carry; all of them carry the same one.
    """

    def __init__(self, strict: cython.bint) -> None:
        self.strict = strict
        self.located_names = Names(("location", "value"))
        self.location = Part()
        self.own_location = Part()
        self.located = Part()
        self.numbers = Numbers()
        self.memory = Memory(1)
        self.room = 0
        if not cython.compiled:
            self.cells: list[Any] = []

    def enlarge(self) -> cython.int:
        """Allocates room for more values."""
        room: cython.Py_ssize_t = 2 * self.room + 32
        if cython.compiled:
            self.memory.reserve(room * cython.sizeof(Cell))
            self.cells = cython.cast(cython.pointer(Cell), self.memory.u8)
        else:
            self.cells += [_Cell() for _ in range(room - self.room)]
        self.numbers.reserve(8 * room)
        self.room = room
        return 0

    def find_value(
        self, r: JsonCursor, n: cython.Py_ssize_t, i: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """Skips the value at i, records it as cell n, and returns the offset of its end."""
        c: cython.int = r.p[i]
        form: cython.int
        start: cython.Py_ssize_t = i
        high: cython.ulonglong = 0
        j: cython.Py_ssize_t = i
        if c == chars.QUOTE:
            start = i + 1
            if cython.compiled:
                j = plain(r.p, start, cython.address(high))
            if cython.compiled and r.p[j] == chars.QUOTE:
                i = j + 1
                form = STRING | HIGH if high else STRING
            else:
                i = r.keep(start, j, high != 0, field)
                form = STRING
                if r.escaped:
                    form |= ESCAPED
                    if cython.compiled:
                        self.cells[n].kept_at = r.kept_at
                        self.cells[n].size = r.size_kept
                        self.cells[n].lone = r.lone
                if r.high:
                    form |= HIGH
            self.cells[n].end = i - 1
        else:
            if c == chars.LOWER_N:
                i = r.literal(i, field)
                form = 0
            elif c == chars.MINUS or (c >= chars.ZERO and c <= chars.NINE):
                form = NUMBER
                if cython.compiled:
                    j = small(r.p, i, cython.address(self.cells[n].whole))
                    if (
                        j >= 0
                        and r.p[j] != chars.POINT
                        and r.p[j] | chars.LOWER_CASE != chars.LOWER_E
                        and (r.p[i + (c == chars.MINUS)] != chars.ZERO or j == i + (c == chars.MINUS) + 1)
                    ):
                        i = j
                        form = NUMBER | WHOLE
                if form == NUMBER:
                    i = r.number(i, field)
            else:
                i = r.skip(i, field)
                form = OTHER | HIGH if r.high else OTHER
            self.cells[n].end = i
        self.cells[n].start = start
        self.cells[n].form = form
        return i

    def fill(
        self, r: JsonCursor, names: TableColumns, images: RowLayoutBuilder, row: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Puts the values that were found into their columns; columns without a value get null."""
        j: cython.Py_ssize_t
        codec: cython.int
        form: cython.int
        value: cython.longlong = 0
        for j in range(images.width):
            form = self.cells[j].form
            codec = images.columns_read[j].codec
            if form == 0:
                put_null(images, j, row)
            elif form == STRING and (codec == CHECKED_TEXT or codec == UNCHECKED_TEXT or codec == LATIN1_TEXT):
                put_known(images, j, row, r, self.cells[j].start, self.cells[j].end - self.cells[j].start, field)
            else:
                if cython.compiled:
                    if codec == INT_TEXT and form == STRING:
                        if small(r.p, self.cells[j].start, cython.address(value)) == self.cells[j].end:
                            put_int(images, j, row, value)
                            continue
                    elif form & WHOLE:
                        value = self.cells[j].whole
                        if codec == INT_NUMBER:
                            put_int(images, j, row, value)
                            continue
                        if codec == UINT_NUMBER and value >= 0:
                            put_uint(images, j, row, value)
                            continue
                names.at_column = images.columns_read[j].number
                self.put(r, images, j, row, codec, field)
        return 0

    def put(
        self,
        r: JsonCursor,
        images: RowLayoutBuilder,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.int:
        """Puts the value of column j into row `row`."""
        form: cython.int = self.cells[j].form
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        if codec == NOTHING:
            return r.fail(UNKNOWN, field, start, end - start, 0)
        if codec >= INT_NUMBER:
            return self.put_exact(r, images, j, row, codec, field)
        if codec >= CHECKED_TEXT:
            if not form & STRING:
                if self.strict:
                    return r.fail(KIND, field, start, end - start, 0)
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

    def put_exact(
        self,
        r: JsonCursor,
        images: RowLayoutBuilder,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.int:
        """Puts a value whose codec accepts one JSON type only: a number, or a string that encodes bytes."""
        form: cython.int = self.cells[j].form
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        origin: cython.Py_ssize_t = start
        length: cython.Py_ssize_t = end - start
        kept_at: cython.Py_ssize_t = r.free
        size: cython.Py_ssize_t
        if codec == CALLED:
            return self.call(r, images, j, row, field)
        if codec == LOCATED_TEXT:
            return self.put_located(r, images, j, row, field)
        if not form & (NUMBER if codec <= FLOAT64_NUMBER else STRING):
            return r.fail(KIND, field, start, length, 0)
        if codec == INT_NUMBER:
            return images.put_int(j, row, r.signed_digits(start, end, field))
        if codec == UINT_NUMBER:
            return images.put_uint(j, row, r.digits(start, end, field))
        if codec == FLOAT64_NUMBER:
            return images.put_float(j, row, float64(r, start, end, field))
        if codec == FLOAT32_NUMBER:
            return images.put_float(j, row, float32(r, start, end, field))
        if form & ESCAPED:
            self.unescape(r, j, CHECKED_TEXT, field)
            start = self.cells[j].start
        elif form & HIGH and not r.utf8(start, end):
            return r.fail(UTF8, field, start, length, 0)
        size = self.cells[j].end - start
        if cython.compiled:
            # decoded bytes never need more room than their text: they may overwrite it, so the message's scratch space
            # is enough
            kept_at = start if form & ESCAPED else r.free
            if codec == QUOTED_BYTES:
                size = unquote(r.scratch.u8 + kept_at, r.p + start, size)
            else:
                size = decode64(r.scratch.u8 + kept_at, r.p + start, size)
            if size < 0:
                return r.fail(VALUE, field, origin, length, 0)
        else:
            text = bytes(r.p[start : start + size])
            image = unquoted(text) if codec == QUOTED_BYTES else decoded64(text)
            if image is None:
                return r.fail(VALUE, field, origin, length, 0)
            size = r.put_behind(image)
        if codec == BASE64_CHECKED_TEXT and not r.utf8(kept_at, kept_at + size):
            return r.fail(UTF8, field, origin, length, 0)
        return images.put_known(j, row, r, kept_at, size, field)

    def put_located(
        self, r: JsonCursor, images: RowLayoutBuilder, j: cython.Py_ssize_t, row: cython.Py_ssize_t, field: cython.int
    ) -> cython.int:
        """Puts a value that is an object of a text and its location; all values of a row must have the same location.
        """
        names: Names = self.located_names
        start: cython.Py_ssize_t = self.cells[j].start
        behind: cython.Py_ssize_t = r.pos
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if r.p[start] != chars.OPEN_OBJECT or not self.cells[j].form & OTHER:
            # for a string, the cell is the content between its quotes
            return r.another(field, start - 1 if self.cells[j].form & STRING else start, "an object")
        self.own_location.start = self.located.start = -1
        names.begin()
        i = r.space(start + 1)
        while r.p[i] != chars.CLOSE_OBJECT:
            k = r.match(names, i, field)
            if k >= 0:
                if names.all[k].seen == names.object_number:
                    return r.fail(DUPLICATE, field, i, 0, 0)
                names.all[k].seen = names.object_number
            r.pos = r.space(r.pos)
            if k == 0:
                r.text(self.own_location, field)
            elif k == 1:
                r.text(self.located, field)
            else:
                r.passed(field)
            i = r.space(r.pos)
            if r.p[i] == chars.COMMA:
                i = r.space(i + 1)
        r.pos = behind
        if self.located.start < 0 or self.own_location.start < 0:
            return r.fail(MISSING, field, start, 0, 0)
        self.agree(r, self.own_location, field)
        return r.put_text(images, j, row, self.located, field)

    def agree(self, r: JsonCursor, other: Part, field: cython.int) -> cython.int:
        """Sets the row's location; if it is already set, the new one must be the same."""
        if self.location.start < 0:
            self.location.start = other.start
            self.location.end = other.end
            self.location.escaped = other.escaped
            self.location.high = other.high
            return 0
        if r.copy(other.start, other.end) != r.copy(self.location.start, self.location.end):
            found = r.content(other.start, other.end, field)
            before = r.content(self.location.start, self.location.end, field)
            if found != before:
                raise WireError(
                    CONTRADICTION, field, other.start, 0, 0, shown(found.encode()), f"`{shown(before.encode())}`"
                )
        return 0

    def put_location(
        self,
        r: JsonCursor,
        columns: Columns,
        c: cython.int,
        row: cython.Py_ssize_t,
        other: RowCells | None,
        field: cython.int,
    ) -> cython.int:
        """Puts the location of the row's values into a column of events; null if no value has one.

        Args:
            row: the row in that column.
            other: the other row image of the event; its location must be the same.
            field: field of these values, for errors.
        """
        if other is not None and other.location.start >= 0:
            self.agree(r, other.location, field)
        if self.location.start < 0:
            return columns.put_null(c, row)
        return r.put_text(columns, c, row, self.location, field)

    def call(
        self,
        r: JsonCursor,
        images: RowLayoutBuilder,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        field: cython.int,
    ) -> cython.int:
        """Lets the column's codec read the value."""
        codec: JsonCodec = cython.cast(JsonCodec, images.called[j])  # type: ignore[index]
        form: cython.int = self.cells[j].form
        start: cython.Py_ssize_t = self.cells[j].start
        length: cython.Py_ssize_t = self.cells[j].end - start
        if not codec.lenient and not form & (NUMBER if codec.numeric else STRING):
            return r.fail(KIND, field, start, length, 0)
        if form & ESCAPED:
            self.unescape(r, j, CHECKED_TEXT, field)
        elif form & HIGH and not r.utf8(start, start + length):
            return r.fail(UTF8, field, start, length, 0)
        try:
            codec.read(r, self.cells[j].start, self.cells[j].end - self.cells[j].start, images, j, row, field)
        except RefusedValueError as error:
            told = r.found(VALUE, start, length) or '""'
            return r.refuse(VALUE, field, start if start <= r.end else r.origin, length, told, str(error))
        except (OverflowError, ValueError) as error:
            return r.fail(reading_trouble(error), field, start, length, 0)
        # codecs of JSON numbers produce ASCII only
        if not codec.numeric and images.cells[j].storage == TEXT and not holds_text(images, j, row):
            return r.fail(UTF8, field, start, length, 0)
        return 0

    def unescape(self, r: JsonCursor, j: cython.Py_ssize_t, codec: cython.int, field: cython.int) -> cython.int:
        """Unescapes a string into scratch memory and points its cell there."""
        start: cython.Py_ssize_t = self.cells[j].start
        end: cython.Py_ssize_t = self.cells[j].end
        kept_at: cython.Py_ssize_t = r.free
        size: cython.Py_ssize_t
        r.high = self.cells[j].form & HIGH != 0
        if cython.compiled and self.cells[j].form & ESCAPED:
            kept_at = self.cells[j].kept_at
            size = r.unescape_kept(start, end, kept_at, self.cells[j].size, self.cells[j].lone, codec, field)
        else:
            size = r.unescape(start, end, codec, field)
        self.cells[j].start = kept_at
        self.cells[j].end = kept_at + size
        return 0

    def put_bare(
        self,
        r: JsonCursor,
        images: RowLayoutBuilder,
        j: cython.Py_ssize_t,
        row: cython.Py_ssize_t,
        codec: cython.int,
        field: cython.int,
    ) -> cython.int:
        """Puts a value that is not a string into a text column: its source text, numbers without an exponent."""
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

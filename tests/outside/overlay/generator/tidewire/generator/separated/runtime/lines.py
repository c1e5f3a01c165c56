"""Fields of text with a separator between them, and columns that say their name, type, flags and value.

A column is `NAME:TYPE:FLAGS=VALUE` behind a mark: type and flags in decimal digits, the value as hexadecimal digits of
what a binary message would hold, or as `\\N` for null.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.binary.cursor import Cursor
from tidewire.runtime.binary.sink import Sink
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.errors import MISSING, OUTSIDE, SYNTAX, TRUNCATED, VALUE, WireError
from tidewire.runtime.wire.byte_reader import ByteReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.binary.interning import WrittenImages
    from tidewire.runtime.binary.table_layouts import BinaryImages
    from tidewire.runtime.errors import DecodeError

NULL = b"\\N"
MOST_FLAGS = 2**64 - 1
COLON, EQUALS, ZERO, NINE, LOWER_A, LOWER_F = b":=09af"


class LineReader(ByteReader):
    """Reads a message, field after field; message[first:stop] is the one that was read last."""

    def __init__(self) -> None:
        self.separator = 0
        self.first = self.stop = 0
        self.names: list[str] = []
        self.payload = bytearray()
        self.cells = Cursor()
        self.types, self.flags, self.sizes = Numbers(), Numbers(), Numbers()
        self.type_places, self.value_places = Numbers(), Numbers()

    def next(self, field: cython.int) -> cython.int:
        """The next field: all before the separator or the end."""
        if self.pos > self.end:
            return self.fail(TRUNCATED, field, self.end, 1, 0)
        self.first = self.stop = self.pos
        while self.stop < self.end and self.p[self.stop] != self.separator:
            self.stop += 1
        self.pos = self.stop + 1
        return 0

    def is_text(self, wanted: bytes) -> cython.bint:
        """Whether that is what the field says."""
        return self.copy(self.first, self.stop) == wanted

    def text(self, field: cython.int) -> str:
        """What the field says; something."""
        if self.first == self.stop:
            self.fail(MISSING, field, self.first, 1, 0)
        return self.decoded(self.first, self.stop, field)

    def number(
        self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t, most: cython.ulonglong, field: cython.int
    ) -> cython.ulonglong:
        """A number in decimal digits that is at most so big."""
        digits = self.copy(first, stop)
        if not digits.isdigit():
            self.fail(SYNTAX, field, first, 0, 0)
        if len(digits) > 20 or int(digits) > most:
            self.fail(OUTSIDE, field, first, stop - first, 0)
        return int(digits)

    def marked(self, mark: cython.int) -> cython.bint:
        """Whether the next field begins with the mark."""
        return self.pos < self.end and self.p[self.pos] == mark

    def gather(self, mark: cython.int, field: cython.int) -> cython.Py_ssize_t:
        """Reads the columns of one image, all that follow with the mark: how many there are."""
        self.names.clear()
        self.payload.clear()
        for numbers in (self.types, self.flags, self.sizes, self.type_places, self.value_places):
            numbers.take(0)
        while self.marked(mark):
            self.next(field)
            equals: cython.Py_ssize_t = self.last(EQUALS, self.first, self.stop, field)
            second: cython.Py_ssize_t = self.last(COLON, self.first, equals, field)
            colon: cython.Py_ssize_t = self.last(COLON, self.first, second, field)
            self.names.append(self.decoded(self.first + 1, colon, field))
            self.type_places.append(colon + 1)
            self.types.append(self.number(colon + 1, second, 255, field))
            self.flags.append(0)
            self.flags.u64[self.flags.size - 1] = self.number(second + 1, equals, MOST_FLAGS, field)
            self.value(equals + 1, self.stop, field)
        return self.types.size

    def last(
        self, character: cython.int, first: cython.Py_ssize_t, stop: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """Where the character stands last between these."""
        at: cython.Py_ssize_t = stop - 1
        while at > first and self.p[at] != character:
            at -= 1
        if at <= first:
            return self.fail(SYNTAX, field, first, 0, 0)
        return at

    def value(self, first: cython.Py_ssize_t, stop: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """A value: its bytes, or none for null."""
        at: cython.Py_ssize_t
        self.value_places.append(first)
        if self.copy(first, stop) == NULL:
            return self.sizes.append(-1)
        if (stop - first) % 2:
            return self.fail(VALUE, field, first, stop - first, 0)
        self.sizes.append((stop - first) // 2)
        for at in range(first, stop, 2):
            self.payload.append(16 * self.digit(at, field) + self.digit(at + 1, field))
        return 0

    def digit(self, at: cython.Py_ssize_t, field: cython.int) -> cython.int:
        """A hexadecimal digit; letters are small."""
        character: cython.int = self.p[at]
        if ZERO <= character <= NINE:
            return character - ZERO
        if LOWER_A <= character <= LOWER_F:
            return character - LOWER_A + 10
        return self.fail(SYNTAX, field, at, 0, 0)

    def row(self, images: BinaryImages, field: cython.int) -> cython.Py_ssize_t:
        """The values that were gathered as the next row of these columns: its number."""
        k: cython.Py_ssize_t = 0
        start: cython.Py_ssize_t = 0
        self.cells.receive([bytes(self.payload)])
        self.cells.load(0)
        try:
            return images.read(self.cells, self.sizes, field)
        except WireError as error:
            # the digits of the byte at which it was noticed
            while self.sizes.i64[k] < 0 or start + self.sizes.i64[k] <= error.offset:
                start += max(self.sizes.i64[k], 0)
                k += 1
            return self.fail(
                error.code, field, self.value_places.i64[k] + 2 * (error.offset - start), error.needed, error.available
            )


class LineWriter:
    """Writes messages one behind the other; `begin` is where the last one begins."""

    def __init__(self, separator: int) -> None:
        self.separator = separator
        self.begin = 0
        self.out = Sink()
        self.cells = Sink()
        self.sizes = Cursor()
        self.found = Numbers()

    def field(self, image: bytes) -> cython.int:
        """One more field.

        Raises:
            ValueError: the separator is in it.
        """
        if self.separator in image:
            raise ValueError(f"{image!r} has the character in it that separates fields")
        if self.out.pos > self.begin:
            self.out.byte(self.separator)
        return self.out.raw(image)

    def image(self, mark: str, images: WrittenImages, row: cython.Py_ssize_t) -> cython.int:
        """A field for each column of a row image."""
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        self.cells.pos = 0
        images.write(self.cells, row)
        written: bytes = self.cells.written(0)
        self.sizes.receive([written])
        self.sizes.load(0)
        self.sizes.nullable_sizes(images.width, self.found, 0)
        start = self.sizes.pos
        for k, (name, kind, flags, _) in enumerate(images.columns.columns):
            size = self.found.i64[k]
            value = "\\N" if size < 0 else written[start : start + size].hex()
            self.field(f"{mark}{name}:{kind}:{flags}={value}".encode())
            start += max(size, 0)
        return 0


def line_spans(
    value: bytes, separator: int, fields: Sequence[tuple[str, str]], errors: Sequence[DecodeError]
) -> list[Span]:
    """The fields of a message beside their bytes, and what its decoder says is wrong with it.

    Args:
        value: the message.
        separator: stands between the fields.
        fields: name and meaning of each; the last is there for each column.
        errors: of the message.
    """
    found: list[Span] = []
    start = 0
    for k, image in enumerate(value.split(bytes([separator]))):
        name, about = fields[min(k, len(fields) - 1)]
        path = name if k < len(fields) - 1 else f"{name}/{k - len(fields) + 1}"
        found.append(Span(start, start + len(image), path, "text", image.decode(errors="replace"), about, 0))
        start += len(image) + 1
    for error in errors:
        found.append(Span(error.offset, len(value), error.field, "trouble", value[error.offset :], error.detail, 0))
    return found

"""A growing buffer for messages: writes the primitives and chunks of binary protocols.

Chunks do not contain their count. Methods have the names of those in `tidewire.runtime.binary.cursor`, which reads what
is written here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.wire.byte_sink import NumberSink

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tidewire.runtime.arrow.memory import Numbers


class Sink(NumberSink):
    """The primitives and chunks that messages have."""

    # ---- primitives

    def byte(self, value: cython.int) -> cython.int:
        """One byte.

        Raises:
            OverflowError: the value does not fit.
        """
        if value < 0 or value > 255:
            raise OverflowError(f"{value} does not fit into one byte")
        self.reserve(self.pos + 1)
        self.u8[self.pos] = value
        self.pos += 1
        return 0

    def reversed_uvarint(self, value: cython.ulonglong) -> cython.int:
        """The bytes of a uvarint back to front."""
        start: cython.Py_ssize_t = self.pos
        last: cython.Py_ssize_t
        b: cython.int
        self.uvarint(value)
        last = self.pos - 1
        while start < last:
            b = self.u8[start]
            self.u8[start] = self.u8[last]
            self.u8[last] = b
            start += 1
            last -= 1
        return 0

    def string(self, image: bytes) -> cython.int:
        """A uvarint length and the bytes."""
        self.uvarint(len(image))
        return self.raw(image)

    def part(self, other: Sink) -> cython.int:
        """Writes the contents of another sink."""
        return self.raw(other.written(0))

    # ---- chunks

    def uvarints(self, numbers: Numbers) -> cython.int:
        """Each number as a uvarint."""
        return self.uvarints_of(numbers, 0, numbers.size)

    def varints(self, numbers: Numbers) -> cython.int:
        """Each number as a zigzag varint."""
        return self.varints_of(numbers, 0, numbers.size)

    def delta_uvarints(self, numbers: Numbers) -> cython.int:
        """The first number, then differences, modulo 2^64."""
        return self.delta_uvarints_of(numbers, 0, numbers.size)

    def delta_varints(self, numbers: Numbers) -> cython.int:
        """The first number, then differences, modulo 2^64 and zigzag."""
        return self.delta_varints_of(numbers, 0, numbers.size)

    def uvarints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        for k in range(start, stop):
            self.uvarint(numbers.u64[k])
        return 0

    def varints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        for k in range(start, stop):
            self.varint(numbers.i64[k])
        return 0

    def delta_uvarints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        last: cython.ulonglong = 0
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        for k in range(start, stop):
            self.uvarint((numbers.u64[k] - last) & mask)
            last = numbers.u64[k]
        return 0

    def delta_varints_of(self, numbers: Numbers, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> cython.int:
        """A chunk of numbers[start:stop]."""
        k: cython.Py_ssize_t
        last: cython.ulonglong = 0
        delta: cython.ulonglong
        mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
        top: cython.ulonglong = 0x8000000000000000
        for k in range(start, stop):
            delta = (numbers.u64[k] - last) & mask
            last = numbers.u64[k]
            self.uvarint(((delta << 1) & mask) ^ (mask if delta & top else 0))
        return 0

    def strings(self, texts: Iterable[bytes]) -> cython.int:
        """The length of each text as a uvarint, then the texts."""
        for text in texts:
            self.uvarint(len(text))
        for text in texts:
            self.raw(text)
        return 0

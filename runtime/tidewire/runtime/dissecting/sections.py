"""A reader that records a span for every byte, for the dissector: plain Python, one method for each primitive and
chunk.

It reads like `tidewire.runtime.binary.cursor` and stops where that fails, so it also serves as its counterpart in
tests.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tidewire.runtime.arrow.storage import FLOAT, INT, TEXT, UINT
from tidewire.runtime.binary.codec import BinaryCodec
from tidewire.runtime.binary.codecs import NOTHING
from tidewire.runtime.dissecting.spans import Meaning, Span, text_or_bytes
from tidewire.runtime.errors import WireError

_MASK = 2**64 - 1


class Trouble(Exception):
    """Reading stops here; the last span has the reason."""


class Traced(list[int]):
    """Numbers of a message, with the attribute names of the decoder's `Numbers`."""

    @property
    def i64(self) -> Traced:
        return self

    @property
    def u64(self) -> Traced:
        return self

    @property
    def size(self) -> int:
        return len(self)


class Trace:
    """Reads value[pos:end] and records a span for everything read."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.pos = 0
        self.end = len(value)
        self.spans: list[Span] = []
        self._path: list[str] = []

    def result(self) -> list[Span]:
        """The spans in the order of their bytes, groups before their contents."""
        return sorted(self.spans, key=lambda span: (span.start, span.depth if span.end > span.start else 99))

    # ---- spans

    @contextmanager
    def group(self, id: str, type: str, about: str) -> Iterator[None]:
        """A context: everything read in it belongs to a group, which spans its bytes."""
        self._path.append(id)
        first = len(self.spans)
        start = self.pos
        try:
            yield
        finally:
            below = self.spans[first:]
            low = min((span.start for span in below), default=start)
            high = max((span.end for span in below), default=start)
            path = "/".join(self._path)
            self._path.pop()
            self.spans.append(Span(low, high, path, type, None, about, len(self._path)))

    def leaf(
        self, id: str, type: str, start: int, end: int, value: object, meaning: str, column: str | None = None
    ) -> None:
        """Adds a field in value[start:end]; `column`: the column whose value it is."""
        path = "/".join([*self._path, id])
        self.spans.append(Span(start, end, path, type, value, meaning, len(self._path), column))

    def trouble(self, id: str, offset: int, text: str) -> Trouble:
        """Adds a span with the reason over the unreadable bytes. Returns the error to raise."""
        self.leaf(id, "trouble", offset, max(self.end, offset), self.value[offset : self.end], text)
        return Trouble(text)

    # ---- which bytes may be read

    def select(self, start: int, stop: int) -> None:
        """Restricts reading to value[start:stop]."""
        self.pos = start
        self.end = stop

    def extent(self, start: int, size: int, limit: int, id: str) -> int:
        """The end of a part of this size; an error if it does not fit."""
        if not 0 <= size <= limit - start:
            self.end = max(limit, start)
            raise self.trouble(id, start, f"{size} bytes needed, {limit - start} left")
        return start + size

    def extents(self, start: int, sizes: Sequence[int], limit: int, id: str) -> int:
        """The end of parts of these sizes; an error if they do not fit."""
        for size in sizes:
            start = self.extent(start, size, limit, id)
        return start

    def before(self, stop: int, size: int, id: str) -> int:
        """The start of a part of this size that ends at `stop`; an error if it does not fit."""
        if size > stop - self.pos:
            raise self.trouble(id, self.pos, f"{size} bytes needed before byte {stop}, {stop - self.pos} left")
        return stop - size

    def meet(self, front: int, back: int, id: str) -> None:
        """An error unless what was read from the front ends where what was read from the back starts."""
        if front != back:
            self.end = max(front, back)
            raise self.trouble(id, min(front, back), f"bytes left over: {back - front}")

    def consumed(self, id: str) -> None:
        """An error if bytes are left."""
        if self.pos != self.end:
            raise self.trouble(id, self.pos, f"bytes left over: {self.end - self.pos}")

    # ---- primitives

    def _uvarint(self, id: str) -> int:
        value = shift = 0
        for at in range(self.pos, self.end):
            byte = self.value[at]
            if shift == 63 and byte > 1:
                raise self.trouble(id, self.pos, "a varint of more than 64 bits")
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                self.pos = at + 1
                return value
            shift += 7
        raise self.trouble(id, self.pos, f"a varint that does not end: {self.end - self.pos} bytes are left")

    def u8(self, id: str, meaning: Meaning, about: str = "") -> int:
        """One byte."""
        if self.pos >= self.end:
            raise self.trouble(id, self.pos, "1 byte needed, 0 left")
        self.pos += 1
        value = self.value[self.pos - 1]
        self.leaf(id, "u8", self.pos - 1, self.pos, value, meaning(value) or about)
        return value

    def uvarint(self, id: str, meaning: Meaning, about: str = "") -> int:
        """LEB128."""
        start = self.pos
        value = self._uvarint(id)
        self.leaf(id, "uvarint", start, self.pos, value, meaning(value) or about)
        return value

    def u64be(self, id: str, meaning: Meaning, about: str = "") -> int:
        """Eight bytes, the most significant first."""
        value = int.from_bytes(self._take(8, id), "big")
        self.leaf(id, "u64be", self.pos - 8, self.pos, value, meaning(value) or about)
        return value

    def varint(self, id: str, meaning: Meaning, about: str = "") -> int:
        """Zigzag."""
        start = self.pos
        value = _unzigzag(self._uvarint(id))
        self.leaf(id, "varint", start, self.pos, value, meaning(value) or about)
        return value

    def reversed_uvarint(self, id: str, meaning: Meaning, about: str = "") -> int:
        """LEB128 back to front, at the end of the readable bytes."""
        back = Trace(self.value[self.pos : self.end][::-1])
        try:
            value = back._uvarint(id)
        except Trouble as trouble:
            raise self.trouble(id, self.pos, str(trouble)) from None
        self.leaf(id, "reversed_uvarint", self.end - back.pos, self.end, value, meaning(value) or about)
        self.end -= back.pos
        return value

    def float64(self, id: str, about: str = "") -> float:
        """IEEE 754 double, little endian."""
        data = self._take(8, id)
        value: float = struct.unpack("<d", data)[0]
        self.leaf(id, "float64", self.pos - 8, self.pos, value, about)
        return value

    def string(self, id: str, about: str = "") -> bytes:
        """A uvarint length and as many bytes."""
        start = self.pos
        data = self._take(self._uvarint(id), id)
        self.leaf(id, "string", start, self.pos, text_or_bytes(data), about)
        return data

    def _take(self, size: int, id: str) -> bytes:
        if size > self.end - self.pos:
            raise self.trouble(id, self.pos, f"{size} bytes needed, {self.end - self.pos} left")
        self.pos += size
        return self.value[self.pos - size : self.pos]

    def check(self, value: object, fits: bool, id: str, start: int, text: str) -> None:
        """Raises an error unless `fits`; the span begins at `start`."""
        if not fits:
            raise self.trouble(id, start, f"{value} {text}")

    # ---- chunks

    def numbers(self, chunk: str, n: int, id: str, meaning: Meaning, about: str) -> Traced:
        """A chunk of numbers: uvarints, varints, and differences of both."""
        found = Traced()
        if n > self.end - self.pos:
            raise self.trouble(id, self.pos, f"{n} numbers are needed, {self.end - self.pos} bytes are left")
        delta, signed = chunk.startswith("delta_"), not chunk.endswith("uvarint")
        last = 0
        with self.group(id, f"{chunk} chunk", about):
            for k in range(n):
                start = self.pos
                raw = self._uvarint(str(k))
                step = _unzigzag(raw) if signed else raw
                last = (last + step) & _MASK if delta else step & _MASK
                value = last - 2**64 if signed and last >> 63 else last
                said = meaning(value)
                if delta and k:
                    said = f"{step:+d}  {said}" if said else f"{step:+d}"
                self.leaf(str(k), chunk, start, self.pos, value, said)
                found.append(value)
        return found

    def texts(self, n: int, id: str, about: str) -> list[str]:
        """A chunk of texts: all sizes, then all texts."""
        if n > self.end - self.pos:
            raise self.trouble(id, self.pos, f"{n} sizes are needed, {self.end - self.pos} bytes are left")
        found = []
        with self.group(id, "string chunk", about):
            sizes = []
            for k in range(n):
                start = self.pos
                sizes.append(self._uvarint(f"{k}/size"))
                self.leaf(f"{k}/size", "uvarint", start, self.pos, sizes[k], "")
            for k, size in enumerate(sizes):
                data = self._take(size, str(k))
                self.leaf(str(k), "text", self.pos - size, self.pos, text_or_bytes(data), "")
                found.append(data.decode("utf-8", "replace"))
        return found

    def values(
        self, codecs: Sequence[BinaryCodec | None], names: Sequence[str], types: Sequence[str], id: str, about: str
    ) -> None:
        """A nullable bytes chunk: a value of each of these codecs, of columns with these names and types."""
        with self.group(id, "nullable_bytes chunk", about):
            sizes = []
            for k, name in enumerate(names):
                start = self.pos
                sizes.append(_unzigzag(self._uvarint(f"{k}/size")))
                self.leaf(
                    f"{k}/size", "varint", start, self.pos, sizes[k], name if sizes[k] >= 0 else f"{name} is null"
                )
                self.check(sizes[k], sizes[k] >= -1, f"{k}/size", start, "is no size")
            for k, (codec, size) in enumerate(zip(codecs, sizes, strict=True)):
                if size >= 0:
                    data = self._take(size, str(k))
                    kind, value = self._cell(NOTHING if codec is None else codec, data, str(k))
                    self.leaf(str(k), kind, self.pos - size, self.pos, value, f"{names[k]} {types[k]}", names[k])

    def _cell(self, codec: BinaryCodec, data: bytes, id: str) -> tuple[str, object]:
        start = self.pos - len(data)
        storage = codec.storage
        if codec.number < 0:
            try:
                value = codec.decoded(data)
            except (OverflowError, ValueError, WireError):
                raise self.trouble(id, start, f"{len(data)} bytes cannot be a value of this column's type") from None
            return type(codec).__name__, value
        if storage in (INT, UINT):
            cell = Trace(data)
            try:
                value = cell._uvarint(id)
            except Trouble as trouble:
                raise self.trouble(id, start, str(trouble)) from None
            self.check(
                f"{len(data)} bytes", cell.pos == len(data), id, start, "cannot be a value of this column's type"
            )
            return ("varint", _unzigzag(value)) if storage == INT else ("uvarint", value)
        if storage == FLOAT:
            self.check(f"{len(data)} bytes", len(data) == 8, id, start, "cannot be a float64")
            return "float64", struct.unpack("<d", data)[0]
        self.check(f"a value of {len(data)} bytes", codec is not NOTHING, id, start, "for a type that has no values")
        return ("text", text_or_bytes(data)) if storage == TEXT else ("bytes", data)


def _unzigzag(value: int) -> int:
    return (value >> 1) ^ -(value & 1)

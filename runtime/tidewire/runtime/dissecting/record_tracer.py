"""Dissects an Avro record, as far as the bytes can be parsed."""

from __future__ import annotations

import struct
from contextlib import suppress
from typing import TYPE_CHECKING

from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.tracer import StopTrace, Tracer, by_description, ordered, with_trouble

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.dissecting.spans import Span
    from tidewire.runtime.errors import DecodeError

_SIZES = {"float": ("<f", 4), "double": ("<d", 8)}
_GROUPS = ("record", "array", "map")


class RecordTracer(Tracer):
    """Parses a value and records a span for each field."""

    def __init__(self, value: bytes) -> None:
        super().__init__(value)
        self.leaves: list[tuple[tuple[str, ...], bytes]] = []

    # ---- primitives

    def long(self) -> int:
        shift = number = 0
        while self.pos < len(self.value) and shift < 70:
            byte = self.value[self.pos]
            self.pos += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (number >> 1) ^ -(number & 1)
            shift += 7
        raise StopTrace

    def taken(self, size: int) -> bytes:
        if not 0 <= size <= len(self.value) - self.pos:
            raise StopTrace
        self.pos += size
        return self.value[self.pos - size : self.pos]

    def items(self) -> int:
        """Reads the number of items in the next block.

        An item has at least one byte, so a block cannot have more items than bytes are left: the time depends on the
        size of the message, not on the numbers in it.
        """
        start = self.pos
        count = self.long()
        if count < 0:
            self.long()
            count = -count
        if count > len(self.value) - self.pos:
            raise StopTrace
        self.add("items", start, "long", count, "How many follow." if count else "No more follow.")
        return count

    def chosen(self, shape: Shape) -> Shape:
        """Reads a union's branch number and returns the branch."""
        number = self.long()
        if not 0 <= number < len(shape.inside):
            raise StopTrace
        return shape.inside[number]

    # ---- values

    def leaf(self, name: str, start: int, shape: Shape, value: object, meaning: str) -> None:
        super().leaf(name, start, shape, value, meaning)
        self.leaves.append(((*self.path, name), self.value[start : self.pos]))

    def branch(self, name: str, inside: Shape, start: int) -> int:
        """Offset at which the span of a union's value begins: after the branch number for groups, otherwise `start`.

        Args:
            name: name of the field, column or item.
            inside: the branch.
            start: offset of its name, or of the branch number.
        """
        if inside.type not in _GROUPS:
            return start
        self.add(name, start, "union", inside.type, "Which branch follows.")
        return self.pos

    def one(self, name: str, shape: Shape, start: int) -> None:
        """Reads a value.

        Args:
            name: name of the field, column or item.
            shape: expected type.
            start: offset of its name, or of the value.
        """
        if shape.type == "optional":
            inside = self.chosen(shape)
            self.one(name, inside._replace(about=shape.about), self.branch(name, inside, start))
        elif shape.type == "union":
            inside = self.chosen(shape)
            self.one(name, inside, self.branch(name, inside, start))
        elif shape.type in _GROUPS:
            self.nested(name, shape, start)
        elif shape.type == "fixed":
            self.leaf(name, start, shape, self.taken(int(shape.symbols[0])), shape.about)
        elif shape.type == "enum":
            number = self.long()
            known = 0 <= number < len(shape.symbols)
            meaning = shape.with_about("" if known else "not defined")
            self.leaf(name, start, shape, shape.symbols[number] if known else number, meaning)
        else:
            value = self.plain(shape.type)
            self.leaf(name, start, shape, value, shape.explained(value))

    def plain(self, type: str) -> object:
        if type == "null":
            return None
        if type == "boolean":
            return bool(self.taken(1)[0])
        if type in _SIZES:
            form, size = _SIZES[type]
            return struct.unpack(form, self.taken(size))[0]
        if type in ("string", "bytes"):
            return self.text(type)
        return self.long()

    def text(self, type: str) -> str | bytes:
        image = self.taken(self.long())
        if type == "string":
            with suppress(UnicodeDecodeError):
                return image.decode()
        return image

    def nested(self, name: str, shape: Shape, start: int) -> None:
        """Reads a record, an array or a map, with its contents."""
        with self.group(name, start, shape):
            if shape.type != "record":
                self.blocks(shape)
            for field, inside in (shape.members or {}).items():
                self.one(field, inside, self.pos)

    def blocks(self, shape: Shape) -> None:
        """Reads the items of an array, or the names and values of a map."""
        count = 0
        items = self.items()
        while items:
            for _ in range(0 if shape.type == "array" and shape.inside[0].hollow else items):
                start = self.pos
                name = str(count)
                if shape.type == "map":
                    self.column = name = str(self.text("string"))
                try:
                    self.one(name, shape.inside[0], start)
                finally:
                    self.column = None
                count += 1
            items = self.items()

    def message(self, root: Shape) -> None:
        """Reads a message: its fields are top-level, and so are those of the record in its union."""
        start = self.pos
        number = self.long()
        self.leaf(root.symbols[0], start, Shape("union"), number, root.about)
        for name, shape in (root.members or {}).items():
            start = self.pos
            if shape.type != "union":
                self.one(name, shape, start)
                continue
            chosen = self.chosen(shape)
            self.leaf(name, start, shape, chosen.symbols[0], shape.about)
            for field, inside in (chosen.members or {}).items():
                self.one(field, inside, self.pos)


def content_of(value: bytes, root: Shape) -> list[tuple[tuple[str, ...], bytes]] | None:
    """The path and bytes of each innermost value of a message, in order; None if it is not a complete message."""
    found = RecordTracer(value)
    try:
        found.message(root)
    except StopTrace:
        return None
    return found.leaves if found.pos == len(value) else None


def trace_record(value: bytes, root: Shape, decoded: EventColumns, version: str) -> list[Span]:
    """Every field of a message as spans in byte order; with an error, the fields before it and then the error.

    Values of rows show the types from the table's description. A missing description is not an error here; it is
    shown at the version.

    Args:
        value: the message.
        root: expected type of the message.
        decoded: result of a decoder for this message.
        version: path of the field with the schema version.
    """

    def trace(error: DecodeError | None) -> list[Span]:
        found = RecordTracer(value)
        with suppress(StopTrace):
            found.message(root)
        spans = found.spans if error is None else with_trouble(found.spans, value, error)
        return ordered(spans)

    return by_description(trace, decoded, version)

"""Dissects an Avro record in plain Python, as far as the bytes can be parsed.

Errors come from the decoder: its error is the last span, so the two always agree.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from tidewire.runtime.json.trace import described_spans, ordered, with_trouble
from tidewire.runtime.wire.spans import Span

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.errors import DecodeError

_SIZES = {"float": ("<f", 4), "double": ("<d", 8)}
_GROUPS = ("record", "array", "map")


class RecordShape(NamedTuple):
    """The expected type of a value, for the dissector."""

    type: str
    """An Avro primitive, or enum, fixed, record, array, map, optional (a union of null and another type) or union."""
    about: str = ""
    meaning: Callable[[Any], str] | None = None
    """Explains a non-null value; returns an empty text if there is nothing to explain."""
    fields: tuple[tuple[str, RecordShape], ...] = ()
    """Fields of a record."""
    inside: tuple[RecordShape, ...] = ()
    """Type of an array's items or of a map's values; branches of a union or optional."""
    symbols: tuple[str, ...] = ()
    """Symbols of an enum; for a record, its name; for a fixed, its size."""
    said: str = ""
    """Displayed name of the type; empty: `type`."""
    column: str | None = None
    """Name of the column whose value it is."""
    hollow: bool = False
    """Whether its values have no bytes; array items are then not listed, because a few bytes could encode millions."""

    @property
    def or_null(self) -> RecordShape:
        """A union of null and this type."""
        return RecordShape("optional", self.about, inside=(RecordShape("null"), self))


def record(name: str, about: str, fields: tuple[tuple[str, RecordShape], ...]) -> RecordShape:
    """A record with these fields."""
    return RecordShape("record", about, fields=fields, symbols=(name,))


def enum_of(symbols: tuple[str, ...], about: str) -> RecordShape:
    """An enum with these symbols."""
    return RecordShape("enum", about, symbols=symbols)


def array_of(item: RecordShape, about: str) -> RecordShape:
    """An array of these items."""
    return RecordShape("array", about, inside=(item,))


def union_of(branches: tuple[RecordShape, ...], about: str = "") -> RecordShape:
    """A union of these branches."""
    return RecordShape("union", about, inside=branches)


def map_of(value: RecordShape, about: str) -> RecordShape:
    """A map with these values."""
    return RecordShape("map", about, inside=(value,))


class StopTrace(Exception):
    """Raised when the bytes cannot be parsed any further."""


class RecordTrace:
    """Parses a value and records a span for each field."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.pos = 0
        self.path: list[str] = []
        self.spans: list[Span] = []
        self.leaves: list[tuple[tuple[str, ...], bytes]] = []
        self.column: str | None = None

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
        self.between("items", start, "long", count, "How many follow." if count else "No more follow.")
        return count

    def chosen(self, shape: RecordShape) -> RecordShape:
        """Reads a union's branch number and returns the branch."""
        number = self.long()
        if not 0 <= number < len(shape.inside):
            raise StopTrace
        return shape.inside[number]

    # ---- values

    def leaf(self, name: str, start: int, shape: RecordShape, value: object, meaning: str = "") -> None:
        said = f"{meaning}. {shape.about}" if meaning and shape.about else meaning or shape.about
        path = "/".join([*self.path, name])
        type = shape.said or shape.type
        column = self.column if shape.column is None else shape.column
        self.spans.append(Span(start, self.pos, path, type, value, said, len(self.path), column))
        self.leaves.append(((*self.path, name), self.value[start : self.pos]))

    def between(self, name: str, start: int, type: str, value: object, meaning: str) -> None:
        """Records bytes that describe a value's encoding, such as a branch number.

        Args:
            start: offset of the bytes; they end at the current position.
            type: encoding of the bytes.
            value: their decoded value.
            meaning: explanation of the value.
        """
        path = "/".join([*self.path, name])
        self.spans.append(Span(start, self.pos, path, type, value, meaning, len(self.path)))

    def branch(self, name: str, inside: RecordShape, start: int) -> int:
        """Offset at which the span of a union's value begins: after the branch number for groups, otherwise `start`.

        Args:
            name: name of the field, column or item.
            inside: the branch.
            start: offset of its name, or of the branch number.
        """
        if inside.type not in _GROUPS:
            return start
        self.between(name, start, "union", inside.type, "Which branch follows.")
        return self.pos

    def one(self, name: str, shape: RecordShape, start: int) -> None:
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
            self.group(name, shape, start)
        elif shape.type == "fixed":
            self.leaf(name, start, shape, self.taken(int(shape.symbols[0])))
        elif shape.type == "enum":
            number = self.long()
            known = 0 <= number < len(shape.symbols)
            self.leaf(name, start, shape, shape.symbols[number] if known else number, "" if known else "not defined")
        else:
            value = self.plain(shape.type)
            meaning = shape.meaning(value) if shape.meaning is not None and value is not None else ""
            self.leaf(name, start, shape, value, meaning)

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

    def group(self, name: str, shape: RecordShape, start: int) -> None:
        """Reads a record, an array or a map, with its contents."""
        index = len(self.spans)
        self.path.append(name)
        try:
            if shape.type == "record":
                for field, inside in shape.fields:
                    self.one(field, inside, self.pos)
            else:
                self.blocks(shape)
        finally:
            self.path.pop()
            path = "/".join([*self.path, name])
            self.spans.insert(index, Span(start, self.pos, path, shape.type, None, shape.about, len(self.path)))

    def blocks(self, shape: RecordShape) -> None:
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

    def message(self, root: RecordShape) -> None:
        """Reads a message: its fields are top-level, and so are those of the record in its union."""
        start = self.pos
        number = self.long()
        self.leaf(root.symbols[0], start, RecordShape("union", root.about), number)
        for name, shape in root.fields:
            start = self.pos
            if shape.type != "union":
                self.one(name, shape, start)
                continue
            chosen = self.chosen(shape)
            self.leaf(name, start, shape, chosen.symbols[0])
            for field, inside in chosen.fields:
                self.one(field, inside, self.pos)


def content_of(value: bytes, root: RecordShape) -> list[tuple[tuple[str, ...], bytes]] | None:
    """The path and bytes of each innermost value of a message, in order; None if it is not a complete message."""
    found = RecordTrace(value)
    try:
        found.message(root)
    except StopTrace:
        return None
    return found.leaves if found.pos == len(value) else None


def trace_record(value: bytes, root: RecordShape, decoded: EventColumns, version: str) -> list[Span]:
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
        found = RecordTrace(value)
        with suppress(StopTrace):
            found.message(root)
        spans = found.spans if error is None else with_trouble(found.spans, value, error)
        return ordered(spans)

    return described_spans(trace, decoded, version)

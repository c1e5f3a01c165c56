"""Dissects a record: plain Python, as far as the bytes can be parsed.

What a decoder refuses is said by the decoder itself: its error is the last span, so that the two always agree.
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
    """What a value is, for the dissector."""

    type: str
    """A primitive of Avro, or enum, fixed, record, array, map, optional (a union of null and another type) or union."""
    about: str = ""
    meaning: Callable[[Any], str] | None = None
    """What a value means, which is not null; empty text where there is nothing to say."""
    fields: tuple[tuple[str, RecordShape], ...] = ()
    """Of a record."""
    inside: tuple[RecordShape, ...] = ()
    """The items of an array, the values of a map, the branches of a union, what can be there."""
    symbols: tuple[str, ...] = ()
    """Of an enum; of a record its name; of what is fixed its size."""
    said: str = ""
    """What the type is called; empty: as it is."""
    column: str | None = None
    """The column of a row whose value it is."""
    hollow: bool = False
    """Whether its values have no bytes: those of an array are not listed, as a few bytes can say millions of them."""

    @property
    def or_null(self) -> RecordShape:
        """A union of null and this."""
        return RecordShape("optional", self.about, inside=(RecordShape("null"), self))


def record(name: str, about: str, fields: tuple[tuple[str, RecordShape], ...]) -> RecordShape:
    """A record with these fields."""
    return RecordShape("record", about, fields=fields, symbols=(name,))


def enum_of(symbols: tuple[str, ...], about: str) -> RecordShape:
    """One of these texts, by its number."""
    return RecordShape("enum", about, symbols=symbols)


def array_of(item: RecordShape, about: str) -> RecordShape:
    """Any number of these."""
    return RecordShape("array", about, inside=(item,))


def union_of(branches: tuple[RecordShape, ...], about: str = "") -> RecordShape:
    """One of these."""
    return RecordShape("union", about, inside=branches)


def map_of(value: RecordShape, about: str) -> RecordShape:
    """Any number of these by name."""
    return RecordShape("map", about, inside=(value,))


class StopTrace(Exception):
    """The bytes cannot be parsed any further."""


class RecordTrace:
    """Parses a value and records a span for everything that it finds."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.pos = 0
        self.path: list[str] = []
        self.spans: list[Span] = []
        self.leaves: list[tuple[tuple[str, ...], bytes]] = []
        self.column: str | None = None

    # ---- what records are made of

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
        """How many items the next block has.

        An item has at least one byte, so a block cannot have more of them than bytes are left: time grows with the
        message, not with what it says of itself.
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
        """The branch of a union that is there."""
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
        """Bytes that say how a value lies, and are none themselves.

        Args:
            name: what they are called.
            start: of them; they end where the next value begins.
            type: how they are written.
            value: what they say.
            meaning: what that means.
        """
        path = "/".join([*self.path, name])
        self.spans.append(Span(start, self.pos, path, type, value, meaning, len(self.path)))

    def branch(self, name: str, inside: RecordShape, start: int) -> int:
        """Where the value begins of which a union's branch was read: behind that, where the value is a group.

        Args:
            name: of the field, the column or the item.
            inside: the branch.
            start: where its name stands, or the number of the branch.
        """
        if inside.type not in _GROUPS:
            return start
        self.between(name, start, "union", inside.type, "Which branch follows.")
        return self.pos

    def one(self, name: str, shape: RecordShape, start: int) -> None:
        """The value that comes next.

        Args:
            name: of the field, the column or the item.
            shape: what it is.
            start: where its name stands, or itself.
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
        """A record, an array or a map, with what is in it."""
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
        """The items of an array, or the values of a map with their names."""
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
        """A message: its fields stand in no group, and those of the record that it is are fields of the message."""
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
    """Every value of a message that is in no other one, with its path and its bytes, in their order; None of what is no
    whole message.
    """
    found = RecordTrace(value)
    try:
        found.message(root)
    except StopTrace:
        return None
    return found.leaves if found.pos == len(value) else None


def trace_record(value: bytes, root: RecordShape, decoded: EventColumns, version: str) -> list[Span]:
    """Every field of a message, in the order of the bytes; with an error, those before it and then the error.

    Values of rows have the types that the description of their table declares. That nobody has described the table is
    no trouble here: it is said beside the version.

    Args:
        value: the message.
        root: what it is.
        decoded: what a decoder made of it.
        version: the path of the field that says which version of the description it is.
    """

    def trace(error: DecodeError | None) -> list[Span]:
        found = RecordTrace(value)
        with suppress(StopTrace):
            found.message(root)
        spans = found.spans if error is None else with_trouble(found.spans, value, error)
        return ordered(spans)

    return described_spans(trace, decoded, version)

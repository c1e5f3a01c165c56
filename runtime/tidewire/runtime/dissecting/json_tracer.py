"""Dissects a JSON message, as far as the text can be parsed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.spans import Span, text_or_bytes
from tidewire.runtime.dissecting.tracer import StopTrace, Tracer, by_description, ordered, with_trouble

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.errors import DecodeError

_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(rb"null|true|false")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^"\[\]{}]+', re.DOTALL)

_WORDS = {b"null": None, b"true": True, b"false": False}


VALUE, NAME, TYPE, MAPPED = Shape("value"), Shape("name"), Shape("declared type"), Shape("mapped type")
ROW = Shape("row", "A row image.")
OTHER = Shape("json", "Not described.")


def trace(value: bytes, shape: Shape, error: DecodeError | None) -> list[Span]:
    """Every field of a value as spans in byte order; with an error, the fields before it and then the error."""
    found = followed(value, shape)
    spans = found.spans
    if error is not None:
        spans = with_trouble(spans, value, error)
    if len(found.begun) > 1:
        spans = list(_by_object(spans, found.begun, len(value), shape))
    return ordered(spans)


def trace_described(value: bytes, shape: Shape, decoded: EventColumns, version: str) -> list[Span]:
    """Like `trace`, for a message whose rows are read by the description of their table.

    Args:
        value: the message.
        shape: expected type of the message.
        decoded: result of a decoder for this message.
        version: path of the member with the schema version.
    """
    return by_description(lambda error: trace(value, shape, error), decoded, version)


def with_key(spans: list[Span], key: bytes | None, keys: Mapping[int, Shape], decoded: EventColumns) -> list[Span]:
    """The spans of a key that repeats what the value says, so that decoders do not look at it, and behind them those of
    the value.

    What is no such key is shown as it stands, and is no error, as it costs no event. Values of columns show the types
    that the value's message says.

    Args:
        spans: spans of the value.
        key: the key, an object of JSON; None: there is none.
        keys: by kind of event, what its key is.
        decoded: result of a decoder for the value.
    """
    if key is None:
        return spans
    kinds = decoded.events.column("kind")
    shape = keys.get(kinds[0].as_py(), OTHER) if len(kinds) else OTHER
    if shape.type == "row":
        shape = Shape("object", shape.about, None, dict.fromkeys(members_of(key), VALUE))
    types = {column.name: column.mysql_type or "" for layout in decoded.layouts for column in layout.columns}
    found = followed(key, shape)
    of_key = [one if one.column is None else one._replace(meaning=types.get(one.column, "")) for one in found.spans]
    rest = key[found.pos :]
    if rest:
        of_key.append(Span(found.pos, len(key), "", OTHER.type, text_or_bytes(rest), OTHER.about, 0))
    return [*(one._replace(part="key") for one in ordered(of_key)), *spans]


def followed(value: bytes, shape: Shape) -> JsonTracer:
    """Parses a value with one or more objects, as far as possible."""
    found = JsonTracer(value)
    with suppress(StopTrace):
        found.objects(shape)
    return found


def members_of(value: bytes) -> tuple[str, ...]:
    """Names of the members of an object, as far as it can be parsed."""
    return tuple(span.path for span in followed(value, Shape("object")).spans)


def _by_object(spans: Sequence[Span], begun: Sequence[int], length: int, shape: Shape) -> Iterator[Span]:
    """The spans of a value with several objects, each below its object; objects are named by their number."""
    for number, (start, stop) in enumerate(zip(begun, [*begun[1:], length], strict=True)):
        inside = [span for span in spans if start <= span.start < stop or (span.start == length == stop)]
        end = max((span.end for span in inside), default=start)
        yield Span(start, end, str(number), shape.type, None, shape.about, 0)
        for span in inside:
            yield span.inside(str(number), 0)


class JsonTracer(Tracer):
    """Parses a value and records a span for each field."""

    def __init__(self, value: bytes) -> None:
        super().__init__(value)
        self.types: dict[str, str] = {}
        self.begun: list[int] = []
        """Offset of each object."""

    def objects(self, shape: Shape) -> None:
        """Reads consecutive objects."""
        while self.next() == b"{":
            first = len(self.spans)
            self.begun.append(self.pos)
            self.types.clear()
            try:
                self.members(shape.members or {}, None)
            finally:
                # The declared types of the columns may follow the values.
                self.spans[first:] = [self.meant(span) for span in self.spans[first:]]
            self.space()

    def meant(self, span: Span) -> Span:
        """The span with the declared type added, if it is a row's value."""
        declared = None if span.column is None else self.types.get(span.column)
        return span if declared is None else span._replace(meaning=declared)

    # ---- text

    def space(self) -> None:
        self.pos = self.taken(_SPACE)[1]

    def next(self) -> bytes:
        self.space()
        return self.value[self.pos : self.pos + 1]

    def taken(self, pattern: re.Pattern[bytes]) -> tuple[bytes, int]:
        found = pattern.match(self.value, self.pos)
        if found is None:
            raise StopTrace
        return found[0], found.end()

    def expect(self, byte: bytes) -> None:
        if self.next() != byte:
            raise StopTrace
        self.pos += 1

    def string(self) -> object:
        """Reads a string."""
        self.space()
        raw, self.pos = self.taken(_STRING)
        try:
            return json.loads(raw)
        except UnicodeDecodeError:
            return raw[1:-1]

    # ---- values

    def one(self, name: str, shape: Shape, start: int) -> None:
        """Reads a value by its expected type; values of other types are recorded with their source text.

        Args:
            name: its name, or its index in an array.
            shape: expected type.
            start: offset of its name, or of the value in an array.
        """
        if shape.choices:
            said = self.text_of(shape.switch)
            shape = next((one for texts, one in shape.choices if said in texts), OTHER)
        first = self.next()
        each = {"columns": TYPE, "mapping": MAPPED, "row": VALUE}.get(shape.type)
        if shape.type == "image":
            shape, each = shape._replace(members=None), Shape("column", members=shape.members)
        deeper = (first == b"{" and (shape.members is not None or each is not None)) or (
            first == b"[" and shape.type in ("rows", "names", "list")
        )
        if not deeper:
            value = self.scalar()
            if shape is TYPE and isinstance(value, str):
                self.types[name] = value
            if shape is VALUE:
                shape = shape._replace(column=name)
            self.leaf(name, start, shape, value, shape.explained(value if type(value) is int else None))
            return
        with self.group(name, start, shape):
            if shape.type == "column":
                self.column = name
            try:
                if first == b"{":
                    self.members(shape.members, each)
                else:
                    inside = Shape("object", members=shape.members) if shape.type == "list" else NAME
                    self.elements(ROW if shape.type == "rows" else inside)
            finally:
                self.column = None

    def text_of(self, name: str) -> object:
        """The value of a member of the message that is being read; None if it has none."""
        looking = JsonTracer(self.value)
        looking.pos = self.begun[-1]
        with suppress(StopTrace):
            looking.members(None, None)
        return next((span.value for span in looking.spans if span.path == name), None)

    def members(self, members: Mapping[str, Shape] | None, each: Shape | None) -> None:
        """Reads the members of an object."""
        self.expect(b"{")
        first = True
        while self.next() != b"}":
            if not first:
                self.expect(b",")
            first = False
            self.space()
            start, before = self.pos, len(self.spans)
            try:
                name = str(self.string())
                self.expect(b":")
                self.one(name, (members or {}).get(name, each or OTHER), start)
            except StopTrace:
                if len(self.spans) == before:  # the name belongs to what cannot be parsed
                    self.pos = start
                raise
        self.pos += 1

    def elements(self, shape: Shape) -> None:
        """Reads the elements of an array."""
        self.expect(b"[")
        count = 0
        while self.next() != b"]":
            if count:
                self.expect(b",")
            self.space()
            self.one(str(count), shape, self.pos)
            count += 1
        self.pos += 1

    def scalar(self) -> object:
        """Reads a string, number or word; an object or array as its source text."""
        first = self.next()
        if first == b'"':
            return self.string()
        if first in (b"{", b"["):
            return self.whole()
        if first == b"-" or first.isdigit():
            raw, self.pos = self.taken(_NUMBER)
            return int(raw) if len(raw) < 25 and re.fullmatch(rb"-?[0-9]+", raw) else raw.decode()
        raw, self.pos = self.taken(_WORD)
        return _WORDS[raw]

    def whole(self) -> object:
        """Reads an object or array to its end."""
        start, depth = self.pos, 0
        for found in _TOKEN.finditer(self.value, start):
            depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
            if depth == 0:
                self.pos = found.end()
                return text_or_bytes(self.value[start : self.pos])
        raise StopTrace

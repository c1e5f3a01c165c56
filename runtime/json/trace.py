"""Dissects a JSON message in plain Python, as far as the text can be parsed.

Errors come from the decoder: its error is the last span, so the two always agree.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime.arrow.decimal_texts import spelled
from tidewire.runtime.errors import DecodeError, MissingTableError
from tidewire.runtime.tso import EPOCH
from tidewire.runtime.wire.spans import Span, tso

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns

_SPACE = re.compile(rb"[ \t\n\r]*")
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(rb"null|true|false")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^"\[\]{}]+', re.DOTALL)

_WORDS = {b"null": None, b"true": True, b"false": False}


class Expected(NamedTuple):
    """The expected type of a value, for the dissector."""

    type: str
    """Name of the type. Types with inner values: rows, row, names, columns (declared types), mapping (another property
    of columns), image (an object for each column) and list (of objects).
    """
    about: str = ""
    meaning: Callable[[int], str] | None = None
    """Explains a number."""
    members: Mapping[str, Expected] | None = None
    """Members of an object; for an image, of each column's object; for a list, of each object in it."""


VALUE, NAME, TYPE, MAPPED = (
    Expected("value"),
    Expected("name"),
    Expected("declared type"),
    Expected("mapped type"),
)
ROW = Expected("row", "A row image.")
OTHER = Expected("json", "Not described.")


def milliseconds(value: int) -> str:
    """The UTC time of milliseconds since 1970; empty if out of range."""
    try:
        when = EPOCH + timedelta(milliseconds=value)
    except OverflowError:
        return ""
    return when.strftime("%Y-%m-%d %H:%M:%S.") + f"{when.microsecond // 1000:03d} UTC"


MEANINGS: Mapping[str, Callable[[int], str]] = {"tso": tso, "physical": milliseconds, "sent": milliseconds}
"""Explanations of numbers, by the meaning of event fields."""


def trace(value: bytes, shape: Expected, error: DecodeError | None) -> list[Span]:
    """Every field of a value as spans in byte order; with an error, the fields before it and then the error."""
    found = followed(value, shape)
    spans = found.spans
    if error is not None:
        spans = with_trouble(spans, value, error)
    if len(found.begun) > 1:
        spans = list(_by_object(spans, found.begun, len(value), shape))
    return ordered(spans)


def ordered(spans: Sequence[Span]) -> list[Span]:
    """Spans in byte order, outer before inner, errors last at their offset."""
    return sorted(spans, key=lambda span: (span.start, span.type == "trouble", span.depth))


def trace_described(value: bytes, shape: Expected, decoded: EventColumns, version: str) -> list[Span]:
    """`trace` for a message whose rows are read by the description of their table.

    Values show the types from the description. A missing description is not an error here; it is shown at the version.

    Args:
        value: the message.
        shape: expected type of the message.
        decoded: result of a decoder for this message.
        version: path of the member with the schema version.
    """
    return described_spans(lambda error: trace(value, shape, error), decoded, version)


def described_spans(
    traced: Callable[[DecodeError | None], list[Span]], decoded: EventColumns, version: str
) -> list[Span]:
    """The spans of a message whose rows are read by the description of their table, for any wire format.

    Args:
        traced: returns the spans of the message, with an error or without one.
        decoded: result of a decoder for this message.
        version: path of the member with the schema version.
    """
    error = decoded.errors[0] if decoded.errors else None
    missing = isinstance(error, MissingTableError)
    types = {column.name: column.mysql_type or "" for layout in decoded.layouts for column in layout.columns}
    said = "no description of it is known here: values are shown as they stand" if missing else ""
    if types:
        schema, table = decoded.tables[decoded.layouts[0].table]
        said = f"values are read by the description of `{schema}`.`{table}` of this version"
    found = []
    for span in traced(None if missing else error):
        if span.column is not None and types:
            span = span._replace(meaning=types.get(span.column, ""))
        elif span.path == version and said:
            span = span._replace(meaning=f"{span.meaning} Here {said}.".strip())
        found.append(span)
    return found


def followed(value: bytes, shape: Expected) -> _Trace:
    """Parses a value with one or more objects, as far as possible."""
    found = _Trace(value)
    with suppress(_Stop):
        found.objects(shape)
    return found


def members_of(value: bytes) -> tuple[str, ...]:
    """Names of the members of an object, as far as it can be parsed."""
    return tuple(span.path for span in followed(value, Expected("object")).spans)


def with_trouble(spans: Sequence[Span], value: bytes, error: DecodeError) -> list[Span]:
    """The spans before an error, cut off at its offset, and then the error."""
    at = min(_offset(spans, error), len(value))
    for span in spans:
        if span.path == error.field and span.start < at < span.end:
            at = span.start
    found = [span._replace(end=max(min(span.end, at), span.start)) for span in spans if span.start < at]
    depth = error.field.count("/")
    return [*found, Span(at, len(value), error.field, "trouble", _shown(value[at:]), error.detail, depth)]


def _offset(spans: Sequence[Span], error: DecodeError) -> int:
    """The offset of an error. DECIMALs are checked when a batch has been read, so that their errors have none: it is
    that of the first value of the column that is no DECIMAL.
    """
    if error.offset == 0:
        for span in spans:
            if span.column == error.field and isinstance(span.value, str) and not _is_decimal(span.value):
                return span.start
    return error.offset


def _is_decimal(text: str) -> bool:
    try:
        return spelled(text.encode(errors="surrogatepass")) is not None
    except ValueError:  # too many digits
        return False


def _by_object(spans: Sequence[Span], begun: Sequence[int], length: int, shape: Expected) -> Iterator[Span]:
    """The spans of a value with several objects, each below its object; objects are named by their number."""
    for number, (start, stop) in enumerate(zip(begun, [*begun[1:], length], strict=True)):
        inside = [span for span in spans if start <= span.start < stop or (span.start == length == stop)]
        end = max((span.end for span in inside), default=start)
        yield Span(start, end, str(number), shape.type, None, shape.about, 0)
        for span in inside:
            yield span._replace(path=f"{number}/{span.path}" if span.path else str(number), depth=span.depth + 1)


class _Stop(Exception):
    """Raised when the text cannot be parsed any further."""


class _Trace:
    """Parses a value and records a span for each field."""

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.pos = 0
        self.path: list[str] = []
        self.spans: list[Span] = []
        self.types: dict[str, str] = {}
        self.column: str | None = None
        """Name of the column whose object is being read."""
        self.begun: list[int] = []
        """Offset of each object."""

    def objects(self, shape: Expected) -> None:
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
            raise _Stop
        return found[0], found.end()

    def expect(self, byte: bytes) -> None:
        if self.next() != byte:
            raise _Stop
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

    def leaf(self, name: str, start: int, shape: Expected, value: object, meaning: str = "") -> None:
        path = "/".join([*self.path, name])
        said = f"{meaning}. {shape.about}" if meaning and shape.about else meaning or shape.about
        column = name if shape is VALUE else self.column
        self.spans.append(Span(start, self.pos, path, shape.type, value, said, len(self.path), column))

    def one(self, name: str, shape: Expected, start: int) -> None:
        """Reads a value by its expected type; values of other types are recorded with their source text.

        Args:
            name: its name, or its index in an array.
            shape: expected type.
            start: offset of its name, or of the value in an array.
        """
        first = self.next()
        each = {"columns": TYPE, "mapping": MAPPED, "row": VALUE}.get(shape.type)
        if shape.type == "image":
            shape, each = shape._replace(members=None), Expected("column", members=shape.members)
        deeper = (first == b"{" and (shape.members is not None or each is not None)) or (
            first == b"[" and shape.type in ("rows", "names", "list")
        )
        if not deeper:
            value = self.scalar()
            meaning = shape.meaning(value) if shape.meaning is not None and type(value) is int else ""
            if shape is TYPE and isinstance(value, str):
                self.types[name] = value
            self.leaf(name, start, shape, value, meaning)
            return
        index = len(self.spans)
        self.path.append(name)
        if shape.type == "column":
            self.column = name
        try:
            if first == b"{":
                self.members(shape.members, each)
            else:
                inside = Expected("object", members=shape.members) if shape.type == "list" else NAME
                self.elements(ROW if shape.type == "rows" else inside)
        finally:
            self.path.pop()
            self.column = None
            path = "/".join([*self.path, name])
            self.spans.insert(index, Span(start, self.pos, path, shape.type, None, shape.about, len(self.path)))

    def members(self, members: Mapping[str, Expected] | None, each: Expected | None) -> None:
        """Reads the members of an object."""
        self.expect(b"{")
        first = True
        while self.next() != b"}":
            if not first:
                self.expect(b",")
            first = False
            self.space()
            start = self.pos
            name = str(self.string())
            self.expect(b":")
            self.one(name, (members or {}).get(name, each or OTHER), start)
        self.pos += 1

    def elements(self, shape: Expected) -> None:
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
                return _shown(self.value[start : self.pos])
        raise _Stop


def _shown(data: bytes) -> str | bytes:
    """Text if the bytes are UTF-8, otherwise the bytes."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data

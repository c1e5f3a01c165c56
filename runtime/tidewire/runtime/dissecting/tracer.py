"""Records spans while a value is parsed, and puts the decoder's error behind those before it.

Dissectors parse as far as they can. Errors come from the decoder: its error is the last span, so the two always agree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tidewire.runtime.arrow.decimal_texts import spelled
from tidewire.runtime.dissecting.spans import Span, text_or_bytes
from tidewire.runtime.errors import DecodeError, MissingTableError

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.dissecting.shapes import Shape


class StopTrace(Exception):
    """Raised when a value cannot be parsed any further."""


class Tracer:
    """Parses a value and records a span for each field.

    Attributes:
        pos: offset of the next byte.
        path: names of the groups around it.
        column: name of the column whose value is being read.
    """

    def __init__(self, value: bytes) -> None:
        self.value = value
        self.pos = 0
        self.path: list[str] = []
        self.spans: list[Span] = []
        self.column: str | None = None

    def add(
        self, name: str, start: int, type: str, value: object, meaning: str, column: str | None = None
    ) -> None:
        """Records the bytes from `start` to the current position."""
        path = "/".join([*self.path, name])
        self.spans.append(Span(start, self.pos, path, type, value, meaning, len(self.path), column))

    def leaf(self, name: str, start: int, shape: Shape, value: object, meaning: str) -> None:
        """Records a value that has no inner values."""
        column = self.column if shape.column is None else shape.column
        self.add(name, start, shape.shown or shape.type, value, meaning, column)

    @contextmanager
    def group(self, name: str, start: int, shape: Shape) -> Iterator[None]:
        """A context: everything read in it belongs to a group, whose bytes begin at `start`."""
        index = len(self.spans)
        self.path.append(name)
        try:
            yield
        finally:
            self.path.pop()
            self.add(name, start, shape.type, None, shape.about)
            self.spans.insert(index, self.spans.pop())


def ordered(spans: Sequence[Span]) -> list[Span]:
    """Spans in byte order, outer before inner, errors last at their offset."""
    return sorted(spans, key=lambda span: (span.start, span.type == "trouble", span.depth))


def with_trouble(spans: Sequence[Span], value: bytes, error: DecodeError) -> list[Span]:
    """The spans before an error, cut off at its offset, and then the error."""
    at = min(_offset(spans, error), len(value))
    for span in spans:
        if span.path == error.field and span.start < at < span.end:
            at = span.start
    found = [span._replace(end=max(min(span.end, at), span.start)) for span in spans if span.start < at]
    depth = error.field.count("/")
    return [*found, Span(at, len(value), error.field, "trouble", text_or_bytes(value[at:]), error.detail, depth)]


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


def of_both_parts(
    key: bytes | None,
    value: bytes | None,
    error: DecodeError | None,
    trace: Callable[[str, bytes, DecodeError | None], list[Span]],
) -> list[Span]:
    """The spans of a key and of a value, each in byte order; the key's only if its error kept the decoder from the
    value.

    Args:
        key, value: the message; None: there is none.
        error: error of the decoder; None: there is none.
        trace: returns the spans of a part, `key` or `value`, with the error that is in it.
    """
    found: list[Span] = []
    for part, data in (("key", key), ("value", value)):
        if data is None:
            continue
        own = error if error is not None and error.part == part else None
        found += [span._replace(part=part) for span in ordered(trace(part, data, own))]
        if own is not None and part == "key":
            break
    return found


def by_description(
    trace: Callable[[DecodeError | None], list[Span]], decoded: EventColumns, version: str
) -> list[Span]:
    """The spans of a message whose rows are read by the description of their table, for any wire format.

    Values show the types from the description. A missing description is not an error here; it is shown at the version.

    Args:
        trace: returns the spans of the message, with an error or without one.
        decoded: result of a decoder for this message.
        version: path of the field with the schema version.
    """
    error = decoded.errors[0] if decoded.errors else None
    missing = isinstance(error, MissingTableError)
    types = {column.name: column.mysql_type or "" for layout in decoded.layouts for column in layout.columns}
    note = "no description of it is known here: values are shown as they stand" if missing else ""
    if types:
        schema, table = decoded.tables[decoded.layouts[0].table]
        note = f"values are read by the description of `{schema}`.`{table}` of this version"
    found = []
    for span in trace(None if missing else error):
        if span.column is not None and types:
            span = span._replace(meaning=types.get(span.column, ""))
        elif span.path == version and note:
            span = span._replace(meaning=f"{span.meaning} Here {note}.".strip())
        found.append(span)
    return found

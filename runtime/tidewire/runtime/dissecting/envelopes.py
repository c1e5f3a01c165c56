"""Dissects keys and values in Kafka Connect's envelopes, as far as the JSON can be parsed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tidewire.runtime.connect.resolving import CONNECT, DESCRIBED, PROPAGATED
from tidewire.runtime.dissecting.json_tracer import members_of, trace
from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.dissecting.tracer import of_both_parts
from tidewire.runtime.errors import MissingTableError

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns
    from tidewire.runtime.errors import DecodeError

PAYLOAD, BLOCK = "payload", "schema"
"""Members of an envelope."""
ROW = "row"
_BLOCK = Shape("schema block", "Says what the payload is.")
_KEY = Shape(ROW, "The columns that identify the row.")


def trace_enveloped(
    value: bytes,
    key: bytes | None,
    payload: Mapping[str, Shape],
    key_members: Mapping[str, Shape],
    decoded: EventColumns,
    known_by: str | None,
) -> list[Span]:
    """Every field of a message as spans: the key's first, each part in byte order; for a malformed message, the fields
    before the error, and the error.

    Values of a row show their column types, and the row shows where these come from. A missing table description is not
    an error here; it is shown at the row.

    Args:
        key: its key; None: there is none.
        payload: members of the value's payload.
        key_members: members of the key's payload, for keys that do not identify a row.
        decoded: result of a decoder for this message.
        known_by: column of events with the source of the column types.
    """
    error = decoded.errors[0] if decoded.errors else None
    missing = isinstance(error, MissingTableError)
    types = {column.name: column.mysql_type or "" for layout in decoded.layouts for column in layout.columns}
    row = bool(types) or missing
    shapes = {
        "key": _KEY if row else Shape("object", "What the message is of.", None, key_members),
        "value": Shape("object", "What happened.", None, payload),
    }

    def traced(part: str, data: bytes, own: DecodeError | None) -> list[Span]:
        source = _known(decoded, known_by, BLOCK in members_of(data), missing) if row else ""
        return list(_meant(_spans(data, shapes[part], own), types, source))

    return of_both_parts(key or b"", value, None if missing else error, traced)


def _spans(data: bytes, shape: Shape, error: DecodeError | None) -> list[Span]:
    if PAYLOAD not in members_of(data):
        if shape.type == ROW:
            shape = Shape("object", shape.about, None, dict.fromkeys(members_of(data), Shape("value")))
        return trace(data, shape, error)
    return trace(data, Shape("object", "", None, {PAYLOAD: shape, BLOCK: _BLOCK}), error)


def _meant(spans: list[Span], types: Mapping[str, str], source: str) -> Iterator[Span]:
    """The spans with meanings added: row values with their column types."""
    row: Span | None = None
    for span in spans:
        if span.type == ROW:
            row = span
            yield span._replace(meaning=f"{source} {span.meaning}".strip())
        elif row is not None and span.start < row.end and span.depth == row.depth + 1:
            name = span.path[len(row.path) + 1 :]
            yield span._replace(meaning=types.get(name, ""), column=name)
        elif span.depth == 0 and span.type == "value":
            yield span._replace(meaning=types.get(span.path, ""), column=span.path)
        else:
            yield span


def _known(decoded: EventColumns, known_by: str | None, block: bool, missing: bool) -> str:
    """The source of the column types, as a sentence."""
    if missing:
        return "Not described here: values are shown as they stand."
    source = None if known_by is None or not decoded.events.num_rows else decoded.events.column(known_by)[0].as_py()
    if source == DESCRIBED:
        schema, table = decoded.tables[decoded.layouts[0].table]
        return f"Read by the description of `{schema}`.`{table}`."
    if source == CONNECT:
        return "Decoded by Kafka Connect's types."
    if source == PROPAGATED:
        return "Read by the source database's types, as the schema block repeats them."
    return "Read by TiDB's types in the schema block." if block else ""

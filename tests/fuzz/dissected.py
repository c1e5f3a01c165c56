"""Invariants of a message's dissection, for any bytes, compared with the decoder's result."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from tidewire.cli.spans import TROUBLE, Kind, rows
from tidewire.runtime.dissecting.spans import Span
from tidewire.runtime.errors import DecodeError

Parts = Mapping[str, bytes | None]
"""Key and value of a message; None: it has none."""


def wrong_spans(spans: Sequence[Span], parts: Parts, error: DecodeError | None, told: Collection[str]) -> str | None:
    """What is wrong with the spans of a message; None when nothing is.

    Args:
        spans: of the message.
        parts: its key and value.
        error: the decoder's, as which a span has to end them; None: it has none.
        told: the parts of which every byte belongs to a field; of others nothing is asked of those between the spans.
    """
    for span in spans:
        data = parts[span.part]
        if data is None or not 0 <= span.start <= span.end <= len(data):
            return f"a span of {span.start} to {span.end} in the {span.part}: {span}"
    troubles = [span for span in spans if span.type == TROUBLE]
    if error is None:
        if troubles:
            return f"trouble that no decoder has: {troubles[0]}"
    elif [(one.part, one.path, one.meaning) for one in troubles] != [(error.part, error.field, error.detail)]:
        return f"the decoder says {error}, the spans {troubles}"
    for part in told:
        for row in rows([span for span in spans if span.part == part], parts[part] or b""):
            if row.kind in (Kind.gap, Kind.broken):
                return f"bytes of no field in the {part}: {row}"
    return None


def wrong_values(spans: Iterable[Span], images: Sequence[Mapping[str, Any]]) -> str | None:
    """A column whose span says another value than the row has that was decoded; None when there is none.

    Args:
        spans: of a message.
        images: its rows.
    """
    for span in spans:
        if span.column is None or (span.value is None and span.type != "null"):
            continue
        if not any(span.column in image and _same(span, image[span.column]) for image in images):
            found = [image.get(span.column) for image in images]
            return f"column {span.column!r} is {span.value!r} ({span.meaning!r}) in the spans, and {found} was decoded"
    return None


def _same(span: Span, value: Any) -> bool:
    """Whether a span says a value, which may be a number where a label is written, or a text where bytes are.

    What a value stands for is the first sentence of its meaning.
    """
    said = span.value
    if value is None or span.type == "null":
        return value is None and span.type == "null"
    if isinstance(value, float) and isinstance(said, float):
        return value == said or (math.isnan(value) and math.isnan(said))
    if isinstance(value, int):
        return value in (said, said % (1 << 64)) if isinstance(said, int) else isinstance(said, str | bytes)
    if isinstance(value, bytes) and isinstance(said, str):
        return value == said.encode("utf-8", "surrogateescape")
    return bool(value == said) or value == span.meaning.partition(". ")[0]

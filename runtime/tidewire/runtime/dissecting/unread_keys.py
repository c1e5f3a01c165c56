"""Dissects keys that decoders do not look at, as they repeat what the value says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tidewire.runtime.dissecting.json_tracer import OTHER, VALUE, followed, members_of
from tidewire.runtime.dissecting.shapes import Shape
from tidewire.runtime.dissecting.spans import Span, text_or_bytes
from tidewire.runtime.dissecting.tracer import ordered

if TYPE_CHECKING:
    from tidewire.runtime.batch import EventColumns


def with_key(spans: list[Span], key: bytes | None, keys: Mapping[int, Shape], decoded: EventColumns) -> list[Span]:
    """The spans of a key, and behind them those of the value.

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

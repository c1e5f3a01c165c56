"""Checks whether a field's type fits a codec for arrays or records."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tidewire.runtime.record.fields import SCALED_FIELD, VECTOR_FIELD
from tidewire.runtime.registered.schema import SchemaKind


def _is_vector(kind: SchemaKind) -> bool:
    """An array of floats that are not nullable."""
    return kind.inside[0].name in ("float", "double") and kind.inside[0].null < 0


def _is_scaled(kind: SchemaKind) -> bool:
    """A record of a scale and a value, neither nullable."""
    said = {one.name: (one.kind.name, one.kind.null) for one in kind.fields}
    return said == {"scale": ("int", -1), "value": ("bytes", -1)}


_SHAPES: Mapping[int, Callable[[SchemaKind], bool]] = {VECTOR_FIELD: _is_vector, SCALED_FIELD: _is_scaled}


def has_shape(codec: int, kind: SchemaKind) -> bool:
    """Whether the codec with this number can read values of this type."""
    shape = _SHAPES.get(codec)
    return shape is None or shape(kind)

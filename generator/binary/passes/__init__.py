"""The passes over protocols of wire: binary, in order. One file each; the docstring of the file lists its rules.

A protocol is looked at group by group: a group can rely on what those before it found right, so it is only asked when
they found nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ...passes import options, protocol_links, protocol_names, values
from ...problems import Problem
from . import alignment, batching, bindings, claims, images, limits, links, names, reading, structure
from .context import BinaryContext

__all__ = ["BINARY_PASSES", "BinaryContext"]

BINARY_PASSES: tuple[tuple[Callable[[BinaryContext], list[Problem]], ...], ...] = (
    (protocol_names.check, protocol_links.check, names.check, links.check),
    (structure.check,),
    (
        limits.check,
        claims.check,
        reading.check,
        alignment.check,
        images.check,
        bindings.check,
        values.check,
        options.check,
        batching.check,
    ),
)

"""The passes, in order. One file each; the docstring of the file lists its rules.

A protocol is looked at group by group: a group can rely on what those before it found right, so it is only asked when
they found nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ..model import Spec
from ..problems import Problem
from . import (
    alignment,
    batching,
    bindings,
    claims,
    images,
    limits,
    links,
    names,
    options,
    protocol_links,
    protocol_names,
    reading,
    shared_events,
    shared_mysql_types,
    shared_primitives,
    structure,
    values,
)
from .context import Context

__all__ = ["BINARY_PASSES", "SHARED_PASSES", "Context"]

SHARED_PASSES: tuple[Callable[[Spec], list[Problem]], ...] = (
    shared_primitives.check,
    shared_events.check,
    shared_mysql_types.check,
)

BINARY_PASSES: tuple[tuple[Callable[[Context], list[Problem]], ...], ...] = (
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

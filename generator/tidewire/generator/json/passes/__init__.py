"""The passes that check objects and lines, by stage. The docstring of each file lists its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...passes import CASES, LINKS, MEANING, STRUCTURE
from ...problems import Problem
from . import (
    blocks,
    classes,
    connect_links,
    descriptions,
    keys,
    links,
    literals,
    names,
    order,
    presence,
    readable,
    record_fields,
    record_links,
    rest,
    rows,
    structure,
)
from .context import JsonContext

__all__ = ["PASSES", "JsonContext"]

PASSES: Mapping[int, tuple[Callable[[JsonContext], list[Problem]], ...]] = {
    LINKS: (links.check, names.check, connect_links.check, record_links.check),
    STRUCTURE: (structure.check, record_fields.check),
    CASES: (rest.check,),
    MEANING: (
        classes.check,
        blocks.check,
        descriptions.check,
        keys.check,
        literals.check,
        order.check,
        presence.check,
        readable.check,
        rows.check,
    ),
}

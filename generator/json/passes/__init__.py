"""The passes over protocols of wire: json, in order. One file each; the docstring of the file lists its rules.

As with binary protocols, a protocol is looked at group by group, the next only when the groups before found nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from ...passes import options, protocol_links, protocol_names, values
from ...problems import Problem
from . import carriers, cases, framing, large, links, literals, names, order, presence, rows, structure
from .context import JsonContext

__all__ = ["JSON_PASSES", "JsonContext"]

JSON_PASSES: tuple[tuple[Callable[[JsonContext], list[Problem]], ...], ...] = (
    (protocol_names.check, protocol_links.check, links.check, names.check),
    (structure.check,),
    (cases.check,),
    (
        carriers.check,
        framing.check,
        large.check,
        literals.check,
        options.check,
        order.check,
        presence.check,
        rows.check,
        values.check,
    ),
)

"""The passes that check sections, by stage. The docstring of each file lists its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...passes import LINKS, MEANING, STRUCTURE
from ...problems import Problem
from . import alignment, claims, limits, links, names, reading, repetitions, scopes, structure
from .context import BinaryContext

__all__ = ["PASSES", "BinaryContext"]

PASSES: Mapping[int, tuple[Callable[[BinaryContext], list[Problem]], ...]] = {
    LINKS: (names.check, links.check),
    STRUCTURE: (structure.check,),
    MEANING: (limits.check, claims.check, reading.check, alignment.check, repetitions.check, scopes.check),
}

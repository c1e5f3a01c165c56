"""The passes over the words of registered records, by stage. The docstring of each file lists its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...passes import LINKS, MEANING, STRUCTURE
from ...problems import Problem
from . import columns, connect, envelopes, links, marks, others, scalars, structure
from .context import RegisteredContext

__all__ = ["PASSES", "RegisteredContext"]

PASSES: Mapping[int, tuple[Callable[[RegisteredContext], list[Problem]], ...]] = {
    LINKS: (links.check,),
    STRUCTURE: (structure.check, envelopes.check, others.check),
    MEANING: (columns.check, connect.check, marks.check, scalars.check),
}

"""The passes that check protocols of frames, by stage. The docstring of each file lists its rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...json.passes import literals
from ...passes import LINKS, MEANING, STRUCTURE
from ...problems import Problem
from . import links, presence, structure
from .context import FramesContext

__all__ = ["PASSES", "FramesContext"]

PASSES: Mapping[int, tuple[Callable[[FramesContext], list[Problem]], ...]] = {
    LINKS: (links.check,),
    STRUCTURE: (structure.check,),
    MEANING: (literals.check, presence.check),
}

"""Batching and what it acts on.

- Events of the class that is gathered are carried.
- Columns of a row are kept by flag: no word of a binary protocol says that an image lacks columns of the other one.
"""

from __future__ import annotations

from ...problems import Problem, listed, problem, quoted
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    batching = context.protocol.batching
    if batching is not None and batching.gather not in context.carried():
        text = f"no case carries events of class {quoted(batching.gather)}"
        found.append(problem(batching.gather.place, text, f"Carried are {listed(context.carried())}."))
    for option in context.protocol.options.values():
        if option.keep is not None and option.keep.changed:
            text = "columns that did not change can be left out of JSON only"
            found.append(problem(option.keep.at("changed"), text, "Say flagged:."))
    return found

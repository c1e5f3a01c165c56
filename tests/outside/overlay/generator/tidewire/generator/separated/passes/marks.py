"""Each mark stands for one image."""

from __future__ import annotations

from tidewire.generator.model import Word
from tidewire.generator.problems import Problem, problem, quoted

from .context import LineContext


def check(context: LineContext) -> list[Problem]:
    """The problems of this pass."""
    seen: dict[str, Word] = {}
    found = []
    for case in context.protocol.cases:
        for image, mark in case.images.items():
            if seen.setdefault(mark, image) != image:
                text = f"{mark} marks the columns of {quoted(seen[mark])} already"
                found.append(problem(image.location, text, "Take the other mark."))
    return found

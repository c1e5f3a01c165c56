"""Values of one event have the same index in all chunks.

- The chunk of the switch, and all other chunks of the root, have one element for each event: their `count` is the row
  by which the choice is repeated.
- Chunks elsewhere belong to row images.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...problems import Problem, problem, quoted
from ..model import Chunks
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    return [*_root(context), *_others(context)]


def _root(context: BinaryContext) -> Iterator[Problem]:
    section, _ = context.switch
    for one in context.root.sections:
        columns = isinstance(context.references.part_of(one), Chunks)
        if (columns or one.chunk is not None) and one.count is not None and one.count != section.each:
            text = f"has {one.count} elements, but there are {section.each} of {quoted(section.id)}, one per event"
            yield problem(one.count.location, text, f"Say count: {section.each}.")


def _others(context: BinaryContext) -> Iterator[Problem]:
    elements = {section.part for part in context.parts_of_sections() for section in part.sections if section.image}
    for part in context.parts_of_sections():
        if part is context.root or part.name in elements:
            continue
        for section in part.sections:
            held = context.references.part_of(section)
            # without its `image` a column of a row image is reported by the pass `images`
            if isinstance(held, Chunks) and not any(one.column is not None for one in held.columns):
                text = f"an event has one value per field, {quoted(section.part)} has several"
                remedy = "Chunks belong to the root, one element per event, or into a row image."
                yield problem(section.location, text, remedy)

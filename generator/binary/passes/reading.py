"""A reader can find every section, and the sections tile the part.

- Sections are read when what they refer to has been read and their place is known, from the front or from the back;
  there is such an order for every part (the results are in `resolve`). If not, the whole circle of waiting sections
  is reported.
"""

from __future__ import annotations

from ...problems import Problem, problem
from ..order import Stuck, read_order
from .context import BinaryContext


def check(context: BinaryContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    for part in context.parts_of_sections():
        order = read_order(context.references, part)
        if isinstance(order, Stuck):
            found.append(
                problem(
                    order.circle[0].section.location,
                    f"cannot be read, the references go in a circle: {order}",
                    "Let one of them be told by something that is read before, or from the end.",
                )
            )
    return found

"""A reader can locate every section, and the sections cover the part without gaps.

- A section is read when what it refers to has been read and its position is known, from the front or from the back;
  every part has such an order (computed in `resolve`). Otherwise the whole cycle of waiting sections is reported.
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

"""The columns of rows: no option removes columns, since a record has all of them."""

from __future__ import annotations

from ...problems import Problem, problem
from .context import RegisteredContext


def check(context: RegisteredContext) -> list[Problem]:
    """The problems of this pass."""
    text = "a record has all columns of a row"
    return [
        problem(option.at("keep"), text, "Remove keep:.")
        for option in context.protocol.options.values()
        if option.keep is not None
    ]

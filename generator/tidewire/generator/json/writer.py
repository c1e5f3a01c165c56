"""Collects statements that write JSON, and joins consecutive constants."""

from __future__ import annotations

from ..syntax.nodes import Body, Expression, If, Statement, when
from .sink_calls import raw, raw_bytes, write


class Writer:
    """Collects the statements that write a message; consecutive constants become one."""

    def __init__(self) -> None:
        self.steps: list[Statement] = []

    def raw(self, text: bytes) -> None:
        before = raw_bytes(self.steps[-1]) if self.steps else None
        if before is not None:
            self.steps[-1] = raw(before + text)
        elif text:
            self.steps.append(raw(text))

    def add(self, steps: Body) -> None:
        for step in steps:
            text = raw_bytes(step)
            condition = _only_condition(step)
            if text is not None:
                self.raw(text)
            elif condition is not None and self.steps and _only_condition(self.steps[-1]) == condition:
                both = Writer()
                both.add((*_under(self.steps[-1]), *_under(step)))
                self.steps[-1:] = when(condition, both.all())
            else:
                self.steps.append(step)

    def call(self, method: str, *arguments: Expression) -> None:
        """Appends a call of a method of the sink."""
        self.steps.append(write(method, *arguments))

    def all(self) -> Body:
        return tuple(self.steps)


def _only_condition(step: Statement) -> Expression | None:
    """The condition of an `if` without else; None for other statements."""
    return step.branches[0].condition if isinstance(step, If) and len(step.branches) == 1 else None


def _under(step: Statement) -> Body:
    """The statements inside the `if`, or the statement itself."""
    return step.branches[0].body if isinstance(step, If) else (step,)


def unconditional(steps: Body) -> tuple[Expression | None, Body]:
    """The common condition of all steps, and the steps without it."""
    condition = _only_condition(steps[0]) if len(steps) == 1 else None
    return (None, steps) if condition is None else (condition, _under(steps[0]))

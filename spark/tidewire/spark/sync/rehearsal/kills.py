"""Where a process can be killed, so that nothing of it is closed."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable
from typing import Any, NamedTuple


class Point(NamedTuple):
    """A place at which a process can die.

    Attributes:
        name: a word.
        where: for people.
        module: of what is called.
        of: the class; empty for a function.
        call: what is called.
        after: whether it dies after that; else in place of it.
    """

    name: str
    where: str
    module: str
    of: str
    call: str
    after: bool

    def owner(self) -> Any:
        """What has the function."""
        found = importlib.import_module(f"tidewire.spark.sync.{self.module}")
        return getattr(found, self.of) if self.of else found


POINTS = (
    Point("staged", "with rows staged and no manifest", "batches", "", "stage", True),
    Point("manifest", "with a manifest and nothing applied", "manifests", "Manifests", "create", True),
    Point("table", "between two tables", "steps", "Steps", "do", True),
    Point("step", "between two steps of a table", "writing", "Writing", "step", True),
    Point("record", "with all tables written and no record", "publish", "Published", "create", False),
    Point("published", "with the record written", "publishing", "Publishing", "collect", False),
)


def arm(point: Point, dies: Callable[[], Any], skip: int = 0) -> None:
    """Has the process die at a point.

    Args:
        point: where.
        dies: what kills it.
        skip: how many times it passes there before.
    """
    owner = point.owner()
    was = getattr(owner, point.call)
    left = iter(range(skip))

    def call(*args: Any, **named: Any) -> Any:
        found = was(*args, **named) if point.after else None
        if next(left, None) is None:
            dies()
        return found if point.after else was(*args, **named)

    setattr(owner, point.call, call)


def kill() -> None:
    """Kills the process with all of its group: Java, too."""
    os.killpg(os.getpgid(0), signal.SIGKILL)

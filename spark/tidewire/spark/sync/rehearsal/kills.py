"""Points of the program at which a test kills the process, without any clean-up."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable
from typing import Any, NamedTuple


class Point(NamedTuple):
    """A place at which a process can die.

    Attributes:
        name: a short name.
        where: a description for people.
        module: module of the function, in `tidewire.spark.sync`.
        of: class of the method; empty for a function of the module.
        call: name of the function or method.
        after: whether the process dies after the call; otherwise instead of it.
    """

    name: str
    where: str
    module: str
    of: str
    call: str
    after: bool

    def owner(self) -> Any:
        """The class or module that has the function."""
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
        dies: kills the process.
        skip: number of calls that it survives first.
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

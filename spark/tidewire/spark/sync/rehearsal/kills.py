"""Points of the program at which a test kills the process, without any clean-up."""

from __future__ import annotations

import importlib
import os
import signal
from collections.abc import Callable, Sequence
from random import Random
from threading import Timer
from typing import Any, NamedTuple

from tidewire.spark.sync.choices import Chosen


class Point(NamedTuple):
    """A place at which a process can die.

    Attributes:
        name: a short name.
        where: a description for people.
        module: module of the function, in `tidewire.spark.sync`.
        of: class of the method; empty for a function of the module.
        call: name of the function or method.
        after: whether the process dies after the call; otherwise instead of it.
        within: up to so many seconds after the call began it dies instead, wherever it is then; 0: it does not.
    """

    name: str
    where: str
    module: str
    of: str
    call: str
    after: bool
    within: float = 0

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
_WORKERS = (
    Point("merged", "with tables that workers merged", "native.engine", "NativeEngine", "merge", True),
    Point("merging", "while workers merged tables", "native.engine", "NativeEngine", "merge", True, 1.0),
)
_MERGE = (Point("writing", "in a step of a table", "writing", "Writing", "step", True, 1.0),)
_MAINTENANCE = ("maintaining.maintenance", "Maintenance")
_UPKEEP = (
    Point("maintained", "between two tables that were maintained", *_MAINTENANCE, "_maintained", True),
    Point("upkeep", "between two steps of a table's maintenance", *_MAINTENANCE, "_step", True),
    Point("maintaining", "in a step of a table's maintenance", *_MAINTENANCE, "_step", True, 1.0),
)
BATCHES = Point("batches", "between two batches", "maintaining.scheduled", "Scheduled", "after_batch", True)
EVERY = {one.name: one for one in (*POINTS, *_WORKERS, *_MERGE, *_UPKEEP, BATCHES)}
_OFTEN = {"table", "step", "writing", "maintained", "upkeep", "maintaining"}
"""Points to which a batch comes several times."""


def points_for(choice: Chosen, format: str) -> tuple[Point, ...]:
    """The points that a synchronisation comes to."""
    workers = format != "parquet" and choice.engine != "merge"
    return (*POINTS, *(_WORKERS if workers else _MERGE), *(_UPKEEP if choice.maintain_every else ()))


def drawn(points: Sequence[Point], kills: int, random: Random) -> list[tuple[str, int, float]]:
    """So many of these points, each as often as the others: a name, and `skip` and `when` of `arm`."""
    names: list[str] = []
    while len(names) < kills:
        names += random.sample([one.name for one in points], len(points))
    return [(name, int(random.random() * 2) if name in _OFTEN else 0, random.random()) for name in names[:kills]]


def arm(point: Point, dies: Callable[[], Any], skip: int = 0, when: float = 0) -> None:
    """Has the process die at a point.

    Args:
        point: where.
        dies: kills the process.
        skip: number of calls that it survives first.
        when: after which part of `point.within` it dies, from 0 to 1.
    """
    owner = point.owner()
    was = getattr(owner, point.call)
    left = iter(range(skip))

    def call(*args: Any, **named: Any) -> Any:
        if point.within and next(left, None) is None:
            timer = Timer(when * point.within, dies)
            timer.daemon = True
            timer.start()
        found = was(*args, **named) if point.after else None
        if not point.within and next(left, None) is None:
            dies()
        return found if point.after else was(*args, **named)

    setattr(owner, point.call, call)


def kill() -> None:
    """Kills the process with all of its group: Java, too."""
    os.killpg(os.getpgid(0), signal.SIGKILL)

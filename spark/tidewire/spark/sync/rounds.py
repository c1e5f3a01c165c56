"""Carries out the steps of several tables at once: in threads, and what workers merge in one Spark job."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, Protocol

from tidewire.spark.sync.done import MERGE, NATIVE, Done, Engine
from tidewire.spark.sync.native.work import Left, Merged
from tidewire.spark.sync.plan import Apply, Repair, Step


class Part(NamedTuple):
    """Some steps of a table, from the number `first` to before `end`; `beside`: only of its history table."""

    first: int
    end: int
    beside: bool = False


class Workers(Protocol):
    """Merges by workers.

    Attributes:
        only: whether no other engine may merge.
        beside: whether tables have history tables.
    """

    only: bool
    beside: bool

    def why_not(self, step: Step) -> str:
        """Why MERGE applies a step; empty if workers may, and for a step without rows to merge."""
        ...

    def takes(self, step: Step) -> bool:
        """Whether workers may merge a step."""
        ...

    def merge(self, steps: Mapping[str, Apply | Repair]) -> Mapping[str, Merged | Left]:
        """Has workers take a step of each table, by the table's id."""
        ...

    def failure(self, step: Step, left: Left) -> str:
        """Why a table has to wait whose changes no other engine may merge."""
        ...


def carry_out(
    plans: Mapping[str, Sequence[Step]],
    several: Callable[[Mapping[str, Part]], Mapping[str, Done]],
    workers: Workers,
) -> dict[str, Done]:
    """The results of all steps, by table id.

    In each round every table takes its steps up to the next one that workers may merge; then workers merge those of
    all tables. What they leave is a step like any other in the next round.

    Args:
        plans: by table id, its steps.
        several: carries out some steps of each table.
        workers: merges by workers.
    """
    done: dict[str, Done] = {}
    at = dict.fromkeys(plans, 0)
    left: dict[str, str] = {}
    while at:
        stop = {number: _stop(plans[number], first, number in left, workers) for number, first in at.items()}
        parts = {number: Part(first, stop[number]) for number, first in at.items() if first < stop[number]}
        for number, one in several(parts).items():
            by = _merged_by(plans[number][slice(*parts[number][:2])], left.pop(number, ""), workers)
            done[number] = _both(done.get(number), one._replace(engine=by))
        ready: dict[str, Apply | Repair] = {}
        for number, end in stop.items():
            going = number not in done or not done[number].failure
            if end < len(plans[number]) and going:
                step = plans[number][end]
                assert isinstance(step, Apply | Repair)
                ready[number] = step
        if workers.beside and ready:
            histories = {number: Part(stop[number], stop[number] + 1, beside=True) for number in ready}
            for number, one in several(histories).items():
                if one.failure:
                    done[number] = _both(done.get(number), one)
                    del ready[number]
        at = {}
        for number, result in workers.merge(ready).items() if ready else ():
            step = ready[number]
            if isinstance(result, Merged):
                rows = sum(one.rows for one in step.files)
                found = result.name, result.version
                one = Done(step.to, rows, seconds=result.seconds, found=found, engine=Engine(NATIVE))
                done[number] = _both(done.get(number), one)
                if stop[number] + 1 < len(plans[number]):
                    at[number] = stop[number] + 1
            elif workers.only:
                done[number] = _both(done.get(number), Done(step.at, 0, workers.failure(step, result)))
            else:
                left[number] = result.reason
                at[number] = stop[number]
    return done


def _stop(steps: Sequence[Step], first: int, left: bool, workers: Workers) -> int:
    """The next step that workers may merge; the first one is not, if they left it."""
    return next((at for at in range(first + left, len(steps)) if workers.takes(steps[at])), len(steps))


def _merged_by(steps: Sequence[Step], left: str, workers: Workers) -> Engine | None:
    """What merged the changes of these steps, which workers did not."""
    if not any(isinstance(one, Apply | Repair) for one in steps):
        return None
    return Engine(MERGE, left or next((why for one in steps if (why := workers.why_not(one))), ""))


def _both(before: Done | None, one: Done) -> Done:
    """The result of some steps and those after them."""
    if before is None:
        return one
    return one._replace(
        rows=before.rows + one.rows,
        notes=(*before.notes, *one.notes),
        seconds=before.seconds + one.seconds,
        engine=one.engine or before.engine,
    )

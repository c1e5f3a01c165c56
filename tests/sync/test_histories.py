"""Tables equal the source at every watermark, whatever the order, the replays, the statements and the crashes.

Each history is a small source and its delivery from a seed (`histories.py`), driven without Spark (`driver.py`):
staged, resolved, applied in memory, and compared with the truth at every commit ts that is published.
"""

from __future__ import annotations

import os
from collections import Counter
from itertools import pairwise

import pytest

from sync.driver import Driver
from tidewire.spark.sync import plan as planning
from tidewire.spark.sync.rehearsal.histories import History

HISTORIES = 100_000 if os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive" else 20_000
CHUNKS = 40


def crash_after(seed: int) -> int:
    """At which point the process dies first; every other history has no crash."""
    return seed % 23 * 2 - 1 if seed % 2 else -1


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_tables_equal_the_source_at_every_watermark(chunk: int) -> None:
    for seed in range(chunk * HISTORIES // CHUNKS, (chunk + 1) * HISTORIES // CHUNKS):
        Driver(History(seed), crash_after(seed)).run()


@pytest.mark.parametrize("seed", [97478])
def test_histories_that_were_wrong_once(seed: int) -> None:
    """Beyond those that every run tries."""
    Driver(History(seed), crash_after(seed)).run()


def test_long_histories() -> None:
    for seed in range(60):
        Driver(History(seed, 600), crash_after(seed)).run()


@pytest.mark.parametrize("chunk", range(10))
def test_a_process_can_die_at_every_point(chunk: int) -> None:
    for seed in range(chunk * 12, chunk * 12 + 12):
        whole = Driver(History(seed)).run()
        points = -1 - whole.target.crash_after
        assert points > 5
        for point in range(1, points + 1):
            again = Driver(History(seed), point).run()
            assert again.crashed == 1
            assert list(again.published) == list(whole.published)
            assert again.target.shown() == whole.target.shown()


def _handles(step: planning.Apply) -> set[str]:
    return {one.shape for one in step.files}


def test_the_histories_have_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """What histories are meant for happens in them, often: a generator that lost a case would prove nothing."""
    seen: Counter[str] = Counter()
    was = planning.plan

    def counted(*arguments: object) -> planning.TablesPlan:
        plan = was(*arguments)  # type: ignore[arg-type]
        for steps in plan.steps.values():
            cuts = pairwise(one for one in steps if isinstance(one, planning.Apply))
            seen["handle keys"] += sum(_handles(one) != _handles(other) for one, other in cuts)
            for step in steps:
                seen[type(step).__name__] += 1
                if isinstance(step, planning.Alter):
                    seen.update(one.kind for one in step.actions)
                if isinstance(step, planning.Apply) and step.leave:
                    seen["leave"] += 1
        seen.update(f"parked by {one.by}" for one in plan.parked.values())
        return plan

    monkeypatch.setattr(planning, "plan", counted)
    for seed in range(1500):
        history = History(seed)
        driver = Driver(history, crash_after(seed)).run()
        newest = driver.newest()
        seen["watermarks"] += driver.compared
        seen["crashed"] += driver.crashed
        seen["fenced"] += driver.target.fenced
        seen["late"] += driver.late
        seen["counted as late"] += sum(newest.late.values())
        seen["merged"] += any(one.tier for one in newest.lists)
        seen["grown"] += history.since > 0
        seen["topics"] += len(history.partitions) > 1
        seen["waited"] += driver.waited
        seen["resumes"] += sum("+" in one for one in driver.done)
        seen["skipped"] += len(history.skips)
        seen["loads"] += bool(history.resets)
        seen["empty batches"] += sum(not batch for batch in history.batches)
        seen["silent at first"] += len(history.batches[0]) < sum(len(of) for of in history.partitions.values())
        seen["moved aside"] += sum("__was_" in name for name in driver.target.names)
    few = {
        "Create": 1000,
        "Apply": 2000,
        "Alter": 1000,
        "Rename": 80,
        "End": 50,
        "Repair": 30,
        "leave": 50,
        "handle keys": 30,
        "AddColumn": 100,
        "DropColumn": 50,
        "RenameColumn": 50,
        "ModifyColumn": 30,
        "Truncate": 100,
        "CopyColumn": 10,
        "KeepColumn": 10,
        "parked by statement": 50,
        "parked by keys": 10,
        "parked by rows": 20,
        "watermarks": 2500,
        "crashed": 300,
        "fenced": 1000,
        "late": 50,
        "counted as late": 1000,
        "merged": 100,
        "grown": 20,
        "topics": 100,
        "loads": 30,
        "waited": 300,
        "skipped": 100,
        "resumes": 20,
        "empty batches": 200,
        "silent at first": 300,
        "moved aside": 20,
    }
    assert {name: seen[name] for name, least in few.items() if seen[name] < least} == {}

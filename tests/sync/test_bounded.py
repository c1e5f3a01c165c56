"""Memory is bounded by the batch: pending data is in files, and tasks, manifests and the driver do not grow with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

import tidewire.runtime
from sync.staged_histories import START, staged, task
from sync.weighed import batches
from tidewire.spark.sync.changelog import Manifest, Source, Staged
from tidewire.spark.sync.facts import Facts
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.plan import Apply, plan
from tidewire.spark.sync.resolved import advance
from tidewire.spark.sync.rules import DEFAULT, MOST_KEYS
from tidewire.spark.sync.written import written

LONG = os.environ.get("HYPOTHESIS_PROFILE") == "exhaustive"
FEW, MANY = (20_000, 200_000) if tidewire.runtime.compiled else (1_000, 5_000)
if LONG and tidewire.runtime.compiled:
    MANY = 1_000_000
FULL = 100_000
"""Messages whose rows, and what Arrow keeps of memory that it had, are as much as a task holds here."""
SOURCE = Source("t", "canal-json")


def _weighed(state: Path, count: int, batch: int, held: int) -> int:
    """The MB that a task takes to stage so many messages."""
    command = [sys.executable, "-m", "sync.weighed", str(state), *map(str, (count, batch, held))]
    paths = os.pathsep.join(one for one in sys.path if one)
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["rows"] == count
    return int(found["after"] - found["before"])


def test_a_task_holds_no_more_than_it_may_however_much_it_stages(tmp_path: Path) -> None:
    """From the time on when it has held as much as it may; what the others are takes 100 MB."""
    batch, held = 1 << 20, 4 << 20
    full, more = (_weighed(tmp_path / str(count), count, batch, held) for count in (FULL, 3 * FULL))
    assert more <= full + 8


def _driven(facts: Facts, state: Path) -> tuple[Manifest, int, int]:
    """What the driver does with a batch; the bytes of the manifest, and the most that it had in memory."""
    tracemalloc.start()
    of = Manifests(str(state), SOURCE)
    before = of.newest()
    staged = Staged(0, tuple(facts.rows), of.listed(facts.rows, before), watermarks={}, letters=facts.letters)
    manifest = advance(before, staged, {"t": [0]})
    assert of.create(manifest)
    assert plan(manifest, of.rows(manifest), {}).steps == {}
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return manifest, len(written(manifest)), most


def test_what_waits_is_in_files(tmp_path: Path) -> None:
    """Pending changes, of which no watermark said yet that they are complete."""
    found = []
    for count in (FEW, MANY):
        state = tmp_path / str(count)
        facts = staged(task(state, "canal-json"), *batches(count))
        manifest, size, most = _driven(facts, state)
        assert sum(one.rows for one in facts.rows) == count
        assert manifest.spans == {"shop.accounts": (START + 1, START + count)}
        found.append((len(facts.rows), size, most))
        # and all of them are there when it comes
        made = plan(
            advance(manifest, Staged(1, watermarks={"t": {0: START + count + 1}}), {"t": [0]}, DEFAULT),
            Manifests(str(state), SOURCE).rows(manifest),
            {},
        )
        (step,) = (one for each in made.steps.values() for one in each if isinstance(one, Apply))
        assert sum(one.rows for one in step.files) == count
    (files, size, most), (more_files, more_size, more) = found
    assert more_files <= files + MANY // 100_000
    assert more_size < size + 200
    assert more < most + (64 << 10) * (more_files - files + 1)


@pytest.mark.parametrize("balance", ["9" * 40 + ".50", "none"])
@pytest.mark.parametrize("count", [FEW])
def test_messages_that_cannot_be_read_are_in_files(tmp_path: Path, count: int, balance: str) -> None:
    """The driver is told how many there are, and of as many keys as a table can wait for."""
    facts = staged(task(tmp_path, "canal-json"), *batches(count, dead=balance))
    assert len(facts.dead) == min(count, MOST_KEYS + 1)
    assert sum(facts.letters.values()) == count
    assert [one.ts - START for one in sorted(facts.dead, key=lambda one: one.ts)][:3] == [1, 2, 3]

"""Every protocol gives the same tables for the same history, at every watermark; without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

import tidewire.runtime
from sync.spoken import Spoken
from sync.test_end_to_end import LONG, seeds
from tidewire.spark.sync.changelog import Statement
from tidewire.spark.sync.rehearsal.encoded import OPTIONS
from tidewire.spark.sync.rehearsal.histories import History


def _two_kinds(history: History) -> bool:
    """Whether it has statements of two kinds."""
    return len({one.actions[0].kind for one in history.log if isinstance(one, Statement)}) > 1


SEEDS = seeds(300 if LONG else 6 if tidewire.runtime.compiled else 2, _two_kinds)


@pytest.mark.parametrize("protocol", OPTIONS)
def test_protocols_give_the_same_tables_at_every_watermark(protocol: str, tmp_path: Path) -> None:
    for seed in SEEDS:
        driver = Spoken(History(seed, 24), protocol, tmp_path / str(seed)).run()
        assert driver.compared

"""make demo with a short run: the same broker, processes, kill and comparison."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.whole
MOST_SECONDS = 300
"""Of CPU, of all processes: five Javas start."""
REPOSITORY = Path(__file__).parents[2]


def test_the_demo_ends_with_tables_that_are_the_shops(tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "demo", "--out", str(tmp_path / "demo"), "--rounds", "4", "--transactions", "8"]
    done = subprocess.run(
        [*command, "--into", "iceberg"], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=1800
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for said in (
        "kill -9, and started again",
        "messages once more",
        "orders ADD COLUMN note",
        "carts RENAME COLUMN pieces",
        "TRUNCATE carts",
        "is at the last watermark",
        "every row is the shop's",
    ):
        assert said in done.stdout
    assert "✓" in done.stdout
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MOST_SECONDS

"""Numbers at the ends of 64 bits are read and written compiled as they are interpreted: values, errors, bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "extremes.py"


def printed(pure: bool) -> list[str]:
    """What the script prints."""
    environment = {name: value for name, value in os.environ.items() if name != "TIDEWIRE_PURE"}
    environment |= {"TIDEWIRE_PURE": "1"} if pure else {}
    done = subprocess.run(
        [sys.executable, "-P", str(SCRIPT)], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


@pytest.mark.codec
@pytest.mark.once
def test_extremes_are_the_same_compiled_and_interpreted() -> None:
    compiled, interpreted = printed(pure=False), printed(pure=True)
    assert len(compiled) > 5000
    assert [(a, b) for a, b in zip(compiled, interpreted, strict=True) if a != b] == []

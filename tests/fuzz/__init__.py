"""Mutated messages against the decoder: `python -m tests.fuzz`, or `make fuzz`. See README.md."""

from __future__ import annotations

import sys
from pathlib import Path

_TESTS = str(Path(__file__).resolve().parent.parent)
if _TESTS not in sys.path:  # as `python -m tests.fuzz` knows only the folder above
    sys.path.append(_TESTS)

"""The specs of all protocols, in which something was changed: refused, or what is printed reads and writes messages.

`TIDEWIRE_PURE=1 PYTHONPATH=tests python -m tests.mutated_specs.run_mutants SEED COUNT [SPEC ...]` tries more of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
OF_EACH = 4


def test_what_is_accepted_is_printed_and_works() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutated_specs.run_mutants", "sample", str(OF_EACH)],
        cwd=TESTS.parent,
        env=os.environ | {"TIDEWIRE_PURE": "1", "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["broken"] == []
    assert min(found["results"][what] for what in ("refused", "used")) > OF_EACH
    assert min(found["attempts"][what] for what in ("event", "dissect", "encode", "decode ours")) > OF_EACH

"""Our operations with the interpreted modules, in a process of their own: ``python -m benchmarks.pure`` prints JSON.

The switch between compiled and interpreted modules is thrown at import, so the two cannot be timed in one process.
Interpreted code is some hundred times slower and is measured on fewer events with fewer repeats; each result says how
many.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.timing import Effort, Result

ROOT = Path(__file__).resolve().parent.parent


def child(module: str, environment: Mapping[str, str], *arguments: str) -> Any:
    """Run a module of this package as a process and return the JSON on the last line of its output."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"python -m {module} failed with exit status {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def measure(quick: bool, protocols: Sequence[str]) -> list[Result]:
    """The interpreted figures, from a child process with TIDEWIRE_PURE=1."""
    answer = child("benchmarks.pure", {"TIDEWIRE_PURE": "1"}, *(["--quick"] if quick else []), *protocols)
    return [Result(**entry) for entry in answer]


def main() -> None:
    """Measure in this process, which must be interpreting."""
    import tidewire.runtime
    from benchmarks import suite
    from benchmarks.cases import GO_BATCHES, recorded
    from benchmarks.subjects import SUBJECTS

    if tidewire.runtime.compiled:
        raise SystemExit("this process runs the compiled modules; start it with TIDEWIRE_PURE=1")
    quick = "--quick" in sys.argv
    effort = Effort(repeats=3, seconds=0.01, events=64) if quick else Effort(repeats=5, seconds=0.05, events=256)
    results = []
    for subject in (SUBJECTS[name] for name in sys.argv[1:] if name in SUBJECTS):
        for batch in (batch for batch in GO_BATCHES if batch in subject.batches):
            rows = subject.rows(recorded(suite.rounded(effort.events, batch)))
            results += suite.ours_alone(subject, rows, batch, effort, "recorded")
    print(json.dumps([result.to_dict() for result in results]))


if __name__ == "__main__":
    main()

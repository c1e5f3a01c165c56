"""Fresh processes: what a Python or a command pays before its first message is looked at."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CAPTURE = ROOT / "examples" / "craft_topic.jsonl.gz"
PYTHON, ARROW = "python, nothing imported", "import pyarrow"
IMPORTS = (
    "import tidewire.craft",
    "import tidewire.canal_json",
    "import tidewire.open_protocol",
    "import tidewire.simple",
    "import tidewire.avro",
)
VERSION, DETECT = "tidewire --version", "tidewire detect FILE"
REPEATS, QUICK_REPEATS = 15, 3

CONTAINS = (
    "a process from its start to its end, bytecode of all modules cached as pip caches it, files in the system's "
    "cache; wall: what passes, cpu: user and system time, its threads' too"
)
"""What each figure contains."""


class Start(NamedTuple):
    """Seconds of a process, medians over the repeats."""

    what: str
    wall: float
    cpu: float
    repeats: int


def commands() -> dict[str, list[str]]:
    """What is started."""
    installed = Path(sys.executable).with_name("tidewire")
    tidewire = [str(installed)] if installed.is_file() else [sys.executable, "-m", "tidewire.cli"]
    return {
        PYTHON: [sys.executable, "-c", "pass"],
        ARROW: [sys.executable, "-c", "import pyarrow"],
        **{code: [sys.executable, "-c", code] for code in IMPORTS},
        VERSION: [*tidewire, "--version"],
        DETECT: [*tidewire, "detect", str(CAPTURE)],
    }


def measure(quick: bool) -> list[Start]:
    """Every command a few times, in turns; the first time, which fills caches of files and bytecode, is dropped."""
    repeats = QUICK_REPEATS if quick else REPEATS
    taken: dict[str, list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        for turn in range(repeats + 1):
            for what, command in commands().items():
                spent = _spent(command, environment)
                if turn:
                    taken.setdefault(what, []).append(spent)
    return [
        Start(what, statistics.median(wall for wall, _ in times), statistics.median(cpu for _, cpu in times), repeats)
        for what, times in taken.items()
    ]


def _spent(command: Sequence[str], environment: Mapping[str, str]) -> tuple[float, float]:
    """Wall and CPU seconds of a process; raises ``RuntimeError`` where it fails."""
    with tempfile.TemporaryFile() as errors:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=errors, check=False)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            errors.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed: {errors.read()[-2000:].decode(errors='replace')}")
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime

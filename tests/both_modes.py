"""What a script prints, compiled and interpreted: each in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tidewire.runtime

TESTS = Path(__file__).parent
INTERPRETED = "pure: TIDEWIRE_PURE=1 is set"


def printed(module: str, *arguments: str) -> tuple[list[str], list[str]]:
    """The lines that a module of the tests prints: compiled, and interpreted.

    Where nothing is compiled both are interpreted, and only that nothing depends on chance is shown.

    Args:
        module: it prints in the first line in which mode it runs, as this module's `main` does.
        arguments: of the module.
    """
    return _printed(module, *arguments, pure=False), _printed(module, *arguments, pure=True)


def _printed(module: str, *arguments: str, pure: bool) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if name != "TIDEWIRE_PURE"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, [environment.get("PYTHONPATH")])])
    environment |= {"TIDEWIRE_PURE": "1"} if pure else {}
    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    done = subprocess.run(command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    mode, *found = done.stdout.split("\n")
    if pure or tidewire.runtime.compiled:
        assert mode == (INTERPRETED if pure else "compiled")
    return found


def show(lines: object) -> None:
    """Prints the mode of this process, and lines, in ASCII."""
    print(tidewire.runtime.compiled_reason)
    for line in lines:  # type: ignore[attr-defined]
        print(line.encode("unicode_escape", "surrogatepass").decode())

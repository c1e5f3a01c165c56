"""Runs a command, and ends it when the process that started this one is gone, however that one ended.

python -I -S guard.py SECONDS COMMAND ...

Standard input is a pipe whose other end only the process that started this one has, and which is closed with it. The
command may take so many seconds to end. A byte through the pipe ends it at once.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress


def main(seconds: str, *command: str) -> int:
    """The command's exit code."""
    running = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    threading.Thread(target=_watch, args=(running, float(seconds)), daemon=True).start()
    return running.wait()


def _watch(running: subprocess.Popen[bytes], seconds: float) -> None:
    if not os.read(0, 1):
        running.terminate()
        with suppress(subprocess.TimeoutExpired):
            running.wait(seconds)
    running.kill()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

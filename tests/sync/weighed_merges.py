"""A worker that merges as many changes into as large a table as it takes, in a process of its own, which is weighed."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path


def _memory(kind: str) -> int:
    """The kB of `VmRSS`, what the process has, or of `VmHWM`, the most that it had."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(kind))


def main(path: str) -> None:
    """Does what a task does, and prints the MB that the process had before, and the most since then."""
    task = pickle.loads(Path(path).read_bytes())
    from deltalake import DeltaTable  # noqa: F401

    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the most begins anew
    before = _memory("VmRSS")
    done = task()
    print(type(done).__name__, getattr(done, "reason", ""), before >> 10, _memory("VmHWM") >> 10, sep="\t")


if __name__ == "__main__":
    main(sys.argv[1])

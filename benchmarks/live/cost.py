"""CPU and memory of this process and all that it started, but for the broker."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Cost:
    """What something took.

    Attributes:
        cpu: seconds of all processes.
        wall: seconds.
        load: of the machine at its end.
    """

    cpu: float = 0.0
    wall: float = 0.0
    load: float = 0.0


class Meter:
    """CPU of this process and its descendants, but for one of them and its own: those that have ended count on.

    It looks at them twice a second, so that of one that ends the last half of a second may be lacking.
    """

    def __init__(self, without: Callable[[], int | None]) -> None:
        """
        Args:
            without: says which process does not count.
        """
        self._without = without
        self._seen: dict[tuple[int, str], int] = {}
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def cpu(self) -> float:
        """Seconds so far."""
        with self._lock:
            self._look()
            return sum(self._seen.values()) / _TICKS

    def stop(self) -> None:
        """Looks no more."""
        self._end.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._end.wait(0.5):
            with self._lock:
                self._look()

    def _look(self) -> None:
        every = _processes()
        for pid in _tree({pid: one.parent for pid, one in every.items()}, self._without()):
            one = every[pid]
            self._seen[pid, one.started] = one.ticks

    @contextmanager
    def measured(self) -> Iterator[Cost]:
        """What the block takes."""
        cost = Cost()
        before, began = self.cpu(), time.perf_counter()
        yield cost
        cost.cpu, cost.wall = self.cpu() - before, time.perf_counter() - began
        cost.load = round(os.getloadavg()[0], 1)

    def memory(self) -> dict[str, int]:
        """The most that each kind of process has held so far, in MB: driver, Java, the largest of the workers."""
        found: dict[str, int] = {}
        for pid in _tree({pid: one.parent for pid, one in _processes().items()}, self._without()):
            try:
                status = Path(f"/proc/{pid}/status").read_text()
                command = Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            peak = next((int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")), 0) // 1024
            kind = "driver" if pid == os.getpid() else "java" if b"java" in command.split(b"\0")[0] else "worker"
            found[kind] = max(found.get(kind, 0), peak)
        return found


class _Process(NamedTuple):
    parent: int
    started: str
    ticks: int
    """Of its own, without those of children."""


def _processes() -> dict[int, _Process]:
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                fields = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            found[int(name)] = _Process(int(fields[1]), fields[19], int(fields[11]) + int(fields[12]))
    return found


def _tree(parents: dict[int, int], without: int | None) -> list[int]:
    """This process and its descendants, but for one of them and its own."""
    children: dict[int, list[int]] = {}
    for pid, parent in parents.items():
        children.setdefault(parent, []).append(pid)
    found, todo = [], [os.getpid()]
    while todo:
        pid = todo.pop()
        if pid != without and pid in parents:
            found.append(pid)
            todo += children.get(pid, [])
    return found

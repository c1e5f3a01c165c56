"""What work takes of the processor and of memory: for tests of how both grow with what is read."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable

import pyarrow as pa


def fastest(work: Callable[[], object], times: int = 5) -> float:
    """CPU seconds of the fastest of several runs.

    Garbage is not looked for meanwhile: the time that takes grows with what the tests before this one keep.
    """
    taken = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(times):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(taken)


def spent(work: Callable[[], object]) -> tuple[int, int]:
    """Most bytes held at once, and bytes held in the end, the result's included; Arrow's own and Python's."""
    arrow = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        kept = work()
        now, most = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return most + max(0, pa.total_allocated_bytes() - arrow), now

"""How long work takes: for tests of how time grows with what is read."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable


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

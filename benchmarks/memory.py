"""Is memory bounded by the batch? Peak resident memory while decoding: ``python -m benchmarks.memory``.

Runs in a process of its own. For batches of 1, 4 and 16 MB of messages (the recorded one of 64 events, repeated): how
far the peak of the resident set grows above where it stood with the messages loaded, after decoding the batch once
and after decoding it 21 times, each result dropped before the next. A leak or a cache that grows with the stream
shows in the second figure, a large multiple of the input in the first. (tracemalloc does not see C and Arrow
allocations; the kernel does.)
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

from benchmarks.pure import child

MEGABYTES = (1, 4, 16)
AGAIN = 20
SLACK = 4 << 20
"""Bytes of growth that are no leak: allocator arenas."""

_STATUS = Path("/proc/self/status")


def _status(field: str) -> int:
    """VmRSS or VmHWM in bytes; without /proc the peak from getrusage stands for both."""
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) << 10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def _reset_peak() -> None:
    """Let the peak start from now (Linux); where that is not allowed the ascending batch sizes make up for it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def measure() -> list[dict[str, int]]:
    """For each batch size: batch_bytes, events, growth_once, growth_again (bytes), repeats."""
    answer: list[dict[str, int]] = child("benchmarks.memory", {})
    return answer


def bounded(entry: dict[str, int]) -> bool:
    """Whether going on for 20 batches needed no more than the first batch, give or take a quarter."""
    return entry["growth_again"] <= entry["growth_once"] * 1.25 + SLACK


def main() -> None:
    """Measure in this process."""
    import pyarrow as pa

    from benchmarks.cases import recorded_message
    from tidewire import craft

    message = recorded_message(64)
    decoder = craft.Decoder(craft.Options())
    decoder.decode(pa.array([message], pa.binary()), None)
    report: list[dict[str, Any]] = []
    for megabytes in MEGABYTES:
        count = (megabytes << 20) // len(message)
        values = pa.array([message] * count, pa.binary())
        _reset_peak()
        before = _status("VmRSS")
        decoder.decode(values, None)
        once = _status("VmHWM") - before
        for _ in range(AGAIN):
            decoder.decode(values, None)
        again = _status("VmHWM") - before
        report.append(
            {
                "batch_bytes": count * len(message),
                "events": count * 64,
                "growth_once": max(once, 0),
                "growth_again": max(again, 0),
                "repeats": AGAIN + 1,
            }
        )
    print(json.dumps(report))


if __name__ == "__main__":
    main()

"""Timing side by side: all candidates of a group take turns, so that a busy moment of the machine hits them alike."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: repeats (at least 7, except where a result says otherwise) of at least ``seconds`` each."""

    repeats: int
    seconds: float
    events: int
    """Events per call of a candidate, at least one message."""
    quick: bool = False
    """Whether groups with sizes of their own take the smaller ones."""

    @classmethod
    def of(cls, quick: bool) -> Effort:
        """The effort of ``--quick`` or of a full run."""
        if quick:
            return cls(repeats=7, seconds=0.02, events=1024, quick=True)
        return cls(repeats=9, seconds=0.06, events=4096)


@dataclass(frozen=True, slots=True)
class Result:
    """One measured figure. ``ns_min`` and ``ns_median`` are nanoseconds per event over the repeats."""

    group: str
    """decode, encode, interleaved, …"""
    codec: str
    """Whose: 'tidewire', 'tidewire pure', a peer's name."""
    operation: str
    """What was done, e.g. 'to Arrow columns'."""
    rows: str
    """Whose rows: 'recorded', 'synthetic', 'varied', 'interleaved', …"""
    batch: int
    """Events per message."""
    columns: int
    tables: int
    ns_min: float
    ns_median: float
    events: int
    """Events per call."""
    calls: int
    """Calls per repeat."""
    repeats: int
    bytes_per_event: float | None = None
    """Key and value on the wire, where the codec has a wire."""
    protocol: str = "craft"
    """Ours that is measured; peers may have formats of their own."""
    kind: str = "update"
    """What the rows are: updates with both images, or inserts."""

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds per call: the fastest repeat, the median repeat, and how they were taken."""

    best: float
    median: float
    calls: int
    repeats: int


@contextmanager
def _quiet() -> Iterator[None]:
    """No garbage collection while measuring; what earlier groups left is collected before."""
    gc.collect()
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _time(function: Callable[[], object], calls: int) -> float:
    """Seconds for that many calls. Results are dropped one by one: freeing them is part of the price."""
    start = time.perf_counter()
    for _ in range(calls):
        function()
    return time.perf_counter() - start


def _calls_for(function: Callable[[], object], seconds: float) -> int:
    """How many calls take at least ``seconds``; warms up on the way."""
    function()
    calls = 1
    while True:
        taken = _time(function, calls)
        if taken >= seconds:
            return calls
        calls = max(calls + 1, int(calls * min(10.0, 1.1 * seconds / max(taken, 1e-9))))


_CACHE = Path("/sys/devices/system/cpu/cpu0/cache/index3/size")
_SMALLEST, _LARGEST = 64 << 20, 512 << 20
_swept: bytearray = bytearray()


def last_level_cache() -> int | None:
    """Bytes of the processor's last-level cache, where the system tells them."""
    text = _CACHE.read_text().strip() if _CACHE.exists() else ""
    return int(text[:-1]) << 10 if text.endswith("K") and text[:-1].isdigit() else None


def swept_bytes() -> int:
    """Twice the size of the last-level cache, within bounds."""
    return min(_LARGEST, max(_SMALLEST, 2 * (last_level_cache() or 0)))


def empty_caches() -> None:
    """Fill the processor's caches with something else: a copy within twice the size of the last-level cache."""
    global _swept
    if not _swept:
        _swept = bytearray(swept_bytes())
    half = len(_swept) // 2
    view = memoryview(_swept)
    view[:half] = view[half : 2 * half]


def side_by_side_cold(candidates: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, Timing]:
    """One call of each in turn, the processor's caches emptied before every call."""
    with _quiet():
        for function in candidates.values():
            function()
        taken: dict[str, list[float]] = {name: [] for name in candidates}
        for _ in range(repeats):
            for name, function in candidates.items():
                gc.collect(0)
                empty_caches()
                taken[name].append(_time(function, 1) * 1e9)
    return {name: Timing(min(figures), statistics.median(figures), 1, repeats) for name, figures in taken.items()}


def side_by_side(candidates: Mapping[str, Callable[[], object]], repeats: int, seconds: float) -> dict[str, Timing]:
    """Time all candidates in turns: repeat 1 of each, repeat 2 of each, …"""
    with _quiet():
        calls = {name: _calls_for(function, seconds) for name, function in candidates.items()}
        taken: dict[str, list[float]] = {name: [] for name in candidates}
        for _ in range(repeats):
            for name, function in candidates.items():
                taken[name].append(_time(function, calls[name]) / calls[name] * 1e9)
                gc.collect(0)
    return {
        name: Timing(min(figures), statistics.median(figures), calls[name], repeats) for name, figures in taken.items()
    }

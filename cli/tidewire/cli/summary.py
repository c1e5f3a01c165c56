"""Counts events by table and kind, with the range of their commit times."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tidewire.cli.shell import many, printable
from tidewire.cli.shortjson import time_of
from tidewire.events import Event, Watermark

ROOM_FOR_TIMES = 100
"""Terminal width from which the time range of a table is in the same row as its counts, rather than in a table below.
"""
LONGEST_WORD = len("01:41:26.019")
"""Width of the longest part of a time that stays on one line."""


class Summary:
    """Counts events.

    Args:
        kinds: kinds of events, in display order.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._times: dict[str, tuple[str, str]] = {}
        self._watermarks = 0
        self._events = 0
        self._range: tuple[str, str] | None = None

    def add(self, event: Event, kind: str) -> None:
        """Counts an event."""
        self._events += 1
        time = time_of(event)
        if time is not None:
            self._range = _widened(self._range, time)
        if isinstance(event, Watermark):
            self._watermarks += 1
            return
        name = ".".join(part for part in (getattr(event, "schema", None), getattr(event, "table", None)) if part)
        self._counts[name][kind] += 1
        if time is not None:
            self._times[name] = _widened(self._times.get(name), time)

    def show(self, out: Console, messages: int) -> None:
        """Prints the counts as a table, and a line with the totals."""
        kinds = [kind for kind in self._kinds if any(counts[kind] for counts in self._counts.values())]
        wide = out.width >= ROOM_FOR_TIMES
        if self._counts:
            out.print(self._table(kinds, wide))
        if self._times and not wide:
            out.print(self._table([], True))
        text = f"{many(self._events, 'event')} in {many(messages, 'message')}"
        if self._watermarks:
            text += f", {many(self._watermarks, 'watermark')} among them"
        out.print(Text(text))
        if self._range is not None:
            first, last = (time.replace("T", " ").rstrip("Z") for time in self._range)
            out.print(Text(f"{first} to {last} UTC" if first != last else f"{first} UTC"))

    def _table(self, kinds: Sequence[str], times: bool) -> Table:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("table", overflow="fold", min_width=8)
        for kind in kinds:
            table.add_column(kind, justify="right", overflow="fold")
        if times:
            for title in ("first (UTC)", "last"):
                table.add_column(title, no_wrap=bool(kinds), min_width=LONGEST_WORD)
        for name, counts in sorted(self._counts.items()):
            row = [f"{counts[kind]:,}" if counts[kind] else "" for kind in kinds]
            if times:
                row += [time.replace("T", " ").rstrip("Z") for time in self._times.get(name, ("", ""))]
            table.add_row(Text(printable(name) or "(no table)"), *row)
        if len(self._counts) > 1 and kinds:
            row = [f"{sum(counts[kind] for counts in self._counts.values()):,}" for kind in kinds]
            table.add_row(Text("in all", "bold"), *row, *([""] * 2 if times else []))
        return table


def _widened(range_: tuple[str, str] | None, time: str) -> tuple[str, str]:
    return (time, time) if range_ is None else (min(range_[0], time), max(range_[1], time))

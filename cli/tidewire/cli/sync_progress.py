"""Progress output of a synchronisation: a table that is refreshed on a terminal, otherwise one line per batch."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tidewire.cli.shell import complain, console, json_text, many, printable
from tidewire.cli.sync_status import ago, held_text, place_of, tables_not_yet, with_file

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tidewire.spark.sync.batches import BatchDone

_TABLES = 12
"""Number of tables listed, those with the most rows in the latest batch."""


class Progress:
    """Shows batches when they are done."""

    def __init__(self, as_json: bool, path: str = "") -> None:
        """Args:
            as_json: whether to print a JSON object per batch.
            path: path of the synchronisation file.
        """
        self.as_json = as_json
        self.path = path
        self.live: Any = None
        self.messages = 0
        self.newest: BatchDone | None = None
        self.rate = 0.0
        self._began = time.perf_counter()

    def __call__(self, batch: BatchDone) -> None:
        now = time.perf_counter()
        self.messages += batch.manifest.messages
        self.rate = batch.manifest.messages / max(now - self._began, 0.001)
        self._began, self.newest = now, batch
        for note in () if self.as_json else batch.notes:
            complain(with_file(note, self.path))
        if self.live is not None:
            self.live.update(self.shown())
        else:
            print(json_text(of_batch(batch)) if self.as_json else printable(line_of(batch, self.rate)), flush=True)

    def shown(self) -> RenderableType:
        """The latest batch, for a terminal."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        batch = self.newest
        if batch is None:
            return Text(f"reading the first messages, for {time.perf_counter() - self._began:,.0f} s")
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("table", "rows", "seconds"):
            table.add_column(name, justify="left" if name == "table" else "right")
        for name, rows in sorted(batch.rows.items(), key=lambda one: -one[1])[:_TABLES]:
            table.add_row(printable(name), f"{rows:,}", f"{batch.took.get(name, 0):.2f}")
        lines = [Text(printable(line_of(batch, self.rate)))]
        seconds = ", ".join(f"{name} {value:.1f} s" for name, value in batch.seconds.items())
        lines.append(
            Text(f"{many(self.messages, 'message')} since the start; the newest batch: {seconds}", style="dim")
        )
        lines += [Text(printable(one), style="yellow") for one in troubles(batch, self.path)]
        return Group(*lines, table) if batch.rows else Group(*lines)


@contextmanager
def shown(progress: Progress) -> Iterator[None]:
    """Refreshes a table on standard output while the block runs, if that is a terminal."""
    if progress.as_json or not sys.stdout.isatty():
        yield
        return
    from rich.live import Live

    with Live(get_renderable=progress.shown, console=console(), refresh_per_second=1) as live:
        progress.live = live
        yield


def line_of(batch: BatchDone, rate: float) -> str:
    """A batch as one line."""
    from tidewire.runtime.tso import TSO_SHIFT
    from tidewire.spark.sync.how_far import not_yet
    from tidewire.spark.sync.publish import time_of

    manifest = batch.manifest
    waiting = manifest.waiting()
    line = f"batch {manifest.number}: {many(manifest.messages, 'message')}, {rate:,.0f} a second"
    if "" in manifest.watermarks:
        return line  # rows are published key by key, without a resolved TSO
    if manifest.resolved:
        lag = max(0.0, time.time() - (manifest.resolved >> TSO_SHIFT) / 1000)
        what = "published" if batch.published else "resolved"
        line += f"; {what} {time_of(manifest.resolved)} ({manifest.resolved}), {ago(lag)}"
    later = not_yet(manifest)
    if later:
        line += f"; {tables_not_yet(later)}"
    if manifest.held:
        line += f"; {held_text(manifest.held)}"
    if waiting is not None and (later or not (batch.published or manifest.held)):
        line += f"; waits for a watermark of {place_of(*waiting)}"
    return line


def troubles(batch: BatchDone, path: str) -> list[str]:
    """Problems of a batch that need attention.

    Args:
        path: path of the synchronisation file, for recommended commands.
    """
    parked = [(one.name, one.parked) for one in batch.manifest.tables.values() if one.parked is not None]
    found = [with_file(f"parked {name}: {one.reason}; {one.remedy}", path, name) for name, one in parked]
    dead = sum(batch.manifest.dead.values())
    return [*found, *([f"{many(dead, 'message')} cannot be read"] if dead else [])]


def of_batch(batch: BatchDone) -> dict[str, Any]:
    """A batch as a JSON object."""
    from tidewire.runtime.tso import TSO_SHIFT
    from tidewire.spark.sync.how_far import not_yet
    from tidewire.spark.sync.letters import keys_waiting

    manifest = batch.manifest
    resolved = 0 if "" in manifest.watermarks else manifest.resolved
    return {
        "batch": manifest.number,
        "messages": manifest.messages,
        "offsets": manifest.offsets,
        "resolved": resolved,
        "lag": round(max(0.0, time.time() - (resolved >> TSO_SHIFT) / 1000), 3) if resolved else None,
        "published": batch.published,
        "waiting": manifest.waiting() if resolved or "" not in manifest.watermarks else None,
        "not_yet": {} if "" in manifest.watermarks else not_yet(manifest),
        "rows": batch.rows,
        "seconds": {name: round(value, 3) for name, value in batch.seconds.items()},
        "tables": {name: round(value, 3) for name, value in batch.took.items()},
        "held": sum(one.rows for one in manifest.held.values()),
        "parked": {one.name: one.parked.reason for one in manifest.tables.values() if one.parked is not None},
        "dead": sum(manifest.dead.values()),
        "keys": keys_waiting(manifest),
        "late": manifest.late,
        "notes": batch.notes,
    }

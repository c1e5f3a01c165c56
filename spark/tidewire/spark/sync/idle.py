"""A stream whose resolved ts stands still: no batch applies what waits, so that a timer does."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer
from time import monotonic

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import Hold, Manifest
from tidewire.spark.sync.holding import waiting


class Idle:
    """The timer of one stream."""

    def __init__(self, apply: Callable[[], object]) -> None:
        """Args:
        apply: applies what waits; called in a thread of its own.
        """
        self._apply = apply
        self._timer: Timer | None = None
        self._oldest = 0
        self._due = 0.0

    def after(self, manifest: Manifest, hold: Hold | None) -> None:
        """Sets the timer after a batch, or at a start: to when the oldest change has waited long enough.

        Args:
            manifest: the newest.
            hold: how long changes wait; None: what waits is from an earlier start, and is applied now.
        """
        self.cancel()
        if not manifest.held:
            return
        oldest = waiting(manifest.held).since
        left = 0 if hold is None else hold.age - (manifest.resolved - oldest)
        due = monotonic() + max(0, left >> TSO_SHIFT) / 1000
        # messages without a later watermark, as while a partition is silent, put nothing off
        self._due = min(due, self._due) if oldest == self._oldest else due
        self._oldest = oldest
        self._timer = Timer(max(0.0, self._due - monotonic()), self._apply)
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

"""A stream to which no messages come: no batch applies what waits, so that a timer does."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import Manifest
from tidewire.spark.sync.holding import waiting


class Idle:
    """The timer of one stream."""

    def __init__(self, apply: Callable[[], object]) -> None:
        """Args:
        apply: applies what waits; called in a thread of its own.
        """
        self._apply = apply
        self._timer: Timer | None = None

    def after(self, manifest: Manifest) -> None:
        """Sets the timer anew after a batch: to when its oldest change has waited long enough."""
        self.cancel()
        if manifest.held and manifest.bound is not None:
            left = manifest.bound[0] - (manifest.resolved - waiting(manifest.held).since)
            self._timer = Timer((left >> TSO_SHIFT) / 1000, self._apply)
            self._timer.daemon = True
            self._timer.start()

    def cancel(self) -> None:
        """Stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

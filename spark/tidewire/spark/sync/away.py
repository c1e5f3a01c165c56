"""Retries while a service such as a schema registry does not answer."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from tidewire.spark.sync.changelog import SourceError

_log = logging.getLogger("tidewire.spark")
DoneT = TypeVar("DoneT")
WAIT_SECONDS = 600
"""How long to wait for a registry that does not answer, in seconds."""
MOST_PAUSE = 30.0
"""The longest pause between two attempts, in seconds."""


def when_it_answers(what: Callable[[], DoneT], stopping: threading.Event) -> DoneT:
    """Calls a function that reads messages, and retries for up to `WAIT_SECONDS` while a registry does not answer.

    Args:
        what: the function.
        stopping: is set to end the wait.

    Raises:
        SourceError: it did not answer in time, or the synchronisation was stopped.
    """
    end = time.monotonic() + WAIT_SECONDS
    pause = 1.0
    while True:
        try:
            return what()
        except SourceError as error:
            left = end - time.monotonic()
            if left <= 0 or stopping.is_set():
                raise
            _log.warning("%s, for %d seconds more at most", error, left)
            if stopping.wait(min(pause, left)):
                raise
            pause = min(2 * pause, MOST_PAUSE)

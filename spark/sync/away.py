"""What does not answer for a while, such as a registry of schemas, is asked again."""

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
"""How long a registry that does not answer is waited for."""
MOST_PAUSE = 30.0
"""Seconds between two times that it is asked."""


def when_it_answers(what: Callable[[], DoneT], stopping: threading.Event) -> DoneT:
    """Reads messages, and does it again while a registry does not answer, for `WAIT_SECONDS` at most.

    Args:
        what: reads them.
        stopping: set when nobody wants to wait any more.

    Raises:
        SourceError: it did not answer in all that time, or the synchronisation was stopped.
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

"""Maintenance as in a rehearsal, which takes minutes and has no other readers and writers to spare files for."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from pathlib import Path

from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.maintaining.upkeep import Spared

OPTIONS = {"maintainEvery": "0.001s", "keepPublished": "45s"}
"""Tables are maintained after each batch. Of records, which are years old here, the newest two are kept; Delta keeps
removed files for this time.
"""
WAITING = {"applyAfter": f"{40 / (1000 << TSO_SHIFT):.12f}", "applyRows": 20}
"""Changes that wait do so as long as some statements of the topic take: its commit timestamps differ by 1, not by
milliseconds.
"""
SPARED = Spared(*[timedelta(0)] * len(Spared._fields))
"""Maintenance spares nothing, as nobody else reads or writes the tables."""
_AGE = 2 * 86400
"""Files of no version are younger than this when Iceberg leaves them (`iceberg.WRITERS`)."""


def age(folder: Path) -> None:
    """Has all files of Iceberg tables in a folder be older than those that its maintenance spares."""
    at = time.time() - _AGE
    for one in folder.rglob("*.*"):
        os.utime(one, (at, at))

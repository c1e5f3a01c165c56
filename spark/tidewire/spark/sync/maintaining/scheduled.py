"""Maintenance by a schedule: in the stream, between two of its batches."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.failures import JAVA_ENDED
from tidewire.spark.sync.maintaining.last import Maintained
from tidewire.spark.sync.maintaining.maintenance import Maintenance
from tidewire.spark.sync.maintaining.upkeep import Spared, Upkeep
from tidewire.spark.sync.planned import plain
from tidewire.spark.sync.state import Identity

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewire.spark.sync.publishing import Publishing

_log = logging.getLogger("tidewire.spark")


MOST = 60
"""For so many seconds a stream maintains tables between two batches, and until it is done with a table."""


class _Going(NamedTuple):
    """A maintenance that began, and the tables that it is done with."""

    maintenance: Maintenance
    began: float
    clean: bool
    every: list[Upkeep]


class Scheduled:
    """The maintenance of one synchronisation, when it is due."""

    def __init__(self, spark: SparkSession, state: str, chosen: Chosen, of: Identity) -> None:
        self._spark = spark
        self._state = state
        self._chosen = chosen
        self._of = of
        self._maintained = Maintained(state)
        self.spared = Spared()
        self.most = math.inf
        """After how many seconds the next batch goes first; other tables are maintained after it."""
        self._next = 0.0
        self._going: _Going | None = None

    def after_batch(self, publishing: Publishing, stopping: Callable[[], bool]) -> list[str]:
        """Maintains tables, if it is time to or some are left. Whatever fails is tried again at the next time.

        Returns:
            What failed, as sentences for the user.
        """
        waits = self._going is None and time.time() < self._next
        if not self._chosen.maintain_every or waits or stopping():
            return []
        try:
            return self._due(publishing, stopping)
        except JAVA_ENDED:
            raise
        except Exception as error:
            self._going = None
            return self._told([f"the tables were not maintained: {plain(error)}; it is tried again at the next time"])
        finally:
            self._next = max(self._next, time.time() + min(60, self._chosen.maintain_every))

    def _due(self, publishing: Publishing, stopping: Callable[[], bool]) -> list[str]:
        going = self._going or self._begun()
        if going is None:
            return []  # another process did it
        self._going = going
        until = time.monotonic() + self.most
        whole = True
        # tables are looked for anew: the batches since the last ones may have renamed and published them
        for one in going.maintenance.run(clean=going.clean, stopping=stopping):
            going.every.append(one)
            if time.monotonic() >= until:
                whole = False
                break
        publishing.written(going.maintenance.changed)
        going.maintenance.changed.clear()
        if not whole:
            return []
        self._going = None
        last = self._maintained.end(going.began, going.every)
        return self._told(
            [f"table {name}: {reason}; it is tried again at the next time" for name, reason in last.failures.items()]
        )

    def _begun(self) -> _Going | None:
        """A maintenance that is due."""
        self._next = self._maintained.began() + self._chosen.maintain_every
        if time.time() < self._next:
            return None
        clean = self._maintained.began(cleaned=True) + self.spared.clean_every.total_seconds() <= time.time()
        maintenance = Maintenance(self._spark, self._state, self._chosen, self._of, self.spared)
        began = self._maintained.begin(clean)
        self._next = began + self._chosen.maintain_every
        return _Going(maintenance, began, clean, [])

    def _told(self, notes: list[str]) -> list[str]:
        for one in notes:
            _log.warning("%s", one)
        return notes

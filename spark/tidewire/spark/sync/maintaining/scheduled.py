"""Maintenance by a schedule: in the stream, between two of its batches."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.failures import JAVA_ENDED
from tidewire.spark.sync.maintaining.last import Maintained
from tidewire.spark.sync.maintaining.maintenance import Maintenance
from tidewire.spark.sync.maintaining.upkeep import Spared
from tidewire.spark.sync.planned import plain
from tidewire.spark.sync.state import Identity

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewire.spark.sync.publishing import Publishing

_log = logging.getLogger("tidewire.spark")


class Scheduled:
    """The maintenance of one synchronisation, when it is due."""

    def __init__(self, spark: SparkSession, state: str, chosen: Chosen, of: Identity) -> None:
        self._spark = spark
        self._state = state
        self._chosen = chosen
        self._of = of
        self._maintained = Maintained(state)
        self.spared = Spared()
        self._next = 0.0
        self._maintenance: Maintenance | None = None

    def after_batch(self, publishing: Publishing, stopping: Callable[[], bool]) -> list[str]:
        """Maintains all tables, if it is time to. Whatever fails is tried again at the next time.

        Returns:
            What failed, as sentences for the user.
        """
        if not self._chosen.maintain_every or time.time() < self._next or stopping():
            return []
        try:
            return self._due(publishing, stopping)
        except JAVA_ENDED:
            raise
        except Exception as error:
            return self._told([f"the tables were not maintained: {plain(error)}; it is tried again at the next time"])
        finally:
            self._next = max(self._next, time.time() + min(60, self._chosen.maintain_every))

    def _due(self, publishing: Publishing, stopping: Callable[[], bool]) -> list[str]:
        self._next = self._maintained.began() + self._chosen.maintain_every
        if time.time() < self._next:
            return []  # another process did it
        clean = self._maintained.began(cleaned=True) + self.spared.unnamed.total_seconds() <= time.time()
        if self._maintenance is None:
            self._maintenance = Maintenance(self._spark, self._state, self._chosen, self._of, self.spared)
        began = self._maintained.begin(clean)
        self._next = began + self._chosen.maintain_every
        last = self._maintained.end(began, self._maintenance.run(clean=clean, stopping=stopping))
        publishing.written(self._maintenance.changed)
        self._maintenance.changed.clear()
        return self._told(
            [f"table {name}: {reason}; it is tried again at the next time" for name, reason in last.failures.items()]
        )

    def _told(self, notes: list[str]) -> list[str]:
        for one in notes:
            _log.warning("%s", one)
        return notes

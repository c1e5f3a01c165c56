"""When tables were maintained, and what came of it: two small files in the state's folder for each time.

The first is created when maintenance begins: one that is killed is not begun again at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.maintaining.upkeep import TABLE, Upkeep
from tidewire.spark.sync.storage import storage

_FOLDER = "maintenance"
_FORMAT = 1
_CLEANED, _PART, _DONE = "-cleaned.json", "-begun.json", "-done.json"
_KEPT = 2 * 86_400_000
"""Milliseconds for which the files stay; those of the newest time stay longer."""


class Last(NamedTuple):
    """The last maintenance.

    Attributes:
        began: in seconds since 1970.
        seconds: how long it took; None if it was not finished, or is going on.
        tables: how many tables were maintained.
        compacted, expired, removed: sums of `Upkeep`.
        failures: by table what failed, with the reason.
    """

    began: float
    seconds: float | None = None
    tables: int = 0
    compacted: int = 0
    expired: int = 0
    removed: int = 0
    failures: Mapping[str, str] = {}


class Maintained:
    """The times at which the tables of a state were maintained."""

    def __init__(self, state: str) -> None:
        self._files = storage(state)

    def began(self, cleaned: bool = False) -> float:
        """When the last maintenance began, in seconds since 1970; 0 for never.

        Args:
            cleaned: whether only those count that looked for files of no version.
        """
        ends = (_CLEANED,) if cleaned else (_CLEANED, _PART)
        return max((_number(one) for one in self._names() if one.endswith(ends)), default=0) / 1000

    def begin(self, clean: bool) -> float:
        """Notes that maintenance begins. Returns when, for `end`."""
        now = int(time.time() * 1000)
        self._files.create(_path(now, _CLEANED if clean else _PART), json.dumps({"format": _FORMAT}))
        for one in self._names():
            if _number(one) < now - _KEPT:
                self._files.remove(f"{_FOLDER}/{one}")
        return now / 1000

    def end(self, began: float, every: Iterable[Upkeep]) -> Last:
        """Notes what came of it."""
        every = list(every)
        failures = {
            f"{one.table}{'' if one.kind == TABLE else f' ({one.kind})'}": "; ".join(one.failures)
            for one in every
            if one.failures
        }
        last = Last(
            began,
            round(max(0.0, time.time() - began), 3),
            len(every),
            sum(one.compacted for one in every),
            sum(one.expired for one in every),
            sum(one.removed for one in every),
            failures,
        )
        self._files.create(
            _path(round(began * 1000), _DONE), json.dumps({"format": _FORMAT, **last._asdict()}, ensure_ascii=False)
        )
        return last

    def last(self) -> Last | None:
        """The last maintenance; None if there was none."""
        began = self.began()
        if not began:
            return None
        number = round(began * 1000)
        if _path(number, _DONE).rpartition("/")[2] not in self._names():
            return Last(began)
        return self._read(_path(number, _DONE))

    def every(self) -> list[Last]:
        """All that are remembered, the oldest first."""
        names = self._names()
        done = {_number(one) for one in names if one.endswith(_DONE)}
        began = sorted(_number(one) for one in names if not one.endswith(_DONE))
        return [self._read(_path(one, _DONE)) if one in done else Last(one / 1000) for one in began]

    def _read(self, path: str) -> Last:
        try:
            of = json.loads(self._files.read(path))
            return Last(*(of[name] for name in Last._fields))
        except (ValueError, KeyError, TypeError):
            raise StateError(f"{self._files.shown(path)} is damaged: remove it") from None

    def _names(self) -> list[str]:
        return [one for one in self._files.names(_FOLDER) if one.endswith((_CLEANED, _PART, _DONE))]


def _path(number: int, end: str) -> str:
    return f"{_FOLDER}/{number:015d}{end}"


def _number(name: str) -> int:
    """The milliseconds since 1970 in a name; 0 for another file."""
    text = name.partition("-")[0]
    return int(text) if text.isdigit() else 0

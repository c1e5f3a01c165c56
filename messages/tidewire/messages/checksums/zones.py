"""Converts local times to UTC by Go's rules, with which producers compute checksums."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from tidewire.runtime import cython

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOWHERE: cython.longlong = -(1 << 62)
"""The result for a local time that does not exist."""
LEAST: cython.longlong = -62135596800
"""The first second of year 1, counted from 1970."""
GREATEST: cython.longlong = 253402300799
"""The last second of year 9999, counted from 1970."""
HOURS: cython.longlong = 20_000_000
"""Hours that are added before a division to avoid negative dividends."""
MOST_HOURS = 1 << 16
"""The most hours per zone whose offset is cached; then all are dropped."""
MOST_ZONES = 256
"""The most zones that are cached; then all are dropped."""
UNKNOWN = ("", "system", "local")
"""Names, in lower case, that stand for the zone of the producer's machine, which is unknown here: pingcap/tiflow
pkg/util/tz.go.
"""

_OFFSET = re.compile(r"([+-])([0-9]{1,2}):([0-9]{2})")


class Zone:
    """A time zone.

    Offsets are cached per local hour: if the offset is equal at both ends of an hour, it is constant in between. An
    hour with a transition is computed second by second.

    Attributes:
        utc: whether local times equal UTC.
    """

    def __init__(self, rules: tzinfo | None, offset: cython.longlong = 0) -> None:
        """Args:
            rules: the zone's offsets; None for a constant offset.
            offset: the constant offset in seconds east of UTC.
        """
        self.rules = rules
        self.offset = offset
        self.utc = rules is None and offset == 0
        self.steady = rules is None
        self.hour = -1
        self.known: dict[int, int] = {}

    def to_utc(self, local: cython.longlong) -> cython.longlong:
        """Converts a local time to seconds since 1970 in UTC.

        Args:
            local: seconds since 1970 of the local time, as if it were UTC.

        Returns:
            -(1 << 62) if the local time does not exist (clocks were put forward) or is not in the years 1 to 9999.
        """
        hour: cython.longlong
        found: cython.longlong
        if self.rules is not None:
            hour = (local + 3600 * HOURS) // 3600
            if hour != self.hour:
                self._enter(hour)
        found = local - self.offset if self.steady else self.exactly(local)
        return found if LEAST <= found <= GREATEST else NOWHERE

    def _enter(self, hour: cython.longlong) -> cython.int:
        """Loads the offset of this hour into the cache."""
        first: cython.longlong
        last: cython.longlong
        offset = self.known.get(hour)
        if offset is None:
            first = (hour - HOURS) * 3600
            last = first + 3599
            offset = NOWHERE
            if self.exactly(first) != NOWHERE and first - self.exactly(first) == last - self.exactly(last):
                offset = first - self.exactly(first)
            if len(self.known) >= MOST_HOURS:
                self.known.clear()
            self.known[hour] = offset
        self.hour = hour
        self.offset = offset
        self.steady = offset != NOWHERE
        return 0

    def exactly(self, local: cython.longlong) -> cython.longlong:
        """`to_utc` without the cache.

        An ambiguous local time gets the offset that Go finds in two steps: the offset at that time taken as UTC, then
        the offset at the resulting time (func Date of Go's package time).
        """
        offset = self.offset_at(local)
        if offset is not None:
            offset = self.offset_at(local - offset)
        if offset is None or self.offset_at(local - offset) != offset:
            return NOWHERE
        found: cython.longlong = local - offset
        return found

    def offset_at(self, seconds: int) -> int | None:
        """Seconds east of UTC at a time in UTC; None if it is out of range."""
        if self.rules is None:
            return int(self.offset)
        try:
            there = (EPOCH + timedelta(seconds=seconds)).astimezone(self.rules).utcoffset()
        except OverflowError:
            return None
        return None if there is None else there // timedelta(seconds=1)


class Zones:
    """The zones used so far. Not thread-safe, since zones cache their last look-up."""

    def __init__(self) -> None:
        self.known: dict[bytes, Zone | None] = {}

    def of(self, name: bytes) -> Zone | None:
        """The zone with a name in UTF-8; None if the name stands for no particular zone, or is unknown."""
        if name not in self.known:
            if len(self.known) >= MOST_ZONES:
                self.known.clear()
            self.known[name] = zone_of(name.decode("utf-8", "replace"))
        return self.known[name]


def zone_of(name: str) -> Zone | None:
    """The zone with a name: one of the IANA database, an offset such as ``+08:00``, or UTC. None if the name stands for
    no particular zone (`SYSTEM`), or is unknown.
    """
    if name.lower() in UNKNOWN:
        return None
    if name in ("UTC", "Etc/UTC", "Z"):
        return Zone(None)
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        hours, minutes = int(offset[2]), int(offset[3])
        if hours > 14 or minutes > 59:
            return None
        return Zone(None, (60 * hours + minutes) * (-60 if offset[1] == "-" else 60))
    try:
        return Zone(ZoneInfo(name))
    except (LookupError, ValueError, OSError):  # an unknown zone, an invalid name, or a folder of zones
        return None

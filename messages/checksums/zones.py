"""Local times of a time zone as times in UTC, with Go's rules, in which producers have computed the checksums."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from tidewire.runtime import cython

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOWHERE: cython.longlong = -(1 << 62)
"""Stands for the seconds of a time that there is not."""
LEAST: cython.longlong = -62135596800
"""The first second of the year 1, since 1970."""
GREATEST: cython.longlong = 253402300799
"""The last second of the year 9999."""
HOURS: cython.longlong = 20_000_000
"""Hours that are added before a division, so that nothing negative is divided."""
MOST_HOURS = 1 << 16
"""Hours of a zone whose offset is remembered; at more, all are forgotten."""
MOST_ZONES = 256
"""Zones that are remembered; at more, all are forgotten."""
UNKNOWN = ("", "system", "local")
"""Names, in lower case, that say no zone but that of the producer's machine: pingcap/tiflow pkg/util/tz.go."""

_OFFSET = re.compile(r"([+-])([0-9]{1,2}):([0-9]{2})")


class Zone:
    """A time zone.

    The offset of an hour is asked for once: where it is the same at both ends of a local hour, it is the same in
    between. An hour with a transition in it is looked at second by second.

    Attributes:
        utc: whether local times are those of UTC.
    """

    def __init__(self, rules: tzinfo | None, offset: cython.longlong = 0) -> None:
        """
        Args:
            rules: its offsets; None for the one offset that follows.
            offset: seconds east of UTC.
        """
        self.rules = rules
        self.offset = offset
        self.utc = rules is None and offset == 0
        self.steady = rules is None
        self.hour = -1
        self.known: dict[int, int] = {}

    def to_utc(self, local: cython.longlong) -> cython.longlong:
        """The seconds since 1970 in UTC of a local time.

        Args:
            local: its seconds since 1970, as if it were UTC.

        Returns:
            -(1 << 62) when the zone has no such time (clocks were put forward), or it is none of the years 1 to 9999.
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
        """Makes this hour the one whose offset is known."""
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
        """The same as `to_utc`, without what is remembered.

        Of a local time that there is twice, Go takes the one with the offset that is found in two steps: the offset at
        that time in UTC, and then the offset at the time which follows from it (func Date of Go's package time).
        """
        offset = self.offset_at(local)
        if offset is not None:
            offset = self.offset_at(local - offset)
        if offset is None or self.offset_at(local - offset) != offset:
            return NOWHERE
        found: cython.longlong = local - offset
        return found

    def offset_at(self, seconds: int) -> int | None:
        """Seconds east of UTC at a time in UTC; None where no time can be told."""
        if self.rules is None:
            return int(self.offset)
        try:
            there = (EPOCH + timedelta(seconds=seconds)).astimezone(self.rules).utcoffset()
        except OverflowError:
            return None
        return None if there is None else there // timedelta(seconds=1)


class Zones:
    """The zones that were asked for. Threads must not share it: a zone remembers where it looked last."""

    def __init__(self) -> None:
        self.known: dict[bytes, Zone | None] = {}

    def of(self, name: bytes) -> Zone | None:
        """The zone with that name, in UTF-8; None for a name that says none, or that is not known here."""
        if name not in self.known:
            if len(self.known) >= MOST_ZONES:
                self.known.clear()
            self.known[name] = zone_of(name.decode("utf-8", "replace"))
        return self.known[name]


def zone_of(name: str) -> Zone | None:
    """The zone with that name: of the IANA's database, an offset such as ``+08:00``, or UTC.

    None for a name that says none (`SYSTEM`), or that is not known here.
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
    except (LookupError, ValueError, OSError):  # no such zone, no name of a zone, a folder of zones
        return None

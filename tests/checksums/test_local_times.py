"""Conversion of local times to UTC, compared with Python's own."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from simple.checksums import NoSuchTime, in_utc
from simple.checksums import zone_of as plain_zone

from checksums.rows import MOMENT, TIMES, checked, events_of, located, row_sum
from tidewire.messages.checksums.checking import Checked
from tidewire.messages.checksums.zones import Zone, zone_of

pytestmark = pytest.mark.codec

NOWHERE = -(1 << 62)


def test_local_times_of_hostile_zones() -> None:
    chance = random.Random(7)
    names = [
        "America/New_York",
        "Europe/London",
        "Europe/Berlin",
        "Australia/Lord_Howe",
        "Asia/Kathmandu",
        "Africa/Casablanca",
        "Pacific/Apia",
        "America/St_Johns",
        "Africa/Monrovia",
        "Antarctica/Troll",
        "Atlantic/Azores",
        "Asia/Pyongyang",
        "Asia/Gaza",
        "Europe/Dublin",
        "+14:00",
        "-12:59",
    ]
    for name in names:
        zone = zone_of(name)
        assert zone is not None
        seconds = [chance.randrange(0, 2**31) for _ in range(300)]
        # around the transitions of some years, minute by minute
        seconds += [one for year in (1996, 2011, 2021) for one in range(*transition(name, year), 60)]
        for one in seconds:
            plain = datetime(1970, 1, 1) + timedelta(seconds=one)
            try:
                text = in_utc(located("timestamp", f"{plain:%Y-%m-%d %H:%M:%S}", name))
                wanted = int((datetime.fromisoformat(text) - datetime(1970, 1, 1)).total_seconds())
            except NoSuchTime:
                wanted = NOWHERE
            assert zone.to_utc(one) == wanted, (name, plain)
            assert fresh(name).to_utc(one) == wanted


def fresh(name: str) -> Zone:
    found = zone_of(name)
    assert found is not None
    return found


def transition(name: str, year: int) -> tuple[int, int]:
    """The local hours around the last transition of a year, as if they were in UTC; none: an empty range."""
    zone = plain_zone(name)
    start = int(datetime(year, 1, 1, tzinfo=UTC).timestamp())
    last = None
    for hour in range(start, start + 366 * 86400, 3600):
        offset = datetime.fromtimestamp(hour, zone).utcoffset()
        if last is not None and offset != last:
            assert offset is not None
            start = hour + int(offset.total_seconds())
        last = offset
    return (start - 3 * 3600, start + 3 * 3600)


def test_times_of_every_day_are_written() -> None:
    """One second for every day of years around leap years, in a zone that moves the day."""
    columns = MOMENT
    days = [
        datetime(year, 1, 1, 20, 59, 58) + timedelta(days=day)
        for year in (1, 1600, 1900, 1999, 2024, 9998)
        for day in range(366)
    ]
    given_rows = [{"a": f"{day.year:04}{day:-%m-%d %H:%M:%S.123}"} for day in days]
    sums = [row_sum(columns, row, "-09:30") for row in given_rows]
    assert checked(events_of(given_rows, columns, sums, time_zone="-09:30"), TIMES) == Checked([], [])

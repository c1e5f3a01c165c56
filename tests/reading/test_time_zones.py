"""An invalid time zone: the same sentence everywhere, with a suggestion, and no library's error text."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from commands import tidewire as command

import tidewire
from tidewire import avro
from tidewire.reading.options import check_timezone
from tidewire.runtime.wire.calendar import offset_seconds

MEANT = {
    "UTC+8": "+08:00 or Asia/Shanghai",
    "utc+08:00": "+08:00 or Asia/Shanghai",
    "GMT+8": "+08:00 or Asia/Shanghai",
    "8": "+08:00 or Asia/Shanghai",
    "+8": "+08:00 or Asia/Shanghai",
    "08:00": "+08:00 or Asia/Shanghai",
    "CST": "Asia/Shanghai, +08:00 or America/Chicago",
    "Beijing": "Asia/Shanghai or +08:00",
    "Asia/Beijing": "Asia/Shanghai or +08:00",
    "UTC-5": "-05:00",
    "UTC+5:30": "+05:30",
    "IST": "Asia/Kolkata",
    "tokyo": "Asia/Tokyo",
    "New York": "America/New_York",
    "asia/shanghai": "Asia/Shanghai",
    "Asia/Shangai": "Asia/Shanghai",
}
NONE = ("Mars", "99", "/etc/passwd", "SYSTEM", "x" * 5000, "a\0b", "+24:00")


EXAMPLE = Path(__file__).resolve().parents[2] / "examples/craft_topic.jsonl.gz"


def _read(name: str) -> None:
    tidewire.read_table(EXAMPLE, "test.k_comp", "craft", timezone=name)


WAYS: tuple[Callable[[str], object], ...] = (
    check_timezone,
    _read,
    lambda name: avro.Options(time_zone=name),
    lambda name: avro.Options.from_strings({"time-zone": name}),
    partial(offset_seconds, seconds=int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())),
)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("name", "meant"), MEANT.items())
def test_the_zone_that_was_meant_is_said(way: Callable[[str], object], name: str, meant: str) -> None:
    said = f"{name!r} is not known; did you mean {meant}? It is the time zone of the changefeed: an IANA name such as "
    with pytest.raises(ValueError, match=f"{re.escape(said)}Asia/Shanghai, or \\+08:00$"):
        way(name)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NONE)
def test_what_is_no_zone_is_said_in_the_same_words(way: Callable[[str], object], name: str) -> None:
    with pytest.raises(ValueError, match=r"is not known\. It is the time zone of the changefeed: an IANA n") as caught:
        way(name)
    assert "ocate" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("protocol", ["craft", "avro"])
def test_on_the_command_line(protocol: str) -> None:
    found = command("decode", "-p", protocol, EXAMPLE, "--table", "test.k_comp", "--to", "arrow", "-o", "timezone=8")
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.endswith(
        "'8' is not known; did you mean +08:00 or Asia/Shanghai? It is the time zone of the changefeed: an IANA name "
        "such as Asia/Shanghai, or +08:00\n"
    )

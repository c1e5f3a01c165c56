"""Errors about unknown time zones, with a suggestion of the intended one."""

from __future__ import annotations

import difflib
import re
from zoneinfo import available_timezones

from tidewire.runtime.shortened import MOST_SHOWN, shown

CHINA = "Asia/Shanghai"
_OFFSET = re.compile(r"(?:(?:etc/)?(?:utc|gmt))?\s*([+-]?)\s*([0-9]{1,2})(?::?([0-9]{2}))?(?::00)?", re.IGNORECASE)
"""An offset as people write it: UTC+8, GMT+08:00, +8, 8."""
_MOST_HOURS = 14
_USUAL = {
    **dict.fromkeys(("z", "zulu"), ("UTC",)),
    "cst": (CHINA, "+08:00", "America/Chicago"),
    **dict.fromkeys(("beijing", "peking", "china", "北京", "中国"), (CHINA, "+08:00")),
    **dict.fromkeys(("ist", "india"), ("Asia/Kolkata",)),
    **dict.fromkeys(("kst", "korea"), ("Asia/Seoul",)),
    **dict.fromkeys(("pst", "pdt"), ("America/Los_Angeles",)),
    **dict.fromkeys(("cet", "cest"), ("Europe/Berlin",)),
    **dict.fromkeys(("aest", "aedt"), ("Australia/Sydney",)),
    "jst": ("Asia/Tokyo",),
    "sgt": ("Asia/Singapore",),
    "hkt": ("Asia/Hong_Kong",),
    "mdt": ("America/Denver",),
    "cdt": ("America/Chicago",),
    "edt": ("America/New_York",),
    "bst": ("Europe/London",),
    "msk": ("Europe/Moscow",),
}
"""Common names that are not in the IANA database, in lower case, with the zones that they mean."""


def unknown_zone(name: str) -> str:
    """The end of a sentence whose subject is the wrong time zone: `'UTC+8' is not known; ...`"""
    *others, last = _meant(name) or ("",)
    hint = f"; did you mean {', '.join(others)}{' or ' if others else ''}{last}?" if last else "."
    return (
        f"{shown(name)} is not known{hint} It is the time zone of the changefeed: an IANA name such as "
        f"{CHINA}, or +08:00"
    )


def _meant(name: str) -> tuple[str, ...]:
    """The time zones that were probably intended, the most likely one first."""
    folded = name.strip()[:MOST_SHOWN].casefold()
    offset = _OFFSET.fullmatch(folded)
    if offset is not None:
        hours, minutes = int(offset[2]), int(offset[3] or 0)
        if hours > _MOST_HOURS or minutes > 59:
            return ()
        if not hours and not minutes:
            return ("UTC",)
        said = f"{offset[1] or '+'}{hours:02}:{minutes:02}"
        return (said, CHINA) if said == "+08:00" else (said,)
    place = folded.rpartition("/")[2].replace(" ", "_")
    if place in _USUAL:
        return _USUAL[place]
    known = {zone.casefold(): zone for zone in sorted(available_timezones(), reverse=True)}
    if folded in known:
        return (known[folded],)
    places: dict[str, str] = {}
    for zone in sorted(available_timezones()):
        places.setdefault(zone.casefold().rpartition("/")[2], zone)
    if place in places:
        return (places[place],)
    near = difflib.get_close_matches(folded, known, n=1, cutoff=0.75)
    return (known[near[0]],) if near else ()

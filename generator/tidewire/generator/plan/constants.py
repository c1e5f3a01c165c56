"""The names of constants in printed code, made unique."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

from ..model import Events

RESERVED = frozenset(
    """
    BYTES FLOAT INT NOTHING RAW_TEXT TEXT UINT
    BATCH COUNT DUPLICATE MISSING MIXED ROWS TRAILING UNNAMED UTF8
    CHECKED_TEXT ENUM_TEXT FLOAT32_TEXT FLOAT64_TEXT INT_TEXT LATIN1_TEXT SET_TEXT UINT_TEXT UNCHECKED_TEXT
    BUILDER CARRIED CODES DDL_CLASSES EPOCH EVENT_COLUMNS EVENT_POSITIONS EVENT_SCHEMA EVENT_STORAGE FIELDS KINDS
    KIND_NAMES NAMED NAMES SPELLING SPELLINGS STORAGE TEXTS TYPES TYPE_CHECKING UTC
    """.split()  # noqa: SIM905
)
"""Names that printed modules use themselves."""


def constant(text: str) -> str:
    """The name of a constant for a text."""
    return re.sub(r"\W", "_", text, flags=re.ASCII).upper() or "_"


def apart(names: Iterable[str], suffix: str, taken: Container[str]) -> tuple[str, ...]:
    """The names made unique among each other and against `taken`: by the suffix, then by a number."""
    found: list[str] = []
    for name in names:
        chosen, number = name, 1
        while chosen in taken or chosen in found:
            chosen = f"{name}_{suffix}" if number == 1 else f"{name}_{suffix}_{number}"
            number += 1
        found.append(chosen)
    return tuple(found)


def kind_constants(events: Events) -> dict[str, str]:
    """The constant of each kind of events."""
    names = apart((constant(name) for name in events.kinds), "KIND", RESERVED)
    return dict(zip(map(str, events.kinds), names, strict=True))


def column_constants(events: Events, columns: Sequence[str]) -> dict[str, str]:
    """The constant of each column of events."""
    taken = RESERVED | set(kind_constants(events).values())
    return dict(zip(columns, apart(map(constant, columns), "COLUMN", taken), strict=True))

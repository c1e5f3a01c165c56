"""Rows whose values differ as those of real tables do: nulls, lengths, scripts, signs and magnitudes.

:func:`varied` makes updates or inserts of one table that has the column types of the recorded one, but for a DATE in
place of TINYINT; every row is another one. What a column holds stands in :data:`COLUMNS`; which columns an update
changes is decided for each column and row, with even odds. The same arguments make the same rows in every run.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

from benchmarks.cases import (
    BIGINT,
    DATE,
    DATETIME,
    DECIMAL,
    DOUBLE,
    FLOAT,
    INT,
    ONE_MILLISECOND,
    VARCHAR,
    Change,
    ColumnDef,
    Value,
    as_float32,
)

COUNT, QUICK_COUNT = 65_536, 4_096
"""Rows of a run, and of a quick one: every one of them is another one."""
LONGEST = 600
"""Most bytes of a text."""
DECIMAL_DIGITS = (30, 4)
"""Digits of a DECIMAL, and those behind the point."""

_FIRST_TSO = 470607709161390080
_LETTERS = "abcdefghijklmnopqrstuvwxyzäöüßéèñçøåłž"
_POOL = 1 << 14
"""Characters of each script from which texts are cut."""


class VariedColumn(NamedTuple):
    """A column: what it is, what share of its values is NULL, and how one that is not is made."""

    definition: ColumnDef
    nulls: float
    make: Callable[[random.Random], Value]


def _words(alphabet: str, seed: random.Random) -> str:
    """Words of 1 to 12 letters of an alphabet, with spaces between them."""
    made: list[str] = []
    while sum(map(len, made)) + len(made) < _POOL:
        made.append("".join(seed.choices(alphabet, k=seed.randrange(1, 13))))
    return " ".join(made)


def _documents(seed: random.Random) -> str:
    """JSON objects, one behind the other: quotes that JSON has to escape."""
    made: list[str] = []
    while sum(map(len, made)) < _POOL:
        item = {"sku": f"A-{seed.randrange(10**6)}", "tags": ["new", "sale"], "path": "C:\\in"}
        made.append(json.dumps(item) + "\n")
    return "".join(made)


def _markup(seed: random.Random) -> str:
    """HTML: brackets and ampersands, which Go's JSON writes as escapes."""
    made: list[str] = []
    while sum(map(len, made)) < _POOL:
        made.append(f"<p class='c{seed.randrange(10)}'>{_LETTERS[: seed.randrange(3, 26)]} &amp; more</p>")
    return "".join(made)


def _pools() -> list[tuple[float, str]]:
    """(share of the texts, what they are cut from), the same in every run."""
    seed = random.Random(8)
    chinese = "".join(map(chr, range(0x4E00, 0x5E00)))
    emoji = "".join(map(chr, range(0x1F600, 0x1F640))) + "abc"
    return [
        (0.55, _words(_LETTERS[:26] + _LETTERS[:26].upper() + "0123456789", seed)),
        (0.15, _words(_LETTERS, seed)),
        (0.15, _words(chinese, seed)),
        (0.05, _words(emoji, seed)),
        (0.05, _documents(seed)),
        (0.05, _markup(seed)),
    ]


_POOLS = _pools()
_LENGTHS = ((0.1, 0, 0), (0.5, 1, 30), (0.3, 31, 120), (0.1, 121, 400))
"""(share, shortest, longest) of the characters of a text."""


def _text(seed: random.Random) -> str:
    ((_, pool),) = seed.choices(_POOLS, [share for share, _ in _POOLS])
    ((_, shortest, longest),) = seed.choices(_LENGTHS, [share for share, _, _ in _LENGTHS])
    length = seed.randint(shortest, longest)
    start = seed.randrange(_POOL - length)
    made = pool[start : start + length]
    return made if len(made.encode()) <= LONGEST else made.encode()[:LONGEST].decode(errors="ignore")


def _big(seed: random.Random) -> int:
    """All magnitudes alike, from 1 digit to 19, both signs; 0 and both ends now and then."""
    if seed.random() < 0.02:
        return seed.choice((0, (1 << 63) - 1, -(1 << 63)))
    return seed.choice((1, -1)) * seed.getrandbits(seed.randrange(1, 64))


def _decimal(seed: random.Random) -> str:
    """Of `DECIMAL_DIGITS`: 1 to 26 digits before the point."""
    digits = seed.randrange(1, 27)
    return f"{'-' if seed.random() < 0.3 else ''}{seed.randrange(1, 10**digits)}.{seed.randrange(10**4):04d}"


def _date(seed: random.Random) -> str:
    return f"{seed.randrange(1000, 10000)}-{seed.randrange(1, 13):02d}-{seed.randrange(1, 29):02d}"


def _datetime(seed: random.Random) -> str:
    """DATETIME(3)."""
    clock = f"{seed.randrange(24):02d}:{seed.randrange(60):02d}:{seed.randrange(60):02d}"
    return f"{_date(seed)} {clock}.{seed.randrange(1000):03d}"


def _float(seed: random.Random) -> float:
    return as_float32(seed.choice((1, -1)) * seed.uniform(1, 10) * 10.0 ** seed.randrange(-5, 7))


def _double(seed: random.Random) -> float:
    return seed.choice((1, -1)) * seed.uniform(1, 10) * 10.0 ** seed.randrange(-5, 18)


KEY = ColumnDef("id", INT, 0x0B)
COLUMNS = (
    VariedColumn(ColumnDef("big", BIGINT, 0x41), 0.02, _big),
    VariedColumn(ColumnDef("name", VARCHAR, 0x40), 0.25, _text),
    VariedColumn(ColumnDef("amount", DECIMAL, 0x41), 0.10, _decimal),
    VariedColumn(ColumnDef("at", DATETIME, 0x41), 0.05, _datetime),
    VariedColumn(ColumnDef("f", FLOAT, 0x41), 0.50, _float),
    VariedColumn(ColumnDef("d", DOUBLE, 0x41), 0.10, _double),
    VariedColumn(ColumnDef("day", DATE, 0x41), 0.33, _date),
)
"""All columns but the key, an INT of either sign."""


def varied(count: int = COUNT, kind: str = "update", seed: int = 1) -> list[Change]:
    """``count`` updates or inserts, each with a key of its own and a commit ts not below the one before."""
    chance = random.Random(f"{seed} {kind}")
    columns = (KEY, *(column.definition for column in COLUMNS))
    keys = chance.sample(range(-(1 << 31), 1 << 31), count)
    rows = []
    commit_ts = _FIRST_TSO
    for key in keys:
        commit_ts += chance.choice((0, 1, ONE_MILLISECOND, 7 * ONE_MILLISECOND + 3))
        first: dict[str, Any] = {KEY.name: key} | {c.definition.name: _value(c, chance) for c in COLUMNS}
        if kind == "insert":
            rows.append(Change(commit_ts, "shop", "varied", columns, first, {}, kind=kind, decimal=DECIMAL_DIGITS))
            continue
        second = {KEY.name: key} | {
            c.definition.name: _value(c, chance) if chance.random() < 0.5 else first[c.definition.name] for c in COLUMNS
        }
        rows.append(Change(commit_ts, "shop", "varied", columns, second, first, decimal=DECIMAL_DIGITS))
    return rows


def _value(column: VariedColumn, seed: random.Random) -> Value:
    return None if seed.random() < column.nulls else column.make(seed)

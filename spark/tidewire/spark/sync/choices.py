"""The user's choices: which tables are kept and how, and the options of a synchronisation."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tidewire.reading.table_names import split
from tidewire.runtime.errors import OptionError
from tidewire.runtime.tso import TSO_SHIFT
from tidewire.spark.sync.changelog import Hold
from tidewire.spark.sync.rules import LATE, MODES, Rules
from tidewire.spark.sync.wanted import EVERYTHING, Wanted

KINDS = ("state", "history")
"""How a table is kept: its current rows, or all of its changes."""
CONSISTENCY = ("tables", "key")
"""What readers can rely on: all tables are published at one TSO, or each key is as its last change left it."""
ORDERS = ("commit", "offset")
"""What orders the changes of a key with consistency=key: their commit ts, or the message offsets."""
ENGINES = ("auto", "native", "merge")
"""What merges changes: workers where they can, else Spark's MERGE; only workers; only MERGE."""
MOST_HELD = 100_000
"""A table with so many changes is applied before `applyAfter`."""
SKIP = "skip"
Tables = str | Iterable[str] | Mapping[str, Any]
"""Patterns of tables; as a mapping with the choices for each: `{"mode": "history", "schema_changes": "park"}`, or
`"skip"`.
"""
_PER_TABLE = {"mode": KINDS, "schema_changes": MODES}


@dataclass(frozen=True)
class Chosen:
    """The choices.

    Attributes:
        wanted: which tables.
        rules: how they are kept.
        threads: how many tables are written at once.
        keep_published: for how many seconds records, and the versions that they name, are kept.
        maintain_every: after how many seconds a stream maintains its tables again; 0: it does not.
        compact: whether maintenance writes small files into fewer.
        partitions: how many partitions topics have, for a source other than Kafka.
        order: with consistency=key, what orders the changes of a key, one of `ORDERS`; otherwise empty.
        engine: what merges changes, one of `ENGINES`.
        few: a table with fewer rows in a task is staged as messages; None: as `mixed.FEW` and `MANY` say.
        reading: the other options, for reading messages.
    """

    wanted: Wanted = EVERYTHING
    rules: Rules = field(default_factory=Rules)
    threads: int = 4
    keep_published: float = 7 * 86400
    maintain_every: float = 0
    compact: bool = True
    partitions: Mapping[str, int] = field(default_factory=dict)
    order: str = ""
    engine: str = "auto"
    few: int | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def by_key(self) -> bool:
        """Whether consistency=key: the stream has no watermarks or no commit timestamps."""
        return bool(self.order)


@dataclass(frozen=True)
class _ByPattern:
    """The choice for a table is that of the first pattern that matches it."""

    patterns: tuple[tuple[Wanted, str], ...]
    other: str

    def __call__(self, name: str) -> str:
        return next((value for wanted, value in self.patterns if wanted.named(name)), self.other)


def chosen(tables: Tables, options: Mapping[str, Any] | None) -> Chosen:
    """The choices from tables and options.

    Raises:
        OptionError: an option is unknown or has a value that it cannot have.
    """
    found = Chosen()
    reading: dict[str, Any] = {}
    mode, late, keep = "lenient", "count", 3600.0
    by_key, order = False, ""
    after, most = 0.0, 0
    for given, value in (options or {}).items():
        name = given.replace("_", "").lower()
        if name == "schemachanges":
            mode = _one_of("schemaChanges", value, MODES)
        elif name == "consistency":
            by_key = _one_of("consistency", value, CONSISTENCY) == "key"
        elif name == "order":
            order = _one_of("order", value, ORDERS)
        elif name == "late":
            late = _one_of("late", value, LATE)
        elif name == "keepstaged":
            keep = seconds("keepStaged", value)
        elif name == "applyafter":
            after = seconds("applyAfter", value)
        elif name == "applyrows":
            most = _number("applyRows", value, 1)
        elif name == "threads":
            found = replace(found, threads=_number("threads", value, 1))
        elif name == "keeppublished":
            found = replace(found, keep_published=seconds("keepPublished", value))
        elif name == "maintainevery":
            found = replace(found, maintain_every=seconds("maintainEvery", value))
            if not found.maintain_every:
                raise OptionError(f"maintainEvery={value!r} is never: leave it out, or give a time such as 1h")
        elif name == "compact":
            found = replace(found, compact=_one_of("compact", str(value).lower(), ("true", "false")) == "true")
        elif name == "engine":
            found = replace(found, engine=_one_of("engine", value, ENGINES))
        elif name == "few":
            found = replace(found, few=_number("few", value, 0))
        elif name == "partitions":
            found = replace(found, partitions=_partitions(value))
        else:
            reading[given] = value
    wanted, modes, kinds = _tables(tables)
    kind = _ByPattern(kinds, "state")
    if order and not by_key:
        raise OptionError(f"order={order} is for consistency=key; tables at one TSO are in the order of commit ts")
    found = replace(found, order=(order or ORDERS[0]) if by_key else "")
    if found.by_key and any(value == "history" for _, value in kinds):
        raise OptionError(
            "consistency=key keeps no history tables: without watermarks nothing tells that all changes up to a commit"
            " ts are there, or that one came before; leave out mode: history"
        )
    if after and by_key:
        raise OptionError("applyAfter is for tables at one TSO, and consistency=key applies each batch: leave out one")
    if most and not after:
        raise OptionError(
            "applyRows is for changes that wait: give applyAfter (apply.after in a file), too, such as applyAfter=5m"
        )
    rules = Rules(
        mode=_ByPattern(modes, mode),
        history=lambda name: kind(name) == "history",
        late=late,
        keep=0 if late == "count" else int(keep * 1000),
        wanted=wanted,
        hold=Hold(int(after * 1000 * (1 << TSO_SHIFT)), most or MOST_HELD) if after else None,
    )
    return replace(found, wanted=wanted, rules=rules, reading=reading)


def _tables(tables: Tables) -> tuple[Wanted, tuple[tuple[Wanted, str], ...], tuple[tuple[Wanted, str], ...]]:
    """The tables to keep, and by pattern their modes and kinds."""
    if isinstance(tables, str):
        tables = [one.strip() for one in tables.split(",")]
    every: Mapping[str, Any] = tables if isinstance(tables, Mapping) else dict.fromkeys(tables)
    only: list[str] = []
    skip: list[str] = []
    modes: list[tuple[Wanted, str]] = []
    kinds: list[tuple[Wanted, str]] = []
    for pattern, of in every.items():
        parts = split(pattern) if isinstance(pattern, str) else []
        if len(parts) != 2 or not all(parts):
            raise OptionError(
                f"tables: {pattern!r} is no pattern of tables; they are schema.table, with * and ? in both, and a name "
                "with a dot in backquotes, shop.`weird.name`"
            )
        if of == SKIP:
            skip.append(pattern)
            continue
        only.append(pattern)
        if of is not None and not isinstance(of, Mapping):
            raise OptionError(
                f"tables: what is chosen for {pattern} is a mapping of {_listed(_PER_TABLE)}, or {SKIP!r}"
            )
        for name, value in (of or {}).items():
            if name not in _PER_TABLE:
                raise OptionError(f"tables: {pattern} has {name!r}{near(name, _PER_TABLE)}")
            value = _one_of(f"{name} of {pattern}", value, _PER_TABLE[name])
            (kinds if name == "mode" else modes).append((Wanted((pattern,)), value))
    # a more specific pattern precedes one with more wildcards
    modes.sort(key=lambda one: _open(one[0]))
    kinds.sort(key=lambda one: _open(one[0]))
    return Wanted(tuple(only) or EVERYTHING.only, tuple(skip)), tuple(modes), tuple(kinds)


def _open(wanted: Wanted) -> tuple[int, int]:
    (pattern,) = wanted.only
    return sum(pattern.count(one) for one in "*?["), -len(pattern)


def near(name: str, known: Iterable[str]) -> str:
    """A hint with the known names, or the one that is probably meant."""
    found = difflib.get_close_matches(name, list(known), 1)
    return f": did you mean {found[0]}?" if found else f", and there are {_listed(known)}"


def seconds(name: str, value: Any) -> float:
    """A duration such as `10s`, `5m`, `1h`, `7d`, or a number of seconds.

    Raises:
        OptionError: it is neither.
    """
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    text = str(value).strip()
    number, unit = (text[:-1], units[text[-1]]) if text[-1:] in units else (text, 1)
    try:
        found = float(number) * unit
    except ValueError:
        found = -1
    if not (found >= 0 and math.isfinite(found)):
        raise OptionError(f"{name}={value!r} is no time: 10s, 5m, 1h and 7d are")
    return found


def _one_of(name: str, value: Any, known: Iterable[str]) -> str:
    if value not in known:
        raise OptionError(f"{name}={value!r}{near(str(value), known)}")
    return str(value)


def _number(name: str, value: Any, least: int) -> int:
    if not str(value).isdecimal() or int(value) < least:
        raise OptionError(f"{name}={value!r} is no number from {least} on")
    return int(value)


def _partitions(value: Any) -> dict[str, int]:
    """The number of partitions of each topic: from a mapping, or `topic=3,other=1`."""
    if isinstance(value, str):
        value = dict(one.strip().rpartition("=")[::2] for one in value.split(","))
    if not isinstance(value, Mapping) or not all(value):
        raise OptionError(f"partitions={value!r}: say how many partitions each topic has, as in topic=3,other=1")
    return {str(topic): _number("partitions", count, 1) for topic, count in value.items()}


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last

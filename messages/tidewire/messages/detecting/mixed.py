"""Splits messages of several protocols into runs of one protocol."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from tidewire.messages.detecting.reading import Sample, read


class Run(NamedTuple):
    """Consecutive messages of one protocol."""

    protocol: str
    first: int
    """The index of the first one."""
    last: int
    """The index of the last one."""


def runs(
    modules: Mapping[str, Any],
    values: Sequence[bytes | None],
    keys: Sequence[bytes | None] | None,
    known: Mapping[str, str],
    tables: Sequence[Any] = (),
) -> list[Run]:
    """Consecutive messages by protocol, in order. Messages that no protocol decodes, such as tombstones, belong to the
    run before them. None unless there are messages of at least two protocols, and no message is decoded with events by
    two.

    Args:
        modules: modules of the possible protocols, by name.
        values, keys: values and keys of the messages.
        known: options that cannot be detected from bytes.
        tables: descriptions of tables that the messages themselves do not describe.
    """
    there, given = _with_values(values, keys)
    whose: dict[int, str] = {}
    for name, module in modules.items():
        for at, count in read(module, given, known, tables).events.items():
            if count and whose.setdefault(there[at], name) != name:
                return []
    if len(set(whose.values())) < 2:
        return []
    found: list[Run] = []
    for name, some in groupby(sorted(whose), whose.__getitem__):
        first, *_, last = (*some,) * 2
        if found:
            found[-1] = found[-1]._replace(last=first - 1)
        found.append(Run(name, first if found else 0, last))
    found[-1] = found[-1]._replace(last=len(values) - 1)
    return found


def whose(
    modules: Mapping[str, Any],
    values: Sequence[bytes | None],
    keys: Sequence[bytes | None] | None,
    known: Mapping[str, str],
) -> dict[int, str]:
    """Which messages are of one of these protocols: the first that finds events in them, or would if their tables were
    described.

    Args:
        modules: of the protocols, by name, the likeliest first.
        values, keys: messages that another protocol does not read.
        known: options that are known and that no bytes tell.
    """
    found: dict[int, str] = {}
    for name, module in modules.items():
        left = [None if at in found else value for at, value in enumerate(values)]
        there, given = _with_values(left, keys)
        if there:
            reading = read(module, given, known)
            events = (at for at, count in reading.events.items() if count)
            found |= {there[at]: name for at in (*events, *reading.undescribed)}
    return found


def _with_values(values: Sequence[bytes | None], keys: Sequence[bytes | None] | None) -> tuple[list[int], Sample]:
    """The indexes of messages with a value, and these messages."""
    there = [at for at, value in enumerate(values) if value]
    own_keys = None if keys is None else [keys[at] for at in there]
    return there, Sample([values[at] or b"" for at in there], own_keys, len(values), 0)


def likeliest(found: Sequence[Run]) -> str:
    """The protocol with the most messages."""
    counts: Counter[str] = Counter()
    for one in found:
        counts[one.protocol] += one.last - one.first + 1
    return counts.most_common(1)[0][0]

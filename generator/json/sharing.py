"""Columns that the events of several classes fill alike: a function fills them, and is called for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..model import KIND_FIELD
from .reading_nodes import Put, PutEvent, SharedPuts

CURSORS = ("key", "r")
"""The variables with cursors that puts use."""
FEWEST_LINES = 6
"""Fewer lines stand in every function that has them: a call would not be easier to read."""


def share_puts(events: Sequence[PutEvent]) -> tuple[tuple[PutEvent, ...], tuple[SharedPuts, ...]]:
    """The functions that make events, with calls for what they have alike, and the functions that are called."""
    if len(events) < 2:
        return tuple(events), ()
    puts = [[put for put in event.puts if isinstance(put, Put)] for event in events]
    columns = list(zip(*puts, strict=True))
    every = _shared("put_event", "Of every event", _alike(columns))
    shared = [] if every is None else [every]
    calls = [list(shared) for _ in events]
    for at, event in enumerate(events):
        others = [index for index in range(len(events)) if index != at]
        empty = [column[others[0]] for column in columns if _only_in(at, column)]
        name = event.function.removeprefix("put_")
        nothing = _shared(f"put_no_{name}", f"Nothing in the columns that only a {name} fills", empty)
        if nothing is not None and len(others) > 1:
            shared.append(nothing)
            for index in others:
                calls[index].append(nothing)
    changed = [replace(event, puts=_called(own, given)) for event, own, given in zip(events, puts, calls, strict=True)]
    return tuple(changed), tuple(shared)


def _alike(columns: Iterable[tuple[Put, ...]]) -> list[Put]:
    """The columns that all events fill alike.

    Once some of them can find trouble, none is taken from behind a column that can and is not alike: of several
    troubles in a message the same one is found first.
    """
    found: list[Put] = []
    apart = False
    for column in columns:
        fails = any(put.fails for put in column)
        if column.count(column[0]) == len(column):
            if not (fails and apart):
                found.append(column[0])
        else:
            apart = apart or (fails and any(put.fails for put in found))
    return found


def _only_in(at: int, column: tuple[Put, ...]) -> bool:
    """Whether one of the events fills the column, and all others put the same nothing there."""
    others = column[:at] + column[at + 1 :]
    first = others[0]
    return column[at] != first and others.count(first) == len(others) and not first.branches and not first.fails


def _shared(function: str, about: str, puts: list[Put]) -> SharedPuts | None:
    """A function that does it, when there is enough to do."""
    if sum(2 * len(put.branches) + 2 if put.branches else 1 for put in puts) < FEWEST_LINES:
        return None
    names = [put.name for put in puts]
    parameters = [("row", "cython.Py_ssize_t", "Py_ssize_t")]
    lines = [line for put in puts for line in put.lines]
    used = [name for name in CURSORS if any(re.search(rf"(?<![\w.]){name}\.", line) for line in lines)]
    parameters[:0] = [(name, "JsonCursor", "JsonCursor") for name in used]
    if "message" in names:
        parameters.append(("message", "cython.Py_ssize_t", "Py_ssize_t"))
    if KIND_FIELD in names:
        parameters.append(("kind", "cython.int", "int"))
    return SharedPuts(function, f"{about}: {', '.join(names)}.", tuple(parameters), tuple(puts))


def _called(puts: Sequence[Put], calls: Sequence[SharedPuts]) -> tuple[Put | SharedPuts, ...]:
    """The puts of an event with calls for some, each where the first of them can find trouble."""
    found: list[Put | SharedPuts] = list(puts)
    for call in calls:
        first = next((put for put in call.puts if put.fails), call.puts[0])
        found[found.index(first)] = call
        found = [one for one in found if one not in call.puts]
    return tuple(found)

"""Reads the files of dead letters, which list the messages that could not be read, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from pyarrow import parquet

from tidewire.spark.sync.changelog import DeadLetter, Manifest
from tidewire.spark.sync.named import Named
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.walk import ALL, BY_LETTERS, KEY

MOST_TOLD = 20
"""The most dead letters that are listed."""
_COLUMNS = ["reason", "topic", "partition", "offset", "table", "row_key", "commit_ts"]


def told(state: str, paths: Iterable[str], most: int = MOST_TOLD) -> tuple[DeadLetter, ...]:
    """The first dead letters, in the order of staging.

    Raises:
        StateError: a file is missing.
    """
    found: list[DeadLetter] = []
    for path in paths:
        if len(found) >= most:
            break
        found += _of(state, path)
    return tuple(found[:most])


def of_no_table(state: str, paths: Iterable[str]) -> dict[tuple[str, int, int], DeadLetter]:
    """Dead letters whose table is unknown, by topic, partition and offset.

    Raises:
        StateError: a file is missing.
    """
    every = (one for path in paths for one in _of(state, path))
    return {(one.topic, one.partition, one.offset): one for one in every if not one.table}


def _of(state: str, path: str) -> Iterator[DeadLetter]:
    with storage(state).opened(path) as file:
        # without Arrow's threads: one that is still running when the process ends would abort it
        rows = parquet.ParquetFile(file, pre_buffer=False).read(_COLUMNS, use_threads=False).to_pylist()
    for row in rows:
        place = row["topic"] or "", row["partition"] or 0, row["offset"] or 0
        yield DeadLetter(path, row["reason"], *place, row["table"], row["row_key"], row["commit_ts"])


def waiting(manifest: Manifest) -> dict[str, set[str]]:
    """By the id of a table, or the name of one that does not exist yet, its keys with unreadable rows, resolved or not;
    "" if all of its rows wait.
    """
    found = {number: set(one.keys) for number, one in manifest.tables.items() if one.keys}
    named = Named(manifest)
    for one in manifest.statements:
        for action in one.actions[:1]:
            if action.kind == KEY or (action.kind == ALL and action.get("by") in BY_LETTERS):
                found.setdefault(named.at(one.table, one.ts), set()).add(str(action.get("key") or ""))
    return found


def keys_waiting(manifest: Manifest) -> Mapping[str, int]:
    """By table, the number of keys with unreadable rows."""
    called = manifest.called()
    counts: Counter[str] = Counter()
    for of, keys in waiting(manifest).items():
        counts[called.get(of, of)] += len(keys - {""})
    return +counts

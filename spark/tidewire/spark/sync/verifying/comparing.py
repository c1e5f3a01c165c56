"""Compares two sides of one table: checksums of ranges first, then the rows of ranges that differ.

Memory is bounded: of all rows only the checksums are held, of those in ranges that differ two hashes each, a group of
ranges at a time, and of the rows to show their values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from tidewire.spark.sync.verifying.row_hashes import Checksums, Counts, Hashed, Hashes, Mask

MOST_AT_ONCE = 4_000_000
"""The most rows of ranges that differ whose hashes are held at a time, on both sides together."""
MOST_GROUPS = 8
"""The most groups that are looked at; ranges behind them count as different, without their rows."""
KINDS = ("missing", "extra", "repeated", "different")
"""How a row differs: the table lacks it, has it alone, has it more than once, or has other values."""


class Row(NamedTuple):
    """A row to show.

    Attributes:
        key: the hash of its key.
        values: by column, as text; None for NULL.
        hashes: by column, of the value: texts may be shortened.
    """

    key: int
    values: Mapping[str, str | None]
    hashes: Mapping[str, int]


class Side(Protocol):
    """The rows of one side. Each call reads them anew."""

    def checksums(self) -> Checksums:
        """The checksums of all rows."""
        ...

    def hashes(self, ranges: Mask) -> Hashed:
        """The hashes of the rows in these ranges."""
        ...

    def rows(self, keys: Sequence[int]) -> list[Row]:
        """The rows whose keys have these hashes."""
        ...


class Difference(NamedTuple):
    """A row that differs.

    Attributes:
        kind: one of `KINDS`.
        key: the values of its key.
        columns: for `different`, by column the source's value and the table's.
    """

    kind: str
    key: Mapping[str, str | None]
    columns: Mapping[str, tuple[str | None, str | None]] = {}


@dataclass(frozen=True)
class Compared:
    """What a comparison found.

    Attributes:
        source, table: the number of rows on each side.
        ranges: how many ranges differ.
        counts: by kind, how many rows.
        differences: some of them.
        unseen: ranges that differ and whose rows were not looked at, as there are too many.
    """

    source: int
    table: int
    ranges: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    differences: tuple[Difference, ...] = ()
    unseen: int = 0

    @property
    def equal(self) -> bool:
        """Whether all rows are equal."""
        return not self.ranges


def compare(source: Side, table: Side, keys: Sequence[str], shown: int, most: int = MOST_AT_ONCE) -> Compared:
    """Compares the rows of two sides.

    Args:
        source, table: the sides.
        keys: the columns of the key.
        shown: how many rows of each kind are shown.
        most: the most rows whose hashes are held at a time.
    """
    there, here = source.checksums(), table.checksums()
    ranges = there.different(here)
    rows = int(there.counts.sum()), int(here.counts.sum())
    if not ranges.any():
        return Compared(*rows)
    counts = dict.fromkeys(KINDS, 0)
    examples: dict[str, list[int]] = {kind: [] for kind in KINDS}
    groups = list(_groups(ranges, there.counts + here.counts, most))
    for group in groups[:MOST_GROUPS]:
        for kind, found, count in _sorted_out(source.hashes(group), table.hashes(group)):
            counts[kind] += count
            examples[kind] += found[: shown - len(examples[kind])].tolist()
    unseen = sum(int(group.sum()) for group in groups[MOST_GROUPS:])
    differences = _shown(source, table, keys, examples) if shown else ()
    return Compared(*rows, int(ranges.sum()), counts, differences, unseen)


def _groups(ranges: Mask, rows: Counts, most: int) -> Iterator[Mask]:
    """The ranges that differ, in groups of so many rows."""
    group, held = np.zeros(len(ranges), np.bool_), 0
    for one in np.flatnonzero(ranges):
        if held and held + rows[one] > most:
            yield group
            group, held = np.zeros(len(ranges), np.bool_), 0
        group[one] = True
        held += int(rows[one])
    yield group


def _sorted_out(source: Hashed, table: Hashed) -> Iterator[tuple[str, Hashes, int]]:
    """By kind the keys that differ, and how many rows."""
    pairs = np.empty(len(source.keys) + len(table.keys), [("key", np.uint64), ("row", np.uint64)])
    pairs["key"] = np.concatenate([source.keys, table.keys])
    pairs["row"] = np.concatenate([source.rows, table.rows])
    signs = np.ones(len(pairs), np.int64)
    signs[len(source.keys) :] = -1
    each, place = np.unique(pairs, return_inverse=True)
    left = np.zeros(len(each), np.int64)
    np.add.at(left, place, signs)  # what remains when equal rows are taken away on both sides
    lacking, beyond = each["key"][left > 0], each["key"][left < 0]
    in_both = np.intersect1d(lacking, beyond)
    alone = ~np.isin(lacking, in_both)
    yield "missing", np.unique(lacking[alone]), int(left[left > 0][alone].sum())
    alone = ~np.isin(beyond, in_both)
    known = np.isin(beyond, source.keys)
    for kind, some in (("extra", alone & ~known), ("repeated", alone & known)):
        yield kind, np.unique(beyond[some]), -int(left[left < 0][some].sum())
    yield "different", in_both, len(in_both)


def _shown(
    source: Side, table: Side, keys: Sequence[str], examples: Mapping[str, Sequence[int]]
) -> tuple[Difference, ...]:
    wanted = [key for some in examples.values() for key in some]
    there, here = ({row.key: row for row in side.rows(wanted)} if wanted else {} for side in (source, table))
    found = []
    for kind, some in examples.items():
        for key in some:
            one, other = there.get(key), here.get(key)
            shown = one or other
            values = {} if shown is None else {name: shown.values[name] for name in keys}
            columns = {}
            if kind == "different" and one is not None and other is not None:
                columns = {
                    name: (value, other.values[name])
                    for name, value in one.values.items()
                    if one.hashes[name] != other.hashes[name]
                }
            found.append(Difference(kind, values, columns))
    order = {kind: at for at, kind in enumerate(KINDS)}
    return tuple(sorted(found, key=lambda one: (order[one.kind], [str(value) for value in one.key.values()])))

"""The two sides of a comparison: rows of the source, read in this process; rows of a published table, read by Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType

from tidewire.reading.database.dumped_text import RawRows
from tidewire.reading.database.stored_values import StoredValues, TypedRows
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.shortened import shown
from tidewire.spark.sync.verifying.comparing import Row
from tidewire.spark.sync.verifying.row_hashes import (
    RANGES,
    Checksums,
    Hashed,
    Hashes,
    Mask,
    RowHashes,
    all_of,
    in_ranges,
)
from tidewire.spark.workers import collected, run_on

_UNFIT = np.uint64(0x9E3779B97F4A7C15)
"""Added to the hash of a row with a value that the table cannot hold: no row of the table is equal to it."""
_HALF = 32


@dataclass(frozen=True)
class SourceSide:
    """Rows of the source.

    Attributes:
        read: reads the rows from the dump or the database.
        values: converts them to the types of the published table.
        hashing: computes the hash of a row.
    """

    read: Callable[[], Iterator[RawRows]]
    values: StoredValues
    hashing: RowHashes

    def checksums(self) -> Checksums:
        """The checksums of all rows."""
        found = Checksums()
        for _, hashed in self._hashed():
            found.add(hashed)
        return found

    def hashes(self, ranges: Mask) -> Hashed:
        """The hashes of the rows in these ranges."""
        return all_of(_filtered(hashed, in_ranges(hashed, ranges)) for _, hashed in self._hashed())

    def rows(self, keys: Sequence[int]) -> list[Row]:
        """The rows whose keys have these hashes."""
        wanted = np.array(keys, np.uint64)
        found = []
        for typed, hashed in self._hashed():
            places = np.flatnonzero(np.isin(hashed.keys, wanted)).tolist()
            if not places:
                continue
            rows = _shown_rows(self.hashing, typed.batch.take(column_of(places, pa.int64())), hashed.keys[places])
            reasons = {(one.row, one.column): one.reason for one in typed.unfit}
            for place, row in zip(places, rows, strict=True):
                told = {name: reasons[place, name] for name in self.hashing.names if (place, name) in reasons}
                unlike = {**row.hashes, **dict.fromkeys(told, -1)}
                found.append(row._replace(values={**row.values, **told}, hashes=unlike))
        return found

    def _hashed(self) -> Iterator[tuple[TypedRows, Hashed]]:
        for raw in self.read():
            typed = self.values.batch(raw)
            hashed = self.hashing.of(typed.batch)
            if typed.unfit:
                unfit = np.unique([one.row for one in typed.unfit])
                hashed.rows[unfit] += _UNFIT
            yield typed, hashed


@dataclass(frozen=True)
class TableSide:
    """Rows of a published table.

    Attributes:
        frame: its rows, in the columns that are compared.
        hashing: how they are hashed.
    """

    frame: DataFrame
    hashing: RowHashes

    def checksums(self) -> Checksums:
        """The checksums of all rows. Sums are carried in halves, as Spark's sums do not wrap."""
        names = ("range", "rows", "low", "high")
        found = run_on(self.frame, _ChecksumTask(self.hashing), _longs(names))
        sums = found.groupBy("range").agg(*(F.sum(name).alias(name) for name in names[1:]))
        made = Checksums()
        for one, rows, low, high in collected(sums):
            made.counts[one] = rows
            made.sums[one] = (int(low) + (int(high) << _HALF)) & ((1 << 64) - 1)
        return made

    def hashes(self, ranges: Mask) -> Hashed:
        """The hashes of the rows in these ranges."""
        task = _HashTask(self.hashing, tuple(np.flatnonzero(ranges).tolist()))
        found = run_on(self.frame, task, _longs(("key", "row"))).toArrow()
        return Hashed(*(_unsigned(found.column(name).combine_chunks()) for name in ("key", "row")))

    def rows(self, keys: Sequence[int]) -> list[Row]:
        """The rows whose keys have these hashes."""
        name = "key"
        while name in {one.lower() for one in self.hashing.names}:
            name += "_"
        schema = StructType([StructField(name, LongType(), False), *self.frame.schema])
        found = run_on(self.frame, _RowTask(self.hashing, tuple(keys), name), schema).toArrow()
        hashes = _unsigned(found.column(name).combine_chunks())
        batches = found.drop_columns([name]).combine_chunks().to_batches()
        return _shown_rows(self.hashing, batches[0], hashes) if batches else []


def _shown_rows(hashing: RowHashes, rows: pa.RecordBatch, keys: Hashes) -> list[Row]:
    hashes = {name: of.tolist() for name, of in hashing.of_columns(rows).items()}
    return [
        Row(
            key,
            {name: _text(rows.column(name)[at]) for name in hashing.names},
            {name: of[at] for name, of in hashes.items()},
        )
        for at, key in enumerate(keys.tolist())
    ]


@dataclass(frozen=True)
class _ChecksumTask:
    """Makes the checksums of a task's rows."""

    hashing: RowHashes

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found = Checksums()
        for batch in batches:
            found.add(self.hashing.of(batch))
        there = np.flatnonzero(found.counts)
        low, high = (found.sums[there] & np.uint64((1 << _HALF) - 1), found.sums[there] >> np.uint64(_HALF))
        yield _batch(range=there, rows=found.counts[there], low=low, high=high)


@dataclass(frozen=True)
class _HashTask:
    """Makes the hashes of a task's rows in some ranges."""

    hashing: RowHashes
    ranges: tuple[int, ...]

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        wanted = np.zeros(RANGES, np.bool_)
        wanted[list(self.ranges)] = True
        for batch in batches:
            hashed = self.hashing.of(batch)
            found = _filtered(hashed, in_ranges(hashed, wanted))
            yield _batch(key=found.keys.view(np.int64), row=found.rows.view(np.int64))


@dataclass(frozen=True)
class _RowTask:
    """Finds a task's rows by the hashes of their keys."""

    hashing: RowHashes
    keys: tuple[int, ...]
    name: str

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        wanted = np.array(self.keys, np.uint64)
        for batch in batches:
            keys = self.hashing.of(batch).keys
            there = np.isin(keys, wanted)
            hashes = column_of(keys[there].view(np.int64).tolist(), pa.int64())
            kept = batch.filter(column_of(there.tolist(), pa.bool_()))
            yield pa.RecordBatch.from_arrays([hashes, *kept.columns], [self.name, *kept.schema.names])


def _filtered(hashed: Hashed, kept: Mask) -> Hashed:
    return Hashed(hashed.keys[kept], hashed.rows[kept])


def _longs(names: Sequence[str]) -> StructType:
    return StructType([StructField(name, LongType(), False) for name in names])


def _batch(**columns: Any) -> pa.RecordBatch:
    arrays = [column_of(one.astype(np.int64).tolist(), pa.int64()) for one in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, list(columns))


def _unsigned(column: pa.Array) -> Hashes:
    return np.asarray(column.to_numpy(zero_copy_only=False).astype(np.int64).view(np.uint64))


def _text(value: Any) -> str | None:
    """A value as it is shown."""
    found = value.as_py()
    if found is None:
        return None
    if isinstance(found, bytes):
        return f"0x{found.hex()}" if len(found) <= 64 else f"0x{found[:64].hex()}… ({len(found):,} bytes)"
    if isinstance(found, float) and pa.types.is_float32(value.type):
        return str(value.cast(pa.utf8()))
    return shown(found)[1:-1] if isinstance(found, str) else str(found)



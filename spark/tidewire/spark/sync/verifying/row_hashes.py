"""Hashes of rows, equal where rows are equal, and checksums of ranges of them.

Both sides have rows in the types of the published table, so that equal values have the same bytes. Two kinds have more
than one form: -0.0 is 0.0, and JSON counts by its content. A range is all rows whose keys have hashes with the same
remainder: unlike ranges in key order they are the same on both sides whatever collation the source sorts by.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tidewire.runtime.arrow.literals import column_of

RANGES = 4096
"""The number of ranges."""
MOST_BYTES = 64 << 20
"""A batch with more bytes is hashed in parts."""
Hashes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint64]]"
Counts: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Mask: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"
_NULL = b"N"
_SIZE = 8


class Hashed(NamedTuple):
    """The hashes of some rows: of their keys, and of all of their columns."""

    keys: Hashes
    rows: Hashes

    def ranges(self) -> Counts:
        """The range of each row."""
        return (self.keys % np.uint64(RANGES)).astype(np.int64)


@dataclass
class Checksums:
    """By range, the number of rows and the sum of their hashes."""

    counts: Counts = field(default_factory=lambda: np.zeros(RANGES, np.int64))
    sums: Hashes = field(default_factory=lambda: np.zeros(RANGES, np.uint64))

    def add(self, hashed: Hashed) -> None:
        """Adds rows."""
        ranges = hashed.ranges()
        self.counts += np.bincount(ranges, minlength=RANGES)
        np.add.at(self.sums, ranges, hashed.rows)  # modulo 2^64

    def different(self, other: Checksums) -> Mask:
        """Which ranges are different."""
        return np.asarray((self.counts != other.counts) | (self.sums != other.sums))


class RowHashes(NamedTuple):
    """How the rows of a table are hashed.

    Attributes:
        names: the compared columns.
        keys: those of the key.
        documents: those with JSON.
    """

    names: tuple[str, ...]
    keys: tuple[str, ...]
    documents: frozenset[str] = frozenset()

    def of(self, rows: pa.RecordBatch) -> Hashed:
        """The hashes of rows that have these columns."""
        if rows.nbytes > MOST_BYTES and rows.num_rows > 1:
            half = rows.num_rows // 2
            parts = [self.of(rows.slice(0, half)), self.of(rows.slice(half))]
            return Hashed(*(np.concatenate(some) for some in zip(*parts, strict=True)))
        pieces = {name: _pieces(rows.column(name), name in self.documents) for name in self.names}
        return Hashed(*(_digests(rows.num_rows, [pieces[one] for one in some]) for some in (self.keys, self.names)))

    def of_columns(self, rows: pa.RecordBatch) -> dict[str, Hashes]:
        """The hashes of each column's values."""
        return {
            name: _digests(rows.num_rows, [_pieces(rows.column(name), name in self.documents)]) for name in self.names
        }


def _digests(rows: int, pieces: Sequence[list[pa.Array]]) -> Hashes:
    """A hash of each row, of the pieces of its columns."""
    if not rows:
        return np.zeros(0, np.uint64)
    separator = column_of([b":"], pa.binary())[0]
    joined = pc.binary_join_element_wise(
        *(one for some in pieces for one in some), separator, null_handling="replace", null_replacement=_NULL
    )
    return np.frombuffer(
        b"".join([blake2b(one, digest_size=_SIZE).digest() for one in joined.to_pylist()]), np.dtype("<u8")
    ).astype(np.uint64)


def _pieces(column: pa.Array, document: bool) -> list[pa.Array]:
    """A column as bytes. Where values can have any bytes, their lengths are before them, so that no two rows have the
    same text.
    """
    kind = column.type
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        column = column.cast(kind := pa.binary())
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        if document:
            column = column_of([_canonical(one) for one in column.to_pylist()], pa.binary())
        values = column.cast(pa.binary())
        return [pc.binary_length(values).cast(pa.utf8()).cast(pa.binary()), values]
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        positive = pc.add(column, column_of([0.0], pa.float64())[0].cast(kind))  # -0.0 becomes 0.0
        column = positive.view(pa.int32() if pa.types.is_float32(kind) else pa.int64())
    elif pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        column = column.view(pa.int64())
    elif pa.types.is_date32(kind):
        column = column.view(pa.int32())
    return [column.cast(pa.utf8()).cast(pa.binary())]


def _canonical(text: str | bytes | None) -> bytes | None:
    """JSON with sorted names, without spaces, and with numbers in one spelling; a text that is no JSON as it is."""
    if text is None:
        return None
    try:
        found = json.loads(text, parse_float=_Number, parse_int=_Number, parse_constant=_no_json)
        return _written(found).encode("ascii")
    except (ValueError, RecursionError):
        return text.encode() if isinstance(text, str) else text


class _Number(str):
    """A number of JSON: its digits without trailing zeros, and its exponent."""

    __slots__ = ()

    def __new__(cls, text: str) -> _Number:
        sign, digits, exponent = Decimal(text).as_tuple()
        shown = "".join(map(str, digits)).strip("0")
        if not shown:
            return super().__new__(cls, "0")
        zeros = len(digits) - len("".join(map(str, digits)).rstrip("0"))
        return super().__new__(cls, f"{'-' if sign else ''}{shown}e{int(exponent) + zeros}")


def _written(value: Any) -> str:
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{_written(of)}" for name, of in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_written, value)) + "]"
    return json.dumps(value)


def _no_json(name: str) -> None:
    raise ValueError(name)


def in_ranges(hashed: Hashed, wanted: Mask) -> Mask:
    """Which rows are in these ranges."""
    return np.asarray(wanted[hashed.ranges()])


def all_of(parts: Iterable[Hashed]) -> Hashed:
    """All hashes as one."""
    found = list(parts)
    if not found:
        return Hashed(np.zeros(0, np.uint64), np.zeros(0, np.uint64))
    return Hashed(*(np.concatenate(some) for some in zip(*found, strict=True)))

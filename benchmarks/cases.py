"""The rows that every benchmark measures, as plain Python values that know nothing of any codec.

Three sources, UPDATE events with both row images unless INSERT is asked for:

* :func:`recorded`: 64 events of one 8-column table, recorded from TiCDC (``data/events-8col.jsonl.gz``). TiCDC's own
  codecs were timed on the same events, so these carry the comparison with Go (``data/go-reference.json``).
* :func:`synthetic`: tables of any width, the recorded table's column types in rotation, every 16th value NULL.
* :func:`interleaved`: the rows of several 8-column tables dealt out in turn, as in a topic of a whole database. Column
  names differ from table to table; the order of the types is rotated, so that an average row costs the same.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

DATA = Path(__file__).parent / "data"
Value: TypeAlias = int | float | str | bytes | None

HANDLE_KEY = 0x02
UNSIGNED = 0x80
TINYINT, INT, FLOAT, DOUBLE, NULL, TIMESTAMP, BIGINT, DATE, DATETIME = 1, 3, 4, 5, 6, 7, 8, 10, 12
VARCHAR, DECIMAL, BLOB, CHAR = 15, 246, 252, 254
SIGNED_TYPES = frozenset({TINYINT, 2, INT, BIGINT, 9})
FLOAT_TYPES = frozenset({FLOAT, DOUBLE})

ONE_MILLISECOND = 1 << 18
"""One step of a TSO's physical part."""
GO_BATCHES = (1, 4, 64)
"""Events per message for which there are recorded figures of Go."""


class ColumnDef(NamedTuple):
    """A column: its name, MySQL's type byte, TiCDC's column flags."""

    name: str
    type: int
    flags: int


@dataclass(frozen=True, slots=True)
class Change:
    """A changed row: commit ts (a TSO), table, columns, and both images as dicts in column order.

    An INSERT has no old image: it is empty.
    """

    commit_ts: int
    schema: str
    table: str
    columns: tuple[ColumnDef, ...]
    new: Mapping[str, Value]
    old: Mapping[str, Value]
    partition: int | None = None
    kind: str = "update"
    decimal: tuple[int, int] = (10, 2)
    """Digits of the table's DECIMAL columns, and those of them behind the point."""

    def truth(self, old: bool = True) -> tuple[object, ...]:
        """What a codec must give back, in comparable form; without ``old`` of the new row alone."""
        return (self.commit_ts, self.schema, self.table, dict(self.new), dict(self.old) if old else {})

    def declared(self, column: ColumnDef) -> str | None:
        """How a column is declared, where its type does not say how many digits it has."""
        return "decimal({},{})".format(*self.decimal) if column.type == DECIMAL else None


def handle_of(row: Change) -> int | None:
    """The row's integer handle, as TiCDC knows it: the only handle key column's value, where it is a signed integer."""
    handles = [column for column in row.columns if column.flags & HANDLE_KEY]
    image = row.new or row.old
    value = image[handles[0].name] if len(handles) == 1 and handles[0].type in SIGNED_TYPES else None
    return value if isinstance(value, int) and value else None


Update: TypeAlias = Change
"""A change with both images, as most of the measured are."""


def as_float32(value: float) -> float:
    """The double nearest to ``value`` that a FLOAT column can hold."""
    widened: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return widened


def _recorded_value(cell: Mapping[str, str] | None) -> Value:
    """A cell of ``events-8col.jsonl``: null, or one key that names the kind, with the value as text."""
    if cell is None:
        return None
    ((kind, text),) = cell.items()
    match kind:
        case "int" | "uint":
            return int(text)
        case "f32":
            return as_float32(float(text))
        case "f64":
            return float(text)
        case "bytes":
            return base64.b64decode(text).decode()
        case "text":
            return text
    raise ValueError(f"events-8col.jsonl: a value of kind {kind!r} is not expected here")


def recorded(count: int = 64) -> list[Change]:
    """``count`` of the recorded events, in order; after the 64th they repeat, a TSO millisecond later each time."""
    base = [_recorded_event(json.loads(line)) for line in _data_lines("events-8col.jsonl.gz")]
    rows = []
    for index in range(count):
        cycle, position = divmod(index, len(base))
        row = base[position]
        shifted = row.commit_ts + cycle * ONE_MILLISECOND
        rows.append(Change(shifted, row.schema, row.table, row.columns, row.new, row.old))
    return rows


def recorded_message(events: int) -> bytes:
    """The Craft message that TiCDC wrote for the first ``events`` (1, 4 or 64) recorded events."""
    return gzip.decompress((DATA / f"craft-8col-{events}.bin.gz").read_bytes())


def go_reference() -> dict[str, Any]:
    """What TiCDC's own Go codecs needed for the recorded events, on another machine (``data/go-reference.json``)."""
    reference: dict[str, Any] = json.loads((DATA / "go-reference.json").read_text())
    return reference


def _data_lines(name: str) -> list[str]:
    return gzip.decompress((DATA / name).read_bytes()).decode().splitlines()


def _recorded_event(event: Mapping[str, Any]) -> Change:
    columns = tuple(ColumnDef(column["name"], column["type"], column["flags"]) for column in event["columns"])
    names = [column.name for column in columns]
    return Change(
        event["commit_ts"],
        event["schema"],
        event["table"],
        columns,
        dict(zip(names, map(_recorded_value, event["new"]), strict=True)),
        dict(zip(names, map(_recorded_value, event["old"]), strict=True)),
    )


# --------------------------------------------------------------------------------------------- synthetic tables

_ROTATION = (
    (INT, 0x41),
    (BIGINT, 0xC1),
    (VARCHAR, 0x40),
    (DECIMAL, 0x41),
    (DATETIME, 0x41),
    (FLOAT, 0x41),
    (DOUBLE, 0x41),
)
_FIRST_TSO = 470607709161390080


def _columns(width: int, table: int) -> tuple[ColumnDef, ...]:
    """An INT handle key, then the types in rotation; the rotation starts at ``table`` so that tables differ."""
    columns = [ColumnDef("id" if table == 0 else f"id_{table}", INT, 0x0B)]
    for index in range(1, width):
        type_, flags = _ROTATION[(index + table) % len(_ROTATION)]
        columns.append(ColumnDef(f"col_{index}" if table == 0 else f"col_{index}_of_{table}", type_, flags))
    return tuple(columns)


def _synthetic_value(column: ColumnDef, seed: random.Random) -> Value:
    match column.type:
        case t if t in SIGNED_TYPES:
            return seed.randrange(1 << 40) if column.flags & UNSIGNED else seed.randrange(-(1 << 15), 1 << 15)
        case t if t == VARCHAR:
            return f"customer name no {seed.randrange(10**6):06d}"
        case t if t == DECIMAL:
            return f"{seed.randrange(10**6)}.{seed.randrange(100):02d}"
        case t if t == DATETIME:
            return f"2026-{seed.randrange(1, 13):02d}-{seed.randrange(1, 29):02d} 03:04:{seed.randrange(60):02d}"
        case t if t == FLOAT:
            return as_float32(seed.randrange(10**4) / 8)
    return seed.random() * 1000


def _synthetic_row(columns: tuple[ColumnDef, ...], table: str, number: int, seed: random.Random) -> Change:
    """Half of the columns change; every 16th value is NULL, except the key."""
    old: dict[str, Value] = {columns[0].name: number}
    new: dict[str, Value] = {columns[0].name: number}
    for index, column in enumerate(columns[1:], 1):
        null = (number + index) % 16 == 0
        old[column.name] = None if null else _synthetic_value(column, seed)
        new[column.name] = _synthetic_value(column, seed) if not null and index % 2 else old[column.name]
    return Change(_FIRST_TSO + number * ONE_MILLISECOND, "shop", table, columns, new, old)


def synthetic(width: int, count: int, kind: str = "update") -> list[Change]:
    """``count`` updates or inserts of one table of ``width`` columns, the same in every run."""
    seed = random.Random(width)
    columns = _columns(width, 0)
    rows = [_synthetic_row(columns, f"wide_{width}", number, seed) for number in range(count)]
    return rows if kind == "update" else [replace(row, kind=kind, old={}) for row in rows]


def interleaved(tables: int, count: int) -> list[Change]:
    """``count`` updates of ``tables`` tables of 8 columns: event ``i`` belongs to table ``i % tables``."""
    seed = random.Random(tables)
    shapes = [_columns(8, table) for table in range(tables)]
    return [_synthetic_row(shapes[i % tables], f"orders_{i % tables}", i, seed) for i in range(count)]


def in_batches(rows: Sequence[Change], batch: int) -> Iterator[list[Change]]:
    """The rows cut into the events of one message each."""
    for start in range(0, len(rows), batch):
        yield list(rows[start : start + batch])


# --------------------------------------------------------------------------------------- the document's size table


def document_case(number: int) -> list[Change]:
    """Case 0 (one row) or 1 (four rows of four tables) of the size table in the Craft protocol's own document."""
    if number == 0:
        return [_document_row(424316552636792833, "b")]
    return [
        _document_row(424316553934667777, "c"),
        _document_row(424316554327097345, "d"),
        _document_row(424316554746789889, "e"),
        _document_row(424316555073945601, "f", partition=6),
    ]


_DOCUMENT_COLUMNS: tuple[tuple[str, int, Value, Value], ...] = (
    ("varchar", VARCHAR, "varchar0", "varchar1"),
    ("string", CHAR, "string0", "string1"),
    ("date", DATE, "2021/01/01", "2021/01/02"),
    ("timestamp", TIMESTAMP, "2021/01/01 00:00:00", "2021/01/02 00:00:00"),
    ("datetime", DATETIME, "2021/01/01 00:00:00", "2021/01/02 00:00:00"),
    ("float", FLOAT, 1.0, 2.0),
    ("long", INT, 1000, 2000),
    ("null", NULL, None, None),
)


def _document_row(commit_ts: int, table: str, partition: int | None = None) -> Change:
    columns = tuple(ColumnDef(name, type_, 0) for name, type_, _, _ in _DOCUMENT_COLUMNS)
    new = {name: value for name, _, _, value in _DOCUMENT_COLUMNS}
    old = {name: value for name, _, value, _ in _DOCUMENT_COLUMNS}
    return Change(commit_ts, "a", table, columns, new, old, partition)

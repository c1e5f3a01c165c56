"""Tables, rows, DDL and watermarks at random, out of a seed: cases for TiCDC's encoder and ours."""

from __future__ import annotations

import random
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tidewire.mysql import ColumnFlag, storage

Value = int | float | str | bytes | None

INTEGERS = {1: 8, 2: 16, 3: 32, 8: 64, 9: 24}
"""Integer types and their width in bits."""
YEAR, BIT, VECTOR, JSON, DECIMAL, ENUM, SET, FLOAT, DOUBLE = 13, 16, 225, 245, 246, 247, 248, 4, 5
STRINGS = (15, 249, 250, 251, 252, 253, 254)
VALUELESS = (0, 6, 255, 17, 200, 244)
"""Types of which only null is written; the last three are none of TiDB's."""
UNSIGNED, HANDLE, PRIMARY, UNIQUE = (
    int(f) for f in (ColumnFlag.UNSIGNED, ColumnFlag.HANDLE_KEY, ColumnFlag.PRIMARY_KEY, ColumnFlag.UNIQUE_KEY)
)
U64 = 2**64 - 1

NAMES = [
    *("id", "ID", "val", "t", "s", "test", "a", "b", "中文列", "a.b", "`x`", " ", "<&>", "é", "e\u0301", "select"),
    *("\U0001f9ea\u200d\U0001f52c", "\U0001f600" * 16, "_tidb_op", 'q"\\', "\0", "\u2028"),
    *("x" * 64, "表" * 64, "x" * 127, "y" * 128),
]
"""Names that schemas, tables and columns share, so that they share terms too."""

TIMES: dict[int, list[str]] = {
    7: ["0000-00-00 00:00:00", "1970-01-01 00:00:01", "2038-01-19 03:14:07.999999", "2021-11-07 01:30:00.5"],
    10: ["0000-00-00", "2020-00-00", "2021-02-30", "1000-01-01", "9999-12-31"],
    11: ["-838:59:59", "838:59:59.000000", "00:00:00", "-00:00:00.000001", "24:00:00.1"],
    12: ["0000-00-00 00:00:00", "1000-01-01 00:00:00.0", "9999-12-31 23:59:59.999999", "2021-03-28 02:30:00"],
    14: ["0000-00-00", "2024-02-29"],
    JSON: ["null", '""', '"\\u0000"', '{"a": 1e400, "ü": [true, null]}', '{"": {"": ""}}', "18446744073709551615"],
    DECIMAL: ["0", "-0.00", "9" * 65, "-" + "9" * 35 + "." + "9" * 30, "0." + "0" * 29 + "1", "129012.1230000"],
}
"""Texts of the types that are text."""
TYPES = [*INTEGERS, YEAR, BIT, VECTOR, ENUM, SET, DOUBLE, *TIMES, *STRINGS]
"""Types with values, but for FLOAT, which TiCDC damages."""


class Column(NamedTuple):
    """Name, MySQL's type byte, TiCDC's flags."""

    name: str
    type: int
    flags: int


@dataclass(frozen=True)
class Table:
    """A table. `sane`: its flags are those of a table that TiDB can have, so that TiCDC's public decoder takes them."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    partitioned: bool
    sane: bool


@dataclass(frozen=True)
class Row:
    """A row change; images are aligned with the table's columns."""

    kind: str
    commit_ts: int
    table: Table
    partition: int | None
    new: tuple[Value, ...] | None
    old: tuple[Value, ...] | None


@dataclass(frozen=True)
class Statement:
    """A DDL statement."""

    commit_ts: int
    schema: str
    table: str
    type: int
    query: str


@dataclass(frozen=True)
class Mark:
    """A watermark."""

    commit_ts: int


Happening = Row | Statement | Mark


@dataclass(frozen=True)
class Case:
    """Events and the options to encode them with, under TiCDC's names."""

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Happening, ...] = ()

    @property
    def handle_only(self) -> bool:
        """Whether deletes carry their handle key columns only."""
        return bool(self.options.get("delete-only-output-handle-key-columns"))

    def types(self) -> set[int]:
        """The types of all columns."""
        return {c.type for e in self.events if isinstance(e, Row) for c in e.table.columns}

    def without(self, first: int, count: int) -> Case:
        """The case without some events."""
        return replace(self, events=self.events[:first] + self.events[first + count :])


class Maker:
    """Makes cases from a source of random numbers."""

    def __init__(self, source: random.Random) -> None:
        self.r = source

    def number(self, bits: int) -> int:
        """0 to 2^bits - 1; borders of varints and of widths more often than others."""
        r = self.r
        if r.random() < 0.5:
            power = 1 << min(bits, r.choice((0, 1, 6, 7, 8, 13, 14, 20, 21, 27, 28, 31, 32, 35, 53, 56, 62, 63, 64)))
            return min((1 << bits) - 1, power - r.randrange(2))
        return r.getrandbits(r.randint(1, bits))

    def text(self) -> str:
        """Text of any characters."""
        r = self.r
        if r.random() < 0.02:
            return r.choice("x\0é中\U0001f600") * r.choice((63, 64, 127, 128, 255, 8191, 8192, 20000))
        pool = "abc \0\t\n'\"\\%_é中文ÿ\u00a0\u2028\ufeff\ufffd\U0001f600\U0010ffff"
        return "".join(r.choices(pool, k=r.choice((0, 1, 2, 5, 12, 31, 32, 40))))

    def blob(self) -> bytes:
        """Bytes, seldom UTF-8."""
        r = self.r
        if r.random() < 0.02:
            return r.choice((b"\0", b"\xff", b"\x80")) * r.choice((63, 64, 8191, 8192))
        fixed = (b"", b"\0", b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", bytes(range(256)), b"\xc0\x80")
        return r.choice(fixed) if r.random() < 0.4 else r.randbytes(r.randrange(40))

    def double(self) -> float:
        """A double: any bits but those of a NaN, which is Go's own."""
        r = self.r
        if r.random() < 0.4:
            return r.choice((0.0, -0.0, 0.1, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), GO_NAN, 1e16))
        found: float = struct.unpack("<d", r.randbytes(8))[0]
        return found if found == found else GO_NAN

    def single(self) -> float:
        """A float32, widened."""
        r = self.r
        if r.random() < 0.4:
            data = struct.pack("<f", r.choice((0.0, -0.0, 0.1, 1.5, 1e-45, 3.4028235e38)))
        else:
            data = r.randbytes(4)
        found: float = struct.unpack("<f", data)[0]
        return found if found == found else 0.0

    def vector(self) -> str:
        """A vector as TiDB writes it: shortest float32 digits, no exponent; dyadic numbers, which both round alike."""
        r = self.r
        items = [r.choice((0.0, 1.0, -3.0, 2.5, 0.125, -1024.75, 16777216.0)) for _ in range(r.choice((0, 1, 3, 20)))]
        return "[" + ",".join(f"{item:g}" if abs(item) < 1e5 else f"{item:.0f}" for item in items) + "]"

    def value(self, column: Column) -> Value:
        """A value of a column, as TiCDC's mounter could give it, or null."""
        kind, r = column.type, self.r
        if kind in VALUELESS or r.random() < 0.12:
            return None
        if kind in INTEGERS:
            # Nothing in the encoders knows widths; a value that its type cannot have may be wider.
            bits = INTEGERS[kind] if r.random() < 0.7 else 64
            if column.flags & UNSIGNED:
                return self.number(bits)
            number = self.number(bits - 1)
            return number if r.random() < 0.5 else -number - 1
        if kind == YEAR:
            return r.choice((0, 1901, 1970, 2155, -1, 2**63 - 1, -(2**63)))
        if kind in (BIT, SET):
            return self.number(64)
        if kind == ENUM:
            return self.number(r.choice((2, 9, 16, 64)))
        if kind == DOUBLE:
            return self.double()
        if kind == FLOAT:
            return self.single()
        if kind == VECTOR:
            return self.vector()
        if kind in TIMES:
            # Never empty: no such column can be, and TiCDC writes null for it (see refusals.py).
            return r.choice(TIMES[kind]) if r.random() < 0.7 else self.text() or "0"
        return self.blob() if column.flags & 1 or r.random() < 0.1 else self.text()

    def name(self) -> str:
        """A name of a schema, a table or a column."""
        r = self.r
        return r.choice(NAMES) if r.random() < 0.7 else (self.text()[:64] or "n")

    def table(self, floats: bool, keyed: bool) -> Table:
        """A table; `floats`: with FLOAT columns; `keyed`: with a handle key for sure."""
        r = self.r
        width = r.choice((1, 2, 3, 5, 8, 8, 12, 20)) if r.random() < 0.97 else r.choice((126, 127, 128, 129, 200))
        names: dict[str, None] = {}
        while len(names) < width:
            names[self.name() if width < 30 or r.random() < 0.1 else f"column_{len(names)}"] = None
        sane = r.random() < 0.5
        columns = []
        handles = r.choice((1, 1, 1, 2, 3)) if keyed or r.random() < 0.8 else 0
        by_primary = r.random() < 0.7
        for k, name in enumerate(names):
            kind = r.choice(TYPES)
            if floats and r.random() < 0.4:
                kind = FLOAT
            elif not sane and r.random() < 0.06:
                kind = r.choice(VALUELESS)
            columns.append(Column(name, kind, self.flags(kind, sane, k < handles, by_primary)))
        if keyed and not any(c.flags & HANDLE for c in columns):
            columns[0] = columns[0]._replace(flags=columns[0].flags | HANDLE)
        return Table(self.name(), self.name(), tuple(columns), r.random() < 0.25, sane)

    def flags(self, kind: int, sane: bool, handle: bool, by_primary: bool) -> int:
        """Flags of a column."""
        r = self.r
        if not sane:
            return r.choice((0, 1, 2, 11, 64, 65, 128, 129, 192, 1 << 63, U64, self.number(64)))
        flags = 0
        if handle:
            flags |= HANDLE | (PRIMARY if by_primary else UNIQUE)
        else:
            flags |= r.choice((0, 4, 64, 64, 96, 64 | 4))
        if kind in (YEAR, BIT) or (kind in INTEGERS and r.random() < 0.5):
            flags |= UNSIGNED
        # All but text is binary in TiDB.
        return flags if kind in STRINGS and r.random() < 0.5 else flags | 1

    def row(self, table: Table, commit_ts: int) -> Row:
        """A change of a row of a table."""
        r = self.r
        kind = r.choice(("insert", "update", "update", "delete"))
        new = tuple(map(self.value, table.columns)) if kind != "delete" else None
        old = tuple(map(self.value, table.columns)) if kind != "insert" else None
        if new and old and r.random() < 0.5:
            old = tuple(n if r.random() < 0.7 else o for n, o in zip(new, old, strict=True))
        partition = self.number(63) if table.partitioned else None
        return Row(kind, commit_ts, table, partition, new, old)

    def other(self, commit_ts: int) -> Happening:
        """A DDL statement or a watermark."""
        r = self.r
        if r.random() < 0.5:
            return Mark(commit_ts)
        schema = r.choice(("", self.name()))
        table = r.choice(("", self.name()))
        kind = r.choice((1, 3, 5, 60, 127, 128, 255, r.randrange(256)))
        return Statement(commit_ts, schema, table, kind, self.text())

    def case(self, name: str) -> Case:
        """A case of some tables, their rows interleaved, DDL and watermarks between."""
        r = self.r
        options: dict[str, Any] = {}
        if r.random() < 0.6:
            options["max-batch-size"] = r.choice((1, 2, 3, 4, 16, 64, 1000))
        if r.random() < 0.3:
            options["max-message-bytes"] = r.choice((1, 32, 100, 300, 600, 1000, 3000, 20000))
        handle_only = r.random() < 0.25
        if handle_only:
            options["delete-only-output-handle-key-columns"] = True
        floats = r.random() < 0.12
        tables = [self.table(floats, handle_only) for _ in range(r.choice((1, 1, 2, 3, 5)))]
        others = r.choice((0.0, 0.0, 0.05, 0.3))
        ts = self.number(64)
        events: list[Happening] = []
        most = r.choice((1, 2, 5, 20, 40, 90))
        if any(len(table.columns) > 100 for table in tables):
            most = min(most, 6)
        for _ in range(most):
            mood = r.random()
            ts = self.number(64) if mood < 0.05 else ts if mood < 0.6 else min(U64, ts + self.number(30))
            events.append(self.other(ts) if r.random() < others else self.row(r.choice(tables), ts))
        return Case(name, options, tuple(events))


GO_NAN: float = struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000001))[0]
"""The NaN that Go's strconv reads."""


def case(seed: int, number: int) -> Case:
    """The case with this number of this seed."""
    return Maker(random.Random(f"{seed}/{number}")).case(f"--seed {seed} --case {number}")


def stored(column: Column) -> str:
    """What a column's values are: int, uint, float, text, bytes or nothing."""
    return storage(column.type, column.flags)

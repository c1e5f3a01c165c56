"""Random cases from a seed: tables, rows, DDL and watermarks that a protocol can carry."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tidewire.mysql import storage

from . import values
from .cases import (
    BINARY,
    BIT,
    DECIMAL,
    DOUBLE,
    ENUM,
    FLOAT,
    HANDLE,
    INTEGERS,
    MULTIPLE,
    NULLABLE,
    PRIMARY,
    SET,
    STRINGS,
    UNIQUE,
    UNSIGNED,
    VAR_STRING,
    VECTOR,
    YEAR,
    Case,
    Column,
    Happening,
    Mark,
    Row,
    Statement,
    Table,
    Value,
)
from .declared import declare
from .fitting import default, fits, fitting

if TYPE_CHECKING:
    from .protocols import Protocol

U64 = 2**64 - 1
QUERIES = (
    *("create table t (id int primary key)", "CREATE DATABASE `a<b`", "drop schema s", "drop table `t`"),
    *("alter table t add column c varchar(20) default '\u2028<&>'", "truncate table t", "drop index i on t"),
    *("rename table a to b", "create index `ü` on t (a)", "alter table t comment = 'a\\'b\\\\ \"q\" \U0001f600\t\n'"),
)
"""Statements that TiDB's parser takes."""


class Maker:
    """Makes cases of a protocol from a source of random numbers."""

    def __init__(self, protocol: Protocol, source: random.Random) -> None:
        self.protocol = protocol
        self.r = source

    def value(self, column: Column) -> Value:
        """A value of a column, as TiCDC's mounter could give it, or null."""
        kind, r, protocol = column.type, self.r, self.protocol
        can_be_null = bool(column.flags & NULLABLE) or not protocol.fitting
        if kind in protocol.valueless or (can_be_null and r.random() < 0.12):
            return None
        if protocol.fitting and fits(column):
            return fitting(r, column)
        if kind in INTEGERS:
            # Where nothing knows widths, a value that its type cannot have may be wider.
            bits = INTEGERS[kind] if not protocol.wide or r.random() < 0.7 else 64
            if column.flags & UNSIGNED:
                return values.number(r, bits)
            number = values.number(r, bits - 1)
            return number if r.random() < 0.5 else -number - 1
        if kind == YEAR:
            wide: tuple[int, ...] = (-1, 2**63 - 1, -(2**63)) if protocol.wide else ()
            return r.choice((0, 1901, 1970, 2155, *wide))
        if kind in (BIT, SET):
            return values.number(r, 64)
        if kind == ENUM:
            return values.number(r, r.choice((2, 9, 16, 64 if protocol.wide else 16)))
        if kind == DOUBLE:
            return values.double(r, protocol.finite)
        if kind == FLOAT:
            return values.single(r, protocol.finite)
        if kind == VECTOR:
            return values.vector(r)
        if kind in values.TIMES:
            found = r.choice(values.TIMES[kind]) if kind == DECIMAL or r.random() < 0.7 else values.text(r)
            return found or ("" if protocol.empty_texts else "0")
        return values.blob(r) if column.flags & BINARY or r.random() < 0.1 else values.text(r)

    def name(self) -> str:
        """A name of a schema, a table or a column."""
        return values.name(self.r)

    def table(self, damaged: bool, keyed: bool) -> Table:
        """A table; `damaged`: with columns of types that TiCDC damages; `keyed`: with a handle key for sure."""
        r, protocol = self.r, self.protocol
        width = r.choice((1, 2, 3, 5, 8, 8, 12, 20)) if r.random() < 0.97 else r.choice((126, 127, 128, 129, 200))
        names: dict[str, None] = {}
        while len(names) < width:
            name = self.name() if width < 30 or r.random() < 0.1 else f"column_{len(names)}"
            # of two names in upper and lower case no table is described
            if not protocol.describes or all(name.lower() != other.lower() for other in names):
                names[name] = None
        sane = not protocol.any_flags or r.random() < 0.5
        columns = []
        handles = r.choice((1, 1, 1, 2, 3)) if keyed or r.random() < 0.8 else 0
        by_primary = r.random() < 0.7
        for k, name in enumerate(names):
            kind = r.choice(protocol.types)
            if damaged and r.random() < 0.4:
                kind = r.choice(protocol.damaged)
            elif protocol.valueless and not (sane and protocol.any_flags) and r.random() < 0.06:
                kind = r.choice(protocol.valueless)
            flags = self.flags(kind, sane, k < handles, by_primary)
            columns.append(Column(name, kind, flags))
        if keyed and not any(c.flags & HANDLE for c in columns):
            columns[0] = columns[0]._replace(flags=columns[0].flags | HANDLE)
        if protocol.declares:
            columns = [
                c._replace(
                    declared=declare(r, c.type, bool(c.flags & UNSIGNED), bool(c.flags & BINARY), protocol.fitting)
                )
                for c in columns
            ]
        if protocol.fitting or protocol.defaults:
            columns = [
                c._replace(declared=c.declared and c.declared._replace(default=default(r, c, protocol.defaults)))
                for c in columns
            ]
        partitioned = protocol.partitions and r.random() < 0.25
        id, version = (
            (values.number(r, 63) or 1, values.number(r, protocol.version_bits) or 1) if protocol.describes else (0, 0)
        )
        return Table(self.name(), self.name(), tuple(columns), partitioned, sane, id, version)

    def flags(self, kind: int, sane: bool, handle: bool, by_primary: bool) -> int:
        """Flags of a column."""
        r = self.r
        if not sane:
            return r.choice((0, 1, 2, 11, 64, 65, 128, 129, 192, 1 << 63, U64, values.number(r, 64)))
        flags = 0
        if handle:
            flags |= HANDLE | (PRIMARY if by_primary else UNIQUE)
        else:
            flags |= r.choice((0, 4, NULLABLE, NULLABLE, NULLABLE | MULTIPLE, NULLABLE | 4))
        unsigned = 0.5 if kind in INTEGERS else 0.2 if kind in (FLOAT, DOUBLE, DECIMAL) else 0
        if kind in (YEAR, BIT) or r.random() < unsigned:
            flags |= UNSIGNED
        # All but text is binary in TiDB. What has no type has no charset; VAR_STRING has one name for both.
        if kind in self.protocol.valueless or (kind == VAR_STRING and self.protocol.declares):
            return flags
        if kind in STRINGS and r.random() < 0.5:
            return flags
        return flags | BINARY

    def row(self, table: Table, commit_ts: int) -> Row:
        """A change of a row of a table."""
        r = self.r
        kind = r.choice(("insert", "update", "update", "delete"))
        new = tuple(map(self.value, table.columns)) if kind != "delete" else None
        old = tuple(map(self.value, table.columns)) if kind != "insert" else None
        if new and old and r.random() < 0.5:
            old = tuple(n if r.random() < 0.7 else o for n, o in zip(new, old, strict=True))
        partition = values.number(r, 63) if table.partitioned else None
        if partition == 0 and self.protocol.describes:
            partition = 1  # where messages name it, 0 is none
        row_id = r.choice((None, 0, 1, -1, -(2**63), values.number(r, 63))) if self.protocol.row_ids else None
        return Row(kind, commit_ts, table, partition, new, old, row_id)

    def other(self, commit_ts: int) -> Happening:
        """A DDL statement or a watermark."""
        r = self.r
        if r.random() < 0.5:
            return Mark(commit_ts)
        schema = r.choice(("", self.name()))
        table = r.choice(("", self.name()))
        kind = r.choice((1, 3, 5, 60, 127, 128, 255, r.randrange(256)))
        query = r.choice(QUERIES) if r.random() < 0.4 else values.text(r)
        if not self.protocol.empty_statements:
            query = query or "x"
        return Statement(commit_ts, schema, table, kind, query)

    def case(self, name: str) -> Case:
        """A case of some tables, their rows interleaved, DDL and watermarks between."""
        r = self.r
        options = self.protocol.options(r)
        keyed = self.protocol.wants_key(options)
        damaged = bool(self.protocol.damaged) and r.random() < 0.12
        tables = [self.table(damaged, keyed) for _ in range(r.choice((1, 1, 2, 3, 5)))]
        if self.protocol.describes:  # a version of a table is described once
            tables = list({(table.schema, table.name, table.version): table for table in tables}.values())
        others = r.choice((0.0, 0.0, 0.05, 0.3)) if self.protocol.has_others(options) else 0.0
        bits = self.protocol.commit_bits
        ts = values.number(r, bits)
        events: list[Happening] = []
        most = r.choice((1, 2, 5, 20, 40, 90))
        if any(len(table.columns) > 100 for table in tables):
            most = min(most, 6)
        for _ in range(most):
            mood = r.random()
            later = min((1 << bits) - 1, ts + values.number(r, 30))
            ts = values.number(r, bits) if mood < 0.05 else ts if mood < 0.6 else later
            events.append(self.other(ts) if r.random() < others else self.row(r.choice(tables), ts))
        return Case(name, options, tuple(events))


def case(protocol: Protocol, seed: int, number: int) -> Case:
    """The case of a protocol with this number of this seed."""
    name = f"--protocol {protocol.name} --seed {seed} --case {number}"
    return Maker(protocol, random.Random(f"{seed}/{number}")).case(name)


def stored(column: Column) -> str:
    """What a column's values are: int, uint, float, text, bytes or nothing."""
    return storage(column.type, column.flags)

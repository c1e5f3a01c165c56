"""Values of every type, as the database prints them and as events have them, and both sides of a comparison of them
without Spark.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import tidewire
from sync.dumpling import Cell
from tidewire import canal_json
from tidewire.events import RowChange
from tidewire.reading.database.dumped_text import RawRows
from tidewire.reading.database.stored_values import StoredValues
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import Wanted, target_type
from tidewire.spark.sync.verifying.comparing import Row
from tidewire.spark.sync.verifying.row_hashes import Checksums, Hashed, Mask, RowHashes, in_ranges
from tidewire.spark.sync.verifying.sides import SourceSide
from tidewire.tables import TableDescription, TableStore

TS = 470607536966860800
HOSTILE = "a'b\"c\\\n\r\0,;\x1a"
"""A text with all that dumps escape."""


def texts(*values: str) -> list[tuple[bytes, Any]]:
    """Values that are printed as they are in events."""
    return [(one.encode(), one) for one in values]


TYPES: dict[str, list[tuple[bytes, Any]]] = {
    "tinyint": [(b"-128", -128), (b"0", 0), (b"127", 127)],
    "tinyint unsigned": [(b"255", 255), (b"1", 1)],
    "smallint": [(b"-32768", -32768), (b"7", 7)],
    "mediumint unsigned": [(b"16777215", 16777215), (b"3", 3)],
    "int": [(b"-2147483648", -2147483648), (b"2147483647", 2147483647)],
    "int unsigned": [(b"4294967295", 4294967295), (b"0", 0)],
    "bigint": [(b"-9223372036854775808", -(2**63)), (b"9223372036854775807", 2**63 - 1)],
    "bigint unsigned": [(b"18446744073709551615", 2**64 - 1), (b"9007199254740993", 9007199254740993)],
    "float": [(b"0.1", 0.10000000149011612), (b"1e20", 1.0000000200408773e20), (b"-3.5", -3.5)],
    "double": [(b"0.1", 0.1), (b"0.30000000000000004", 0.30000000000000004), (b"1e300", 1e300)],
    "decimal(10,2)": texts("1.50", "-99999999.99", "0.00"),
    "decimal(65,30)": texts("1." + "0" * 29 + "1", "2." + "0" * 30),
    "date": texts("2026-11-27", "0001-01-01"),
    "datetime(6)": texts("2026-11-27 10:00:00.000001", "9999-12-31 23:59:59.999999"),
    "timestamp(3)": texts("2026-11-27 10:00:00.001", "1970-01-01 00:00:01.000"),
    "time(2)": texts("-838:59:59.00", "00:00:00.01"),
    "year": [(b"2026", 2026), (b"1901", 1901)],
    "char(9)": texts("ab", "AB", ""),
    "varchar(99)": texts("a ", "a", "é\U0001f600", "\\N", HOSTILE),
    "text": texts("NULL", "x'00'", ""),
    "binary(3)": [(b"a\0\0", b"a\0\0"), (b"\xff\0\\", b"\xff\0\\")],
    "varbinary(9)": [(b"", b""), (b"\0", b"\0"), (b"'\"\\N", b"'\"\\N")],
    "blob": [(bytes(range(256)), bytes(range(256))), (b"\r\n", b"\r\n")],
    "bit(9)": [(b"\1\0", 256), (b"\0\0", 0), (b"\0\5", 5)],
    "enum('a','b c','it''s')": [(b"a", 1), (b"it's", 3)],
    "set('x','y','z')": [(b"", 0), (b"x,z", 5), (b"y", 2)],
    "json": texts('{"a": [1, 2.5, null]}', '"1"', "1"),
}


def statement(type: str) -> str:
    return f"CREATE TABLE `t` (`id` int NOT NULL, `v` {type} NULL, PRIMARY KEY (`id`))"


def describe(sql: str, schema: str = "shop") -> TableDescription:
    (found,) = TableStore().add_sql(sql, schema)
    return found


def decoded(description: TableDescription, rows: Sequence[dict[str, Any]]) -> pa.Table:
    """Rows that came as changes, in the types that tables get."""
    columns = description.row_columns()
    changes = [RowChange("insert", TS, description.schema, description.table, new=row, columns=columns) for row in rows]
    options = canal_json.Options(enable_tidb_extension=True, content_compatible=True)
    messages = [(one.key, one.value) for one in canal_json.encode(changes, options)]
    found = tidewire.read_table(messages, f"{description.schema}.{description.table}", "canal-json", timezone="UTC")
    return found.select([one.name for one in columns])


def raw(description: TableDescription, rows: Sequence[Sequence[Cell]]) -> RawRows:
    names = tuple(one.name for one in description.row_columns())
    return RawRows(names, list(zip(*rows, strict=True)) if rows else [() for _ in names], 1)


def hashing(description: TableDescription) -> RowHashes:
    names = tuple(one.name for one in description.row_columns())
    documents = frozenset(one.name for one in description.columns if one.mysql_type == "json")
    return RowHashes(names, description.handle_key or names, documents)


def source_side(
    description: TableDescription, batches: Sequence[RawRows], schema: pa.Schema, options: ReadOptions | None = None
) -> SourceSide:
    """The source's rows, in the types of a table."""
    wanted = [Wanted(one.name, target_type(one.type)) for one in schema]
    chosen = options or ReadOptions(zero_date="error")
    values = StoredValues(description.row_columns(), wanted, chosen, "UTC")
    return SourceSide(lambda: iter(batches), values, hashing(description))


@dataclass(frozen=True)
class MemorySide:
    """A table's rows in memory."""

    table: pa.Table
    hashing: RowHashes

    def checksums(self) -> Checksums:
        found = Checksums()
        for batch in self._batches():
            found.add(self.hashing.of(batch))
        return found

    def hashes(self, ranges: Mask) -> Hashed:
        parts = []
        for batch in self._batches():
            hashed = self.hashing.of(batch)
            kept = in_ranges(hashed, ranges)
            parts.append((hashed.keys[kept], hashed.rows[kept]))
        if not parts:
            return Hashed(np.zeros(0, np.uint64), np.zeros(0, np.uint64))
        return Hashed(*(np.concatenate(some) for some in zip(*parts, strict=True)))

    def rows(self, keys: Sequence[int]) -> list[Row]:
        found = []
        for batch in self._batches():
            hashes = self.hashing.of_columns(batch)
            for at, key in enumerate(self.hashing.of(batch).keys.tolist()):
                if key in keys:
                    row = batch.slice(at, 1).to_pylist()[0]
                    values = {name: None if value is None else str(value) for name, value in row.items()}
                    found.append(Row(key, values, {name: int(of[at]) for name, of in hashes.items()}))
        return found

    def _batches(self) -> Iterator[pa.RecordBatch]:
        yield from self.table.to_batches(max_chunksize=3)

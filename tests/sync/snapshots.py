"""A driver of DB-API 2.0 for tests: SQLite in the place of TiDB. Of each table it has versions by TSO, and it answers
the statements that a comparison sends.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from sync.dumpling import Dumped, kind_of

apilevel, threadsafety, paramstyle = "2.0", 1, "qmark"
Error = sqlite3.Error
VERSIONS: dict[int, Mapping[str, Dumped]] = {}
"""By the TSO from which they are there, all tables by name."""
ASKED: list[str] = []
"""All statements."""
OLDEST = 0
"""The GC safe point."""
_REWRITTEN = (
    (re.compile(r"CONVERT\((`(?:[^`]|``)+`) USING utf8mb4\)"), r"\1"),
    (re.compile(r" AS CHAR\)"), " AS TEXT)"),
    (re.compile(r" AS UNSIGNED\)"), " AS INTEGER)"),
    (re.compile(r"\bIF\("), "IIF("),
)


def connect(**given: Any) -> Connection:
    if given.get("password") not in (None, "secret"):
        raise Error(f"Access denied for {given.get('user')} with {given['password']}")
    return Connection()


class Connection:
    def __init__(self) -> None:
        self.tables: Mapping[str, Dumped] = VERSIONS[max(VERSIONS)] if VERSIONS else {}

    def cursor(self) -> Cursor:
        return Cursor(self)

    def close(self) -> None:
        ASKED.append("close")


class Cursor:
    def __init__(self, of: Connection) -> None:
        self.of = of
        self.description: Any = None
        self.rows: Any = iter(())

    def execute(self, statement: str) -> None:
        ASKED.append(statement)
        self.description = ("a result",)
        if found := re.fullmatch(r"SET tidb_snapshot = '(\d+)'", statement):
            tso = int(found[1])
            if tso < OLDEST:
                raise Error(f"snapshot is older than GC safe point {OLDEST}")
            self.of.tables = VERSIONS[max(one for one in VERSIONS if one <= tso)]
            self.description = None
        elif statement.startswith("SET "):
            self.description = None
        elif statement == "SHOW DATABASES":
            self.rows = iter(sorted({("mysql",), *((one.split(".")[0],) for one in self.of.tables)}))
        elif found := re.fullmatch(r"SHOW FULL TABLES FROM `(.+)`", statement):
            names = [one.split(".")[1] for one in self.of.tables if one.startswith(f"{found[1]}.")]
            self.rows = iter([*((name, "BASE TABLE") for name in names), ("a_view", "VIEW")])
        elif found := re.fullmatch(r"SHOW CREATE TABLE `(.+)`\.`(.+)`", statement):
            self.rows = iter([(found[2], self.of.tables[f"{found[1]}.{found[2]}"].sql)])
        else:
            found = re.fullmatch(r"(SELECT .*) FROM `(.+)`\.`(.+)`", statement, re.DOTALL)
            assert found is not None, statement
            self.rows = self._selected(found[1], self.of.tables[f"{found[2]}.{found[3]}"])

    def _selected(self, select: str, table: Dumped) -> sqlite3.Cursor:
        database = sqlite3.connect(":memory:")
        names = [f"`{one}`" for one in table.columns]
        database.execute(f"CREATE TABLE t ({', '.join(names)})")
        types = list(table.columns.values())
        rows = [[_value(cell, type) for cell, type in zip(row, types, strict=True)] for row in table.rows]
        database.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(names))})", rows)
        for pattern, text in _REWRITTEN:
            select = pattern.sub(text, select)
        return database.execute(f"{select} FROM t")

    def fetchall(self) -> list[Sequence[Any]]:
        return list(self.rows)

    def fetchmany(self, size: int) -> list[Sequence[Any]]:
        return [row for row, _ in zip(self.rows, range(size), strict=False)]

    def close(self) -> None:
        pass


def _value(cell: bytes | None, type: str) -> Any:
    if cell is None:
        return None
    name = type.split("(")[0].split()[0].lower()
    if name in ("float", "double"):
        return float(cell)
    if name == "bit":
        return int.from_bytes(cell, "big")
    return cell if kind_of(type) == "binary" else cell.decode()

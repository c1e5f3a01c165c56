"""The tables of a database as they were at one TSO, by any connection of Python's DB-API 2.0.

TiDB reads all of them at the TSO in the session's `tidb_snapshot`, their definitions too. Values are selected as
numbers and as ASCII, hexadecimal for text and bytes, so that no driver and no character set of a connection changes
them.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from tidewire.mysql import ColumnType, storage
from tidewire.reading.database.dump import TableName
from tidewire.reading.database.dumped_text import Cell, RawRows
from tidewire.reading.files.streams import InputError
from tidewire.reading.table_names import quoted
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import shortened
from tidewire.tables import TableDescription, TableStore

BATCH_ROWS = 5000
"""The most rows that are fetched at once."""
_OWN = ("information_schema", "inspection_schema", "metrics_schema", "mysql", "performance_schema", "sys")
"""Schemas of the server."""
_TOO_LONG = "!"
"""In place of a value that the server cannot print."""
_PRINTED = (
    ColumnType.DECIMAL,
    ColumnType.DATE,
    ColumnType.NEWDATE,
    ColumnType.DATETIME,
    ColumnType.TIMESTAMP,
    ColumnType.TIME,
    ColumnType.VECTOR,
)
"""Types whose values are ASCII text."""


class DatabaseError(InputError):
    """A database that cannot be read; the text says what to do."""


class Address(NamedTuple):
    """How to connect.

    Attributes:
        module: a module of DB-API 2.0, such as pymysql.
        arguments: of its function `connect`.
    """

    module: str
    arguments: Mapping[str, Any]


def address_of(url: str) -> Address:
    """The address in a URL such as ``pymysql://tidb:4000/?user=me&password=$PASSWORD``.

    Raises:
        DatabaseError: it is none.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        parts, port = None, None
    if parts is None or not parts.scheme or not parts.hostname:
        raise DatabaseError(
            "this is no address of a database: write the driver's module, the host and the port as in"
            " pymysql://tidb:4000, and the other arguments of its connect behind a question mark (user=, password=)"
        )
    found: dict[str, Any] = {"host": parts.hostname, "port": port, "user": parts.username, "password": parts.password}
    found = {name: unquote(one) if isinstance(one, str) else one for name, one in found.items() if one is not None}
    if parts.path.strip("/"):
        found["database"] = unquote(parts.path.strip("/"))
    return Address(parts.scheme, {**found, **dict(parse_qsl(parts.query))})


class Database:
    """A connection.

    Attributes:
        timezone: in which TIMESTAMP values are printed.

    Raises:
        DatabaseError: the module is missing, the server refuses, or it cannot read the TSO.
    """

    timezone = "UTC"

    def __init__(self, address: Address, tso: int | None) -> None:
        """
        Args:
            address: how to connect; a text ``$NAME`` among the arguments stands for a variable of the environment.
            tso: the TSO to read at; None for a copy that nothing changes.
        """
        self._module = _imported(address.module)
        given = {name: _from_environment(name, one) for name, one in address.arguments.items()}
        self._secrets = [str(given[name]) for name in given if "pass" in name.lower() and given[name]]
        try:
            self._connection = self._module.connect(**given)
        except Exception as error:
            raise self._error("no connection to the database", error) from None
        if tso is not None:
            self._read_at(tso)
        self._run("SET time_zone = '+00:00'")

    def close(self) -> None:
        """Closes the connection."""
        with suppress(Exception):
            self._connection.close()

    def names(self, schemas: Sequence[str] | None = None) -> list[TableName]:
        """All tables, without views."""
        if schemas is None:
            schemas = [one for (one,) in self._texts("SHOW DATABASES") if one.lower() not in _OWN]
        return [
            (schema, table)
            for schema in schemas
            for table, kind in self._texts(f"SHOW FULL TABLES FROM {quoted(schema)}")
            if kind.upper() == "BASE TABLE"
        ]

    def describe(self, name: TableName) -> TableDescription:
        """The description of a table.

        Raises:
            DatabaseError: there is no such table, or its statement cannot be parsed.
        """
        found = self._texts(f"SHOW CREATE TABLE {_shown(name)}")
        try:
            (description,) = TableStore().add_sql(found[0][1], name[0])
        except (TidewireError, ValueError) as error:
            raise DatabaseError(f"SHOW CREATE TABLE {_shown(name)}: {error}") from None
        return description

    def columns(self, description: TableDescription) -> list[Column]:
        """The columns of a table whose values are stored."""
        return description.row_columns()

    def rows(self, name: TableName, description: TableDescription) -> Iterator[RawRows]:
        """The rows of a table, some at a time.

        Raises:
            DatabaseError: the server refuses, or a value is too long for it to print.
        """
        columns = self.columns(description)
        selected = ", ".join(_selected(one) for one in columns)
        names = tuple(one.name for one in columns)
        cursor = self._cursor()
        try:
            cursor.execute(f"SELECT {selected} FROM {_shown(name)}")
            while found := cursor.fetchmany(BATCH_ROWS):
                cells = [_cells(column, of, name) for column, of in zip(columns, zip(*found, strict=True), strict=True)]
                yield RawRows(names, cells, 0)
        except TidewireError:
            raise
        except Exception as error:
            raise self._error(f"the rows of {_shown(name)} cannot be read", error) from None
        finally:
            with suppress(Exception):
                cursor.close()

    def _read_at(self, tso: int) -> None:
        try:
            self._run(f"SET tidb_snapshot = '{tso}'")
        except DatabaseError as error:
            text = str(error)
            if "unknown system variable" in text.lower():
                raise DatabaseError(
                    "the server is no TiDB, and cannot be read at a TSO: of a copy that nothing changes, say frozen"
                ) from None
            if "gc safe point" in text.lower():
                raise DatabaseError(
                    f"{text}: TiDB does not keep any more what it had at {tso}; raise tidb_gc_life_time, and verify"
                    " what is published later"
                ) from None
            raise

    def _cursor(self) -> Any:
        # drivers whose usual cursor fetches a whole result at once have one that does not
        streaming = getattr(getattr(self._module, "cursors", None), "SSCursor", None)
        return self._connection.cursor() if streaming is None else self._connection.cursor(streaming)

    def _run(self, statement: str) -> list[Sequence[Any]]:
        cursor = self._connection.cursor()
        try:
            cursor.execute(statement)
            return list(cursor.fetchall()) if cursor.description else []
        except Exception as error:
            raise self._error(statement, error) from None
        finally:
            with suppress(Exception):
                cursor.close()

    def _texts(self, statement: str) -> list[tuple[str, ...]]:
        return [tuple(_text(one) for one in row) for row in self._run(statement)]

    def _error(self, what: str, error: Exception) -> DatabaseError:
        text = f"{what}: {type(error).__name__}: {error}"
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return DatabaseError(shortened(text, 600))


def _imported(module: str) -> Any:
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise DatabaseError(
            f"there is no module {module} here ({error}): install a driver of DB-API 2.0, such as pip install pymysql"
        ) from None
    if not callable(getattr(found, "connect", None)):
        raise DatabaseError(f"module {module} is no driver of DB-API 2.0: it has no function connect")
    return found


def _from_environment(name: str, value: Any) -> Any:
    if not (isinstance(value, str) and value.startswith("$")):
        return value
    found = os.environ.get(value[1:])
    if found is None:
        raise DatabaseError(f"{name} is {value}, and the environment has no variable {value[1:]}")
    return found


def _shown(name: TableName) -> str:
    return ".".join(map(quoted, name))


def _selected(column: Column) -> str:
    """The expression that prints a column."""
    name, kind = quoted(column.name), storage(column.type, column.flags)
    if column.type == ColumnType.BIT:
        return f"CAST({name} AS UNSIGNED)"
    if column.type == ColumnType.FLOAT:
        return f"({name} + 0e0)"  # MySQL prints only six digits of a FLOAT
    if column.type in _PRINTED:
        return f"CAST({name} AS CHAR)"
    if not _hexadecimal(column):
        return name
    # where a text is longer than the server sends, HEX is NULL
    text = f"HEX({name if kind == 'bytes' else f'CONVERT({name} USING utf8mb4)'})"
    return f"IF({name} IS NULL, NULL, IFNULL({text}, '{_TOO_LONG}'))"


def _hexadecimal(column: Column) -> bool:
    labelled = column.type in (ColumnType.ENUM, ColumnType.SET)
    return labelled or (storage(column.type, column.flags) in ("text", "bytes") and column.type not in _PRINTED)


def _cells(column: Column, values: Sequence[Any], table: TableName) -> tuple[Cell, ...]:
    """The values of a column as text of the database."""
    if not _hexadecimal(column):
        cells = tuple([None if one is None else _text(one).encode() for one in values])
        if column.type == ColumnType.BIT:
            return tuple([None if one is None else int(one).to_bytes(8, "big") for one in cells])
        return cells
    texts = [None if one is None else _text(one) for one in values]
    if _TOO_LONG in texts:
        raise DatabaseError(
            f"a value of column {column.name!r} of {_shown(table)} is longer than the server sends: raise its"
            " max_allowed_packet"
        )
    return tuple([None if one is None else bytes.fromhex(one) for one in texts])


def _text(value: Any) -> str:
    return bytes(value).decode("utf-8", "replace") if isinstance(value, bytes | bytearray | memoryview) else str(value)

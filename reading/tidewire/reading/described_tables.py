"""Table descriptions given by a caller: a store, a list of them, or SQL files."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias
from urllib.parse import unquote

from tidewire.reading.files.streams import DamagedError, InputError, joined, opened
from tidewire.runtime.errors import MissingTableError, TidewireError
from tidewire.runtime.shortened import shown
from tidewire.tables import TableDescription, TableStore

Path: TypeAlias = str | os.PathLike[str]
Described: TypeAlias = Iterable[TableDescription | Path] | Path
"""The argument types for table descriptions: the path of an SQL file, or a list of paths and descriptions, such as a
`TableStore`.
"""

WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""The byte order marks of UTF-16 texts."""
_OF_DUMPLING = re.compile(r"([^.]+)\.[^.]+-schema\.sql(?:\.\w+)?")
"""Dumpling's file names of tables; a dot in a name is written %2E."""


class KnownTables(TableStore):
    """Table descriptions for one reading of rows."""

    advice = (
        "give its CREATE TABLE, such as tables='orders.sql' or, with a TableStore, add_sql; or read the message that "
        "describes it, too"
    )
    """The remedy in errors about a table without a description."""

    def find(self, schema: str | None, table: str, version: int | None) -> TableDescription:
        try:
            return super().find(schema, table, version)
        except MissingTableError:
            raise MissingTableError(schema, table, version, reason=self.advice) from None

    def latest(self, schema: str | None, table: str) -> TableDescription:
        try:
            return super().latest(schema, table)
        except MissingTableError:
            raise MissingTableError(schema, table, None, reason=self.advice, no_version=True) from None


def known_tables(given: Described) -> KnownTables:
    """A new store with the given descriptions.

    Raises:
        InputError: a file does not exist or is not SQL, or the argument is not descriptions.
        ContradictionError: two descriptions of one version of a table contradict each other.
    """
    if isinstance(given, str | os.PathLike):
        given = [given]
    if not isinstance(given, Iterable):
        raise InputError(f"tables: the path of a file of SQL or a TableStore is expected, not {shown(given)}")
    found = type(given)() if isinstance(given, KnownTables) else KnownTables()
    for one in given:
        if isinstance(one, str | os.PathLike):
            _add_file(os.fspath(one), found)
        else:
            found.add(one)
    return found


def _add_file(path: str, store: TableStore) -> None:
    try:
        if looks_like_events(path):
            raise InputError("this is a file of events; tidewire.cli.tables.load_tables reads it into a TableStore")
        load_sql(path, store)
    except OSError as error:
        raise InputError(f"tables: {path}: {error.strerror or error}") from None
    except (ValueError, TidewireError) as error:
        raise InputError(f"tables: {path}: {error}") from None


def looks_like_events(path: str) -> bool:
    """Whether a file begins like one of events; otherwise it is SQL."""
    with opened(path) as stream, suppress(DamagedError):
        for piece in stream.pieces():
            if piece.strip():
                return piece.lstrip().startswith(b"{")
    return False


def _database(path: str) -> str | None:
    """The database of the table in a Dumpling file, which only the file name contains."""
    found = _OF_DUMPLING.fullmatch(os.path.basename(path))
    return None if found is None else unquote(found[1])


def load_sql(path: str, store: TableStore) -> None:
    """Adds the tables created in an SQL file, such as output of the mysql client, mysqldump and Dumpling; gzip and zstd
    are decompressed.

    Raises:
        ValueError: it is not UTF-8 text, or the database of a table is unknown.
        SqlError, DescriptionError, ContradictionError: as in `TableStore.add_sql`.
    """
    with opened(path) as stream:
        text = joined(stream.pieces())
    try:
        made = store.add_sql(text.decode(), _database(path))
    except UnicodeDecodeError as error:
        wide = "; it looks like UTF-16: convert it, such as iconv -f UTF-16 -t UTF-8" if text[:2] in WIDE else ""
        raise ValueError(f"not UTF-8 at byte {error.start}{wide}") from None
    bare = [one.table for one in made if one.schema is None]
    if bare:
        raise ValueError(
            f"it does not say of which database `{bare[0]}` is: put USE, such as USE shop; before the statement, or "
            f"name the table `shop`.`{bare[0]}`"
        )

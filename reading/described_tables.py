"""Descriptions of tables as a caller gives them: a store, a list of them, or files of SQL."""

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
"""What describes tables: the path of a file of SQL, or a list of such and of descriptions, such as a `TableStore`."""

WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""How a text in UTF-16 begins."""
_OF_DUMPLING = re.compile(r"([^.]+)\.[^.]+-schema\.sql(?:\.\w+)?")
"""What Dumpling calls the file of a table; a point in a name is %2E there."""


class KnownTables(TableStore):
    """Descriptions for one reading of rows."""

    advice = (
        "give its CREATE TABLE, such as tables='orders.sql' or, with a TableStore, add_sql; or read the message that "
        "describes it, too"
    )
    """What the error says of a table that is missing."""

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
    """A store of its own with what a caller gave.

    Raises:
        InputError: a file is not there, or none of SQL; or these are no descriptions.
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
    """Whether a file begins as one of events does; else it is SQL."""
    with opened(path) as stream, suppress(DamagedError):
        for piece in stream.pieces():
            if piece.strip():
                return piece.lstrip().startswith(b"{")
    return False


def _database(path: str) -> str | None:
    """The database whose table a file of Dumpling's describes, which its name tells alone."""
    found = _OF_DUMPLING.fullmatch(os.path.basename(path))
    return None if found is None else unquote(found[1])


def load_sql(path: str, store: TableStore) -> None:
    """Adds the tables that a file of SQL creates, such as the mysql client, mysqldump and Dumpling print it; gzip and
    zstd are unpacked.

    Raises:
        ValueError: it is no text in UTF-8, or does not say of which database a table is.
        SqlError, DescriptionError, ContradictionError: as `TableStore.add_sql`.
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

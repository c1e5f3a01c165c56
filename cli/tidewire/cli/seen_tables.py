"""Table descriptions that a command has, for protocols whose rows are decoded with them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tidewire.cli.shell import CommandError
from tidewire.messages.registry import SchemaRegistry
from tidewire.runtime.errors import DecodeError, TidewireError

if TYPE_CHECKING:
    from tidewire.tables import TableStore

TablesFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--tables",
        metavar="FILE",
        help="Describes the tables of rows whose messages do not: SQL with CREATE TABLE statements, such as mysqldump "
        "--no-data, Dumpling or the mysql client (SHOW CREATE TABLE) prints it, or events as decode --exact prints "
        "them. May be repeated.",
    ),
]


def described(paths: Sequence[str] | None) -> TableStore | None:
    """The table descriptions in files; None if there are no files.

    Raises:
        CommandError: a file is neither SQL nor events, or contradicts another one; the text names the place.
        OSError: a file cannot be read.
    """
    if not paths:
        return None
    from tidewire.cli.tables import load_tables  # here, since Arrow is slow to import
    from tidewire.reading.described_tables import load_sql, looks_like_events
    from tidewire.tables import TableStore

    store = TableStore()
    for path in paths:
        try:
            (load_tables if looks_like_events(path) else load_sql)(path, store)
        except (ValueError, TidewireError) as error:
            text = str(error)
            raise CommandError(f"--tables: {text if text.startswith(path) else f'{path}: {text}'}") from None
    if not len(store):
        raise CommandError(f"--tables: {' and '.join(paths)} describe no table")
    return store


class SeenTables:
    """The table arguments for a protocol's functions: a store that is updated from messages, if the protocol needs one.

    Attributes:
        given: the arguments for `decode`, `decode_batch`, `encode`, `dissect` and `Decoder`; empty for other protocols.
    """

    def __init__(self, module: Any, schemas: SchemaRegistry | None = None, tables: TableStore | None = None) -> None:
        """Args:
            module: module of the protocol.
            schemas: the schema registry; None: the one in the options.
            tables: table descriptions known from the beginning.
        """
        self.given: dict[str, Any] = {}
        self._module = module
        if module.FACTS.described:
            from tidewire.tables import TableStore

            self.given = {"tables": TableStore() if tables is None else tables}
        if schemas is not None:
            self.given["schemas"] = schemas

    def learn(self, value: bytes | None, key: bytes | None, options: Any) -> None:
        """Adds the table descriptions in a message that is not shown."""
        if self.given:
            with suppress(DecodeError):
                self._module.decode(value, key, options, **self.given)


def told(error: DecodeError) -> str:
    """The text of a decoder's error, with remedies for the command line."""
    from tidewire.runtime.errors import MissingTableError

    if not isinstance(error, MissingTableError):
        return str(error)
    head, _, _ = error.detail.partition(": ")
    return f"{head}: give its CREATE TABLE with --tables FILE, or the message that describes it before this one"

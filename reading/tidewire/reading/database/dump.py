"""A dump in Dumpling's layout: its TSO, and the tables with their descriptions and rows.

    metadata                              Pos: the TSO
    schema.table-schema.sql               CREATE TABLE
    schema.table.000000000.csv            rows; .sql with INSERT statements; .gz or .zst behind it

Facts: pingcap/tidb dumpling/export (metadata.go, prepare.go, sql_type.go, writer_util.go).
"""

from __future__ import annotations

import binascii
import io
import re
from collections.abc import Callable, Iterable, Iterator
from copy import copy
from typing import Any, NamedTuple

from tidewire.mysql import ColumnType, storage
from tidewire.reading.database.dumped_csv import csv_rows
from tidewire.reading.database.dumped_inserts import inserted_rows
from tidewire.reading.database.dumped_text import DumpError, DumpFormat, RawRows, Text
from tidewire.reading.files.streams import Stream
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import TidewireError
from tidewire.runtime.shortened import public, shortened, shown, without_secrets
from tidewire.tables import TableDescription, TableStore

TableName = tuple[str, str]
"""Schema and table."""
_PACKED = r"(?:\.(?P<packed>gz|gzip|zst|zstd|snappy))?"
_SCHEMA = re.compile(rf"(?P<schema>[^.]+)\.(?P<table>[^.]+)-schema\.sql{_PACKED}")
_DATA = re.compile(rf"(?P<schema>[^.]+)\.(?P<table>[^.]+)(?:\.(?P<index>[^.]+))?\.(?P<kind>csv|sql|parquet){_PACKED}")
_VIEW = re.compile(rf"(?P<schema>[^.]+)\.(?P<table>[^.]+)-schema-view\.sql{_PACKED}")
_OTHER = re.compile(r".*-schema(?:-\w+)?\.sql.*|.*-schema-create\.sql.*|.*-placement-policy-create\.sql.*")
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_POSITION = re.compile(r"SHOW (?:MASTER|BINARY LOG) STATUS:[^\n]*\n(?P<of>(?:[ \t]+[^\n]*\n?)*)")
_POS = re.compile(r"^\s*Pos:[ \t]*(\S+)", re.MULTILINE)
_LOG = re.compile(r"^\s*Log:[ \t]*(\S+)", re.MULTILINE)
_TIME = re.compile(r"\d{4}-\d\d-\d\d")
OF_TIDB = "tidb-binlog"
"""What TiDB calls the log in which its position is."""


class DumpedTable(NamedTuple):
    """The files of a table: the one that describes it, and those with its rows."""

    schema: str | None
    data: tuple[str, ...]


class Dump:
    """A dump in a folder, or at an address of fsspec.

    Attributes:
        place: the folder, as it may be shown.
        format: how its files are written.
        tables: the files of each table; views have none.
        timezone: in which it prints TIMESTAMP values; None if that is not known.
        tso: the TSO of the dump: it has all changes up to it, inclusively.

    Raises:
        DumpError: it is no dump, or one that did not end.
    """

    def __init__(
        self,
        place: str,
        format: DumpFormat | None = None,
        timezone: str | None = None,
        tso: int | None = None,
    ) -> None:
        """Args:
            place, format, timezone: the attributes.
            tso: the TSO of a dump whose metadata has none; refused if the metadata has another one.
        """
        self.timezone = timezone
        self.place = public(place)
        self.format = format or DumpFormat()
        check_format(self.format)
        self._files = _Files(place)
        self.tables = self._found()
        self.tso = self._position(tso)

    def describe(self, name: TableName) -> TableDescription:
        """The description of a table.

        Raises:
            DumpError: its statement is missing or cannot be parsed.
        """
        schema, table = name
        path = self.tables[name].schema
        if path is None:
            raise DumpError(
                f"{self.place} has rows of {schema}.{table}, and no file {schema}.{table}-schema.sql: dump without"
                " --no-schemas"
            )
        text = b"".join(self._pieces(path)).decode("utf-8", "surrogateescape")
        try:
            found = [one for one in TableStore().add_sql(text, schema) if one.table.lower() == table.lower()]
        except (TidewireError, UnicodeEncodeError) as error:
            raise DumpError(f"{self._shown(path)}: {error}") from None
        if not found:
            raise DumpError(f"{self._shown(path)}: no statement creates the table {shown(table)}")
        return found[0]

    def names(self) -> list[TableName]:
        """All tables."""
        return list(self.tables)

    def columns(self, description: TableDescription) -> list[Column]:
        """The columns of a table that a dump has: Dumpling leaves out what the database computes."""
        generated = {one.name for one in description.columns if one.generated is not None}
        return [one for one in description.row_columns() if one.name not in generated]

    def only(self, name: TableName) -> Dump:
        """The same dump with one table, for tasks that read its files."""
        found = copy(self)
        found.tables = {name: self.tables[name]}
        return found

    def rows(
        self, name: TableName, description: TableDescription, files: Iterable[str] | None = None
    ) -> Iterator[RawRows]:
        """The rows of a table, some at a time, file by file.

        Args:
            name: schema and table.
            description: of the table, as from `describe`.
            files: which of the table's files; None for all.

        Raises:
            DumpError: a file is damaged; the text names it and the line.
        """
        columns = [one.name for one in self.columns(description)]
        binary = {
            one.name.lower()
            for one in description.row_columns()
            if storage(one.type, one.flags) == "bytes" or one.type == ColumnType.BIT
        }
        decode = _DECODED.get(self.format.binary)
        known = {one.name.lower() for one in description.columns}
        for path in self.tables[name].data if files is None else files:
            text = Text(self._shown(path), self._pieces(path))
            if _kind(path) == "sql":
                found = inserted_rows(text, name[1], columns, self.format.escapes)
            else:
                found = csv_rows(text, columns, self.format)
            for rows in found:
                unknown = [one for one in rows.names if one.lower() not in known]
                if unknown:
                    raise DumpError(f"{text.name}: the table has no column {shown(unknown[0])}")
                if decode is not None and _kind(path) == "csv":
                    rows = _decoded(text.name, rows, binary, decode)
                yield rows

    def _found(self) -> dict[TableName, DumpedTable]:
        schemas: dict[TableName, str] = {}
        data: dict[TableName, list[str]] = {}
        views: set[TableName] = set()
        for path in self._files.names():
            if (view := _VIEW.fullmatch(path)) is not None:
                views.add((_name(view["schema"]), _name(view["table"])))
            described = _SCHEMA.fullmatch(path)
            found = described or (None if _OTHER.fullmatch(path) else _DATA.fullmatch(path))
            if found is None:
                continue
            if found["packed"] == "snappy" or (described is None and found["kind"] == "parquet"):
                raise DumpError(
                    f"{self._shown(path)} cannot be read: dump as --filetype csv or sql, and with --compress gzip, zstd"
                    " or none"
                )
            name = _name(found["schema"]), _name(found["table"])
            if described is not None:
                schemas[name] = path
            else:
                data.setdefault(name, []).append(path)
        for name, paths in data.items():
            if len({_kind(path) for path in paths}) > 1:
                raise DumpError(
                    f"{self.place} has rows of {name[0]}.{name[1]} as CSV and as SQL, so that two dumps are in it: dump"
                    " into a folder of its own"
                )
        # a view is described as a table, too, so that other views can be made of it
        names = sorted((schemas.keys() | data) - views)
        return {name: DumpedTable(schemas.get(name), tuple(data.get(name, ()))) for name in names}

    def _position(self, given: int | None) -> int:
        try:
            text = b"".join(self._pieces("metadata")).decode("utf-8", "replace")
        except FileNotFoundError:
            raise DumpError(
                f"{self.place} is no dump of Dumpling: it has no file metadata, which tells the TSO; name the"
                " folder that dumpling -o wrote"
            ) from None
        if "Finished dump at:" not in text:
            raise DumpError(f"{self._shown('metadata')} does not say that the dump has ended: make it again")
        status = _POSITION.search(text)
        position = _POS.search(status["of"]) if status else None
        log = _LOG.search(status["of"]) if status else None
        if position is None or not position[1].isdigit():
            if given is not None:
                return given
            if position is not None and _TIME.match(position[1]):
                raise DumpError(
                    f"{self._shown('metadata')} has a time in place of the TSO (Pos), as dumpling --snapshot TIME"
                    " writes it: dump with the TSO of that time as --snapshot"
                )
            raise DumpError(f"{self._shown('metadata')} has no TSO (SHOW MASTER STATUS, Pos): dump from TiDB")
        if log is not None and log[1] != OF_TIDB:
            raise DumpError(
                f"{self._shown('metadata')} has a position in a binlog of MySQL, and no TSO: dump from TiDB, from which"
                " the changefeed reads"
            )
        found = int(position[1])
        if given not in (None, found):
            raise DumpError(f"{self._shown('metadata')} says that the dump is of TSO {found}, and {given} was given")
        return found

    def _pieces(self, path: str) -> Iterator[bytes]:
        with self._files.open(path) as plain:
            yield from Stream(plain, False, lambda _: None).pieces()

    def _shown(self, path: str) -> str:
        return f"{self.place.rstrip('/')}/{path}"


class _Files:
    """The files of the folder."""

    def __init__(self, place: str) -> None:
        import fsspec

        self.place = public(place)
        try:
            self._system, self._root = fsspec.core.url_to_fs(place)
        except (ImportError, ValueError) as error:
            raise DumpError(f"{self.place} cannot be opened: {error}") from None
        self._system.invalidate_cache()  # what was listed before may lack files by now, or have others

    def names(self) -> list[str]:
        """The names of all files, sorted."""
        try:
            return sorted(str(one).rpartition("/")[2] for one in self._system.ls(self._root, detail=False))
        except (FileNotFoundError, NotADirectoryError):
            raise DumpError(f"there is no folder {self.place}: a dump is a folder that Dumpling wrote") from None
        except Exception as error:
            raise _unreachable(self.place, error) from None

    def open(self, name: str) -> Any:
        """A file, as `Stream` takes it.

        Raises:
            FileNotFoundError: there is none.
        """
        shown = f"{self.place.rstrip('/')}/{name}"
        try:
            raw = self._system.open(f"{self._root}/{name}", "rb")
        except FileNotFoundError:
            raise
        except Exception as error:
            raise _unreachable(shown, error) from None
        return io.BufferedReader(_Raw(raw, shown))


def _unreachable(place: str, error: Exception) -> DumpError:
    """The error for a place of a storage: each client has errors of its own."""
    strerror = error.strerror if isinstance(error, OSError) else None
    text = without_secrets(strerror or str(error).strip() or type(error).__name__, place)
    return DumpError(f"{place} cannot be read: {shortened(text, 300)}")


class _Raw(io.RawIOBase):
    """A file of fsspec, as `io.BufferedReader` takes it."""

    def __init__(self, of: Any, shown: str) -> None:
        self._of = of
        self._shown = shown

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, room: Any) -> int:
        """At most as many bytes as there is room for; 0 at the end."""
        try:
            data = self._of.read(len(room))
        except Exception as error:
            raise _unreachable(self._shown, error) from None
        room[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Closes the file."""
        self._of.close()
        super().close()


def check_format(format: DumpFormat) -> None:
    """Refuses a form of files that no dump has.

    Raises:
        DumpError: the text names the value, and what it may be.
    """
    if len(format.quote.encode()) > 1:
        raise DumpError(f"quote={format.quote!r}: one character, or none")
    if not format.separator or set(format.separator) & set('\r\n\\"'):
        raise DumpError(f"separator={format.separator!r}: characters that are no line break, quote or backslash")
    if format.binary not in ("raw", *_DECODED):
        raise DumpError(f"binary={format.binary!r}: raw, hex or base64")


def _kind(path: str) -> str:
    found = _DATA.fullmatch(path)
    return "" if found is None else found["kind"]


def _name(escaped: str) -> str:
    """The name that Dumpling wrote as part of a file's name."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), escaped)


_DECODED: dict[str, Callable[[bytes], bytes]] = {
    "hex": binascii.unhexlify,
    "base64": lambda text: binascii.a2b_base64(text, strict_mode=True),
}


def _decoded(file: str, rows: RawRows, binary: set[str], decode: Callable[[bytes], bytes]) -> RawRows:
    """The rows, with binary values that are text in the file as bytes."""
    columns = list(rows.columns)
    for at, name in enumerate(rows.names):
        if name.lower() not in binary:
            continue
        try:
            columns[at] = tuple([None if one is None else decode(one) for one in columns[at]])
        except ValueError as error:
            raise DumpError(
                f"{file}, rows from line {rows.line:,} on: bytes of column {name!r} are not in the chosen form"
                f" ({error}): set verify.csv.binary to raw, hex or base64, as the dump has them"
            ) from None
    return rows._replace(columns=columns)


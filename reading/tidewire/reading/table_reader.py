"""Reads the typed rows of one table from messages, as Arrow: `tidewire.read_table` and `tidewire.rows`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.messages.protocols import ProtocolInfo
from tidewire.reading.described_tables import Described, known_tables
from tidewire.reading.files.formats import Input
from tidewire.reading.files.pairs import key_head
from tidewire.reading.files.streams import InputError
from tidewire.reading.options import codec_names, of_table, read_options
from tidewire.reading.row_batches import KEPT_COLUMNS, ReadingWarning, RowBatches, TableReading
from tidewire.reading.sources import Received, is_read_again, messages_of
from tidewire.reading.table_columns import derived, meant, of_schema
from tidewire.reading.tables import Table, asked, parse_name
from tidewire.reading.types import SchemaError
from tidewire.reading.undeclared import with_binary
from tidewire.reading.undetected import Mixed, UndetectedError, mixed
from tidewire.runtime.arrow.literals import constant
from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import shown

MOST_DETECTED = 256
"""The most messages that are read to detect the protocol."""


class MixedWarning(ReadingWarning):
    """The messages are of several protocols, of which only one is read.

    Attributes:
        mixed: which messages are of which protocol.
    """

    def __init__(self, found: Mixed) -> None:
        super().__init__(found.said("protocol="))
        self.mixed = found


class TableReader:
    """`read_table` and `rows` of a package of protocols.

    Args:
        protocols: modules of the protocols by name.
        detect: detects the protocol of messages: `tidewire.detect`.
    """

    def __init__(self, protocols: Mapping[str, ProtocolInfo], detect: Callable[..., Any]) -> None:
        self._protocols, self._detect = protocols, detect

    def read_table(
        self,
        source: Any,
        table: Table,
        protocol: str | None = None,
        *,
        timezone: str | None = None,
        schema: pa.Schema | None = None,
        options: Mapping[str, Any] | None = None,
        tables: Described = (),
        form: str = "auto",
    ) -> pa.Table:
        """Reads the rows of one table into an Arrow table, without Spark; the counterpart of
        `tidewire.spark.rows_from_ticdc`.

        There is one row per row image, with the table's columns in the Arrow types of Spark's, followed by
        `_change_type` (insert, update_preimage, update_postimage, delete), `_commit_version` (the commit ts; null if
        the protocol has milliseconds only), `_commit_timestamp` and `_commit_rank`, and in mode PERMISSIVE
        `_corrupt_record`, with messages that could not be read and values that their columns cannot hold. Rows are
        sorted by the last three; without a commit ts they stay in the order of messages.

        Restrictions are reported by a `ReadingWarning`, each kind once.

        Args:
            source: path of a file or a list of paths, in any format of the command line; or messages: bytes, pairs of
                key and value, mappings or objects with `key`, `value`, `topic`, `partition`, `offset` and `timestamp`;
                or an Arrow table with such columns. It is read twice; messages of an iterator are kept in memory for
                that.
            table: ``schema.table``, or the table alone if only one schema has it, with names that contain a dot in
                backquotes; or a pair of both. Names match as in TiDB, ignoring case; an exact match wins.
            protocol: name of the protocol; None: detect it.
            timezone: time zone of the changefeed, which TIMESTAMP values use if messages do not contain it:
                ``Asia/Shanghai``, ``+08:00``.
            schema: the table's columns; None: derive them from all changes of the table.
            options: options of `rows_from_ticdc` except json, rescuedDataColumn and schemaLocation, and the protocol's
                own.
            tables: descriptions of tables that the messages do not describe: path of an SQL file with output of SHOW
                CREATE TABLE or mysqldump --no-data, a list of paths, or a `TableStore`.
            form: file format of the messages, as for ``--from``.

        Raises:
            SchemaError: the table has no changes (the text lists the tables with changes), several tables have its
                name, or no type holds all values of a column.
            InputError: there are no messages, or their protocol cannot be detected.
            OptionError: an option is unknown or invalid.
            MalformedError: mode is FAILFAST and a message cannot be decoded, or a value does not fit its column.
            OSError: a file cannot be read.
        """
        kept = source if is_read_again(source) or not isinstance(source, Iterable) else list(source)
        read = self._opened(kept, table, protocol, timezone, options, tables, form)
        made = self._maker(read, schema)
        batches = [found for messages in read.batches() for found in made.batch(Received(messages))]
        made.tell()
        return _in_order(pa.Table.from_batches(batches, made.schema))

    def rows(
        self,
        source: Any,
        table: Table,
        protocol: str | None = None,
        *,
        timezone: str | None = None,
        schema: pa.Schema | None = None,
        options: Mapping[str, Any] | None = None,
        tables: Described = (),
        form: str = "auto",
    ) -> Iterator[pa.RecordBatch]:
        """`read_table` in record batches, in the order of messages; for files of any length and Kafka consumers.

        Each kind of `ReadingWarning` is issued once, at the end; if messages can be read only once, when it first
        applies.

        Args:
            source: as in `read_table`. An iterator, such as a consumer's, is read once and requires a schema. Messages
                that it returns as a list form a batch (several if they are large), as do those before a None, which
                means that there are no messages for now.
            table, protocol, timezone, options, tables, form: as in `read_table`.
            schema: the table's columns, such as the schema of a result of `read_table`.

        Raises:
            SchemaError, InputError, OptionError, MalformedError, OSError: as in `read_table`, when a batch is
                requested; or the source is an iterator and there is no schema.
        """
        again = is_read_again(source)
        if not again and schema is None:
            raise SchemaError(
                "messages that can be read once only have no end to derive a schema from: give one, such as "
                "schema=tidewire.read_table(FILE, TABLE).schema of some of them, or a list of messages"
            )
        return self._rows(again, schema, source, table, protocol, timezone, options, tables, form)

    def _rows(self, again: bool, schema: pa.Schema | None, *given: Any) -> Iterator[pa.RecordBatch]:
        read = self._opened(*given)
        made = self._maker(read, schema, again)
        for messages in read.batches():
            for found in made.batch(Received(messages)):
                if not again:
                    made.tell()
                yield found
        made.tell()

    def _opened(
        self,
        source: Any,
        table: Table,
        protocol: str | None,
        timezone: str | None,
        options: Mapping[str, Any] | None,
        tables: Described,
        form: str,
    ) -> TableReading:
        """Opens a source for reading."""
        schema, name = parse_name(table)
        if schema is None and not is_read_again(source):
            raise SchemaError(
                f"table {asked((None, name))}: of messages that can be read once only a table is named with its "
                f"schema, such as shop.{asked((None, name))}"
            )
        if not isinstance(options, Mapping | None):
            raise OptionError(f"options are values by their names, not {shown(options)}")
        given = dict(options or {})
        if timezone is not None:
            if any(isinstance(one, str) and one.lower() == "timezone" for one in given):
                raise OptionError("timezone is given twice, by itself and among the options: leave one of them out")
            given["timezone"] = timezone
        batches: Callable[[], Iterator[list[Input]]]
        batches = partial(messages_of, source, form, lambda: key_head(self._protocols))
        if protocol is None:
            first = batches()
            found, protocol, seen = self._detected(first, given)
            if found.protocol == protocol:
                given |= {one: value for one, value in found.reading.items() if one not in map(_dashed, given)}
            if not is_read_again(source):
                batches = partial(chain, seen, first)
        module = self._protocols[protocol].load()
        chosen, own = read_options(module, given, "UTC")
        for kept, _ in chosen.keep:
            if kept.lower() not in KEPT_COLUMNS:
                raise SchemaError(f"keep: messages have {', '.join(KEPT_COLUMNS)}, and no {shown(kept)}")
        zoned, known = "timezone" in own, known_tables(tables)
        if schema is None:
            unnamed = TableReading(module, chosen, ("", name), known_tables(known), zoned, batches)
            unnamed.learn()
            schema = str((meant(unnamed, (None, name)) or ("",))[0])
        return TableReading(module, of_table(module, chosen, (schema, name)), (schema, name), known, zoned, batches)

    def _detected(self, batches: Iterator[list[Any]], given: Mapping[str, Any]) -> tuple[Any, str, list[list[Any]]]:
        """Detects the protocol from the first messages. Returns its module, its name and these messages.

        Raises:
            InputError: there are no messages, or their protocol is not certain.
        """
        known = {_dashed(name): str(value) for name, value in given.items()}
        seen: list[list[Any]] = []
        found, count, problem = None, 0, None
        for batch in batches:
            seen.append(batch)
            count += len(batch)
            read = [one for some in seen for one in some if one.problem is None]
            problem = problem or next((f"{one.location}: {one.problem}" for one in batch if one.problem), None)
            found = self._detect([one.value for one in read], [one.key for one in read], options=False, known=known)
            if found.sure and found.protocol is not None:
                return found, found.protocol, seen
            if count >= MOST_DETECTED:
                break
        if found is None or not found.messages:
            raise InputError(f"there is no message to read{f': {problem}' if problem else ''}")
        read = [one for some in seen for one in some if one.problem is None]
        modules = {name: one.load() for name, one in self._protocols.items()}
        both = mixed(found, modules, read, known)
        if both is not None:
            warnings.warn(MixedWarning(both), stacklevel=4)
            return found, both.protocol, seen
        raise UndetectedError(found, [one.value for one in read])

    def _maker(self, read: TableReading, schema: pa.Schema | None, again: bool = True) -> RowBatches:
        """A converter of messages to rows."""
        if again:
            read.learn()
        if schema is None:
            columns, only = derived(read)
            return RowBatches(read, columns, only)
        columns = of_schema(schema, read.options)
        only = read.table if again and meant(read, read.table) == read.table else None
        made = RowBatches(read, columns, only)
        binary = with_binary(read.options, codec_names(read.module), read.table, made.wanted)
        if binary != read.options:
            read.options = binary
            made = RowBatches(read, columns, only)
        return made


def _dashed(name: object) -> str:
    """The name of an option as TiCDC writes it, with dashes."""
    return str(name).lower().replace("_", "-")


def _in_order(table: pa.Table) -> pa.Table:
    """Sorts rows by time, commit ts and rank; rows of equal rank stay in the order of messages, and so do all rows if
    one has no commit ts.
    """
    versions = table.column("_commit_version")
    unread = pc.is_null(table.column("_change_type"))
    if pc.any(pc.and_not(pc.is_null(versions), unread)).as_py():
        return table
    keys = ["_commit_timestamp", "_commit_version", "_commit_rank"]
    number = pa.table({**{name: table.column(name) for name in keys}, "": _numbers(table.num_rows)})
    return table.take(pc.sort_indices(number, [(name, "ascending") for name in (*keys, "")]))


def _numbers(rows: int) -> pa.Array:
    """The numbers 0, 1, 2, ... (int64)."""
    one = constant(1, pa.int64())
    return pc.cumulative_sum(pa.repeat(one, rows))

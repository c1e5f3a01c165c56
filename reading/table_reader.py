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
        """The rows of one table as an Arrow table, without Spark: what `tidewire.spark.rows_from_ticdc` gives.

        A row for each row image, with the table's columns in Spark's types; behind them `_change_type` (insert,
        update_preimage, update_postimage, delete), `_commit_version` (the commit ts; null where the protocol says
        milliseconds only), `_commit_timestamp` and `_commit_rank`, and in mode PERMISSIVE `_corrupt_record`, which has
        messages that could not be read and says which values their columns cannot hold. Rows are in the order of these
        three; where there is no commit ts, in the order of the messages.

        What could not be read as it was wanted is said with a `ReadingWarning`, each kind once.

        Args:
            source: the path of a file, or a list of paths, in every form that the command line reads; or messages:
                bytes, pairs of key and value, mappings or objects with `key`, `value`, `topic`, `partition`, `offset`
                and `timestamp`; or an Arrow table with such columns. It is read twice; messages of an iterator are kept
                until they were.
            table: ``schema.table``, or the table alone where one schema alone has it; a name with a dot in backquotes;
                or a pair of both. Names match as in TiDB, in any case; of two that differ in case only the one that is
                spelled so.
            protocol: its name; None: the messages tell it.
            timezone: the time zone of the changefeed, in which TIMESTAMP values are written, where messages do not say
                it: ``Asia/Shanghai``, ``+08:00``.
            schema: of the table's columns; None: it is derived from all changes of the table.
            options: those of `rows_from_ticdc`, but for json, rescuedDataColumn and schemaLocation, and the protocol's
                own.
            tables: descriptions of tables that no message describes: the path of a file of SQL, as SHOW CREATE TABLE or
                mysqldump --no-data prints it, or a list of such; or a `TableStore`.
            form: how messages lie in files, as ``--from`` names it.

        Raises:
            SchemaError: there is no change of the table (the text names the tables that are there), several have its
                name, or its columns cannot be those of one table.
            InputError: there are no messages, or their protocol cannot be detected.
            OptionError: an option is unknown or has a value that it cannot have.
            MalformedError: mode is FAILFAST and a message cannot be read, or a value not be held.
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
        """The same batch by batch, in the order of the messages, of files of any length and of consumers of Kafka.

        Each kind of `ReadingWarning` is issued once, at the end; if messages can be read only once, when it first
        applies.

        Args:
            source: as of `read_table`. Of an iterator, such as of what a consumer gives, messages are read once: it
                needs a schema. Messages that it gives as a list are one batch, or several where they are long; so are
                those before a None, which stands for a while without messages.
            table, protocol, timezone, options, tables, form: as of `read_table`.
            schema: of the table's columns, such as that of a table that `read_table` gave.

        Raises:
            SchemaError, InputError, OptionError, MalformedError, OSError: as of `read_table`, when the first batch is
                asked for or a later one; or an iterator is given without a schema.
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
    """int64: 0, 1, 2 and so on."""
    one = constant(1, pa.int64())
    return pc.cumulative_sum(pa.repeat(one, rows))

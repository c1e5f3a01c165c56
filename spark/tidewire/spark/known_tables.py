"""The table descriptions available to tasks.

A task has the descriptions in the messages that it reads. Those of other tasks come from option schemaLocation
(`SchemaFiles`), from a job that has read the same messages before (`known_tables`), or both.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import BinaryType, StructField, StructType

from tidewire.messages.codec_pool import CodecPool
from tidewire.reading.descriptions import may_describe
from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.options import ReadOptions
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.errors import ContradictionError, MissingTableError, OptionError
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.options import WriteOptions, load
from tidewire.spark.registries import check_files
from tidewire.spark.schema_files import (
    OPTION,
    DamagedSchemaError,
    SchemaFiles,
    UnreadSchemaError,
    description,
    line,
    versions,
)
from tidewire.spark.source import kafka_columns
from tidewire.spark.workers import collected, run_on
from tidewire.tables import TableDescription, TableStore

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_LINES = StructType([StructField("line", BinaryType())])
_NOWHERE = (
    "neither a message that this task read describes it nor a file below {}; read this message again once the table "
    "is described"
)
_log = logging.getLogger("tidewire.spark")
_with_files: dict[str, FileTables] = {}
"""The stores of this process, by location: later tasks need not read the same files again."""


_decoders: dict[str, CodecPool[Any, Any]] = {}
"""The decoders of this process that no task uses, by protocol."""


class GivenTables(TableStore):
    """Descriptions for tasks, and what a user-given schema states about a table.

    Attributes:
        by_schema: the table's description from the schema; None if there is none.
    """

    by_schema: TableDescription | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return _given, (type(self), list(self), self.by_schema)

    def told_by_schema(self, schema: str | None, table: str) -> TableDescription | None:
        """The description from the user's schema for a table that no message describes; None if there is none."""
        one = self.by_schema
        if one is None or ((schema or "").lower(), table.lower()) != ((one.schema or "").lower(), one.table.lower()):
            return None
        return one


def _given(kind: type[GivenTables], known: list[TableDescription], by_schema: TableDescription | None) -> GivenTables:
    """Restores a pickled `GivenTables`."""
    found = kind(known)
    found.by_schema = by_schema
    return found


class TaskTables(GivenTables):
    """The descriptions of a task: those given to it, and those in its messages."""

    advice = (
        "no message of this batch, and none that this task read, describes it. Option schemaLocation keeps "
        "descriptions for later batches; read this message again once the table is described"
    )
    """The advice in the error about a missing description."""

    def find(self, schema: str | None, table: str, version: int | None) -> TableDescription:
        if (schema, table, version) not in self:
            raise MissingTableError(schema, table, version, reason=self.advice)
        return super().find(schema, table, version)

    def at(self, schema: str | None, table: str, time: int | None) -> TableDescription:
        try:
            return super().at(schema, table, time)
        except MissingTableError:
            told = self.told_by_schema(schema, table)
            if told is not None:
                return told
            raise MissingTableError(schema, table, None, reason=self.advice, no_version=True) from None

    def batch_done(self) -> None:
        """Called after each batch of messages."""


class FileTables(TaskTables):
    """`TaskTables` backed by files at a location: missing descriptions are read from there, new ones are written there.

    Descriptions stay in memory once read. One that was not found is looked for again in the next batch of messages, as
    another task may have written it.
    """

    def __init__(self, files: SchemaFiles) -> None:
        """No descriptions, and the files at a location."""
        super().__init__()
        self._files = files
        self._missed: dict[tuple[str | None, str, int | None], str] = {}
        self._listed: frozenset[str] | None = None
        self._sought_all: set[tuple[str | None, str]] = set()
        self._damaged: set[tuple[str | None, str, int | None]] = set()

    def add(self, description: TableDescription) -> bool:
        """Adds a description, as `TableStore.add`.

        Raises:
            ContradictionError: that version already has a different description, here or in its file.
            OptionError: its file cannot be written or read. If the file exists with other contents, only tasks that
                need it fail; a task that has the description continues, and warns once.
        """
        key = (description.schema, description.table, description.version)
        if key in self:
            return super().add(description)
        try:
            first = self._files.read(*key) or self._files.write(description)
        except DamagedSchemaError as error:
            if key not in self._damaged:
                self._damaged.add(key)
                _log.warning("tidewire: option %s: %s. Rows in other tasks miss this description", OPTION, error)
            first = description
        except UnreadSchemaError as error:
            raise OptionError(f"option {OPTION}: {error}") from None
        super().add(first)
        self._missed.pop(key, None)
        return first is description or super().add(description)

    def find(self, schema: str | None, table: str, version: int | None) -> TableDescription:
        key = (schema, table, version)
        if key not in self:
            reason = self._missed.get(key) or self._sought(key)
            if reason is not None:
                raise MissingTableError(schema, table, version, reason=reason)
        return TableStore.find(self, schema, table, version)

    def at(self, schema: str | None, table: str, time: int | None) -> TableDescription:
        """As `TableStore.at`, over all versions that have a file; files are listed once for each batch of messages."""
        if (schema, table) not in self._sought_all:
            self._sought_all.add((schema, table))
            try:
                if self._listed is None:
                    self._listed = self._files.names()
                for version in versions(self._listed, schema, table):
                    if (schema, table, version) not in self:
                        found = self._files.read(schema, table, version)
                        if found is not None:
                            super().add(found)
            except UnreadSchemaError as error:
                self._sought_all.discard((schema, table))
                raise MissingTableError(schema, table, None, reason=str(error), no_version=True) from None
        try:
            return TableStore.at(self, schema, table, time)
        except MissingTableError:
            told = self.told_by_schema(schema, table)
            if told is not None:
                return told
            raise MissingTableError(
                schema, table, None, reason=_NOWHERE.format(self._files.shown), no_version=True
            ) from None

    def may_find(self, schema: str | None, table: str) -> bool:
        return True  # there may be a file

    def _sought(self, key: tuple[str | None, str, int | None]) -> str | None:
        """Reads the file of a description. Returns why it is missing; None if it is now available."""
        try:
            found = self._files.read(*key)
        except UnreadSchemaError as error:
            reason = str(error)
        else:
            if found is not None:
                super().add(found)
                return None
            reason = _NOWHERE.format(self._files.shown)
        self._missed[key] = reason
        return reason

    def batch_done(self) -> None:
        self._missed.clear()
        self._listed = None
        self._sought_all.clear()


@contextmanager
def task_decoder(
    protocol: str, options: ReadOptions, tables: TableStore | None
) -> Iterator[tuple[Any, TaskTables | None]]:
    """The decoder of a task, and its table descriptions if the protocol needs them.

    A process keeps decoders that hold no state besides caches for its next tasks: where there are many tables, making
    their caches anew takes longer than reading the messages of a micro-batch.

    Args:
        options: how to decode.
        tables: descriptions that a job found before.
    """
    module = load(protocol)
    codec = module.Options.from_strings(dict(options.codec))
    check_files(module.FACTS, codec, reads=True)
    if module.FACTS.described:
        known = TaskTables(tables or ())
        if options.schema_location is not None:
            known = _files_of(options.schema_location)
        known.by_schema = tables.by_schema if isinstance(tables, GivenTables) else None
        yield module.Decoder(codec, tables=known), known
        return
    pool = _decoders.setdefault(protocol, CodecPool(module.Decoder))
    decoder = pool.take(codec)
    yield decoder, None
    pool.give(codec, decoder)


def encoder_of(protocol: str, options: WriteOptions) -> tuple[Any, TaskTables | None]:
    """The encoder of a task, and its table descriptions if a location for them is set.

    Args:
        options: how to encode.
    """
    module = load(protocol)
    codec = module.Options.from_strings(dict(options.codec))
    check_files(module.FACTS, codec, reads=False)
    if options.schema_location is None:
        return module.Encoder(codec), None
    known = _files_of(options.schema_location)
    return module.Encoder(codec, tables=known), known


def _files_of(location: str) -> FileTables:
    """The store of this process for a location."""
    if location not in _with_files:
        _with_files[location] = FileTables(SchemaFiles(location))
    return _with_files[location]


def known_tables(df: DataFrame, protocol: str, options: ReadOptions) -> TableStore | None:
    """The descriptions in the messages of a frame, for all tasks: read with a job that this starts.

    A stream has no such job: its tasks use the files of option schemaLocation. A stream can do without them if messages
    have schema blocks; messages without one are then corrupt records. With schemaLocation, the job of a batch writes
    the descriptions to the files and returns none.

    Args:
        df: messages.
        options: how to decode.

    Returns:
        None for a stream, and if rows need no descriptions or a registry has them.

    Raises:
        OptionError: a stream has no schemaLocation.
    """
    facts = load(protocol).FACTS
    if not facts.described or facts.registry is not None:
        return None
    if df.isStreaming:
        if options.schema_location is None and not facts.blocks:
            raise OptionError(
                f"rows of {protocol} are read by descriptions that other messages have, which another task or an "
                f"earlier micro-batch may have read: a stream needs option {OPTION}, a directory or URL where they "
                "are kept"
            )
        return None
    task = DescriptionsTask(protocol, options, arrow_schema(_LINES))
    rows = collected(run_on(kafka_columns(df, protocol, origins="none"), task, _LINES))
    found = TableStore()
    for row in rows:
        # of two contradicting descriptions the first counts; the other's message fails when it is decoded
        with suppress(ContradictionError):
            found.add(description(bytes(row.line)))
    return found


@dataclass(frozen=True)
class DescriptionsTask:
    """`mapInArrow`: messages -> the distinct descriptions in them, as lines of an event file."""

    protocol: str
    options: ReadOptions
    schema: pa.Schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with task_decoder(self.protocol, self.options, None) as (decoder, known):
            for batch in batches:
                messages = MessageBatch(batch.filter(self._may_describe(batch.column("value"))))
                for _ in decoder.parts(messages.values, messages.keys):
                    pass
                if known is not None:
                    known.batch_done()
        if known is not None and len(known) and self.options.schema_location is None:
            lines = column_of([line(one) for one in known], pa.binary())
            yield pa.record_batch([lines], schema=self.schema)

    def _may_describe(self, values: pa.Array) -> pa.Array:
        """bool: whether a message may describe a table."""
        return may_describe(load(self.protocol).FACTS, dict(self.options.codec), values)

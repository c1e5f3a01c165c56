"""Batches of the typed rows of one table, as messages arrive, and the final warnings."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnType
from tidewire.reading.descriptions import may_describe
from tidewire.reading.files.formats import Input
from tidewire.reading.images import METADATA, TableImages, text_where_possible
from tidewire.reading.infer import TableColumn
from tidewire.reading.message_batch import COLUMNS, CORRUPT, settle
from tidewire.reading.options import ReadOptions, check_timezone
from tidewire.reading.sources import Received
from tidewire.reading.table_rows import TypedRows
from tidewire.reading.tables import asked, dotted, positions
from tidewire.reading.types import TIMESTAMP, SchemaError, TargetType, Wanted, record_batch, sql_name
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns, Layout, TableName
from tidewire.runtime.errors import OptionError
from tidewire.tables import TableStore

KEPT_COLUMNS = {**COLUMNS, "timestamp": TIMESTAMP}
"""The message columns that rows can keep."""
MEMBERS = "members"
"""Key of field metadata: the labels of an ENUM or SET, as JSON."""


class ReadingWarning(UserWarning):
    """Rows of a table were read with restrictions: messages that cannot be read, values that their columns cannot hold,
    omitted columns, an unknown time zone; each kind is reported once.
    """


class TableReading:
    """How messages are read for one table.

    Attributes:
        module: of the protocol.
        options: how messages are decoded and values converted.
        table: schema and name.
        store: descriptions of tables, if other messages have them.
        zoned: whether the user named a time zone.
        batches: gives the messages, in lists, from the first on.
    """

    def __init__(
        self,
        module: Any,
        options: ReadOptions,
        table: tuple[str, str],
        store: TableStore,
        zoned: bool,
        batches: Callable[[], Iterator[list[Input]]],
    ) -> None:
        self.module, self.options, self.table, self.store = module, options, table, store
        self.zoned, self.batches = zoned, batches

    def decoder(self) -> Any:
        """A decoder of the messages."""
        codec = self.module.Options.from_strings(dict(self.options.codec))
        known = {"tables": self.store} if self.module.FACTS.described else {}
        return self.module.Decoder(codec, **known)

    def parts(self, decoder: Any, messages: Received) -> Iterator[EventColumns]:
        """The events of messages."""
        for decoded in decoder.parts(messages.values, messages.keys):
            text_where_possible(decoded.layouts)
            yield decoded

    def learn(self) -> None:
        """Reads the descriptions in messages first, so that their position among the rows does not matter."""
        facts = self.module.FACTS
        if not facts.described or facts.registry is not None:
            return
        decoder = self.decoder()
        for batch in self.batches():
            values = column_of([one.value for one in batch], pa.binary())
            chosen = pc.indices_nonzero(may_describe(facts, dict(self.options.codec), values)).to_pylist()
            for _ in decoder.parts([batch[at].value for at in chosen], [batch[at].key for at in chosen]):
                pass


class RowBatches(TypedRows):
    """Makes batches of the rows of one table, and finally warns of problems.

    Args:
        read: how messages are read.
        columns: of the table.
        only: the table's exact name in messages; None: its name in any case.
    """

    def __init__(self, read: TableReading, columns: Sequence[TableColumn], only: TableName | None = None) -> None:
        self.facts, self.options, self.table = read.module.FACTS, read.options, read.table
        self._read, self._only = read, only
        self.wanted = [Wanted(one.name, _type_of(one), tuple(map(str, one.facts.get(MEMBERS, ())))) for one in columns]
        kept = [pa.field(own, KEPT_COLUMNS[name.lower()]) for name, own in self.options.keep]
        corrupt = []
        if self.options.mode == "PERMISSIVE":
            misfit = self.options.misfit_column
            corrupt = [] if misfit is None else [pa.field(misfit, pa.utf8())]
            corrupt.append(pa.field(self.options.corrupt_column, CORRUPT))
        ours = [*METADATA, *kept, *corrupt]
        _check_names([*(one.name for one in columns), *(field.name for field in ours)], [field.name for field in ours])
        fields = [pa.field(one.name, one.type, metadata=_metadata(one.facts)) for one in columns]
        self.schema = pa.schema([*fields, *ours])
        self._messages = self._failed = self._misfits = 0
        self._first = self._misfit = ""
        self._left: set[str] = set()
        self._zones: set[str] = set()
        self._met: set[str] = set()
        self._instants = False
        self._told: set[str] = set()

    def batch(self, messages: Received) -> Iterator[pa.RecordBatch]:
        """The rows of some messages, in batches that are never empty."""
        self._messages += messages.rows
        problems = list(messages.problems.items())
        for decoded in self._read.parts(self._decoder, messages):
            failed = [*problems, *((int(one.message or 0), str(one)) for one in decoded.errors)]
            problems = []
            made = self._made(messages, decoded, failed)
            if made.num_rows:
                yield made

    @cached_property
    def _decoder(self) -> Any:
        return self._read.decoder()

    def _made(self, messages: Received, decoded: EventColumns, failed: list[tuple[int, str]]) -> pa.RecordBatch:
        names = decoded.tables
        alike = positions(names, self.table)
        wanted = {at for at in alike if self._only is None or names[at] == self._only}
        self._met.update(asked(names[at]) for at in alike)
        self._take_zone(decoded)
        images = TableImages(decoded, wanted)
        columns = self.convert_all(decoded, images) if images.parts else {}
        columns |= images.metadata
        self._note(messages, images, failed)
        message = images.message
        if failed or images.reasons:
            ours = self.options.corrupt_column, self.options.misfit_column
            columns, message = settle(self.options.mode, messages, columns, message, images.reasons, failed, *ours)
        kept = {own: messages.kept(name, own, message) for name, own in self.options.keep}
        return record_batch(self.schema, {**columns, **kept}, len(message))

    def _take_zone(self, decoded: EventColumns) -> None:
        """Reads TIMESTAMP values in the time zone given in their messages, unless the user named one."""
        zones = decoded.events.column("time_zone")
        if zones.null_count == len(zones):
            return
        said = set(map(str, pc.unique(zones).drop_null().to_pylist()))
        self._zones |= said
        if not self._read.zoned and self.options.timezone not in said:
            with suppress(OptionError):  # a zone that is unknown here
                zone = min(said)
                check_timezone(zone)
                self.options = replace(self.options, timezone=zone)
                self.plans.clear()

    def _note(self, messages: Received, images: TableImages, failed: list[tuple[int, str]]) -> None:
        """Counts what the final warnings need."""
        if failed:
            at, why = min(failed)
            self._first = self._first or f"{messages.origin(at)}: {why}"
            self._failed += len(failed)
        if images.reasons:
            self._misfit = self._misfit or images.reasons[min(images.reasons)]
            self._misfits += len(images.reasons)

    def met(self, decoded: EventColumns, new: Sequence[Layout]) -> None:
        """Notes columns that the schema lacks, and instants."""
        asked = {one.name.lower(): one for one in self.wanted}
        for layout in new:
            for column in layout.columns:
                found = asked.get(column.name.lower())
                if found is None:
                    self._left.add(column.name)
                elif column.type == ColumnType.TIMESTAMP and found.target.arrow == TIMESTAMP:
                    self._instants = True

    def tell(self) -> None:
        """Issues the warnings, one for each kind."""
        for kind, sentence in self._troubles():
            if kind not in self._told:
                self._told.add(kind)
                warnings.warn(sentence, ReadingWarning, stacklevel=3)

    def _troubles(self) -> Iterator[tuple[str, str]]:
        table, corrupt = dotted(self.table), self.options.corrupt_column
        kept = self.options.mode == "PERMISSIVE"
        if self._failed:
            where = f"; column {corrupt} has them" if kept else ""
            yield (
                "messages",
                f"{self._failed:,} of {self._messages:,} messages could not be read{where}. The first: {self._first}",
            )
        if self._misfits:
            what = f"column {self.options.misfit_column or corrupt} says why" if kept else "they are left out"
            yield (
                "values",
                f"{self._misfits:,} rows of {table} have a value that its column cannot hold, or are not whole: {what}"
                f". The first: {self._misfit}",
            )
        if self._left:
            names = sorted(self._left)
            more = f" and {len(names) - 8} more" if len(names) > 8 else ""
            yield "columns", f"rows of {table} have columns that the schema lacks: {', '.join(names[:8])}{more}"
        if len(self._met) > 1 and self._only is None:
            yield (
                "names",
                f"{' and '.join(sorted(self._met))} are one table for TiDB, and rows of both were read; where they are "
                "two, read a file or a list of messages: of it the one is read that is named as it is spelled",
            )
        elif len(self._met) > 1:
            rest = " and ".join(sorted(self._met - {asked(self.table)}))
            yield (
                "names",
                f"beside {asked(self.table)} there are changes of {rest}, whose name differs in case only: they were "
                "not read",
            )
        if self._instants and not self._read.zoned and not self._zones:
            yield (
                "zone",
                f"{table} has TIMESTAMP columns, and neither its messages nor `timezone` say the time zone of the "
                "changefeed: they were read as UTC. Give timezone, such as Asia/Shanghai (on the command line "
                "-o timezone=Asia/Shanghai)",
            )
        others = sorted(self._zones - {self.options.timezone})
        if others and self._instants:
            yield (
                "zones",
                f"messages of {table} say that TIMESTAMP values are in {', '.join(others)}; they were read as in "
                f"{self.options.timezone}" + (": leave timezone out" if self._read.zoned else ""),
            )


def _type_of(column: TableColumn) -> TargetType:
    return TargetType(column.type, sql_name(column.type))


def _metadata(facts: Mapping[str, Any]) -> dict[str, str] | None:
    """The facts about a column as metadata of its field: texts unchanged, everything else as JSON."""
    return {name: one if isinstance(one, str) else json.dumps(one) for name, one in facts.items()} or None


def _check_names(names: Sequence[str], ours: Sequence[str]) -> None:
    """Refuses two columns with the same name.

    Raises:
        SchemaError: there are such columns.
    """
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise SchemaError(
                f"column {name!r} is there twice: behind the table's columns come {', '.join(ours)}. Give ours another "
                "name: options keep='offset AS kafka_offset' and columnNameOfCorruptRecord do"
            )
        seen.add(name.lower())

"""Reduces recorded events to what messages with registered schemas carry of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tidewire.cli.eventjson import Image, columns_of
from tidewire.events import RowChange
from tidewire.messages.conformance_facts import RecordFacts
from tidewire.mysql import ColumnFlag, declared
from tidewire.runtime.batch import Column
from tidewire.runtime.column_types import quoted_text
from tidewire.runtime.connect.blocks import adjusted
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.tables.versions_by_time import described_at
from tidewire.runtime.wire.value_codec import ColumnFacts
from tidewire.tables import TableDescription, TableStore


def with_told_names(described: TableDescription) -> TableDescription | None:
    """A description with the column names adjusted to Avro's rules; None if two columns get the same name."""
    try:
        return described.replaced(
            schema=adjusted(described.schema or "") or None,
            table=adjusted(described.table),
            columns=tuple(replace(one, name=adjusted(one.name)) for one in described.columns),
            indexes=tuple(replace(one, columns=tuple(map(adjusted, one.columns))) for one in described.indexes),
        )
    except DescriptionError:
        return None


class ToldByRecords:
    """Reduces row changes to what messages of a stream carry."""

    def __init__(self, facts: RecordFacts, producer: str, options: Any, tables: TableStore) -> None:
        """
        Args:
            facts: what records carry.
            producer: producer of the stream.
            options: options of the stream.
            tables: recorded table descriptions, by commit time.
        """
        self._tables = tables
        self._facts = facts
        self._producer = producer
        self._options = {one.name: options.value(one.name) for one in options.SPECS}

    def told(self, event: RowChange) -> RowChange:
        """A row change as it is decoded: names adjusted to Avro's rules, types as precise as the schemas, without the
        parts that options leave out.
        """
        facts, options = self._facts, self._options
        has_before = facts.told(facts.before, options)
        has_record = event.kind != "delete" or has_before
        new, old = self._image(event, event.new), self._image(event, event.old)
        kind = event.kind
        timed = facts.told(facts.commit_ts, options)
        if kind == "delete" and not has_before:
            key = facts.keys[self._producer]
            old = self._image(event, event.old, key)
            timed = facts.told(facts.deleted, options) and self._producer in facts.deleted_by
        elif kind == "update" and not has_before:
            old = None
            kind = kind if facts.told(facts.kind, options) else "insert"
        return RowChange(
            kind=kind,
            commit_ts=event.commit_ts if timed else None,
            schema=adjusted(event.schema or ""),
            table=adjusted(event.table or ""),
            new=new,
            old=old,
            checksum=event.checksum if has_record else None,
            checksum_before=event.checksum_before if has_record else None,
            checksum_version=event.checksum_version if has_record else None,
            checksum_corrupted=event.checksum_corrupted if has_record else None,
        )

    def says_nothing(self, event: RowChange) -> bool:
        """Whether the message of a delete contains no data, because the table has no key."""
        facts = self._facts
        flag = facts.keys[self._producer]
        if event.kind != "delete" or event.old is None or facts.told(facts.before, self._options):
            return False
        return not any(column.flags & flag for column in columns_of(event, event.old))

    def _image(self, event: RowChange, image: Mapping[str, Any] | None, flag: int = 0) -> Image | None:
        """A row image; with `flag`, only the columns with this flag."""
        if image is None:
            return None
        columns = [one for one in columns_of(event, image) if not flag or one.flags & flag]
        if not flag and self._producer in self._facts.unsent:
            columns = self._whole(event, columns)
        return Image([self._column(one) for one in columns], [image.get(one.name) for one in columns])

    def _whole(self, event: RowChange, columns: list[Column]) -> list[Column]:
        """The columns of a row, completed with the other columns of its table, in the table's order."""
        described = described_at(self._tables, (event.schema or "", event.table or ""), event.commit_ts)
        own = {one.name: one for one in columns}
        if described is None or not own.keys() <= {one.name for one in described.columns}:
            return columns
        known = {one.name: one for one in described.row_columns()}
        return [own.get(one.name, known[one.name]) for one in described.columns]

    def _column(self, column: Column) -> Column:
        """A column as its schema describes it."""
        said = None if column.mysql_type is None else declared(column.mysql_type)
        types = self._facts.forms.types
        mapping = types.written(column.type, column.flags, ColumnFacts(), self._producer, self._options)
        if mapping is None or said is None:
            return column._replace(name=adjusted(column.name))
        schema = types.types[mapping.schema]
        text = schema.stands_for
        if schema.logical is not None:
            text = f"{text}({said.length},{said.decimals or 0})"
        elif schema.labels is not None:
            text = f"{text}({','.join(map(quoted_text, said.members))})"
        elif schema.length is not None:
            text = f"{text}({said.length})"
        told = declared(text)
        flags = told.flags | column.flags & ColumnFlag.NULLABLE
        if column.flags & self._facts.keys[self._producer]:
            flags |= ColumnFlag.HANDLE_KEY
        return Column(adjusted(column.name), told.type, int(flags), text)

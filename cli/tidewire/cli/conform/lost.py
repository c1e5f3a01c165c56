"""Known defects that lose data: defaults of columns in table descriptions, and names in schemas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from tidewire.cli.conform.plain import HEADER, schema_number
from tidewire.cli.conform.respelled import differ_in_members_only
from tidewire.cli.conform.schemas import RecordedSchemas
from tidewire.cli.eventjson import kind_of
from tidewire.events import Ddl, Event
from tidewire.mysql import declared
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime.tables.described_parts import DescribedPart, ScalarField
from tidewire.tables import ColumnDescription


class LostDefaults:
    """Defects that omit defaults of columns in table descriptions.

    Args:
        types: type codes of the columns, by name of the defect.
        protocol: the protocol's module.
    """

    def __init__(self, types: Mapping[str, Sequence[int]], protocol: Any) -> None:
        self._types = types
        self._protocol = protocol
        self._all = {code for codes in types.values() for code in codes}

    def __bool__(self) -> bool:
        return bool(self._types)

    def completed(self, read: DescribedTable, happened: DescribedTable | None) -> DescribedTable:
        """The decoded table description, completed with the recorded defaults and hidden columns that messages omit."""
        if happened is None:
            return read
        known = {one.name: one for one in happened.columns}
        columns = [self._column(one, known.get(one.name)) for one in read.columns]
        hidden = happened.hidden_columns - {one.name for one in columns}
        for at, one in enumerate(happened.columns):
            if one.name in hidden:
                columns.insert(at, one)
        indexes = [one for one in happened.indexes if hidden.intersection(one.columns)]
        return read.replaced(columns=tuple(columns), indexes=(*indexes, *read.indexes))

    def _names(self) -> dict[str, str]:
        """By attribute of a changed table's column, the name of the message member that states it. If another protocol
        defines the messages of statements, the names are taken from its decoder.
        """
        decoder = import_module(f"{self._protocol.__name__}.decoder")
        if hasattr(decoder, "package_of_others"):
            decoder = import_module(f"{decoder.package_of_others().__name__}.decoder")
        parts = (one for one in vars(decoder).values() if isinstance(one, DescribedPart))
        fields = (one for part in parts if part.describes == "changed_column" for one in part.fields)
        return {one.attribute: one.name for one in fields if isinstance(one, ScalarField)}

    def _column(self, read: ColumnDescription, happened: ColumnDescription | None) -> ColumnDescription:
        if happened is None or read.default is not None or declared(read.mysql_type).type not in self._all:
            return read
        return replace(read, default=happened.default, default_length=happened.default_length)

    def explains(self, theirs: Sequence[Event], recorded: bytes, ours: bytes) -> str | None:
        """The defect that explains all differences between a recorded message and ours; None if there is none.

        Args:
            theirs: events decoded from the recorded message.
            recorded: the recorded message, as JSON.
            ours: our message, as JSON.

        Raises:
            ValueError: a message is not JSON.
        """
        tables = [event.table_after for event in theirs if isinstance(event, Ddl) and event.table_after is not None]
        columns = [column for table in tables for column in table.columns if column.default is None]
        called = self._names() if self._types else {}
        for name, types in self._types.items():
            lost = {column.name for column in columns if declared(column.mysql_type).type in types}
            if lost and differ_in_members_only(recorded, ours, called["default"], called["name"], lost):
                return name
        return None


class FirstSchemas:
    """Defects by which messages of some kinds of events use the first schema of their subject.

    Args:
        kinds: kinds of events, by name of the defect.
        schemas: the registered schemas.
    """

    def __init__(self, kinds: Mapping[str, Sequence[str]], schemas: RecordedSchemas | None) -> None:
        self._kinds = kinds
        self._schemas = schemas

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def explains(self, theirs: Sequence[Event], recorded: bytes, ours: bytes) -> str | None:
        """The defect by which a recorded message has another schema than ours, if the messages are otherwise equal;
        None if there is none.
        """
        numbers = schema_number(recorded), schema_number(ours)
        if self._schemas is None or None in numbers or recorded[HEADER:] != ours[HEADER:]:
            return None
        known = self._schemas.schemas
        subjects = {one.subject for one in known if one.id == numbers[1]}
        first = [
            min((one for one in known if one.subject == subject), key=lambda one: one.version) for subject in subjects
        ]
        if all(one.id != numbers[0] for one in first):
            return None
        kinds = {kind_of(event) for event in theirs}
        return next((name for name, own in self._kinds.items() if kinds.issubset(own)), None)

"""Conversion between table descriptions and structs."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.events import ROLES
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.roles import described
from tidewire.runtime.errors import DescriptionError
from tidewire.runtime.tables.columns import COLUMN_FIELDS, INDEX_FIELDS
from tidewire.runtime.tables.description import TABLE_FIELDS
from tidewire.tables import TableDescription

DESCRIBED = tuple(described(ROLES))
"""The columns of an event frame that contain table descriptions."""
_BITS = "default_bits"
"""The member for the default of a BIT column, which is a number; other defaults are texts."""


def structs(events: EventColumns, name: str, kind: pa.DataType) -> pa.Array:
    """A description column of events, as structs.

    Args:
        name: of the column.
        kind: the type of the structs.
    """
    numbers = events.events.column(name)
    if numbers.null_count == len(numbers):
        return nothing(len(numbers), kind)
    return column_of([to_struct(one) for one in events.descriptions], kind).take(numbers)


def nothing(rows: int, kind: pa.DataType) -> pa.Array:
    """An array of nulls. Arrays made by `pa.nulls` are five times larger for structs with lists, and all bytes are sent
    to the JVM.
    """
    validity = pa.py_buffer(bytes((rows + 7) // 8))
    if pa.types.is_struct(kind):
        children = [nothing(rows, one.type) for one in kind]
        return pa.StructArray.from_buffers(kind, rows, [validity], rows, children=children)
    if pa.types.is_list(kind):
        offsets = pa.py_buffer(bytes(4 * rows + 4))
        return pa.ListArray.from_buffers(kind, rows, [validity, offsets], rows, children=[nothing(0, kind.value_type)])
    return pa.nulls(rows, kind)


def to_struct(one: Any) -> dict[str, Any]:
    """A description as a dict of struct members."""
    found = {name: getattr(one, name) for name in TABLE_FIELDS}
    found["version"] = None if one.version is None else Decimal(one.version)
    found["columns"] = [_column_struct(column) for column in one.columns]
    found["indexes"] = [{name: getattr(index, name) for name in INDEX_FIELDS} for index in one.indexes]
    return found


def _column_struct(column: Any) -> dict[str, Any]:
    found = {name: getattr(column, name) for name in COLUMN_FIELDS}
    if isinstance(column.default, int):
        found["default"], found[_BITS] = None, Decimal(column.default)
    return found


class DescriptionsOfFrame:
    """The distinct descriptions in the structs of a frame."""

    def __init__(self) -> None:
        self.known: dict[TableDescription, int] = {}

    def numbers(self, array: pa.Array) -> pa.Array:
        """The index of the description of each row of a struct column.

        Raises:
            RowOfDescription: a struct is not a valid description.
        """
        found: list[int | None] = [None] * len(array)
        for row in pc.indices_nonzero(pc.is_valid(array)).to_pylist():
            try:
                one = from_struct(array[row].as_py())
            except DescriptionError as error:
                raise RowOfDescription(row, str(error)) from None
            found[row] = self.known.setdefault(one, len(self.known))
        return column_of(found, pa.int64())


class RowOfDescription(ValueError):
    """A struct is not a valid table description.

    Attributes:
        row: its row.
        reason: what is wrong.
    """

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row = row
        self.reason = reason


def from_struct(found: Mapping[str, Any]) -> TableDescription:
    """The description in the members of a struct.

    Raises:
        DescriptionError: the members are not a valid description.
    """
    members = {name: value for name, value in found.items() if value is not None}
    if "version" in members:
        members["version"] = int(members["version"])
    members["columns"] = [_column_members(one) for one in members.get("columns", ())]
    members["indexes"] = [_said(one) for one in members.get("indexes", ())]
    return TableDescription.from_json(members)


def _said(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if found is None else {name: value for name, value in found.items() if value is not None}


def _column_members(found: Mapping[str, Any] | None) -> dict[str, Any] | None:
    members = _said(found)
    if members is not None and _BITS in members:
        members["default"] = int(members.pop(_BITS))
    return members

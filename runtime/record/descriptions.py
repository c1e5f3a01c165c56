"""Reads descriptions of tables that are records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.errors import VALUE, StatedError
from tidewire.runtime.json.cursor import Part
from tidewire.runtime.record.described_parts import (
    BOOLEAN,
    INT,
    STRING,
    STRINGS,
    DescribedRecord,
    EachRecord,
    InnerRecord,
    ToldField,
)
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription, length_of_bits

if TYPE_CHECKING:
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.tables.description import DescribedTable

MOST_KEPT = 1 << 22
"""Bytes of descriptions in messages above which those that were read are dropped."""
_CLASSES: dict[str, Any] = {"column": ColumnDescription, "index": IndexDescription}


class RecordDescriptions:
    """Reads descriptions, and keeps those that were read: the same ones come again and again.

    Attributes:
        path: where in the description the trouble is that was found last, each step behind a slash.
    """

    def __init__(self, part: DescribedRecord, description: type[DescribedTable]) -> None:
        """
        Args:
            part: the record that describes a table.
            description: the class of descriptions.
        """
        self.part = part
        self.description = description
        self.known: dict[bytes, DescribedTable] = {}
        self.size = 0
        self.path = ""
        self.text = Part()

    def read(self, r: RecordCursor, field: cython.int, path_field: cython.int) -> DescribedTable:
        """The description that the record at the cursor is.

        Args:
            r: has the message.
            field: the record's.
            path_field: the field of what is in it.

        Raises:
            WireError: it is no description; `path` says where.
        """
        start: cython.Py_ssize_t = r.pos
        said = self.said_in(r, self.part, "", path_field)
        self.path = ""
        image = r.copy(start, r.pos)
        found = self.known.get(image)
        if found is None:
            try:
                found = self.description(**said)
            except ValueError as error:
                raise StatedError(VALUE, field, start, str(error)) from None
            self.size += len(image)
            if self.size > MOST_KEPT:
                self.known.clear()
                self.size = len(image)
            self.known[image] = found
        return found

    def said_in(self, r: RecordCursor, part: DescribedRecord, path: str, field: cython.int) -> dict[str, Any]:
        """What a record says, by attribute."""
        said: dict[str, Any] = {}
        for one in part.fields:
            below = f"{path}/{one.name}"
            if isinstance(one, InnerRecord):
                said.update(self.said_in(r, one.part, below, field))
            elif isinstance(one, EachRecord):
                said[one.tells] = self.each(r, one, below, field)
            else:
                self.path = below
                if not one.optional or r.given(field):
                    if one.raw and said.get("mysql_type") in one.raw:
                        r.string(self.text, field)
                        image = r.copy(self.text.start, self.text.end)
                        said[one.tells] = int.from_bytes(image, "big")
                        said["default_length"] = length_of_bits(image)
                    else:
                        said[one.tells] = self.told(r, one, field)
        return said

    def each(self, r: RecordCursor, one: EachRecord, path: str, field: cython.int) -> tuple[Any, ...]:
        """What the records of an array describe."""
        start: cython.Py_ssize_t
        made: list[Any] = []
        self.path = path
        items: cython.Py_ssize_t = r.block(field)
        while items:
            while items:
                below = f"{path}/{len(made)}"
                start = r.pos
                said = self.said_in(r, one.part, below, field)
                self.path = below
                try:
                    made.append(_CLASSES[one.part.describes](**said))
                except ValueError as error:
                    raise StatedError(VALUE, field, start, str(error)) from None
                items -= 1
            self.path = path
            items = r.block(field)
        return tuple(made)

    def told(self, r: RecordCursor, one: ToldField, field: cython.int) -> Any:
        """What a field says."""
        if one.type == STRING:
            return self.string(r, field)
        if one.type == BOOLEAN:
            return r.boolean(field)
        if one.type == STRINGS:
            return self.strings(r, field)
        number: cython.longlong
        if one.unsigned:
            return r.natural(field)
        number = r.int32(field) if one.type == INT else r.integer(field)
        return None if one.zero and number == 0 else number

    def string(self, r: RecordCursor, field: cython.int) -> str:
        """A text."""
        r.text(self.text, field)
        return r.decoded(self.text.start, self.text.end, field)

    def strings(self, r: RecordCursor, field: cython.int) -> tuple[str, ...]:
        """An array of texts."""
        found: list[str] = []
        items: cython.Py_ssize_t = r.block(field)
        while items:
            while items:
                found.append(self.string(r, field))
                items -= 1
            items = r.block(field)
        return tuple(found)

"""Reads table descriptions that are Avro records."""

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
"""Bytes of descriptions, as in messages, at which the cache is cleared."""
_CLASSES: dict[str, Any] = {"column": ColumnDescription, "index": IndexDescription}


class RecordDescriptions:
    """Reads descriptions, and caches them: messages mostly repeat the same ones.

    Attributes:
        path: position of the last error inside the description, each step after a slash.
    """

    def __init__(self, part: DescribedRecord, description: type[DescribedTable]) -> None:
        """
        Args:
            part: the record that describes a table.
            description: class of descriptions.
        """
        self.part = part
        self.description = description
        self.known: dict[bytes, DescribedTable] = {}
        self.size = 0
        self.path = ""
        self.text = Part()

    def read(self, r: RecordCursor, field: cython.int, path_field: cython.int) -> DescribedTable:
        """Reads the description at the cursor.

        Args:
            field: field of the record.
            path_field: field of what is inside it.

        Raises:
            WireError: it is not a description; `path` is where.
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
        """Values of a record's fields, by attribute."""
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
        """Reads an array of records that describe columns or indexes."""
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
        """Reads the value of a field."""
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
        """Reads a string."""
        r.text(self.text, field)
        return r.decoded(self.text.start, self.text.end, field)

    def strings(self, r: RecordCursor, field: cython.int) -> tuple[str, ...]:
        """Reads an array of strings."""
        found: list[str] = []
        items: cython.Py_ssize_t = r.block(field)
        while items:
            while items:
                found.append(self.string(r, field))
                items -= 1
            items = r.block(field)
        return tuple(found)

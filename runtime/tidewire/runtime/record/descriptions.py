"""Table descriptions as Avro records: read into `DescribedTable`, and written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.errors import VALUE, StatedError
from tidewire.runtime.record.sink import long_bytes, string_bytes
from tidewire.runtime.tables.columns import bytes_of_bits, length_of_bits
from tidewire.runtime.tables.described_parts import (
    BOOL,
    CLASSES,
    INT,
    TEXT,
    TEXTS,
    UNSIGNED,
    ArrayField,
    DescribedPart,
    DescriptionCache,
    DescriptionWriter,
    ObjectField,
    ScalarField,
)
from tidewire.runtime.wire.part import Part

if TYPE_CHECKING:
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.tables.description import DescribedTable

_NULL, _GIVEN = b"\x00", b"\x02"
"""Encoded branch numbers of a union of null and a type."""


class RecordDescriptionReader:
    """Reads descriptions, and caches them: messages mostly repeat the same ones.

    Attributes:
        path: position of the last error inside the description, each step after a slash.
    """

    def __init__(self, part: DescribedPart, description: type[DescribedTable]) -> None:
        """
        Args:
            part: the record that describes a table.
            description: class of descriptions.
        """
        self.part = part
        self.description = description
        self.cache = DescriptionCache()
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
        said = self.attributes(r, self.part, "", path_field)
        self.path = ""
        image = r.copy(start, r.pos)
        found: DescribedTable | None = self.cache.get(image)
        if found is None:
            try:
                found = self.description(**said)
            except ValueError as error:
                raise StatedError(VALUE, field, start, str(error)) from None
            self.cache.store(image, found, len(image))
        return found

    def attributes(self, r: RecordCursor, part: DescribedPart, path: str, field: cython.int) -> dict[str, Any]:
        """Values of a record's fields, by attribute."""
        said: dict[str, Any] = {}
        for one in part.fields:
            below = f"{path}/{one.name}"
            if isinstance(one, ObjectField):
                said.update(self.attributes(r, one.part, below, field))
            elif isinstance(one, ArrayField):
                said[one.attribute] = self.each(r, one, below, field)
            else:
                self.path = below
                if not one.null or r.given(field):
                    if one.numbers and said.get("mysql_type") in one.numbers:
                        r.string(self.text, field)
                        image = r.copy(self.text.start, self.text.end)
                        said[one.attribute] = int.from_bytes(image, "big")
                        said["default_length"] = length_of_bits(image)
                    else:
                        said[one.attribute] = self.scalar(r, one, field)
        return said

    def each(self, r: RecordCursor, one: ArrayField, path: str, field: cython.int) -> tuple[Any, ...]:
        """Reads an array of records that describe columns or indexes."""
        start: cython.Py_ssize_t
        made: list[Any] = []
        self.path = path
        items: cython.Py_ssize_t = r.block(field)
        while items:
            while items:
                below = f"{path}/{len(made)}"
                start = r.pos
                said = self.attributes(r, one.part, below, field)
                self.path = below
                try:
                    made.append(CLASSES[one.part.describes](**said))
                except ValueError as error:
                    raise StatedError(VALUE, field, start, str(error)) from None
                items -= 1
            self.path = path
            items = r.block(field)
        return tuple(made)

    def scalar(self, r: RecordCursor, one: ScalarField, field: cython.int) -> Any:
        """Reads the value of a field."""
        if one.type == TEXT:
            return self.string(r, field)
        if one.type == BOOL:
            return r.boolean(field)
        if one.type == TEXTS:
            return self.strings(r, field)
        number: cython.longlong
        if one.type == UNSIGNED:
            return r.natural(field)
        number = r.int32(field) if one.type == INT else r.varint(field)
        return None if one.omitted and number == 0 else number

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


class RecordDescriptionWriter(DescriptionWriter):
    """Writes descriptions of tables as records. What has no value has Go's zero value: an empty text, 0, false."""

    NULL = _NULL

    def joined(self, fields: Iterable[tuple[str, bytes]]) -> bytes:
        return b"".join([value for _, value in fields])

    def array(self, items: Sequence[bytes]) -> bytes:
        """One block with all items, and an empty one."""
        return long_bytes(len(items)) + b"".join(items) + b"\x00" if items else b"\x00"

    def scalar(self, one: ScalarField, value: Any, item: Any) -> bytes:
        if isinstance(value, int) and one.type == TEXT:  # the default of a BIT is a number, written as its bytes
            image = bytes_of_bits(value, item.default_length)
            written = long_bytes(len(image)) + image
        elif one.type == TEXT:
            written = string_bytes(value or "")
        elif one.type == TEXTS:
            written = self.array([string_bytes(text) for text in value or ()])
        elif one.type == BOOL:
            written = b"\x01" if value else b"\x00"
        else:
            written = long_bytes(value or 0)
        if not one.null:
            return written
        types = one.only.get(self.producer, one.only.get("", ()))
        # a field written for some types is written for all columns of these types
        there = item.mysql_type in types if types else value is not None and value != ()
        return _GIVEN + written if there else _NULL

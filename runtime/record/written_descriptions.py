"""Writes table descriptions as Avro records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tidewire.runtime.record.described_parts import BOOLEAN, STRING, STRINGS, EachRecord, InnerRecord
from tidewire.runtime.record.sink import long_bytes, string_bytes
from tidewire.runtime.tables.columns import bytes_of_bits

if TYPE_CHECKING:
    from tidewire.runtime.record.described_parts import DescribedRecord, ToldField
    from tidewire.runtime.tables.description import DescribedTable

MOST_KEPT = 1 << 22
"""Bytes of encoded descriptions at which the cache is cleared."""
_NULL, _GIVEN = b"\x00", b"\x02"
"""Encoded branch numbers of a union of null and a type."""


class RecordDescriptionWriter:
    """Writes descriptions, and caches them: messages mostly repeat the same ones."""

    def __init__(self, part: DescribedRecord, producer: str) -> None:
        """
        Args:
            part: the record that describes a table.
            producer: producer whose messages are imitated.
        """
        self._part = part
        self._producer = producer
        self._known: dict[DescribedTable, bytes] = {}
        self._size = 0

    def write(self, description: DescribedTable) -> bytes:
        """The encoded record of a table description."""
        found = self._known.get(description)
        if found is None:
            found = self._written(self._part, description)
            self._size += len(found)
            if self._size > MOST_KEPT:
                self._known.clear()
                self._size = len(found)
            self._known[description] = found
        return found

    def _written(self, part: DescribedRecord, said: Any) -> bytes:
        """The encoded record of an item: its attributes as the record's fields."""
        return b"".join(self._fields(part, said))

    def _fields(self, part: DescribedRecord, said: Any) -> Iterator[bytes]:
        for one in part.fields:
            if isinstance(one, InnerRecord):
                yield self._written(one.part, said)
            elif isinstance(one, EachRecord):
                items = self._ordered(one, getattr(said, one.tells))
                yield _array(self._written(one.part, item) for item in items)
            else:
                yield self._told(one, said)

    def _ordered(self, one: EachRecord, items: Sequence[Any]) -> Sequence[Any]:
        """The items in the order of their ids, if the producer writes them so and all ids are known."""
        if self._producer in one.by_id and all(item.id is not None for item in items):
            return sorted(items, key=lambda item: item.id)
        return items

    def _told(self, one: ToldField, said: Any) -> bytes:
        value = getattr(said, one.tells)
        if isinstance(value, int) and one.type == STRING:  # the default of a BIT is a number, written as its bytes
            value = bytes_of_bits(value, said.default_length)
        if not one.optional:
            return _value(one, value)
        types = one.only.get(self._producer, one.only.get("", ()))
        # a field written for some types is written for all columns of these types
        there = said.mysql_type in types if types else value is not None and value != ()
        return _GIVEN + _value(one, value) if there else _NULL


def _value(one: ToldField, value: Any) -> bytes:
    """An encoded value; None becomes Go's zero value: an empty string, 0, false."""
    if one.type == BOOLEAN:
        return b"\x01" if value else b"\x00"
    if one.type == STRINGS:
        return _array(map(string_bytes, value or ()))
    if one.type == STRING:
        return long_bytes(len(value)) + value if isinstance(value, bytes) else string_bytes(value or "")
    return long_bytes(value or 0)


def _array(items: Iterator[bytes]) -> bytes:
    """An encoded array: one block with all items, and an empty one."""
    found = list(items)
    return long_bytes(len(found)) + b"".join(found) + b"\x00" if found else b"\x00"

"""Structure of the parts of messages that describe tables, stated by generated codecs: objects of JSON or Avro records.

Each wire reads the parts by itself; how they are written is the same, except for the bytes of a value. Messages that
describe tables are few and mostly repeat the same description, so what was read or written is cached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription

MOST_BYTES = 1 << 22
"""Bytes of descriptions, as in messages, at which a cache of them is cleared."""
TEXT, INTEGER, UNSIGNED, BOOL, TEXTS, INT = "text", "integer", "unsigned", "bool", "texts", "int"
"""Types of values: text, numbers of 64 bits with and without a sign, booleans, lists of texts; in records also numbers
of 32 bits.
"""
CLASSES: Mapping[str, Any] = {"column": ColumnDescription, "index": IndexDescription}
"""The class of a thing of which a table has several."""


class NoDescription(Exception):
    """An object of a message is not a table description: an error code of `errors.REASONS`, and the detail."""

    def __init__(self, code: int, detail: str) -> None:
        super().__init__(code, detail)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class ScalarField:
    """A member of an object, or a field of a record, with a single value."""

    name: str
    """Its name in the message."""
    attribute: str
    """Attribute of the description; empty: none, its value is null."""
    type: str
    """One of the constants above."""
    omitted: bool = False
    """Whether an empty value (None, false, 0, no texts) is omitted. Records omit nothing, but have 0 for no number."""
    null: bool = False
    """Whether the value may be null: of a record, whether it is a union of null and that type."""
    numbers: tuple[str, ...] = ()
    """For the default of a column, which is a text: the types (`mysql_type`) for which it is a number, which a record
    has as bytes.
    """
    silent: tuple[str, ...] = ()
    """Column types for which there is no value."""
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By producer, the column types for which there is a value; for others it is null. An empty name stands for all
    producers. Empty: all types.
    """
    reads: bool = False
    """Whether it is only read, never written."""


@dataclass(frozen=True, slots=True)
class ObjectField:
    """A member that is an object, or a field that is a record, with further attributes of the same description."""

    name: str
    part: DescribedPart
    attribute: str = ""
    """The attribute that gets the member's description, or None; empty: the member's attributes belong to the
    description around it.
    """


@dataclass(frozen=True, slots=True)
class ArrayField:
    """An array with an object or a record for each column or index."""

    name: str
    part: DescribedPart
    attribute: str
    """Attribute of the description: columns or indexes."""
    by_id: tuple[str, ...] = ()
    """Producers that write them in the order of their ids."""
    hides: tuple[str, ...] = ()
    """Producers that omit the hidden columns of indexes on expressions."""


@dataclass(frozen=True, slots=True)
class DescribedPart:
    """An object or a record that describes a table, a column or an index, or a part of one."""

    describes: str
    fields: tuple[ScalarField | ObjectField | ArrayField, ...]
    refuses_unknown: bool = False
    """Whether readers of objects refuse members that are not listed; else they skip them."""
    nothing: tuple[str, ...] = ()
    """The texts of JSON objects that mean that there is no description."""


class DescriptionCache(dict[Any, Any]):
    """A dictionary that is cleared when what was stored in it has too many bytes."""

    size = 0

    def store(self, key: Any, value: Any, size: int) -> None:
        """Stores a value whose text in a message has so many bytes."""
        self.size += size
        if self.size > MOST_BYTES:
            self.clear()
            self.size = size
        self[key] = value


class DescriptionWriter:
    """Writes descriptions; a wire says how values are written.

    Attributes:
        NULL: null in place of an object.
    """

    NULL: ClassVar[bytes]

    def __init__(self, part: DescribedPart, producer: str) -> None:
        """
        Args:
            part: the part that describes a table.
            producer: producer whose messages are imitated.
        """
        self.part = part
        self.producer = producer
        self._cache = DescriptionCache()

    def write(self, description: Any) -> bytes:
        """The object or record of a table description.

        Raises:
            EncodeError: a value that is needed is missing, or cannot be represented.
        """
        found: bytes | None = self._cache.get(description)
        if found is None:
            found = self.written(self.part, description)
            self._cache.store(description, found, len(found))
        return found

    def written(self, part: DescribedPart, item: Any) -> bytes:
        """The object or record of an item, which has the attributes of the part's fields."""
        return self.joined(self._fields(part, item))

    def _fields(self, part: DescribedPart, item: Any) -> Iterator[tuple[str, bytes]]:
        for one in part.fields:
            if isinstance(one, ObjectField):
                inner = getattr(item, one.attribute) if one.attribute else item
                yield one.name, self.NULL if inner is None else self.written(one.part, inner)
            elif isinstance(one, ArrayField):
                yield one.name, self.array([self.written(one.part, inner) for inner in self._items(one, item)])
            elif not one.reads:
                value = self.scalar(one, getattr(item, one.attribute) if one.attribute else None, item)
                if value is not None:
                    yield one.name, value

    def _items(self, one: ArrayField, item: Any) -> Sequence[Any]:
        """The items of an array, in the order of their ids if the producer writes them so and all ids are known."""
        items: Sequence[Any] = getattr(item, one.attribute)
        if self.producer in one.hides:
            hidden = item.hidden_columns
            items = [inner for inner in items if inner.name not in hidden]
        if self.producer in one.by_id and all(inner.id is not None for inner in items):
            return sorted(items, key=lambda inner: inner.id)
        return items

    # ---- implemented by wires

    def joined(self, fields: Iterable[tuple[str, bytes]]) -> bytes:
        """The object or record with these fields: names and values."""
        raise NotImplementedError

    def array(self, items: Sequence[bytes]) -> bytes:
        """The array of these items."""
        raise NotImplementedError

    def scalar(self, one: ScalarField, value: Any, item: Any) -> bytes | None:
        """The value of a field; None: it is omitted.

        Args:
            one: the field.
            item: what is described.
        """
        raise NotImplementedError

"""The columns of a table by name, and what messages or descriptions of the table state about them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.decoding.names import Names

if cython.compiled:
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.tidewire.runtime.wire.swar import begins, load8, mask_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tidewire.runtime.arrow.memory import Numbers
    from tidewire.runtime.batch import Column
    from tidewire.runtime.decoding.declared import DeclaredType, DeclaredTypes
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.wire.byte_reader import ByteReader
    from tidewire.runtime.wire.value_codec import ValueCodec

MOST_LACKED: cython.Py_ssize_t = 8
"""Maximum number of columns that are listed as missing from a row."""
MOST_IMAGE: cython.Py_ssize_t = 1 << 16
"""Maximum bytes of a cached declared type or name list."""
TIMESTAMP = 7
"""MySQL's type code of TIMESTAMP."""
NAME_COPIES: cython.Py_ssize_t = 8
"""Memory of a long name, as a multiple of its bytes: unescaped, as spelled, as text, and room to grow."""


class TableColumns(Names):
    """The names of a table's columns, with the declared type of each and the name lists that contain it.

    Attributes:
        descriptions_version: changes whenever the description of a column changes.
        message: number of the current message's description; columns described in it carry this number.
        described: number of columns that it describes.
        outlines: number of columns that the message names without declaring their types.
        named: last text of each name list.
        marked: column numbers in each name list.
        at_column: number of the column being read; -1: none.
        source: source of the column types; None: the messages state them.
        kept: an object that must live as long as the columns.
        zoned: whether any column is a TIMESTAMP.
        takes_first: whether a row may have a column twice, of which the first counts: `JsonRows.is_default_again`.
        bare: whether rows may have no columns: the message says that the table has none, or none that must be sent.
    """

    def __init__(self, cache: LayoutCache, types: DeclaredTypes, arrays: int, given: Mapping[str, str]) -> None:
        """
        Args:
            cache: counts the memory that is used.
            types: declared types of all tables.
            arrays: number of name lists in messages.
            given: user-given types of columns without a declared type, by name in lower case.
        """
        Names.__init__(self)
        self.given = given
        self.cache = cache
        self.types = types
        self.descriptions_version = 1
        self.message = 0
        self.described = self.outlines = 0
        self.named: list[bytes] = [b""] * arrays
        self.marked: list[list[int]] = [[] for _ in range(arrays)]
        self.at_column = -1
        self.first = 0
        self.source: str | None = None
        self.kept: object = None
        self.zoned = self.takes_first = self.bare = False

    def at_name(self) -> str:
        """The name of the column being read; empty: none."""
        return self.texts[self.at_column] if self.at_column >= 0 else ""

    def at_type(self) -> tuple[int, int] | None:
        """Type code and flags of the column being read; None: none."""
        k: cython.Py_ssize_t = self.at_column
        if k < 0 or self.all[k].type < 0:
            return None
        type: DeclaredType = self.types.numbers[self.all[k].type]
        return type.type, self.all[k].flags

    def type_of(self, k: cython.Py_ssize_t) -> cython.int:
        """The number of a column's type: as the message declares it, else as the user gave it, else the placeholder for
        unknown types; -1: none.
        """
        type: cython.int = self.all[k].type
        if self.all[k].described == self.message:
            return type
        return self.undeclared(k)

    def undeclared(self, k: cython.Py_ssize_t) -> cython.int:
        """The number of the type of a column that no message declares: as the user gave it, else the placeholder for
        unknown types; -1: every column must be declared.
        """
        type: cython.int = self.all[k].undeclared
        if type < 0 and self.types.undeclared >= 0:
            type = self.all[k].undeclared = self.types.given(self.given.get(self.texts[k].lower())).number
        return type

    def lacked(self, found: Numbers) -> cython.int:
        """Finds columns that the message says the table has, and that the last scanned row lacks: first those in name
        lists, then those described; at most `MOST_LACKED`.

        At most as many columns as the row has, plus these, are examined.
        """
        k: cython.Py_ssize_t
        n: cython.Py_ssize_t = 0
        left: cython.Py_ssize_t = self.described if self.described else self.outlines
        found.take(MOST_LACKED)
        for names in self.marked:
            for k in names:
                if n < MOST_LACKED and self.all[k].seen != self.object_number:
                    found.i64[n] = k
                    n += 1
                    if n == MOST_LACKED:
                        break
        k = self.first
        while left > 0 and n < MOST_LACKED:
            if self.all[k].seen != self.object_number and self.all[k].flags == 0:
                found.i64[n] = k
                n += 1
            k = self.all[k].next_described
            left -= 1
        found.size = n
        return 0

    def undescribed(self) -> cython.int:
        """Begins a message that declares no column yet."""
        self.message += 1
        self.described = self.outlines = 0
        self.bare = False
        return 0

    def describe_all(self, columns: Sequence[Column], codecs: Sequence[ValueCodec] | None) -> cython.int:
        """Adds the columns of a table description, which are all that its rows can have.

        Args:
            codecs: codec of each; None: the type selects it.

        Raises:
            ValueError: a column has a type that TiDB does not have; the sentence names the column.
        """
        k: cython.Py_ssize_t
        type: DeclaredType
        for position, column in enumerate(columns):
            name = column.name.encode()
            k = self.add(name, json.dumps(column.name, ensure_ascii=False).encode() + b":")
            try:
                if codecs is None:
                    type = self.types.given(column.mysql_type)
                else:
                    type = self.types.written_by(column.mysql_type, codecs[position])
                self.set_type(k, type.number)
                if type.type == TIMESTAMP:
                    self.zoned = True
            except ValueError as error:
                raise ValueError(f"column `{column.name}`: {error}") from None
            self.all[k].flags = column.flags
            self.cache.num_columns += 1
            self.cache.bytes += NAME_COPIES * len(name)
        self.described = self.count
        self.bare = self.count == 0
        return 0

    def keep_type(
        self, r: ByteReader, k: cython.Py_ssize_t, start: cython.Py_ssize_t, end: cython.Py_ssize_t
    ) -> cython.int:
        """Caches message[start:end] as the declaration of column k: the same bytes need not be parsed again."""
        size: cython.Py_ssize_t = end - start
        if size > MOST_IMAGE:
            self.all[k].type_size = 0
            return 0
        if cython.compiled:
            if size > self.all[k].type_room:
                self.all[k].type_start = self.keep(r.copy(start, end))
                self.all[k].type_room = size
                self.cache.bytes += size
            memcpy(self.pool.u8 + self.all[k].type_start, r.p + start, size)
            memset(self.pool.u8 + self.all[k].type_start + size, 0, 8)
            self.all[k].type_word = load8(self.pool.u8 + self.all[k].type_start)
            self.all[k].type_mask = mask_of(size)
        else:
            self.all[k].type_text = bytes(r.p[start:end])
        self.all[k].type_size = size
        return 0

    def learn_object(
        self,
        r: ByteReader,
        k: cython.Py_ssize_t,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
        type: cython.int,
        flags: cython.ulonglong,
    ) -> cython.int:
        """Sets type and flags of column k, from its column object.

        Args:
            start, end: message[start:end] is its name and the object up to the value, if the value is the last member;
                otherwise start is -1.
        """
        size: cython.Py_ssize_t = end - start
        self.set_type(k, type)
        if self.all[k].flags != flags:
            self.all[k].flags = flags
            self.descriptions_version += 1
        if start < 0:
            self.all[k].type_size = 0
            return 0
        if cython.compiled:
            if size == self.all[k].type_size and begins(r.p + start, self.pool.u8 + self.all[k].type_start, size):
                return 0
        return self.keep_type(r, k, start, end)

    def set_type(self, k: cython.Py_ssize_t, number: cython.int) -> cython.int:
        """Sets the type of column k."""
        if self.all[k].type != number:
            self.all[k].type = number
            self.descriptions_version += 1
        return 0

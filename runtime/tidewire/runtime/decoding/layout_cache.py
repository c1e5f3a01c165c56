"""A decoder's cache of tables and row layouts, and which of them the current batch uses.

How columns are read from messages depends on the wire; here layouts get positions and limits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.columns import Columns
from tidewire.runtime.arrow.memory import Memory
from tidewire.runtime.decoding.index import Index

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.columns import untrack

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch import Column, TableName
    from tidewire.runtime.tables.description import DescribedTable

LOW_BITS: cython.Py_ssize_t = 0x7FFFFFFF
"""Mask for the bits of a table's hash that are stored."""
MOST_REMEMBERED: cython.Py_ssize_t = 1 << 15
"""Number of layouts above which a new generation begins with the next batch."""
MOST_COLUMNS: cython.Py_ssize_t = 1 << 19
"""Number of columns in all tables and layouts above which a new generation begins with the next batch."""
MOST_BYTES: cython.Py_ssize_t = 1 << 25
"""Bytes of all names and descriptions above which a new generation begins with the next batch."""
FEW_TOUCHED: cython.Py_ssize_t = 4
"""Number of layouts up to which the list `touched` is overwritten instead of emptied by the next message."""


class LayoutBuilder(Columns):
    """The row images of a batch that share one layout.

    Attributes:
        table: table of the rows.
        described: its columns, once they have been requested.
        batch: number of the last batch that used the layout.
        slot: its position among the layouts of that batch.
        position: position of its table in that batch.
        message: number of the last message with such rows; -1: no message to undo.
        mark: number of rows before that message.
        generation: last generation of the cache in which it was used.
    """

    def __init__(self, table: TableName, storages: Sequence[int], digest: cython.Py_ssize_t) -> None:
        """
        Args:
            table: table of the rows.
            storages: storage of each column.
            digest: hash of everything that distinguishes this layout from others.
        """
        Columns.__init__(self, storages)
        self.table = table
        self.digest = digest
        self.described: tuple[Column, ...] | None = None
        self.batch = self.slot = self.message = self.generation = -1
        self.position = self.mark = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """Name, type and flags of each column; built on first use, which is rare."""
        if self.described is None:
            self.described = tuple(self.described_columns())
        return self.described

    @property
    def lacks(self) -> tuple[str, ...]:
        """Columns that the table has and these rows lack; empty for complete rows."""
        return ()

    def described_columns(self) -> list[Column]:
        """The columns as the wire describes them."""
        raise NotImplementedError


class Table:
    """A table that has rows.

    Attributes:
        position: its position among the tables of a batch.
        positions_version: version of the cache's positions for which that is valid.
    """

    def __init__(self, table: TableName) -> None:
        self.table = table
        self.hashed: int = hash(table) & LOW_BITS
        self.positions_version = -1
        self.position = 0


class Layouts:
    """Layouts, found by their digests."""

    def __init__(self) -> None:
        self.images: list[Any] = []  # layout builders of the wire
        self.index = Index()

    def add(self, images: LayoutBuilder) -> cython.int:
        """Adds a layout that is not among them."""
        position: cython.Py_ssize_t
        known: LayoutBuilder
        if self.index.full():
            self.index.room(2 * self.index.size)
            for position in range(len(self.images)):
                known = self.images[position]
                self.index.add(known.digest, position)
        self.index.add(images.digest, len(self.images))
        self.images.append(images)
        return 0


class LayoutCache:
    """One decoder's cache, and which entries the current batch uses.

    Entries are of two generations. When the young one is full, the next batch begins a new one: young entries become
    old, and old ones are dropped. An old entry that is used becomes young again. So the cache is bounded, and entries
    in frequent use stay.

    A table is a tuple of its schema and name. A table without rows takes only this tuple in the batch's list of tables:
    a message can name one with every few bytes.

    Attributes:
        batch: number of the batch.
        positions_version: incremented whenever the positions of tables become invalid: by a new batch, and when a
            message is undone.
        generation: number of the young generation. Caches that depend on this one must drop entries of any generation
            before the last two.
        young, old: layouts of both generations; those of the old one that have become young are in both.
        digest: digest of the last layout that was looked up.
        num_columns, bytes: size of the young generation; whoever caches something adds to them.
        touched: layouts with rows of the current message: the first `num_touched`; the others are leftovers.
        descriptions: table descriptions in messages of the batch.
    """

    def __init__(self) -> None:
        self.batch = self.positions_version = self.generation = self.digest = 0
        self.table_index = Index()
        self.hashes = Memory(1)  # hashes of the batch's tables: faster to compare than thousands of tables
        self.young = Layouts()
        self.forget()
        self.tables: list[TableName] = []
        self.layouts: list[LayoutBuilder] = []
        self.touched: list[LayoutBuilder] = []
        self.descriptions: list[DescribedTable] = []
        self.first_table = self.first_layout = self.first_description = self.num_touched = 0

    def forget(self) -> cython.int:
        """Drops all entries."""
        self.age()
        return self.age()

    def age(self) -> cython.int:
        """Begins a new generation."""
        self.old = self.young
        self.young = Layouts()
        self.num_columns = self.bytes = 0
        self.generation += 1
        return 0

    def begin(self) -> cython.int:
        """Begins a new batch, which uses no table and no layout yet."""
        images: LayoutBuilder
        for images in self.layouts:
            images.begin()
        self.tables = []
        if cython.compiled:
            # tuples of strings only: saves the garbage collector from traversing the growing list
            untrack(self.tables)
        self.table_index.clear()
        self.layouts.clear()
        self.touched.clear()
        if self.descriptions:
            self.descriptions = []
        self.batch += 1
        self.positions_version += 1
        if len(self.young.images) > MOST_REMEMBERED or self.num_columns > MOST_COLUMNS or self.bytes > MOST_BYTES:
            self.age()
        self.start()
        return 0

    def start(self) -> cython.int:
        """Begins a new message; `undo` reverts what it adds."""
        self.first_table = len(self.tables)
        self.first_layout = len(self.layouts)
        self.first_description = len(self.descriptions)
        if self.num_touched > FEW_TOUCHED:
            del self.touched[:]
        self.num_touched = 0
        return 0

    # ---- tables

    def table(self, schema: str | None, name: str | None) -> TableName:
        """The table of that name; an empty name is no name."""
        return (schema or None, name or None)

    def position(self, table: TableName) -> cython.Py_ssize_t:
        """The table's position in the batch."""
        return self.find(table, hash(table) & LOW_BITS)

    def find(self, table: TableName, digest: cython.int) -> cython.Py_ssize_t:
        """`position` of a table whose hash has these low bits."""
        position: cython.Py_ssize_t
        slot: cython.Py_ssize_t = self.table_index.slot(digest)
        position = self.table_index.positions[slot]
        while position >= 0:
            if self.hashes.i32[position] == digest and self.tables[position] == table:
                return position
            slot = self.table_index.after(slot)
            position = self.table_index.positions[slot]
        if self.table_index.full():
            self.table_index.room(2 * self.table_index.size)
            for position in range(len(self.tables)):
                self.table_index.add(self.hashes.i32[position], position)
        position = len(self.tables)
        self.hashes.reserve(4 * position + 4)
        self.hashes.i32[position] = digest
        self.table_index.add(digest, position)
        self.tables.append(table)
        return position

    def position_of(self, known: Table) -> cython.Py_ssize_t:
        """Like `position`, for a table with rows; the position is cached in `known`."""
        if known.positions_version != self.positions_version:
            known.position = self.find(known.table, known.hashed)
            known.positions_version = self.positions_version
        return known.position

    # ---- layouts

    def remember(self, images: LayoutBuilder) -> cython.int:
        """Makes a layout young, so that its digest finds it."""
        self.young.add(images)
        self.num_columns += images.width
        images.generation = self.generation
        return 0

    def open(self, images: LayoutBuilder, known: Table, message: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The layout's position in the batch; the message is about to add a row to it."""
        if images.batch != self.batch:
            if images.generation != self.generation:
                self.remember(images)
            images.batch = self.batch
            images.position = self.position_of(known)
            images.slot = len(self.layouts)
            images.message = -1
            self.layouts.append(images)
        if images.message != message:
            images.message = message
            images.mark = images.rows
            if self.num_touched < len(self.touched):
                self.touched[self.num_touched] = images
            else:
                self.touched.append(images)
            self.num_touched += 1
        return images.slot

    def undo(self) -> cython.int:
        """Reverts the rows and tables that the message has added."""
        images: LayoutBuilder
        for images in self.touched[: self.num_touched]:
            images.rows = images.mark
            images.message = -1
        while len(self.layouts) > self.first_layout:
            images = self.layouts.pop()
            images.batch = -1
        while len(self.tables) > self.first_table:
            self.tables.pop()
            self.table_index.remove(self.hashes.i32[len(self.tables)], len(self.tables))
        del self.descriptions[self.first_description :]
        self.positions_version += 1
        return 0

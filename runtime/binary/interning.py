"""What an encoder numbers: the terms of a message, and the descriptions of columns that refer to them.

A name is known by its place among all the names of an encoder; a message gives it a number, its term id, when it is
first used there. Messages of one table use the same names in the same order, so what was written for the last one is
kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.encoding.checks import column_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import cython

    from tidewire.runtime.batch import Column, Layout
    from tidewire.runtime.binary.sink import Sink

MOST_REMEMBERED = 65536
"""Names above which an encoder starts anew with the next batch."""
MOST_TEXT = 8 << 20
"""Bytes of names above which it does likewise."""
MOST_KEPT = 1024
"""Dictionaries that an encoder keeps as they were written."""
MOST_KEPT_BYTES = 4 << 20
"""Bytes of them."""
MOST_IMAGE = 1 << 14
"""Bytes above which a dictionary is not kept."""


class Terms:
    """The terms of the message that is being written, numbered in order of first use."""

    def __init__(self) -> None:
        self.names: list[bytes] = []
        self.places: dict[str, int] = {}
        self.message = 0
        self.used = Numbers()
        self.ids = Numbers()
        self.order = Numbers()
        self.kept: dict[bytes, bytes] = {}
        self.text = self.kept_bytes = 0
        self.order.take(0)

    def place(self, name: str) -> cython.Py_ssize_t:
        """The place of a name among all names."""
        known = self.places.get(name)
        if known is None:
            known = len(self.names)
            self.places[name] = known
            image: bytes = name.encode()
            self.names.append(image)
            self.text += len(image)
            self.used.take(known + 1)
            self.ids.take(known + 1)
            self.used.i64[known] = 0
        return known

    def refresh(self) -> cython.bint:
        """Forgets all names when there are very many; called between batches.

        Returns:
            Whether names have been forgotten, and places mean nothing any more.
        """
        if len(self.names) <= MOST_REMEMBERED and self.text <= MOST_TEXT:
            return False
        self.names.clear()
        self.places.clear()
        self.kept.clear()
        self.used, self.ids = Numbers(), Numbers()
        self.text = self.kept_bytes = 0
        return True

    def begin(self) -> cython.int:
        """A new message: no term has been used."""
        self.message += 1
        self.order.take(0)
        return 0

    def use(self, place: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """The term id of a name in this message; -1 for the place -1, which is no name."""
        if place < 0:
            return -1
        if self.used.i64[place] != self.message:
            self.used.i64[place] = self.message
            self.ids.i64[place] = self.order.size
            self.order.append(place)
        return self.ids.i64[place]

    def use_or(self, place: cython.Py_ssize_t, absent: cython.longlong) -> cython.longlong:
        """The same, with another number for no name."""
        return absent if place < 0 else self.use(place)

    def kept_image(self) -> bytes | None:
        """What was written for a message that used the same terms in the same order."""
        return self.kept.get(self.order.image())

    def keep(self, s: Sink, start: cython.Py_ssize_t) -> cython.int:
        """What has been written from start on stands for the terms of this message."""
        size: cython.Py_ssize_t = s.pos - start + 8 * self.order.size
        if size > MOST_IMAGE:
            return 0
        if len(self.kept) >= MOST_KEPT or self.kept_bytes + size > MOST_KEPT_BYTES:
            self.kept.clear()
            self.kept_bytes = 0
        self.kept[self.order.image()] = s.written(start)
        self.kept_bytes += size
        return 0

    def texts(self) -> Iterable[bytes]:
        """The terms of this message, in order of their ids."""
        k: cython.Py_ssize_t
        found: list[bytes] = []
        for k in range(self.order.size):
            found.append(self.names[self.order.i64[k]])
        return found


class WrittenColumns:
    """Columns as messages describe them: what an encoder keeps of them, whatever their values are."""

    def __init__(
        self,
        terms: Terms | None,
        columns: Sequence[Column],
        chosen: Sequence[int],
        storages: Sequence[int],
    ) -> None:
        """
        Args:
            terms: numbers the columns' names; None when they are written in full.
            columns: of row images; they have been checked.
            chosen: which of them are written, by position.
            storages: what the values of each of the columns are written as.
        """
        k: cython.Py_ssize_t
        self.columns = tuple([columns[c] for c in chosen])
        self.chosen = tuple(chosen)
        self.storages = tuple([storages[c] for c in chosen])
        self.width = len(self.columns)
        self.names, self.ids, self.types, self.flags = Numbers(), Numbers(), Numbers(), Numbers()
        for numbers in (self.names, self.ids, self.types, self.flags):
            numbers.take(self.width)
        self.encoded_names = [column[0].encode() for column in self.columns]
        self.name_size = sum(map(len, self.encoded_names))
        for k in range(self.width):
            name, kind, flags, _ = self.columns[k]
            self.names.i64[k] = -1 if terms is None else terms.place(name)
            self.ids.i64[k] = -1
            self.types.u64[k] = kind
            self.flags.u64[k] = flags
        self.image = b""
        self.message = -1

    def described(self, terms: Terms) -> cython.bint:
        """Numbers the columns' names in the message; whether `image` is their description still."""
        k: cython.Py_ssize_t
        same: cython.bint = len(self.image) > 0
        number: cython.longlong
        if self.message == terms.message:
            return True
        for k in range(self.width):
            number = terms.use(self.names.i64[k])
            if self.ids.i64[k] != number:
                self.ids.i64[k] = number
                same = False
        if same:
            self.message = terms.message
        else:
            self.image = b""  # whatever becomes of the message, these are no longer the ids under which it was written
        return same

    def keep(self, s: Sink, start: cython.Py_ssize_t, message: cython.longlong = 0) -> cython.int:
        """What has been written from start on describes the columns, under the ids of that message."""
        self.image = s.written(start)
        self.message = message
        return 0


class WrittenImages:
    """The row images of one layout, ready to be written: their values, and how their columns are described."""

    def __init__(self, protocol: str, columns: WrittenColumns, layout: Layout) -> None:
        """
        Args:
            protocol: for errors.
            columns: those of the layout that are written.
            layout: the row images.

        Raises:
            EncodeError: values are not what their column's type stores.
        """
        self.columns = columns
        self.width = columns.width
        self.source = column_source(protocol, layout, columns.chosen, columns.storages)
        self.last = -1
        """The greatest row that an event has: rows are used once, in order, unless events share them."""

    def estimate(
        self, row: cython.Py_ssize_t, column: cython.longlong, name: cython.longlong, value: cython.longlong
    ) -> cython.Py_ssize_t:
        """A weight for each column, and others for each byte of the names and values of a row."""
        c: cython.int
        size: cython.Py_ssize_t
        total: cython.longlong = 0
        for c in range(self.source.width):
            size = self.source.size(c, row)
            if size > 0:
                total += size
        return column * self.width + name * self.columns.name_size + value * total

    def most_bytes(self, column: cython.longlong, name: cython.longlong, value: cython.longlong) -> cython.Py_ssize_t:
        """What the estimates of all rows add up to at most."""
        total: cython.longlong = self.source.variable_bytes() + 10 * self.width * self.source.rows
        return (column * self.width + name * self.columns.name_size) * self.source.rows + value * total

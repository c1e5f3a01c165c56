"""What an encoder numbers: the terms of a message, and the descriptions of columns that refer to them.

A name is known by its place among all the names of an encoder; a message gives it a number, its term id, when it is
first used there. Messages of one table use the same names in the same order, so what was written for the last one is
kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime.given import column_source
from tidewire.runtime.memory import Numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import cython

    from tidewire.runtime.batch import Layout
    from tidewire.runtime.binary.sink import Sink

MOST_REMEMBERED = 65536
"""Names above which an encoder starts anew with the next batch."""
MOST_KEPT = 1024
"""Dictionaries that an encoder keeps as they were written."""
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
        self.order.take(0)

    def place(self, name: str) -> cython.Py_ssize_t:
        """The place of a name among all names."""
        known = self.places.get(name)
        if known is None:
            known = len(self.names)
            self.places[name] = known
            self.names.append(name.encode())
            self.used.take(known + 1)
            self.ids.take(known + 1)
            self.used.i64[known] = 0
        return known

    def refresh(self) -> cython.int:
        """Forgets all names when there are very many; called between batches."""
        if len(self.names) > MOST_REMEMBERED:
            self.names.clear()
            self.places.clear()
            self.kept.clear()
        return 0

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
        if len(self.kept) >= MOST_KEPT:
            self.kept.clear()
        if s.pos - start <= MOST_IMAGE:
            self.kept[self.order.image()] = s.written(start)
        return 0

    def texts(self) -> Iterable[bytes]:
        """The terms of this message, in order of their ids."""
        k: cython.Py_ssize_t
        found: list[bytes] = []
        for k in range(self.order.size):
            found.append(self.names[self.order.i64[k]])
        return found


class WrittenImages:
    """The row images of one layout, ready to be written: their values, and the description of their columns."""

    def __init__(
        self,
        protocol: str,
        terms: Terms | None,
        layout: Layout,
        chosen: Sequence[int],
        storages: Sequence[int],
    ) -> None:
        """
        Args:
            protocol: for errors.
            terms: numbers the columns' names; None when they are written in full.
            layout: the row images, of columns that have been checked.
            chosen: which of the layout's columns are written, by position.
            storages: what the values of each of the layout's columns are written as.

        Raises:
            EncodeError: values are not what their column's type stores.
        """
        k: cython.Py_ssize_t
        self.columns = tuple([layout.columns[c] for c in chosen])
        self.width = len(self.columns)
        self.source = column_source(protocol, layout, chosen, [storages[c] for c in chosen])
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
        self.last = -1
        """The greatest row that an event has: rows are used once, in order, unless events share them."""

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
        return same

    def keep(self, s: Sink, start: cython.Py_ssize_t, message: cython.longlong = 0) -> cython.int:
        """What has been written from start on describes the columns, under the ids of that message."""
        self.image = s.written(start)
        self.message = message
        return 0

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
        return column * self.width + name * self.name_size + value * total

    def most_bytes(self, column: cython.longlong, name: cython.longlong, value: cython.longlong) -> cython.Py_ssize_t:
        """What the estimates of all rows add up to at most."""
        total: cython.longlong = self.source.variable_bytes() + 10 * self.width * self.source.rows
        return (column * self.width + name * self.name_size) * self.source.rows + value * total

"""Caches the prefix of messages before their first row, which is mostly the same as in the previous message except for
some numbers.

If a message has the same prefix as the previous one, what the decoder read from it still holds. Numbers such as times
may differ if they have the same number of digits, so that all offsets stay the same. These numbers are read again.

Interpreted code reads all members of every message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.libc.string import memcmp, memcpy
    from cython.cimports.tidewire.runtime.wire.swar import begins, small

if TYPE_CHECKING:
    from tidewire.runtime.decoding.names import Names
    from tidewire.runtime.json.cursor import JsonCursor

MOST_OPENING: cython.Py_ssize_t = 1024
"""Maximum bytes of a cached prefix."""
MOST_HOLES: cython.Py_ssize_t = 8
"""Maximum number of numbers in a prefix that may differ."""
MOST_MISSED: cython.Py_ssize_t = 16
"""Number of consecutive misses after which caching pauses."""
PAUSE: cython.Py_ssize_t = 256
"""Number of messages for which caching pauses."""


class PrefixCache:
    """The prefix of the previous message.

    Attributes:
        rows: numbers of the members that hold rows.
        values: the numbers that may differ, each at its fixed index.
        valid: whether the decoder still holds what it read from the prefix.
        repeated: whether the current message has the prefix.
        start, end: offsets of the current message's prefix; `end` is -1 until its first row.
        starts, ends, which: for each number that may differ, its offsets in the message, and its index in `values`.
        members: numbers of the members in the prefix.
        others: numbers of the other members that hold no rows.
        last: number of the member before the first row.
    """

    def __init__(self, rows: tuple[int, ...], count: int) -> None:
        """
        Args:
            rows: numbers of the members that hold rows.
            count: how many numbers may differ.
        """
        self.rows = rows
        self.text = Memory(MOST_OPENING + 16)
        self.values = Numbers()
        self.values.take(count)
        self.starts = Numbers()
        self.ends = Numbers()
        self.which = Numbers()
        self.members = Numbers()
        self.others = Numbers()
        self.start = self.size = self.missed = self.pause = 0
        self.end = self.last = -1
        self.valid = self.repeated = False

    def begin(self) -> cython.int:
        """Begins a batch: the cached prefix may refer to tables that have been dropped."""
        self.valid = False
        return 0

    def repeats(self, r: JsonCursor, names: Names) -> cython.bint:
        """Skips the prefix of the object at the cursor if it equals the cached one and the decoder still holds what it
        read; `values` then has the numbers that may differ.

        Args:
            names: names of the object's members.
        """
        j: cython.Py_ssize_t
        known: cython.bint = self.valid
        self.valid = self.repeated = False
        if cython.compiled and known:
            if self.stands(r):
                names.begin()
                for j in range(self.members.size):
                    names.all[self.members.i64[j]].seen = names.object_number
                names.last = self.last
                self.repeated = True
                self.missed = 0
                return True
            self.missed += 1
            if self.missed >= MOST_MISSED:
                self.missed = 0
                self.pause = PAUSE
        self.start = r.pos
        self.end = -1
        self.starts.size = self.which.size = 0
        return False

    def stands(self, r: JsonCursor) -> cython.bint:
        """Whether the prefix is at the cursor, apart from the numbers; if so, moves the cursor past it."""
        if cython.compiled:
            p = r.p
            at: cython.Py_ssize_t = r.pos
            j: cython.Py_ssize_t
            hole: cython.Py_ssize_t
            value: cython.longlong = 0
            if at != self.start or self.size > r.end - at:
                return False
            for j in range(self.ends.size):
                hole = self.starts.i64[j]
                if memcmp(p + at, self.text.u8 + at - self.start, hole - at) != 0:
                    return False
                at = small(p, hole, cython.address(value))
                # no sign, no leading zeros
                if at != self.ends.i64[j] or (p[hole] <= chars.ZERO and at != hole + 1):
                    return False
                self.values.i64[self.which.i64[j]] = value
            if memcmp(p + at, self.text.u8 + at - self.start, self.start + self.size - at) != 0:
                return False
            r.pos = self.start + self.size
            return True
        return False

    def mark(self, r: JsonCursor, number: cython.Py_ssize_t) -> cython.int:
        """Marks the value at the cursor as a number that may differ, with index `number`."""
        if cython.compiled and not self.repeated and self.end < 0 and self.starts.size < MOST_HOLES:
            self.starts.append(r.pos)
            self.which.append(number)
        return 0

    def cut(self, r: JsonCursor, names: Names, bare: cython.bint) -> cython.int:
        """Ends the prefix before the value at the cursor, if it is the message's first row.

        Args:
            names: names of the object's members.
            bare: whether no earlier member holds rows that are still to be read.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        k: cython.Py_ssize_t
        if self.repeated or self.end >= 0 or self.pause > 0 or not bare:
            return 0
        if cython.compiled:
            k = r.which
            i = r.pos - names.all[k].size - 1
            if (
                i <= self.start
                or i - self.start > MOST_OPENING
                or r.p[i] != chars.COMMA
                or not begins(r.p + i + 1, names.pool.u8 + names.all[k].spelling, names.all[k].size)
            ):
                return 0
            self.end = i
            self.last = -1
            self.members.size = 0
            for j in range(names.count):
                if names.all[j].seen == names.object_number and j != k:
                    self.members.append(j)
                    if names.all[j].next == k:
                        self.last = j
        return 0

    def close(self, r: JsonCursor, names: Names) -> cython.int:
        """Ends the object: the cached state stays valid if all members after the prefix hold rows."""
        j: cython.Py_ssize_t
        if not cython.compiled:
            return 0
        if not self.repeated:
            return self.learn(r, names)
        for j in range(self.others.size):
            if names.all[self.others.i64[j]].seen == names.object_number:
                return 0
        self.valid = True
        return 0

    def learn(self, r: JsonCursor, names: Names) -> cython.int:
        """Caches the prefix of the message."""
        if cython.compiled:
            i: cython.Py_ssize_t
            j: cython.Py_ssize_t
            n: cython.Py_ssize_t = 0
            if self.pause > 0:
                self.pause -= 1
                return 0
            if self.end < 0:
                return 0
            self.others.size = 0
            for j in range(names.count):
                if n < self.members.size and self.members.i64[n] == j:
                    n += 1
                elif j not in self.rows:
                    if names.all[j].seen == names.object_number:
                        return 0
                    self.others.append(j)
            self.ends.size = 0
            for j in range(self.starts.size):
                i = self.starts.i64[j]
                while r.p[i] >= chars.ZERO and r.p[i] <= chars.NINE:
                    i += 1
                self.ends.append(i)
            self.size = self.end - self.start
            memcpy(self.text.u8, r.p + self.start, self.size)
            self.valid = True
        return 0

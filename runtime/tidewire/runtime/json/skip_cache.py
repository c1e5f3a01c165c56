"""Caches values that are skipped, which are mostly the same from message to message."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Memory, Numbers
from tidewire.runtime.errors import UNNAMED, StatedError
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.accepted import not_accepted

if cython.compiled:
    from cython.cimports.libc.string import memcmp, memcpy

if TYPE_CHECKING:
    from tidewire.runtime.decoding.names import Names
    from tidewire.runtime.json.cursor import JsonCursor

MOST: cython.Py_ssize_t = 4096
"""Maximum bytes of a cached value."""
MOST_RUN: cython.Py_ssize_t = 512
"""Maximum bytes of members that are skipped together."""
MOST_MEMBERS: cython.Py_ssize_t = 32
"""Maximum number of members that are skipped together."""
MOST_MISSED: cython.Py_ssize_t = 16
"""Number of consecutive misses after which a member is no longer cached."""
MOST_RIGHT = 64
"""Maximum number of cached texts of members that accept certain texts only."""


class Passed:
    """The last text of a skipped value: the same bytes need not be parsed again."""

    def __init__(self) -> None:
        self.memory = Memory(64)
        self.size = 0

    def skip(self, r: JsonCursor, field: cython.int) -> cython.int:
        """Skips the value at the cursor."""
        start: cython.Py_ssize_t = r.pos
        size: cython.Py_ssize_t = self.size
        if cython.compiled:
            if size and size <= r.end - start and memcmp(r.p + start, self.memory.u8, size) == 0:
                r.pos += size
                return 0
        r.pos = r.pass_over(start, field)
        if cython.compiled:
            size = r.pos - start
            # objects and arrays have an end mark; a number could go on
            if r.p[start] > chars.UPPER_Z and r.p[r.pos - 1] > chars.UPPER_Z and size <= MOST:
                self.memory.reserve(size)
                memcpy(self.memory.u8, r.p + start, size)
                self.size = size
        return 0


class Accepted(NamedTuple):
    """A member that carries nothing for events, and must have one of certain texts."""

    member: int
    """Number of the member."""
    field: int
    """Field of the member, for errors."""
    texts: tuple[str, ...]
    """The accepted texts."""


class PassedMembers:
    """Members of an object that carry nothing for events, and are mostly the same from message to message.

    Consecutive members form a run. A run is cached as the bytes from its first value to the end of its last one, and
    skipped as a whole if the same bytes occur again, which need not be parsed again. A number could go on, so a run
    must be followed by a comma or a brace.

    Members that accept certain texts only are checked before they are cached.
    """

    def __init__(self, names: Names, accepted: tuple[Accepted, ...] = ()) -> None:
        """
        Args:
            names: names of the object's members.
            accepted: members that accept certain texts only.
        """
        self.names = names
        self.texts = Memory(names.count * MOST_RUN)
        self.members = Memory(names.count * MOST_MEMBERS * 4)
        self.sizes = Numbers()
        self.counts = Numbers()
        self.missed = Numbers()
        self.watched = Numbers()
        for numbers in (self.sizes, self.counts, self.missed, self.watched):
            for _ in range(names.count):
                numbers.append(0)
        self.accepted = {one.member: one for one in accepted}
        for member in self.accepted:
            self.watched.i64[member] = 1
        self.right: set[tuple[int, bytes]] = set()
        self.first = -1
        self.start = self.end = 0
        self.object_number = 0

    def skip(self, r: JsonCursor, field: cython.int) -> cython.int:
        """Skips the value at the cursor, of member `r.which`, and the following members of its cached run."""
        k: cython.Py_ssize_t = r.which
        start: cython.Py_ssize_t = r.pos
        if k >= 0 and self.passes(r, k):
            return 0
        r.passed(field)
        if k >= 0 and self.watched.i64[k]:
            self.look_at(r, k, start)
        if cython.compiled:
            self.learn(r, k, start)
        return 0

    def look_at(self, r: JsonCursor, k: cython.Py_ssize_t, start: cython.Py_ssize_t) -> cython.int:
        """Checks that member k, whose value ends at the cursor, is null, empty, or one of its texts."""
        text: bytes = r.copy(start, r.pos)
        if (k, text) in self.right:
            return 0
        said = self.accepted[k]
        shown = text.decode("utf-8", "replace")
        found = json.loads(shown, parse_int=str) if len(text) < MOST else shown  # too long to be one of them
        if found not in (None, "", *said.texts):
            raise StatedError(UNNAMED, said.field, start, not_accepted(found, said.texts))
        if len(self.right) < MOST_RIGHT:
            self.right.add((k, text))
        return 0

    def passes(self, r: JsonCursor, k: cython.Py_ssize_t) -> cython.bint:
        """Skips the cached run that begins with member k; False if the message differs."""
        if cython.compiled:
            size: cython.Py_ssize_t = self.sizes.i64[k]
            count: cython.Py_ssize_t = self.counts.i64[k]
            start: cython.Py_ssize_t = r.pos
            j: cython.Py_ssize_t
            member: cython.int = 0
            behind: cython.int
            if size == 0 or size >= r.end - start or memcmp(r.p + start, self.texts.u8 + k * MOST_RUN, size) != 0:
                return False
            behind = r.p[start + size]
            if behind != chars.COMMA and behind != chars.CLOSE_OBJECT:
                return False
            for j in range(1, count):
                if self.names.all[self.members.i32[k * MOST_MEMBERS + j]].seen == self.names.object_number:
                    return False  # a duplicate member, which is reported when members are read one by one
            for j in range(1, count):
                member = self.members.i32[k * MOST_MEMBERS + j]
                self.names.all[member].seen = self.names.object_number
                self.names.last = member
            self.missed.i64[k] = 0
            r.pos = start + size
            return True
        return False

    def learn(self, r: JsonCursor, k: cython.Py_ssize_t, start: cython.Py_ssize_t) -> cython.int:
        """Caches member k, whose value begins at `start`: as the next one of a run, or as the first."""
        first: cython.Py_ssize_t = self.first
        count: cython.Py_ssize_t
        if k < 0:
            self.first = -1
            return 0
        if (
            first >= 0
            and self.object_number == self.names.object_number
            and start - self.end == self.names.all[k].size + 1  # only a comma and the name are between
            and r.pos - self.start <= MOST_RUN
            and self.counts.i64[first] < MOST_MEMBERS
        ):
            count = self.counts.i64[first]
        else:
            first = k
            count = 0
            self.first = -1
            if self.missed.i64[k] >= MOST_MISSED or r.pos - start > MOST_RUN:
                self.sizes.i64[k] = 0
                return 0
            self.missed.i64[k] += 1
            self.first = k
            self.start = start
            self.object_number = self.names.object_number
        self.end = r.pos
        self.members.i32[first * MOST_MEMBERS + count] = k
        self.counts.i64[first] = count + 1
        self.sizes.i64[first] = r.pos - self.start
        if cython.compiled:
            memcpy(self.texts.u8 + first * MOST_RUN, r.p + self.start, r.pos - self.start)
        return 0

"""Kafka Connect's envelopes: `{"payload":...,"schema":...}`. The schema block describes the payload.

Most messages of a table have the same block, so blocks are cached by their bytes: a repeated block costs one
comparison, wherever it is. A known block is looked for at the end of a message whose payload comes first (as TiCDC
writes it), otherwise at its beginning (as Kafka Connect's JsonConverter writes it). The most recent blocks are compared
first; other blocks are looked up by their first bytes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.decoding.names import Names
from tidewire.runtime.errors import DUPLICATE, SYNTAX, StatedError
from tidewire.runtime.json.text import MOST_AROUND, MOST_DEPTH
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.libc.string import memcmp

if TYPE_CHECKING:
    from collections.abc import Callable

    from tidewire.runtime.json.cursor import JsonCursor

MOST_RECENT: cython.Py_ssize_t = 16
"""Number of recent blocks that a message is compared with before its envelope is parsed."""
MOST_BYTES: cython.Py_ssize_t = 1 << 26
"""Bytes of cached blocks at which the cache is cleared."""
PAYLOAD_FIRST: bytes = b'{"payload":'
SCHEMA_FIRST: bytes = b'{"schema":'
BEHIND: bytes = b',"schema":'
BEGINNING: cython.Py_ssize_t = 192
"""Length of the prefix by which a block is looked up; it usually includes the names of schema and table."""
MOST_ALIKE: cython.Py_ssize_t = 8
"""Maximum number of blocks with the same prefix; further ones are looked up by the hash of their whole text."""
NOT_BLOCK: cython.Py_ssize_t = -2
"""End of a payload that is followed by nothing but the closing brace."""


class KnownBlock:
    """A cached schema block.

    Attributes:
        block: the parsed block.
        whole: whether the block alone determines how values are written, so that no table description is needed.
        behind: text after the payload, if the block comes last.
        before: text before the payload, if the block comes first; empty: no such message yet.
        number: number of the block; never reused, even after the block is dropped.
        key: for blocks of keys, the number of their column list; -1: not determined yet.
    """

    def __init__(self, text: bytes, block: Any, number: int) -> None:
        self.block = block
        self.whole = block.whole
        self.behind = BEHIND + text + b"}"
        self.before = b""
        self.number = number
        self.key = -1

    def text(self) -> bytes:
        """Source text of the block."""
        return self.behind[len(BEHIND) : -1]

    def is_in(self, r: JsonCursor, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Whether message[start:end] is the block's text."""
        size: cython.Py_ssize_t = len(self.behind) - len(BEHIND) - 1
        if cython.compiled:
            at: cython.p_char = self.behind
            return size == end - start and memcmp(r.p + start, at + len(BEHIND), size) == 0
        return r.copy(start, end) == self.behind[len(BEHIND) : -1]


class Envelopes:
    """Unwraps messages of one kind, values or keys.

    Attributes:
        known: block of the last opened message; None: it has none.
        bare: whether that message is a payload without an envelope.
        block_first: whether its block precedes the payload.
        guessed: whether the envelope was recognized from cached text only: an error in the message may then be an
            error of its envelope.
        careful: whether the next message's envelope must be parsed in full.
    """

    def __init__(self, read: Callable[[bytes], Any], payload_field: int, block_field: int) -> None:
        """
        Args:
            read: parses a block; raises ValueError with a sentence if it is malformed.
            payload_field: field of the payload, for errors.
            block_field: field of the block, for errors.
        """
        self.read = read
        self.payload_field = payload_field
        self.block_field = block_field
        self.names = Names(("payload", "schema"))
        self.blocks: dict[bytes, list[KnownBlock]] = {}
        self.others: dict[bytes, KnownBlock] = {}
        self.recent: list[KnownBlock] = []
        self.held = 0
        self.count = 0
        self.known: KnownBlock | None = None
        self.bare = self.block_first = self.guessed = self.careful = False
        self.blockless = self.cut = False
        self.stop = self.rest = -1

    def load(self, r: JsonCursor, message: cython.Py_ssize_t) -> cython.int:
        """Loads a message by its number; a known block at its end is compared in place and not copied."""
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t
        one: KnownBlock
        self.cut = False
        if cython.compiled and not self.careful:
            at: cython.p_char = PAYLOAD_FIRST
            first: cython.Py_ssize_t = len(PAYLOAD_FIRST)
            r.look(message)
            if r.end > first and memcmp(r.p, at, first) == 0 and r.p[first] == chars.OPEN_OBJECT:
                for k in range(len(self.recent)):
                    one = self.recent[k]
                    size = len(one.behind)
                    at = one.behind
                    if r.end - first > size and memcmp(r.p + r.end - size, at, size) == 0:
                        self.cut = True
                        r.take(r.end - size)
                        return self.use(one, k)
            return r.take(r.end)
        return r.load(message)

    def open(self, r: JsonCursor) -> cython.int:
        """Moves to the payload of the message at the cursor, and finds its block."""
        i: cython.Py_ssize_t = r.space(r.pos)
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t
        one: KnownBlock
        careful: cython.bint = self.careful
        self.bare = self.block_first = self.guessed = self.careful = False
        if self.cut:
            self.guessed = True
            r.pos = len(PAYLOAD_FIRST)
            self.stop = self.rest = r.end
            return 0
        self.known = None
        if cython.compiled and not careful:
            at: cython.p_char = PAYLOAD_FIRST
            left: cython.Py_ssize_t = r.end - i
            size = len(PAYLOAD_FIRST)
            if self.blockless and left > size and memcmp(r.p + i, at, size) == 0 and self.begins(r, i + size):
                self.guessed = True
                self.stop = NOT_BLOCK
                return 0
            for k in range(len(self.recent)):
                one = self.recent[k]
                size = len(one.before)
                at = one.before
                if size and left > size and memcmp(r.p + i, at, size) == 0:
                    if not self.begins(r, i + size):
                        break
                    self.stop = NOT_BLOCK
                    self.block_first = True
                    return self.use(one, k)
        return self.take_apart(r, i)

    def begins(self, r: JsonCursor, i: cython.Py_ssize_t) -> cython.bint:
        """Moves to the payload at i; False if there is no object and no null."""
        r.pos = r.space(i)
        return r.p[r.pos] == chars.OPEN_OBJECT or r.p[r.pos] == chars.LOWER_N

    def use(self, one: KnownBlock, k: cython.Py_ssize_t) -> cython.int:
        """Assumes that the message has this block, number k of the recent ones."""
        self.known = one
        self.guessed = True
        if k > 0:
            del self.recent[k]
            self.recent.insert(0, one)
        return 0

    def take_apart(self, r: JsonCursor, start: cython.Py_ssize_t) -> cython.int:
        """Like `open`, for a message without a schema block, or with one that is not among the recent blocks."""
        names: Names = self.names
        i: cython.Py_ssize_t
        k: cython.Py_ssize_t
        payload: cython.Py_ssize_t = -1
        stop: cython.Py_ssize_t = -1
        block: cython.Py_ssize_t = -1
        block_end: cython.Py_ssize_t = -1
        r.pos = start
        if r.p[start] != chars.OPEN_OBJECT:
            return r.another(self.payload_field, start, "an object")
        names.begin()
        i = r.space(start + 1)
        while r.p[i] != chars.CLOSE_OBJECT:
            k = r.match(names, i, self.payload_field)
            if k < 0:
                return self.without(r, start)
            if names.all[k].seen == names.object_number:
                return r.fail(DUPLICATE, self.payload_field if k == 0 else self.block_field, i, 0, 0)
            names.all[k].seen = names.object_number
            i = r.space(r.pos)
            if r.p[i] != chars.OPEN_OBJECT and r.p[i] != chars.LOWER_N:
                return self.without(r, start)  # a row with a column of that name
            if k == 0:
                payload = i
                r.deepest = MOST_DEPTH + MOST_AROUND
                try:
                    i = stop = r.skip(i, self.payload_field)
                finally:
                    r.deepest = MOST_DEPTH
                if block < 0 and self.finds(r, i):
                    r.pos = payload
                    self.stop = stop
                    self.rest = r.end
                    return 0
            elif r.p[i] == chars.LOWER_N:
                i = r.literal(i, self.block_field)
            else:
                block = i
                i = block_end = r.skip(i, self.block_field)
                if r.high:
                    r.check_utf8(block, block_end, self.block_field)
            i = r.space(i)
            if r.p[i] == chars.COMMA:
                i = r.space(i + 1)
                if r.p[i] == chars.CLOSE_OBJECT:
                    return r.broken(SYNTAX, self.payload_field, i)
            elif r.p[i] != chars.CLOSE_OBJECT:
                return r.broken(SYNTAX, self.payload_field, i)
        if payload < 0:
            return self.without(r, start)
        self.blockless = block < 0
        self.block_first = 0 <= block < payload
        if block >= 0:
            self.learn(r, block, block_end)
            if self.block_first:
                self.known.before = SCHEMA_FIRST + r.copy(block, block_end) + b',"payload":'  # type: ignore[union-attr]
        r.pos = payload
        self.stop = stop
        self.rest = i + 1
        return 0

    def without(self, r: JsonCursor, start: cython.Py_ssize_t) -> cython.int:
        """The message is a payload without an envelope."""
        self.bare = True
        r.pos = start
        return 0

    def finds(self, r: JsonCursor, i: cython.Py_ssize_t) -> cython.bint:
        """Whether a known block and the end of the envelope follow at i."""
        start: cython.Py_ssize_t = i + len(BEHIND)
        one: KnownBlock
        if cython.compiled:
            at: cython.p_char = BEHIND
            if r.end <= start or r.p[r.end - 1] != chars.CLOSE_OBJECT or memcmp(r.p + i, at, len(BEHIND)) != 0:
                return False
            for one in self.blocks.get(r.copy(start, min(start + BEGINNING, r.end - 1)), ()):
                if one.is_in(r, start, r.end - 1):
                    self.renew(one)
                    return True
        return False  # interpreted code always parses the whole envelope

    def learn(self, r: JsonCursor, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.int:
        """Looks up or parses the block at message[start:end]."""
        one: KnownBlock
        beginning: bytes = r.copy(start, min(start + BEGINNING, end))
        for one in self.blocks.get(beginning, ()):
            if one.is_in(r, start, end):
                return self.renew(one)
        text: bytes = r.copy(start, end)
        if text in self.others:
            return self.renew(self.others[text])
        try:
            block = self.read(text)
        except ValueError as error:
            raise StatedError(SYNTAX, self.block_field, start, str(error)) from None
        self.count += 1
        one = KnownBlock(text, block, self.count)
        self.held += 2 * len(text)
        if self.held > MOST_BYTES:
            self.blocks.clear()
            self.others.clear()
            self.recent.clear()
            self.held = 2 * len(text)
        alike = self.blocks.setdefault(beginning, [])
        if len(alike) < MOST_ALIKE:
            alike.append(one)
        else:
            self.others[text] = one
        return self.renew(one)

    def renew(self, one: KnownBlock) -> cython.int:
        """Makes the block that of the message, and the most recent one."""
        if one in self.recent:
            self.recent.remove(one)
        elif len(self.recent) >= MOST_RECENT:
            self.recent.pop()
        self.recent.insert(0, one)
        self.known = one
        return 0

    def forget_keys(self) -> cython.int:
        """Resets the column list numbers of all blocks."""
        one: KnownBlock
        for alike in self.blocks.values():
            for one in alike:
                one.key = -1
        for one in self.others.values():
            one.key = -1
        return 0

    def close(self, r: JsonCursor) -> cython.int:
        """Moves behind the envelope; the cursor is behind the payload."""
        if self.bare:
            return 0
        if self.stop == NOT_BLOCK:
            r.pos = r.space(r.pos)
            if r.p[r.pos] != chars.CLOSE_OBJECT:
                return r.broken(SYNTAX, self.payload_field, r.pos)
            r.pos += 1
            return 0
        if r.space(r.pos) != r.space(self.stop):
            return r.broken(SYNTAX, self.payload_field, r.pos)
        r.pos = self.rest
        return 0

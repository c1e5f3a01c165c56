"""Kafka Connect's envelopes: `{"payload":...,"schema":...}`, whose schema block says what the payload is.

Most messages of a table have the same block, so blocks are remembered by their bytes: one that comes again costs the
comparison of its bytes, wherever it stands. The text of a known block is looked for where it must lie: at the end of a
message whose payload comes first (as TiCDC writes it), at its beginning otherwise (as Kafka Connect's JsonConverter
does).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime.errors import DUPLICATE, SYNTAX, StatedError
from tidewire.runtime.json.names import Names

try:
    import cython
except ImportError:
    from tidewire.runtime import nocython as cython
if cython.compiled:
    from cython.cimports.libc.string import memcmp
    from cython.cimports.tidewire.runtime.json import character_numbers as chars
    from cython.cimports.tidewire.runtime.json.text import MOST_AROUND, MOST_DEPTH
else:
    from tidewire.runtime.json import characters as chars
    from tidewire.runtime.json.text import MOST_AROUND, MOST_DEPTH

if TYPE_CHECKING:
    from collections.abc import Callable

    from tidewire.runtime.json.cursor import JsonCursor

MOST_RECENT: cython.Py_ssize_t = 16
"""Blocks that a message is compared with before it is taken apart."""
MOST_BYTES: cython.Py_ssize_t = 1 << 26
"""Bytes of blocks above which those that are remembered are dropped."""
PAYLOAD_FIRST: bytes = b'{"payload":'
SCHEMA_FIRST: bytes = b'{"schema":'
NOT_BLOCK: cython.Py_ssize_t = -2
"""Where a payload ends of which only a brace follows."""


class KnownBlock:
    """A block that was read.

    Attributes:
        block: what it says.
        before: the message up to the payload, where the block comes first.
        behind: what follows the payload, where the block comes last.
        number: of the block; no other one has it, also when this one has been dropped.
        key: of the block of a key, the number of its columns' names; -1: not asked for yet.
    """

    def __init__(self, text: bytes, block: Any, number: int) -> None:
        self.block = block
        self.before = SCHEMA_FIRST + text + b',"payload":'
        self.behind = b',"schema":' + text + b"}"
        self.number = number
        self.key = -1


class Envelopes:
    """Takes messages of one kind, values or keys, out of their envelopes.

    Attributes:
        known: the block of the message that was opened last; None: it has none.
        bare: whether that message is a payload without an envelope.
        block_first: whether its block stands before the payload.
        guessed: whether nothing was looked at but a block that is known, at its place: what is wrong with the message
            can be wrong with its envelope.
        careful: whether the next message is taken apart whatever it looks like.
    """

    def __init__(self, read: Callable[[bytes], Any], payload_field: int, block_field: int) -> None:
        """
        Args:
            read: what a block says; it raises ValueError with a sentence when it is none.
            payload_field: the field of the payload, for errors.
            block_field: the field of the block.
        """
        self.read = read
        self.payload_field = payload_field
        self.block_field = block_field
        self.names = Names(("payload", "schema"))
        self.blocks: dict[bytes, KnownBlock] = {}
        self.recent: list[KnownBlock] = []
        self.held = 0
        self.count = 0
        self.known: KnownBlock | None = None
        self.bare = self.block_first = self.guessed = self.careful = False
        self.stop = self.rest = -1

    def open(self, r: JsonCursor) -> cython.int:
        """Goes to the payload of the message at the cursor, and finds its block."""
        i: cython.Py_ssize_t = r.space(r.pos)
        k: cython.Py_ssize_t
        size: cython.Py_ssize_t
        one: KnownBlock
        careful: cython.bint = self.careful
        self.known = None
        self.bare = self.block_first = self.guessed = self.careful = False
        if cython.compiled and not careful:
            at: cython.p_char
            first: cython.Py_ssize_t = len(PAYLOAD_FIRST)
            left: cython.Py_ssize_t = r.end - i
            if left > first and memcmp(r.p + i, cython.cast(cython.p_char, PAYLOAD_FIRST), first) == 0:
                for k in range(len(self.recent)):
                    one = self.recent[k]
                    size = len(one.behind)
                    at = one.behind
                    if left - first > size and memcmp(r.p + r.end - size, at, size) == 0:
                        if not self.begins(r, i + first):
                            break
                        self.stop = r.end - size
                        self.rest = r.end
                        return self.use(one, k)
            else:
                for k in range(len(self.recent)):
                    one = self.recent[k]
                    size = len(one.before)
                    at = one.before
                    if left > size and memcmp(r.p + i, at, size) == 0:
                        if not self.begins(r, i + size):
                            break
                        self.stop = NOT_BLOCK
                        self.block_first = True
                        return self.use(one, k)
        return self.take_apart(r, i)

    def begins(self, r: JsonCursor, i: cython.Py_ssize_t) -> cython.bint:
        """Goes to the payload at i; False where that is none."""
        r.pos = r.space(i)
        return r.p[r.pos] == chars.OPEN_OBJECT or r.p[r.pos] == chars.LOWER_N

    def use(self, one: KnownBlock, k: cython.Py_ssize_t) -> cython.int:
        """The message seems to have this block, which is number k of the recent ones."""
        self.known = one
        self.guessed = True
        if k > 0:
            del self.recent[k]
            self.recent.insert(0, one)
        return 0

    def take_apart(self, r: JsonCursor, start: cython.Py_ssize_t) -> cython.int:
        """`open` for a message whose block is not among the recent ones, or which has none."""
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
            k = names.match(r, i, self.payload_field)
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
            elif r.p[i] != chars.CLOSE_OBJECT:
                return r.broken(SYNTAX, self.payload_field, i)
        if payload < 0:
            return self.without(r, start)
        self.block_first = 0 <= block < payload
        if block >= 0:
            self.learn(r.copy(block, block_end), block)
        r.pos = payload
        self.stop = stop
        self.rest = i + 1
        return 0

    def without(self, r: JsonCursor, start: cython.Py_ssize_t) -> cython.int:
        """The message is a payload."""
        self.bare = True
        r.pos = start
        return 0

    def learn(self, text: bytes, offset: cython.Py_ssize_t) -> cython.int:
        """The message has a block with this text, which stands there."""
        known = self.blocks.get(text)
        if known is None:
            try:
                block = self.read(text)
            except ValueError as error:
                raise StatedError(SYNTAX, self.block_field, offset, str(error)) from None
            self.count += 1
            known = KnownBlock(text, block, self.count)
            self.held += 3 * len(text)
            if self.held > MOST_BYTES:
                self.blocks.clear()
                self.recent.clear()
                self.held = 3 * len(text)
            self.blocks[text] = known
        if known in self.recent:
            self.recent.remove(known)
        elif len(self.recent) >= MOST_RECENT:
            self.recent.pop()
        self.recent.insert(0, known)
        self.known = known
        return 0

    def forget_keys(self) -> cython.int:
        """The numbers of the names of columns are others from now on."""
        one: KnownBlock
        for one in self.blocks.values():
            one.key = -1
        return 0

    def close(self, r: JsonCursor) -> cython.int:
        """Goes behind the envelope; the cursor is behind the payload."""
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

"""Keys of messages in Kafka Connect's envelopes: finds which columns they have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.errors import SYNTAX, TRAILING, WireError
from tidewire.runtime.json.envelopes import Envelopes
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.strange_keys import MOST_OF_KEY, StrangeKeys

if cython.compiled:
    from cython.cimports.libc.string import memcmp
    from cython.cimports.tidewire.runtime.json.envelopes import KnownBlock
    from cython.cimports.tidewire.runtime.wire.swar import plain, plain_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.connect.reading import ConnectReader
    from tidewire.runtime.json.cursor import JsonCursor
    from tidewire.runtime.json.envelopes import KnownBlock

MOST_KEYS = 1 << 16
"""Maximum number of different column lists of keys that are cached."""
MOST_KEY: cython.Py_ssize_t = 1024
"""Maximum bytes of a key whose text around the values is cached."""
MOST_KEY_VALUES: cython.Py_ssize_t = 2 * 16
"""Twice the maximum number of values of a key that is cached: each has a start and an end."""
ENVELOPE = ["payload", "schema"]
"""Members of an envelope, sorted."""


class ConnectKeys:
    """Finds and caches the column lists of keys.

    Attributes:
        envelopes: unwraps keys.
        number: number of the column list of the last key; -1: it does not name columns.
        columns: column lists by number.
    """

    def __init__(self, protocol: str, connect: ConnectReader, field: cython.int) -> None:
        """
        Args:
            protocol: for warnings about keys that are not read.
            connect: resolves the columns of a schema block.
            field: field of the key, for errors.
        """
        self.field = field
        self.envelopes = Envelopes(connect.read_key, field, field)
        self.names_in = connect.key_names
        self.number = -1
        self.numbers: dict[bytes, int] = {}
        self.columns: dict[int, tuple[str, ...]] = {}
        self.seen = 0
        self.checked = True
        self.last_names = b""
        self.last_number = -1
        self.pieces: list[bytes] = []
        self.values = Numbers()
        self.strange_keys = StrangeKeys(protocol)
        self.strange: bytes | None = None

    def read(self, key: JsonCursor, there: cython.bint, checked: cython.bint) -> cython.int:
        """Finds which columns the key has. A damaged key names no columns and does not make the row fail.

        Args:
            key: cursor over the key.
            there: whether the message has a key.
            checked: whether UTF-8 of its values is checked.
        """
        self.checked = checked
        self.number = -1
        self.strange = None
        if not there:
            return 0
        if cython.compiled and self.is_like_the_last(key):
            self.number = self.last_number
            return 0
        if not self.begins_object(key):
            return self.take_strange(key)
        try:
            return self.read_object(key)
        except WireError:
            if self.envelopes.guessed:  # the error may come from the wrong guess of the envelope
                raise
            self.number = self.last_number = -1
            self.values.size = 0
            self.pieces = []
            return self.take_strange(key)

    def read_object(self, key: JsonCursor) -> cython.int:
        """Finds which columns the object at the cursor has."""
        known: KnownBlock | None
        self.values.size = 0
        self.envelopes.open(key)
        known = self.envelopes.known
        if known is not None:
            if known.key < 0:
                known.key = self.number_of(self.names_in(known.block))
            self.number = known.key
            key.pos = self.behind(key, key.pos)
        else:
            self.number = self.named_in(key)
        self.envelopes.close(key)
        if key.separator(b"", self.field):
            return key.fail(TRAILING, self.field, key.pos, key.end - key.pos, 0)
        if known is None and self.values.size:
            self.keep_key(key)
        return 0

    def begins_object(self, key: JsonCursor) -> cython.bint:
        """Whether the key begins like an object: a brace, followed by a name, a closing brace, or the end."""
        i: cython.Py_ssize_t = key.pos
        if key.p[i] == chars.OPEN_OBJECT and key.p[i + 1] == chars.QUOTE:
            return True
        i = key.space(i)
        if key.p[i] != chars.OPEN_OBJECT:
            return False
        i = key.space(i + 1)
        return i >= key.end or key.p[i] == chars.QUOTE or key.p[i] == chars.CLOSE_OBJECT

    def take_strange(self, key: JsonCursor) -> cython.int:
        """Records a key that is not an object and names no columns; another converter has written it."""
        self.envelopes.guessed = False
        self.strange = key.copy(0, min(key.end, MOST_OF_KEY + 1))
        return 0

    def keep_key(self, key: JsonCursor) -> cython.int:
        """Caches the text around the values of the key, for keys that differ only in their values."""
        k: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        values: Numbers = self.values
        self.pieces = []
        if key.end <= MOST_KEY and values.size <= MOST_KEY_VALUES:
            for k in range(0, values.size, 2):
                self.pieces.append(key.copy(at, values.i64[k]))
                at = values.i64[k + 1]
            self.pieces.append(key.copy(at, key.end))
        return 0

    def is_like_the_last(self, key: JsonCursor) -> cython.bint:
        """Fast path: whether the key equals the cached key except for its values, which are integers and strings
        without escapes; if so, it is fully read.
        """
        if cython.compiled:
            p = key.p
            i: cython.Py_ssize_t = 0
            j: cython.Py_ssize_t
            k: cython.Py_ssize_t
            size: cython.Py_ssize_t
            count: cython.Py_ssize_t = len(self.pieces)
            value: cython.longlong = 0
            high: cython.ulonglong = 0
            piece: bytes
            if count == 0 or self.last_number < 0 or self.envelopes.careful or self.envelopes.cut:
                return False
            for k in range(count):
                piece = cython.cast(bytes, self.pieces[k])
                text: cython.p_char = piece
                size = len(piece)
                if size > key.end - i or memcmp(p + i, text, size) != 0:
                    return False
                i += size
                if k == count - 1:
                    break
                if p[i] == chars.QUOTE:
                    j = plain(p, i + 1, cython.address(high))
                    if high or p[j] != chars.QUOTE:
                        return False
                    i = j + 1
                else:
                    i = plain_whole(p, i, cython.address(value))
                    if i < 0:
                        return False
            if i == key.end:
                self.envelopes.guessed = False
                return True
        return False

    def behind(self, key: JsonCursor, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Offset of the end of a value of the key. Key values are skipped: the row has them too."""
        return key.pass_over(i, self.field) if self.checked else key.skip(i, self.field)

    def named_in(self, key: JsonCursor) -> cython.Py_ssize_t:
        """The number of the column list that the names of the object at the cursor form; -1 if it names none."""
        i: cython.Py_ssize_t = key.pos
        j: cython.Py_ssize_t
        images: list[bytes] = []
        if key.p[i] != chars.OPEN_OBJECT:
            key.pos = self.behind(key, key.pos)
            return -1
        if self.named_alike(key):
            return self.last_number
        self.pieces = []
        values: Numbers = self.values
        names: list[tuple[int, int]] = []
        i = key.space(i + 1)
        more: cython.bint = key.p[i] != chars.CLOSE_OBJECT
        while more:
            j = key.key(i, self.field)
            images.append(key.copy(i, j))
            names.append((i, j))
            i = key.space(j)
            values.append(i)
            i = self.behind(key, i)
            values.append(i)
            i = key.space(i)
            more = key.p[i] == chars.COMMA
            if more:
                i = key.space(i + 1)
            elif key.p[i] != chars.CLOSE_OBJECT:
                return key.broken(SYNTAX, self.field, i)
        key.pos = i + 1
        image = b"".join(images)
        found = self.numbers.get(image)
        if found is None:
            said = []
            for start, end in names:
                text = key.copy(start, end).rstrip(b": \t\r\n")
                said.append(key.content(start + 1, start + len(text) - 1, self.field))
            if sorted(said) == ENVELOPE:  # an envelope whose payload is not an object
                self.take_strange(key)
                self.values.size = 0
                self.last_number = -1
                return -1
            found = self.number_of(said)
            self.numbers[image] = found
        self.last_names = image
        self.last_number = found
        return found

    def named_alike(self, key: JsonCursor) -> cython.bint:
        """Whether the object at the cursor has exactly the names of the last one, in the same spelling; if so, skips
        it.
        """
        i: cython.Py_ssize_t
        j: cython.Py_ssize_t
        at: cython.Py_ssize_t = 0
        size: cython.Py_ssize_t = len(self.last_names)
        if cython.compiled and self.last_number >= 0:
            names: cython.p_char = self.last_names
            i = key.space(key.pos + 1)
            more: cython.bint = key.p[i] != chars.CLOSE_OBJECT
            while more:
                j = key.key(i, self.field)
                if at + j - i > size or memcmp(key.p + i, names + at, j - i) != 0:
                    return False
                at += j - i
                i = key.space(self.behind(key, key.space(j)))
                more = key.p[i] == chars.COMMA
                if more:
                    i = key.space(i + 1)
                elif key.p[i] != chars.CLOSE_OBJECT:
                    return False
            if at == size:
                key.pos = i + 1
                return True
        return False

    def number_of(self, names: Sequence[str]) -> cython.Py_ssize_t:
        """Assigns a number to a list of names; numbers are never reused."""
        if len(self.columns) >= MOST_KEYS:
            self.columns.clear()
            self.numbers.clear()
            self.envelopes.forget_keys()
            self.last_number = -1
        self.seen += 1
        self.columns[self.seen] = tuple(names)
        return self.seen

    def warn(self) -> int:
        """Warns about the key of a row if it is not an object."""
        if self.strange is not None:
            self.strange_keys.met(self.strange, "an object with columns")
        return 0

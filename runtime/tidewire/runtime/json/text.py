"""Scans a JSON message (RFC 8259) except for strings: numbers, names, and values that are skipped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import DEPTH, SYNTAX
from tidewire.runtime.json.strings import JsonStrings
from tidewire.runtime.wire import characters as chars
from tidewire.runtime.wire.codec_ids import UNCHECKED_TEXT

if cython.compiled:
    from cython.cimports.tidewire.runtime.wire.swar import plain, same, small
else:
    import re
    _KEY = re.compile(rb'"([^"\\\x00-\x1f]*)":')
    _NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
    _FLAT = re.compile(
        rb'\{"[^"\\\x00-\x1f]*":(?:"[^"\\\x00-\x1f]*"|(?:0|-?[1-9][0-9]*)(?=[,}])|null)'
        rb'(?:,"[^"\\\x00-\x1f]*":(?:"[^"\\\x00-\x1f]*"|(?:0|-?[1-9][0-9]*)(?=[,}])|null))*\}'
    )

if TYPE_CHECKING:
    from tidewire.runtime.decoding.names import Names

MOST_DEPTH: cython.int = 512
"""Maximum nesting depth of objects and arrays."""
MOST_AROUND: cython.int = 2
"""Additional nesting depth of a value that is first skipped and then read member by member."""


class JsonText(JsonStrings):
    """Scans a message's text. Offsets are bytes of the message; a NUL follows its end.

    Attributes:
        deepest: maximum nesting depth of a skipped value.
    """

    def __init__(self) -> None:
        JsonStrings.__init__(self)
        self.deepest = MOST_DEPTH
        if not cython.compiled:
            self.kinds = [0] * 9

    # ---- other values

    def number(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The offset of the end of the number at i."""
        if not cython.compiled:
            return self.matched_number(i, field)
        p = self.p
        if p[i] == chars.MINUS:
            i += 1
        if p[i] == chars.ZERO:
            i += 1
        elif p[i] >= chars.ONE and p[i] <= chars.NINE:
            while p[i] >= chars.ZERO and p[i] <= chars.NINE:
                i += 1
        else:
            return self.broken(SYNTAX, field, i)
        if p[i] == chars.POINT:
            i += 1
            if p[i] < chars.ZERO or p[i] > chars.NINE:
                return self.broken(SYNTAX, field, i)
            while p[i] >= chars.ZERO and p[i] <= chars.NINE:
                i += 1
        if p[i] | chars.LOWER_CASE == chars.LOWER_E:
            i += 1
            if p[i] == chars.PLUS or p[i] == chars.MINUS:
                i += 1
            if p[i] < chars.ZERO or p[i] > chars.NINE:
                return self.broken(SYNTAX, field, i)
            while p[i] >= chars.ZERO and p[i] <= chars.NINE:
                i += 1
        return i

    def literal(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The offset of the end of the null, true or false at i."""
        p = self.p
        if (
            p[i] == chars.LOWER_N
            and p[i + 1] == chars.LOWER_U
            and p[i + 2] == chars.LOWER_L
            and p[i + 3] == chars.LOWER_L
        ):
            return i + 4
        if (
            p[i] == chars.LOWER_F
            and p[i + 1] == chars.LOWER_A
            and p[i + 2] == chars.LOWER_L
            and p[i + 3] == chars.LOWER_S
            and p[i + 4] == chars.LOWER_E
        ):
            return i + 5
        if p[i] == chars.LOWER_N:
            wanted = b"null"
        elif p[i] == chars.LOWER_T:
            wanted = b"true"
        elif p[i] == chars.LOWER_F:
            wanted = b"false"
        else:
            return self.broken(SYNTAX, field, i)
        for byte in wanted:
            if p[i] != byte:
                return self.broken(SYNTAX, field, i)
            i += 1
        return i

    def key(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The offset after the name of a member at i and its colon."""
        if self.p[i] != chars.QUOTE:
            return self.broken(SYNTAX, field, i)
        i = self.string(i + 1, field)
        if self.p[i] != chars.COLON:
            i = self.space(i)
            if self.p[i] != chars.COLON:
                return self.broken(SYNTAX, field, i)
        return i + 1

    def name(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """Like `key`, for a name that is skipped; sets `high` to whether it may have non-ASCII bytes."""
        if cython.compiled:
            any: cython.ulonglong = 0
            if self.p[i] == chars.QUOTE:
                j: cython.Py_ssize_t = plain(self.p, i + 1, cython.address(any))
                if self.p[j] == chars.QUOTE and self.p[j + 1] == chars.COLON:
                    self.high = any != 0
                    return j + 2
        return self.key(i, field)

    def match(self, names: Names, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The number of the name of the member at i among `names`, -1 if unknown; the cursor moves past its colon."""
        k: cython.Py_ssize_t
        if not cython.compiled:
            found = _KEY.match(self.p, i)
            if found is not None:
                self.pos = found.end()
                known = names.numbers.get(found[1], -1)
                if known < 0:
                    self.check_utf8(i, self.pos, field)
                return known
        else:
            k = 0 if names.last < 0 else names.all[names.last].next
            if k < names.count and same(
                self.p + i,
                self.p + self.end,
                names.all[k].word,
                names.all[k].mask,
                names.pool.u8 + names.all[k].spelling,
                names.all[k].size,
            ):
                self.pos = i + names.all[k].size
                names.last = k
                return k
        k = self.match_end(names, i, self.key(i, field), field)
        if k < 0:
            self.check_utf8(i, self.pos, field)
        else:
            if names.last >= 0:
                names.all[names.last].next = k
            names.last = k
        return k

    def match_end(
        self, names: Names, i: cython.Py_ssize_t, end: cython.Py_ssize_t, field: cython.int
    ) -> cython.Py_ssize_t:
        """Like `match`, for a name whose end is known already: `end` is what `key` returned for it."""
        self.pos = end
        end -= 1
        while self.p[end - 1] != chars.QUOTE:
            end -= 1
        if not self.escaped:
            return names.find(self, i + 1, end - 1)
        self.high = False
        size: cython.Py_ssize_t = self.unescape(i + 1, end - 1, UNCHECKED_TEXT, field)
        return names.find(self, self.free, self.free + size)

    def skip(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The offset of the end of the value at i; checks its grammar. Nesting is tracked in bits, not on the stack.

        Sets `high` to whether there may be non-ASCII bytes.
        """
        one: cython.ulonglong = 1
        depth: cython.int = 0
        c: cython.int
        inside: cython.bint
        any: cython.ulonglong = 0
        value: cython.longlong = 0
        j: cython.Py_ssize_t
        p = self.p
        if not cython.compiled:
            found = _FLAT.match(self.p, i)
            if found:
                self.high = not found[0].isascii()
                return found.end()
        while True:
            c = p[i]
            if c <= chars.SPACE:
                i = self.space(i)
                c = p[i]
            if c == chars.QUOTE:
                if cython.compiled:
                    j = plain(p, i + 1, cython.address(any))
                    if p[j] == chars.QUOTE:
                        i = j + 1
                    else:
                        i = self.string(i + 1, field)
                        any |= self.high
                else:
                    i = self.string(i + 1, field)
                    any |= self.high
            elif c == chars.MINUS or (c >= chars.ZERO and c <= chars.NINE):
                j = -1
                if cython.compiled and c != chars.ZERO and c != chars.MINUS:
                    j = small(p, i, cython.address(value))
                i = (
                    j
                    if j >= 0 and p[j] != chars.POINT and p[j] | chars.LOWER_CASE != chars.LOWER_E
                    else self.number(i, field)
                )
            elif c == chars.OPEN_OBJECT or c == chars.OPEN_LIST:
                if depth == self.deepest:
                    return self.fail(DEPTH, field, i, depth + 1, self.deepest)
                if c == chars.OPEN_OBJECT:
                    self.kinds[depth >> 6] |= one << (depth & 63)
                else:
                    self.kinds[depth >> 6] &= ~(one << (depth & 63))
                depth += 1
                i += 1
                if p[i] <= chars.SPACE:
                    i = self.space(i)
                if p[i] != c + 2:
                    if c == chars.OPEN_OBJECT:
                        i = self.name(i, field)
                        any |= self.high
                    continue
                i += 1
                depth -= 1
            else:
                i = self.literal(i, field)
            while depth:
                c = p[i]
                if c <= chars.SPACE:
                    i = self.space(i)
                    c = p[i]
                inside = (self.kinds[(depth - 1) >> 6] >> ((depth - 1) & 63)) & 1 != 0
                if c == chars.COMMA:
                    i += 1
                    if inside:
                        if p[i] <= chars.SPACE:
                            i = self.space(i)
                        i = self.name(i, field)
                        any |= self.high
                    break
                if c != (chars.CLOSE_OBJECT if inside else chars.CLOSE_LIST):
                    return self.broken(SYNTAX, field, i)
                i += 1
                depth -= 1
            else:
                self.high = any != 0
                return i

    def pass_over(self, i: cython.Py_ssize_t, field: cython.int) -> cython.Py_ssize_t:
        """The offset of the end of the value at i, which is skipped; checks its grammar and UTF-8."""
        end: cython.Py_ssize_t = self.skip(i, field)
        if self.high:
            self.check_utf8(i, end, field)
        return end

    if not cython.compiled:

        def matched_number(self, i: int, field: int) -> int:
            """`number` by a regular expression; on an error, finds the wrong byte."""
            found = _NUMBER.match(self.p, i)
            j = found.end() if found else i + (self.p[i] == chars.MINUS)
            if found is None:
                return self.broken(SYNTAX, field, j)
            digits = self.p[i:j]
            if self.p[j] == chars.POINT and b"." not in digits and b"e" not in digits.lower():
                return self.broken(SYNTAX, field, j + 1)
            if self.p[j] in b"eE" and b"e" not in digits.lower():
                return self.broken(SYNTAX, field, j + 2 if self.p[j + 1] in b"+-" else j + 1)
            return j

"""The canonical text of a DECIMAL: digits, preceded by a minus sign if the number is negative; a decimal point only
between digits; no leading zeros except a single one before the point.

Producers and users write other forms, such as Java's with an exponent (`0E-10`). Columns of events contain only the
canonical form.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.storage import RAW_TEXT, TEXT
from tidewire.runtime.wire import characters as chars

if cython.compiled:
    from cython.cimports.tidewire.runtime.arrow.decimal_bytes import are_plain, count_signs

if TYPE_CHECKING:
    from tidewire.runtime.arrow.column_reader import ColumnReader
    from tidewire.runtime.arrow.columns import Columns

DECIMAL: cython.longlong = 246
"""The type code of DECIMAL; a test compares it with the spec."""
DECIMAL_TYPE = DECIMAL
"""`DECIMAL` as an attribute of the module, which Python code can import."""
MOST_DIGITS = 65
"""The most digits of a DECIMAL, before and after the decimal point together."""
_USUAL = re.compile(rb"(?!-0(?:\.0*)?\Z)-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_DECIMAL = re.compile(rb"([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?)([0-9]+))?")


def spelled(text: bytes) -> bytes | None:
    """The canonical text of a number; None if the text is not a number.

    Raises:
        ValueError: the text is not canonical, and has more digits than a DECIMAL.
    """
    if _USUAL.fullmatch(text):
        return text
    found = _DECIMAL.fullmatch(text.strip(b" \t\r\n"))
    if found is None or not (found[2] or found[3]):
        return None
    sign, whole, behind = found[1], found[2], found[3] or b""
    power = (found[5] or b"").lstrip(b"0")
    digits = (whole + behind).lstrip(b"0")
    if len(power) > 8:
        power = b"99999999"  # too large in any case
    shift = int(power or 0) * (-1 if found[4] == b"-" else 1)
    fraction = max(len(behind) - shift, 0)
    zeros = max(shift - len(behind), 0) if digits else 0
    if max(len(digits) + zeros, fraction) > MOST_DIGITS:
        raise ValueError(f"it has more digits than a DECIMAL, which has {MOST_DIGITS} at most")
    digits = (digits + b"0" * zeros).rjust(fraction + 1, b"0")
    point = len(digits) - fraction
    number = digits[:point] + b"." + digits[point:] if fraction else digits
    return b"-" + number if sign == b"-" and digits.strip(b"0") else number


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _is_usual(p: cython.pointer(cython.const[cython.uchar]), size: cython.Py_ssize_t) -> cython.bint:  # type: ignore[valid-type]
    """Whether a text is a number in canonical form."""
    i: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    below: cython.bint = size > 0 and p[0] == chars.MINUS
    nothing: cython.bint = True
    if not cython.compiled:
        return _USUAL.fullmatch(p) is not None
    if below:
        i = 1
    start = i
    while i < size and p[i] >= chars.ZERO and p[i] <= chars.NINE:
        i += 1
    if i == start or (p[start] == chars.ZERO and i > start + 1):
        return False
    nothing = p[start] == chars.ZERO
    if i < size:
        if p[i] != chars.POINT or i + 1 == size:
            return False
        i += 1
        while i < size and p[i] >= chars.ZERO and p[i] <= chars.NINE:
            if p[i] != chars.ZERO:
                nothing = False
            i += 1
        if i < size:
            return False
    return not (below and nothing)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _begins_and_ends_usually(p: cython.pointer(cython.const[cython.uchar]), size: cython.Py_ssize_t) -> cython.bint:  # type: ignore[valid-type]
    """Whether a text of bytes from '-' to '9' is canonical, provided that it is a number."""
    if size <= 0 or p[size - 1] < chars.ZERO:
        return False
    if p[0] > chars.ZERO:
        return True
    if p[0] == chars.ZERO:
        return size == 1 or p[1] == chars.POINT
    return _is_usual(p, size)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _has_plain_bytes(columns: Columns, c: cython.int) -> cython.bint:
    """Whether the texts of a column consist of bytes from '-' to '9' only."""
    first: cython.Py_ssize_t = 0
    last: cython.Py_ssize_t = columns.rows - 1
    at: cython.Py_ssize_t = columns.room * c
    start: cython.Py_ssize_t
    while first <= last and not columns.valid[at + first]:
        first += 1
    while last >= first and not columns.valid[at + last]:
        last -= 1
    if first > last:
        return True  # a column of nulls
    start = columns.values.i32[2 * at + first]
    if cython.compiled:
        return are_plain(columns.cells[c].data + start, columns.values.i32[2 * at + last + 1] - start)
    return True


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _behind(p: cython.pointer(cython.const[cython.uchar]), size: cython.Py_ssize_t) -> cython.Py_ssize_t:  # type: ignore[valid-type]
    """The number of characters after the last decimal point of a text; -1 if it has none."""
    i: cython.Py_ssize_t = size - 1
    while i >= 0 and p[i] != chars.POINT:
        i -= 1
    return -1 if i < 0 else size - 1 - i


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _signs(
    p: cython.pointer(cython.const[cython.uchar]),  # type: ignore[valid-type]
    size: cython.Py_ssize_t,
    behind: cython.Py_ssize_t,
) -> cython.ulonglong:
    """1 if the text has a point before its last `behind` characters, plus 2^32 if it begins with a minus: what
    `count_signs` counts for a text with as many fractional digits as the others of its column.
    """
    one: cython.ulonglong = 1
    found: cython.ulonglong = 0
    if behind >= 0 and size > behind and p[size - 1 - behind] == chars.POINT:
        found = one
    if size > 0 and p[0] == chars.MINUS:
        found += one << 32
    return found


def has_other(columns: Columns) -> cython.bint:
    """Whether columns being filled have a DECIMAL that is not in canonical form."""
    c: cython.int
    row: cython.Py_ssize_t
    end: cython.Py_ssize_t
    start: cython.Py_ssize_t
    first: cython.Py_ssize_t
    last: cython.Py_ssize_t
    behind: cython.Py_ssize_t
    signs: cython.ulonglong
    for c in range(columns.width):
        if columns.marks[c].type != DECIMAL:
            continue
        if columns.cells[c].storage != TEXT and columns.cells[c].storage != RAW_TEXT:
            continue
        if cython.compiled and not _has_plain_bytes(columns, c):
            return True
        first = last = behind = -1
        signs = 0
        for row in range(columns.rows):
            if not columns.valid[columns.room * c + row]:
                continue
            end = 2 * columns.room * c + row
            start = columns.values.i32[end]
            last = columns.values.i32[end + 1]
            if cython.compiled:
                if not _begins_and_ends_usually(columns.cells[c].data + start, last - start):
                    return True
                if first < 0:
                    first = start
                    behind = _behind(columns.cells[c].data + start, last - start)
                signs += _signs(columns.cells[c].data + start, last - start, behind)
            elif columns.values.i32[end + 1] == start or not _is_usual(
                bytes(columns.cells[c].data[start : columns.values.i32[end + 1]]), 0
            ):
                return True  # without a byte there may be no data at all
        if cython.compiled and first >= 0 and signs != count_signs(columns.cells[c].data + first, last - first):
            for row in range(columns.rows):
                end = 2 * columns.room * c + row
                start = columns.values.i32[end]
                if columns.valid[columns.room * c + row] and not _is_usual(
                    columns.cells[c].data + start, columns.values.i32[end + 1] - start
                ):
                    return True
    return False


def reads_other(source: ColumnReader) -> cython.bint:
    """Whether one of these text columns has a value that is not in canonical form."""
    c: cython.int
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t
    size: cython.Py_ssize_t
    for c in range(source.width):
        for i in range(source.values[c].first, source.values[c].first + source.rows):
            if source.null_at(c, i - source.values[c].first):
                continue
            start = source.values[c].ends[i]
            size = source.values[c].ends[i + 1] - start
            if cython.compiled:
                if not _is_usual(source.values[c].data + start, size):
                    return True
            elif not _is_usual(bytes(source.values[c].data[start : start + size]), 0):
                return True
    return False

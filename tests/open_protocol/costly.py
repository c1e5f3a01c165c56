"""Messages of Open Protocol with much of one thing each, and what each of their bytes may cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

from .wire import Made, cell, column, frame, insert, key, message


def many_rows(count: int) -> Made:
    """Rows of one column."""
    return message(*[(key(), {"u": {"c": column(3, 1)}})] * count)


def many_watermarks(count: int) -> Made:
    """Keys with empty values."""
    return message(*[(key(3), b"")] * count)


def many_columns(count: int) -> Made:
    """One row of many columns."""
    names = sorted((f"{k:x}" for k in range(count)), key=lambda name: sha256(name.encode()).digest())
    return insert(**{name: column(3, 1) for name in names})


def many_layouts(count: int) -> Made:
    """Rows of one column each, always another one."""
    return message(*[(key(), {"u": {f"{k:x}": column(3, 1)}}) for k in range(count)])


def many_flags(count: int) -> Made:
    """Rows of one column that is described otherwise each time."""
    return message(*[(key(), {"u": {"c": column(3, 1, k << 8)}}) for k in range(count)])


def many_tables(count: int) -> Made:
    """A row of each of many tables."""
    return message(*[(key(table=str(k)), {"u": {"c": column(3, 1)}}) for k in range(count)])


def many_members(count: int) -> Made:
    """Members that nobody knows, of the key, of the row and of a column."""
    unknown: dict[str, object] = {f"x{k}": [] for k in range(count // 3)}
    return message((key() | unknown, {"u": {"c": column(3, 1) | unknown}} | unknown))


def many_brackets(count: int) -> Made:
    """Objects in arrays in objects, as deep as can be, again and again."""
    nested = b"[" + b",".join([b'{"a":[' * 200 + b"]}" * 200] * (count // 100)) + b"]"
    return message((key(), b'{"x":' + nested + b',"u":{"c":{"t":3,"f":0,"v":1}}}'))


def many_digits(count: int) -> Made:
    """A number as long as the message."""
    return cell(5, b"1." + b"1" * count)


def many_escapes(count: int) -> Made:
    """Texts of escapes only, and a name of escapes that is looked for again and again."""
    name = b"\\u0061" * 50
    row = b'{"u":{"%s":{"t":15,"f":1,"v":"%s"}}}' % (name, b"\\\\xff" * 10)
    text = cell(15, b'"' + b"\\n" * count + b'"')
    head = frame(json.dumps(key()).encode()) * (count // 10)
    return Made(text.key + head, text.value + frame(row) * (count // 10))


SHAPES: list[tuple[Callable[[int], Made], int]] = [
    (many_rows, 5),
    (many_watermarks, 8),
    (many_columns, 24),
    (many_layouts, 18),
    (many_flags, 13),
    (many_tables, 40),
    (many_members, 3),
    (many_brackets, 3),
    (many_digits, 3),
    (many_escapes, 4),
]


def sent(shape: Callable[[int], Made], count: int) -> tuple[list[bytes], ...]:
    """Values and keys, as a decoder takes them."""
    made = shape(count)
    return [made.value], [made.key]


def named(name: str) -> Made:
    """A row of one column."""
    return insert(**{name: column(3, 1)})

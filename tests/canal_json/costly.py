"""Messages of Canal-JSON with much of one thing each, and what each of their bytes may cost."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

from .test_reading import insert


def many_rows(count: int) -> bytes:
    """Rows of one column."""
    return insert("int", "", data=json.dumps([{"c": "1"}] * count))


def many_columns(count: int) -> bytes:
    """One row of many columns, declared in another order."""
    names = [f"{k:x}" for k in range(count)]
    types = dict.fromkeys(sorted(names, key=lambda name: sha256(name.encode()).digest()), "int")
    return insert("", "", mysqlType=json.dumps(types), data=json.dumps([dict.fromkeys(names, "1")]))


def many_layouts(count: int) -> bytes:
    """Rows of one column each, always another one."""
    names = [f"{k:x}" for k in range(count)]
    return insert("", "", mysqlType=json.dumps(dict.fromkeys(names, "int")), data=json.dumps([{n: "1"} for n in names]))


def many_types(count: int) -> bytes:
    """Columns that are all declared otherwise."""
    types = {f"{k:x}": f"varchar({k})" for k in range(count)}
    return insert("", "", mysqlType=json.dumps(types), data=json.dumps([dict.fromkeys(types, "1")]))


def many_tables(count: int) -> bytes:
    """Objects behind each other that name a table each."""
    return b"".join(insert("int", '"1"', table=f'"{k}"') for k in range(count))


def many_members(count: int) -> bytes:
    """Members that nobody knows."""
    return insert("int", '"1"', **{f"x{k}": "[]" for k in range(count)})


def many_brackets(count: int) -> bytes:
    """Objects in arrays in objects, as deep as can be, again and again."""
    return insert("int", '"1"', other="[" + ",".join(['{"a":[' * 200 + "]}" * 200] * (count // 100)) + "]")


def many_digits(count: int) -> bytes:
    """A number as long as the message."""
    return insert("double", '"' + "1" * count + '"')


def many_escapes(count: int) -> bytes:
    """A text of escapes only, and a name of escapes that is looked for again and again."""
    name = "\\u0061" * 50
    rows = ",".join('{"%s":"%s"}' % (name, "\\u00e9") for _ in range(count // 10))  # noqa: UP031
    return insert(
        "", "", mysqlType=json.dumps({"a" * 50: "varchar(3)"}), data=f"[{rows}]", sql='"' + "\\n" * count + '"'
    )


SHAPES: list[tuple[Callable[[int], bytes], int]] = [
    (many_rows, 18),
    (many_columns, 21),
    (many_layouts, 38),
    (many_types, 28),
    (many_tables, 34),
    (many_members, 3),
    (many_brackets, 3),
    (many_digits, 6),
    (many_escapes, 4),
]


def sent(shape: Callable[[int], bytes], count: int) -> tuple[list[bytes], ...]:
    """The values, as a decoder takes them."""
    return ([shape(count)],)


def named(name: str) -> bytes:
    """A row of one column."""
    return insert("", "", mysqlType=json.dumps({name: "int"}), data=f'[{{"{name}":"1"}}]')

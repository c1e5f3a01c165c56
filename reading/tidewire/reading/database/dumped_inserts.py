"""Rows of a file of INSERT statements as Dumpling writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tidewire.reading.database.dumped_text import Cell, Gathered, RawRows, Text, unescaped
from tidewire.runtime.shortened import shown

_SKIPPED = re.compile(rb"(?:\s++|/\*(?:[^*]|\*(?!/))*+\*/|--[^\n]*+\n|#[^\n]*+\n|;)++")
"""Comments, among them those that a database executes, and the ends of statements."""
_NAME = rb"`((?:[^`]|``)++)`"
_INSERT = re.compile(
    rb"(?:INSERT|REPLACE)\s++INTO\s++(?:" + _NAME + rb"\s*+\.\s*+)?" + _NAME + rb"\s*+(?:\(([^)]*+)\))?\s*+VALUES\s*+",
    re.IGNORECASE,
)
_BEGIN = re.compile(rb"\s*+\(")
_NEXT = re.compile(rb"\s*+([,;])")


def _value(text: bytes) -> re.Pattern[bytes]:
    """Matches a value and the comma or parenthesis after it. `text`: matches the contents of a text in quotes."""
    some = rb"(NULL)|x'([0-9a-f]*+)'|0x([0-9a-f]++)|(?:_binary\s*+)?'(" + text + rb")'|([-+.\w]++)"
    return re.compile(rb"\s*+(?:" + some + rb")\s*+([,)])", re.DOTALL | re.IGNORECASE)


_VALUES = {True: _value(rb"(?:[^'\\]++|\\.|'')*+"), False: _value(rb"(?:[^']++|'')*+")}
"""The patterns of values, by whether the backslash is an escape character."""


def inserted_rows(text: Text, table: str, columns: Sequence[str], escapes: bool) -> Iterator[RawRows]:
    """The rows that the statements of a file insert.

    Args:
        table: its name, without the schema.
        columns: the columns that statements have which name none.
        escapes: whether a backslash escapes in texts.

    Raises:
        DumpError: the file has other statements, or is cut off.
    """
    gathered = Gathered()
    gathered.begin(text)
    while True:
        insert = _statement(text)
        if insert is None:
            return
        names = _named(text, insert, table, columns)
        text.at = insert.end()
        more = True
        while more:
            found = _row(text, escapes)
            if found is None:
                if not text.more():
                    text.at += len(text.data) - text.at - len(text.data[text.at :].lstrip())
                    text.fail("the file is cut off or damaged in this row: make the dump again", text.data[text.at :])
                continue
            row, more = found
            if len(row) != len(names):
                text.fail(f"the row before this place has {len(row)} values, and {len(names)} are expected")
            gathered.rows.append(row)
            if gathered.full(text):
                yield gathered.taken(names)
                gathered.begin(text)
        if gathered.rows:
            yield gathered.taken(names)
            gathered.begin(text)


def _statement(text: Text) -> re.Match[bytes] | None:
    """The beginning of the next statement; None at the end of the file."""
    while True:
        skipped = _SKIPPED.match(text.data, text.at)
        text.at = skipped.end() if skipped else text.at
        insert = _INSERT.match(text.data, text.at)
        # what follows may belong to the names of columns or to a comment
        if insert is not None and insert.end() < len(text.data):
            return insert
        if text.more():
            continue
        if text.at == len(text.data):
            return None
        text.fail("an INSERT statement is expected: make the dump with --filetype sql or csv", text.data[text.at :])


def _named(text: Text, insert: re.Match[bytes], table: str, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of a statement's rows."""
    into = insert[2].replace(b"``", b"`").decode("utf-8", "replace")
    if into.lower() != table.lower():
        text.fail(f"the statement inserts into {shown(into)}, and the file is of table {shown(table)}")
    if insert[3] is None:
        return tuple(columns)
    names = [one.strip() for one in insert[3].decode("utf-8", "replace").split(",")]
    return tuple(one[1:-1].replace("``", "`") if one.startswith("`") else one for one in names)


def _row(text: Text, escapes: bool) -> tuple[tuple[Cell, ...], bool] | None:
    """The row at the place, and whether the statement has more; None if it is not whole in memory."""
    data = text.data
    found = _BEGIN.match(data, text.at)
    if found is None:
        return None
    at, value = found.end(), _VALUES[escapes]
    row: list[Cell] = []
    while (found := value.match(data, at)) is not None:
        null, hexadecimal, other, quoted, plain, end = found.groups()
        if quoted is not None:
            row.append(unescaped(quoted, b"'") if escapes else quoted.replace(b"''", b"'"))
        elif plain is not None:
            row.append(plain)
        elif null is not None:
            row.append(None)
        else:
            row.append(bytes.fromhex((hexadecimal if other is None else other).decode()))
        at = found.end()
        if end == b")":
            after = _NEXT.match(data, at)
            if after is None:
                return None
            text.at = after.end()
            return tuple(row), after[1] == b","
    return None

"""Rows of a CSV file as Dumpling writes it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tidewire.reading.database.dumped_text import Cell, DumpFormat, Gathered, RawRows, Text, unescaped
from tidewire.runtime.shortened import shown


def csv_rows(text: Text, columns: Sequence[str], format: DumpFormat) -> Iterator[RawRows]:
    """The rows of a file. A first line with names of columns is no row.

    Args:
        columns: the table's columns, in its order: of a file without a header they are its fields.

    Raises:
        DumpError: a line is no row of the table, or the file is cut off.
    """
    reader = _Lines(text, format)
    header: tuple[str, ...] = ()
    gathered = Gathered()
    gathered.begin(text)
    known = {one.lower() for one in columns}
    while (row := reader.next()) is not None:
        if not header:
            header, of_names = _header(text, row, columns, known)
            if of_names:
                gathered.begin(text)
                unknown = next((one for one in header if one.lower() not in known), None)
                if unknown is not None:
                    text.fail(f"the table has no column {shown(unknown)}")
                continue
        if len(row) != len(header):
            reader.back()
            text.fail(f"the row has {len(row)} fields, and {len(header)} are expected", text.data[text.at :][:61])
        gathered.rows.append(row)
        if gathered.full(text):
            yield gathered.taken(header)
            gathered.begin(text)
    if gathered.rows:
        yield gathered.taken(header)


def _header(
    text: Text, row: tuple[Cell, ...], columns: Sequence[str], known: set[str]
) -> tuple[tuple[str, ...], bool]:
    """The names of a file's fields, and whether its first line has them."""
    named = [one.decode("utf-8", "replace") for one in row if one is not None]
    # a column that the table does not have does not make the line a row
    if len(named) == len(row) and 2 * len({one.lower() for one in named} & known) > len(row):
        return tuple(named), True
    if len(row) != len(columns):
        listed = shown(", ".join(columns))
        text.fail(f"the first row has {len(row)} fields, and the table has {len(columns)} columns: {listed}")
    return tuple(columns), False


class _Lines:
    """Takes lines apart."""

    def __init__(self, text: Text, format: DumpFormat) -> None:
        self.text = text
        self._null = format.null.encode()
        self._quote = format.quote.encode()
        self._escapes = format.escapes
        self._before = 0
        separator, quote = format.separator.encode(), re.escape(self._quote)
        end = rb"(" + re.escape(separator) + rb"|\r?\n)"
        inside = rb"\\" if self._escapes and not quote else b""
        plain = rb"[^\r\n" + re.escape(separator) + inside + rb"]++"
        if len(separator) > 1:
            plain = rb"(?!" + re.escape(separator) + rb")[^\r\n" + inside + rb"]"
        plain = rb"((?:" + plain + (rb"|\\." if inside else b"") + rb")*+)"
        if not quote:
            self._field = re.compile(rb"((?!))?" + plain + end, re.DOTALL)
            return
        inner = rb"[^\\" + quote + rb"]++|\\." if self._escapes else rb"[^" + quote + rb"]++|" + quote * 2
        quoted = quote + rb"((?:" + inner + rb")*+)" + quote
        self._field = re.compile(rb"(?:" + quoted + rb"|(?!" + quote + rb")" + plain + rb")" + end, re.DOTALL)

    def next(self) -> tuple[Cell, ...] | None:
        """The next line; None at the end of the file."""
        text = self.text
        while True:
            row = self._row()
            if row is not None:
                return row
            if text.more():
                continue
            if text.at == len(text.data):
                return None
            rest = text.data[text.at :]
            if rest.endswith(b"\n"):
                text.fail("this is no row of CSV: its quotes do not match", rest)
            text.fail("the file is cut off in this row: make the dump again, or copy it again", rest)

    def back(self) -> None:
        """Goes back to the beginning of the line, for an error."""
        self.text.at = self._before

    def _row(self) -> tuple[Cell, ...] | None:
        """The line at the place; None if it is not whole in memory."""
        data, at, match = self.text.data, self.text.at, self._field.match
        row: list[Cell] = []
        while (found := match(data, at)) is not None:
            quoted, plain, end = found.groups()
            if quoted is not None:
                row.append(unescaped(quoted) if self._escapes else quoted.replace(self._quote * 2, self._quote))
            elif plain == self._null:
                row.append(None)
            else:
                row.append(unescaped(plain) if self._escapes else plain)
            at = found.end()
            if end in (b"\r\n", b"\n"):
                self._before, self.text.at = self.text.at, at
                return tuple(row)
        return None

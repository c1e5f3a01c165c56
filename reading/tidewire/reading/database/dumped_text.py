"""The text of a dump's data file, record by record: what CSV files and files of INSERT statements share.

A record is parsed only when it is whole, so that memory is bounded by the longest one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, NoReturn

from tidewire.reading.files.streams import DamagedError, InputError
from tidewire.runtime.shortened import shown

Cell = bytes | None
"""A value as the database prints it; None is NULL."""
Binary = Literal["raw", "hex", "base64"]
AT_ONCE = 1 << 20
"""How many bytes are read before records are parsed."""
MOST_RECORD = 256 << 20
"""The most bytes of a record."""
BATCH_ROWS = 8192
BATCH_BYTES = 16 << 20
"""At most so many rows, and about so many bytes, come at once."""
_ESCAPE = re.compile(rb"\\(.)", re.DOTALL)
_DOUBLED = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPED = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}


class DumpError(InputError):
    """A dump that cannot be read; the text names the file, the line and what to do."""


@dataclass(frozen=True)
class DumpFormat:
    """How the files of a dump are written; the defaults are Dumpling's.

    Attributes:
        separator: between the fields of a line (`--csv-separator`).
        quote: around texts (`--csv-delimiter`); empty for none.
        escapes: whether a backslash escapes (`--escape-backslash`).
        null: a NULL (`--csv-null-value`).
        binary: values of binary columns in CSV (`--csv-output-dialect`): as they are, or as text.
    """

    separator: str = ","
    quote: str = '"'
    escapes: bool = True
    null: str = "\\N"
    binary: Binary = "raw"


class RawRows(NamedTuple):
    """Some rows, column by column.

    Attributes:
        names: of the columns; empty if the file does not tell them.
        columns: the values of each.
        line: the line of the first row.
    """

    names: tuple[str, ...]
    columns: list[tuple[Cell, ...]]
    line: int


class Text:
    """The bytes of a file, of which a part is in memory.

    Attributes:
        data: that part.
        at: how far it was parsed.
    """

    def __init__(self, name: str, pieces: Iterator[bytes]) -> None:
        self.name = name
        self.data = b""
        self.at = 0
        self.ended = False
        self._pieces = pieces
        self._lines = 1
        self._passed = 0

    def more(self) -> bool:
        """Reads on, at least as much as is not parsed; False at the end of the file.

        Raises:
            DumpError: the file is damaged, or a record is too long.
        """
        if self.ended:
            return False
        self._lines += self.data.count(b"\n", 0, self.at)
        self._passed += self.at
        found = [self.data[self.at :]]
        wanted = max(AT_ONCE, len(found[0]))
        self.data, self.at = b"", 0
        if wanted > MOST_RECORD:
            self.fail(f"a row has more than {MOST_RECORD:,} bytes, or its quotes do not match")
        try:
            while wanted > 0:
                piece = next(self._pieces, b"")
                if not piece:
                    self.ended = True
                    break
                found.append(piece)
                wanted -= len(piece)
        except DamagedError as error:
            self.fail(str(error))
        self.data = b"".join(found)
        return len(found) > 1

    def line(self) -> int:
        """The number of the line at which parsing is."""
        return self._lines + self.data.count(b"\n", 0, self.at)

    def place(self) -> int:
        """How many bytes of the file were parsed."""
        return self._passed + self.at

    def fail(self, what: str, seen: bytes | None = None) -> NoReturn:
        """Raises the error of this place."""
        begins = "" if seen is None else f"; it begins with {shown(seen[:60])}"
        raise DumpError(f"{self.name}, line {self.line():,}: {what}{begins}")


class Gathered:
    """Collects rows until there are enough for a batch."""

    def __init__(self) -> None:
        self.rows: list[tuple[Cell, ...]] = []
        self._begins: tuple[int, int] = (0, 1)

    def begin(self, text: Text) -> None:
        """Notes where a batch begins."""
        self._begins = text.place(), text.line()

    def full(self, text: Text) -> bool:
        """Whether there are enough."""
        return len(self.rows) >= BATCH_ROWS or text.place() - self._begins[0] > BATCH_BYTES

    def taken(self, names: tuple[str, ...]) -> RawRows:
        """The rows so far."""
        rows, self.rows = self.rows, []
        return RawRows(names, list(zip(*rows, strict=True)), self._begins[1])


def unescaped(text: bytes, quote: bytes = b"") -> bytes:
    """A text whose backslashes escape, as MySQL reads them, and in which a quote may be doubled."""
    if quote and quote * 2 in text:
        return _DOUBLED.sub(lambda found: _ESCAPED.get(found[1], found[1]) if found[1] is not None else quote, text)
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text) if b"\\" in text else text

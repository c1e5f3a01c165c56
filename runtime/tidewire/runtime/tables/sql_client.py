"""Converts output and input of the mysql client to plain SQL, with statements that end in semicolons.

SHOW CREATE TABLE returns a row of two columns, the name and the statement, in one of four forms: with tabs
(`mysql -e`; with `-N` without a header line, with `--raw` without escapes), in a box (as on a terminal), and one line
per column (``\\G``). DELIMITER, a command of the client itself, sets another terminator than the semicolon for stored
programs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tidewire.runtime.tables.sql_tokens import COMMENTS, QUOTES, executed

_NAME = r'`(?:[^`]|``)*`|"(?:[^"]|"")*"|[^\s(`"]+'
_CREATED = re.compile(rf"CREATE (?:(?:GLOBAL )?TEMPORARY )?TABLE (?P<name>{_NAME})", re.IGNORECASE)
_KINDS = "Table|View|Database|Sequence"
_TITLES = f"{_KINDS}|Create (?:{_KINDS})|character_set_client|collation_connection"
_STARS = re.compile(r"\*{10,} \d+\. row \*{10,}")
_BORDER = re.compile(r"\+-+(?:\+-+)+\+")
_FIELD = re.compile(rf" *(?P<title>{_TITLES}): (?P<value>.*)", re.DOTALL)
_HEADER = re.compile(rf"(?:{_KINDS})(?:\t(?:{_TITLES}))+")
_BOX_HEADER = re.compile(rf"\|(?: (?:{_TITLES}) +\|)+")
_ROW = re.compile(r"(?P<name>[^\t]+)\t(?P<sql>CREATE .*)", re.IGNORECASE | re.DOTALL)
_BOX_ROW = re.compile(r"\| (?P<name>[^|]*)\| (?P<sql>CREATE .*)", re.IGNORECASE | re.DOTALL)
_OTHER_ROW = re.compile(r"[^\t]+\tCREATE (?!TABLE\b)[^\t]*(?:\t[^\t]*){0,2}", re.IGNORECASE)
"""A row of a view, a sequence or a database."""
_PROMPT = re.compile(r"(?:\w+(?: \[(?P<schema>[^\]]*)\])?> |    -> )(?P<typed>.*)", re.DOTALL)
_FOOTER = re.compile(
    r"(?:\d+ rows? in set|Empty set|Query OK,|Database changed\Z|mysql: \[Warning\]|"
    r"Reading table information|You can turn off this feature).*"
)
_USE = re.compile(r"\s*USE\s", re.IGNORECASE)
_SAYS = re.compile(rf"^(?:{_STARS.pattern}|{_BORDER.pattern}|{_HEADER.pattern}|[^\t\n]+\tCREATE )", re.M | re.I)
"""Matches any text that the client has printed."""
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(?P<end>\S+)[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
_OF_TABLES = re.compile(
    r"\s*+(?!BEGIN\b)(?!CREATE\b(?!\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+|TEMPORARY\s+|UNIQUE\s+)*(?:TABLE|INDEX)\b))",
    re.IGNORECASE,
)
"""Beginning of a statement that is not a stored program."""
_ESCAPE = re.compile(r"\\([nt0\\])")
_ESCAPED = {"n": "\n", "t": "\t", "0": "\0", "\\": "\\"}


class PlainSql(NamedTuple):
    """SQL whose statements end in semicolons."""

    text: str
    lines: tuple[int, ...] = ()
    """For each line, the number of the original line; empty: they are the same."""

    def line(self, number: int) -> int:
        """The original line number of a line; both count from 1."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else number


def plain_sql(text: str) -> PlainSql:
    """Plain SQL from a text, printed by the client or not."""
    if _DELIMITER.search(text):
        text = _without_programs(text)
    if not _SAYS.search(text):
        return PlainSql(text)
    found = list(_Printed(text.removeprefix("\ufeff").split("\n")).statements())
    return PlainSql("\n".join(line for line, _ in found), tuple(number for _, number in found))


class _Printed:
    """Lines that the client printed, possibly among others."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = [line.removesuffix("\r") for line in lines]
        self.raw = False
        """Whether the current lines belong to a statement in a row with tabs."""
        self.cell = False
        """Whether the current lines belong to a statement in a box."""

    def statements(self) -> Iterator[tuple[str, int]]:
        """Lines of SQL, each with its original line number."""
        for at in range(len(self.lines)):
            for line in self._plain(at).split("\n"):
                yield line, at + 1

    def _plain(self, at: int) -> str:
        line = self.lines[at]
        if self.cell:
            return self._in_box(line, at)
        if _STARS.fullmatch(line) or _BORDER.fullmatch(line) or _HEADER.fullmatch(line) or _BOX_HEADER.fullmatch(line):
            self.raw = False
            return ";"
        row = _ROW.fullmatch(line)
        if row is not None and (sql := _statement(row)) is not None:
            self.raw = line.endswith("(")
            return f";{sql}" if self.raw else f";{sql};"
        row = _BOX_ROW.fullmatch(line)
        if row is not None and _statement(row, False) is not None:
            self.cell = True
            return self._in_box(f";{row['sql']}", at)
        if _OTHER_ROW.fullmatch(line):
            self.raw = False
            return ";"
        field = _FIELD.fullmatch(line)
        if field is not None:
            return f";{field['value']}" if field["title"] == "Create Table" else ";"
        if at and _STARS.fullmatch(self.lines[at - 1]):
            return ";"  # the name alone, in output without headers
        prompt = _PROMPT.fullmatch(line)
        if prompt is not None:
            schema = prompt["schema"]
            told = f"; USE `{schema}`;" if schema and not schema.startswith("(") else ";"
            return f"{told} {prompt['typed']};" if _USE.match(prompt["typed"]) else told
        if _FOOTER.fullmatch(line):
            return ";"
        if self.raw and _USE.match(line):
            self.raw = False
            return f";{line}"
        return line

    def _in_box(self, line: str, at: int) -> str:
        """A line of a statement in a box; a border or another row after it ends the statement."""
        after = self.lines[at + 1] if at + 1 < len(self.lines) else ""
        if not line.endswith("|") or not (_BORDER.fullmatch(after) or _BOX_ROW.fullmatch(after)):
            return line
        self.cell = False
        return f"{line[:-1].rstrip()};"


def _statement(row: re.Match[str], escaped: bool = True) -> str | None:
    """The statement of a row, if it creates the table that the row names; else None."""
    raw = row["sql"].endswith("(") or not escaped
    name, sql = row["name"], row["sql"]
    if not raw:
        name, sql = (_ESCAPE.sub(lambda found: _ESCAPED[found[1]], one) for one in (name, sql))
    created = _CREATED.match(sql)
    if created is None:
        return None
    quoted = created["name"]
    mark = quoted[0] if quoted[0] in '`"' else ""
    return sql if (quoted[1:-1].replace(mark * 2, mark) if mark else quoted) == name.rstrip(" ") else None


def _without_programs(text: str) -> str:
    """The text with terminators set by DELIMITER replaced by semicolons, and stored programs and DELIMITER by blanks.
    """
    pieces, at, end = [], 0, ";"
    for found in (*_DELIMITER.finditer(text), None):
        until = len(text) if found is None else found.start()
        part = text[at:until]
        pieces.append(part if end == ";" else "".join(_ended(part, end)))
        if found is not None:
            pieces.append(_blank(found[0]))
            at, end = found.end(), found["end"]
    return "".join(pieces)


def _ended(text: str, end: str) -> Iterator[str]:
    """The statements of a text in which `end` terminates statements."""
    start = 0
    for found in re.finditer(rf"(?:{QUOTES}|{COMMENTS})|(?P<end>{re.escape(end)})", text, re.DOTALL | re.VERBOSE):
        if found["end"] is not None:
            yield _kept(text[start : found.start()]) + ";".ljust(len(end))
            start = found.end()
    yield _kept(text[start:])


def _kept(statement: str) -> str:
    return statement if _OF_TABLES.match(executed(statement)) else _blank(statement)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)

"""Writes table descriptions as CREATE TABLE statements."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tidewire.runtime.column_types import quoted_text
from tidewire.runtime.shortened import shown
from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription, wrong
from tidewire.runtime.tables.facts import HIDDEN, TypesOfTables

CLUSTERED = "primary"
"""TiCDC's name of a primary key that is the row's own integer handle, for which TiDB has no index."""
PREFIX = 255
"""Prefix length in characters that is written for index columns that cannot be indexed as a whole: descriptions do not
state it.
"""
NOW = re.compile(r"(?i)(?:current_timestamp|now)(?:\((\d?)\))?")
"""Matches a default that is the time of the statement."""


def name_text(name: str) -> str:
    """A name in backticks."""
    return f"`{name.replace('`', '``')}`"


def create_table(
    types: TypesOfTables,
    names: Sequence[str],
    columns: Sequence[ColumnDescription],
    indexes: Sequence[IndexDescription],
    charset: str | None,
    comment: str | None,
) -> str:
    """A CREATE TABLE statement.

    For each expression in an index TiDB makes a hidden column; a description has its name, but not the expression. Such
    columns and indexes are omitted, and a comment after the statement names the indexes.

    Args:
        types: types of the database.
        names: names of the schema, if there is one, and of the table.
        charset: its default character set.

    Raises:
        DescriptionError: a column has a type that cannot be declared in a statement.
    """
    table = names[-1]
    hidden = {name.lower() for index in indexes for name in index.hidden_columns}
    if len(columns) == len(hidden):
        wrong(table, "columns", "there are none, and a statement declares one or more")
    known = {one.name.lower(): one for one in columns}
    lines = [
        _column(table, f"columns/{at}", column, types)
        for at, column in enumerate(columns)
        if column.name.lower() not in hidden
    ]
    unsaid = [index for index in indexes if any(name.lower() in hidden for name in index.columns)]
    lines += [
        _index(index, [known[name.lower()] for name in index.columns], types)
        for index in indexes
        if index not in unsaid
    ]
    text = f"CREATE TABLE {'.'.join(map(name_text, names))} (\n  " + ",\n  ".join(lines) + "\n)"
    if charset:
        text += f" DEFAULT CHARSET={_word(table, 'charset', charset)}"
    if comment is not None:
        text += f" COMMENT={quoted_text(comment)}"
    if unsaid:
        listed = ", ".join(name_text(index.name) for index in unsaid).replace("*/", "* /")
        text += f" /* without indexes on expressions: {listed} */"
    return text


def _word(table: str, path: str, text: str) -> str:
    """The name of a character set or collation, which is written without quotes."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        wrong(table, path, f"{shown(text)} is no name of a character set or collation")
    return text


def _column(table: str, path: str, column: ColumnDescription, types: TypesOfTables) -> str:
    if types.code(column)[0] == types.types.undeclared_code or column.mysql_type in HIDDEN:
        wrong(table, f"{path}/mysql_type", f"no statement declares a column of type {shown(column.mysql_type)}")
    if types.types.facts(types.code(column)[0]).labels and not column.labels:
        wrong(table, f"{path}/labels", f"there are none, and a statement declares one or more of {column.mysql_type}")
    words = [name_text(column.name), types.type_text(column)]
    if types.has_charset(column):
        if column.charset:
            words.append(f"CHARACTER SET {_word(table, f'{path}/charset', column.charset)}")
        if column.collation:
            words.append(f"COLLATE {_word(table, f'{path}/collation', column.collation)}")
    if column.generated is not None:
        _check_expression(table, f"{path}/generated", column.generated)
        words.append(f"GENERATED ALWAYS AS ({column.generated}) {'STORED' if column.stored else 'VIRTUAL'}")
    if column.auto_increment:  # AUTO_INCREMENT also implies NOT NULL, and the last of these attributes counts
        words.append("AUTO_INCREMENT")
    if column.nullable is not None:
        words.append("NULL" if column.nullable else "NOT NULL")
    if column.default is not None and column.generated is None:
        words.append(f"DEFAULT {_default(column, types)}")
    if column.on_update:
        if not types.has_fractions(column):
            wrong(table, f"{path}/on_update", f"no statement sets a {column.mysql_type} to the time of a change")
        words.append(f"ON UPDATE {_now(column)}")
    if column.comment is not None:
        words.append(f"COMMENT {quoted_text(column.comment)}")
    return " ".join(words)


EXPRESSION = re.compile(
    r"""'(?:[^'\\]|\\.|'')*' | "(?:[^"\\]|\\.|"")*" | `(?:[^`]|``)*` | [()] | [^'"`();]""", re.VERBOSE | re.DOTALL
)
"""Tokens of an expression: texts, names, parentheses, and any character that cannot end the statement."""


def _check_expression(table: str, path: str, text: str) -> None:
    """Checks that an expression cannot end the parentheses that are written around it."""
    depth = at = 0
    while at < len(text) and depth >= 0 and not text.startswith(("--", "#", "/*"), at):
        piece = EXPRESSION.match(text, at)
        if piece is None:
            break
        depth += {"(": 1, ")": -1}.get(piece[0], 0)
        at = piece.end()
    if at < len(text) or depth:
        wrong(table, path, f"{shown(text)} is no expression: quotes and parentheses match, and it has no comment")


def _default(column: ColumnDescription, types: TypesOfTables) -> str:
    if isinstance(column.default, int):
        return f"b'{column.default:0{8 * (column.default_length or 0)}b}'"
    text = str(column.default)
    now = NOW.fullmatch(text)
    if now is not None and types.has_fractions(column):
        return _now(column)
    return quoted_text(text)


def _now(column: ColumnDescription) -> str:
    """CURRENT_TIMESTAMP with the column's fractional digits."""
    digits = column.scale if column.scale and column.scale > 0 else None
    return "CURRENT_TIMESTAMP" + (f"({digits})" if digits else "")


def _index(index: IndexDescription, parts: Sequence[ColumnDescription], types: TypesOfTables) -> str:
    listed = ", ".join(name_text(one.name) + (f"({PREFIX})" if types.is_long(one) else "") for one in parts)
    if not index.primary:
        return f"{'UNIQUE ' if index.unique else ''}KEY {name_text(index.name)} ({listed})"
    text = f"PRIMARY KEY ({listed})"
    if len(parts) == 1 and types.is_integer(parts[0]):
        clustered = "CLUSTERED" if index.name == CLUSTERED else "NONCLUSTERED"
        text += f" /*T![clustered_index] {clustered} */"
    return text

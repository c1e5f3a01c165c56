"""Names of tables: parsing, comparison, and errors about tables without changes."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence

from tidewire.reading.table_names import quoted, split
from tidewire.reading.types import SchemaError
from tidewire.runtime.batch import TableName
from tidewire.runtime.shortened import shown

Table = str | Sequence[str]
"""A table as a user names it: ``shop.orders``, or ``("shop", "orders")``."""
Name = tuple[str | None, str]
"""Schema and table as a user names them; None: any schema."""

MOST_LISTED = 8
"""The most tables that are listed in an error."""
MOST_KEPT = 1000
"""The most table names that are remembered for errors."""
_NEAR = 0.7
"""The least similarity of a name that is suggested in place of another."""
_PATTERN = "*%?"
PATTERNS = "a name has no pattern here (only live tables are chosen by one): name one table"
"""The hint where a pattern is given in place of a name."""
MOST_LETTERS = 256
"""The most characters of a name that is remembered or shown; TiDB's have 64 at most."""


def parse_table(table: Table) -> tuple[str, str]:
    """Schema and table of ``schema.table``, or of a pair of both.

    Raises:
        SchemaError: it is neither.
    """
    parts = split(table) if isinstance(table, str) else list(table) if isinstance(table, list | tuple) else []
    if len(parts) != 2 or not all(isinstance(part, str) and part for part in parts):
        raise SchemaError(
            f"table {table!r}: a table is named schema.table, such as shop.orders or shop.`weird.name`, or is a pair "
            'such as ("shop", "orders")'
        )
    return parts[0], parts[1]


def parse_name(table: Table) -> Name:
    """Schema and table, or None and the table if no schema is given.

    Raises:
        SchemaError: it is neither.
    """
    parts = split(table) if isinstance(table, str) else [None]
    if len(parts) == 1 and parts[0]:
        return None, parts[0]
    if not isinstance(table, str) or (len(parts) == 2 and all(parts)):
        return parse_table(table)
    raise SchemaError(
        f"table {shown(table)}: a table is named shop.orders, or orders where one schema alone has it; a name with a "
        "dot stands in backquotes, shop.`weird.name`"
    )


def fitting(wanted: Name, there: Iterable[TableName]) -> list[TableName]:
    """The tables that a name can refer to: those with exactly this spelling; otherwise those that differ only in
    case.
    """
    schema, table = wanted
    key = same(wanted)
    alike = (name for name in there if name[1] and same((None if schema is None else name[0], name[1])) == key)
    found = sorted(alike, key=dotted)
    exact = [name for name in found if name[1] == table and schema in (None, name[0])]
    return exact or found


def several(wanted: Name, fits: Sequence[TableName]) -> str:
    """A sentence about a name that can mean more than one table."""
    names = [asked(name) for name in fits]
    more = f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else ""
    why = "that differ in case only" if len({same(name) for name in fits}) == 1 else "of that name"
    listed = f"{', '.join(names[:MOST_LISTED])}{more}"
    return f"table {asked(wanted)}: there are {len(names)} {why}, {listed}: name the one that is meant as it is spelled"


def asked(name: TableName) -> str:
    """A table's name in the form that `parse_table` takes, with a dot or backquote in backquotes; on one line, and
    shortened.
    """
    plain = [part for part in name if part]
    return ".".join(quoted(_readable(part)) if set(part) & set(".`") else _readable(part) for part in plain)


def same(name: TableName) -> TableName:
    """A key that is equal for all spellings of a table's name: TiDB ignores case."""
    schema, table = name
    return (schema or "").lower(), (table or "").lower()


def positions(tables: Sequence[TableName], wanted: TableName | None) -> set[int]:
    """The indexes of a table's spellings among these names; all indexes for None."""
    if wanted is None:
        return set(range(len(tables)))
    key = same(wanted)
    return {at for at, name in enumerate(tables) if same(name) == key}


def dotted(name: TableName) -> str:
    """``schema.table`` for display: on one line, and shortened."""
    return ".".join(_readable(part) for part in name if part)


def _readable(name: str) -> str:
    short = name if len(name) <= MOST_LETTERS else f"{name[: MOST_LETTERS - 1]}…"
    return short if short.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in short)


def absent(wanted: TableName, others: Collection[TableName], where: str) -> str:
    """A sentence about a table without changes.

    Args:
        others: the tables with changes.
        where: what was searched, such as ``these messages``.
    """
    sentence = f"no change of table {asked(wanted)} is in {where}"
    if not others:
        return f"{sentence}, and none of another table"
    names = sorted({asked(name) or "a table that they do not name" for name in others})
    listed = ", ".join(names[:MOST_LISTED])
    if len(names) > MOST_LISTED:
        listed += f" and {len(names) - MOST_LISTED}{' or more' if len(others) >= MOST_KEPT else ''} others"
    return f"{sentence}; there are changes of {listed}{guess(wanted, others)}"


def guess(wanted: TableName, others: Collection[TableName]) -> str:
    """The end of a sentence about a table that is not there: which one was probably meant, if one was."""
    if set(wanted[1] or "") & set(_PATTERN):
        return f"; {PATTERNS}"
    near = nearest(wanted, others)
    return f". Did you mean {near}?" if near else ""


def nearest(wanted: TableName, others: Collection[TableName]) -> str | None:
    """The name that was probably meant: of the same table in another schema, or one of which both schema and table are
    similar; None if there is none.
    """
    twins = sorted(asked(name) for name in others if same(name)[1] == same(wanted)[1])
    if twins:
        return twins[0]
    schema, table = same(wanted)
    alike = [
        (_likeness(same(name)[1], table), asked(name))
        for name in others
        if (not schema or _likeness(same(name)[0] or "", schema) >= _NEAR) and _likeness(same(name)[1], table) >= _NEAR
    ]
    return max(alike)[1] if alike else None


def _likeness(one: str | None, other: str | None) -> float:
    return difflib.SequenceMatcher(None, one or "", other or "").ratio()


def alike_in_case(one: str, other: str) -> str:
    """Why two columns of a table cannot be columns of a frame, and what to do."""
    return (
        f"the table's rows have columns {shown(one)} and {shown(other)}, which Spark does not tell apart: read them "
        'with from_ticdc, or as VARIANT (schema "variant"), where both are by their names'
    )

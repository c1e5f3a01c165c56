"""Which events the user wants to see: of some tables and of some kinds."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Annotated, TypeAlias

import typer

from tidewire.cli.shell import CommandError

SHOWN = 12
"""Names that are listed when a name is wrong."""
ROW = "row"
"""Stands for all kinds of row changes."""


def complete_kind(incomplete: str) -> list[str]:
    """Kinds of events for the shell's completion."""
    from tidewire.events import KINDS

    return [name for name in (*KINDS, ROW) if name.startswith(incomplete.casefold())]


Tables: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="TABLE", help="Only events of this table: shop.orders, or orders; in any case."),
]
Kinds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="KIND",
        help="Only insert, update, delete, row (all three), ddl or watermark.",
        autocompletion=complete_kind,
    ),
]
Limit: TypeAlias = Annotated[int | None, typer.Option("--limit", min=0, help="Stop after so many events.")]


class Selection:
    """Tells which events are wanted.

    Args:
        tables: names with or without a schema, in any case; none: all events, also those of no table.
        kinds: names of kinds of events; none: all.
        known: the kinds that there are.

    Raises:
        CommandError: a kind is none of them.
    """

    def __init__(self, tables: Sequence[str], kinds: Sequence[str], known: Sequence[str]) -> None:
        self._tables = dict.fromkeys(tables, False)
        self._folded = {name.replace("`", "").casefold(): name for name in tables}
        self._kinds = frozenset(_kinds(kinds, known))
        self._seen: dict[tuple[str | None, str | None], bool] = {}

    def wants(self, kind: str, schema: str | None, table: str | None) -> bool:
        """Whether an event of this kind and table is wanted."""
        wanted = self._seen.get((schema, table))
        if wanted is None:
            wanted = self._seen[schema, table] = self._table(schema, table)
        return wanted and (not self._kinds or kind in self._kinds)

    def _table(self, schema: str | None, table: str | None) -> bool:
        if not self._tables:
            return True
        if table is None:
            return False
        found = [table.casefold(), f"{schema or ''}.{table}".casefold()]
        names = [self._folded[name] for name in found if name in self._folded]
        self._tables.update(dict.fromkeys(names, True))
        return bool(names)

    def problem(self) -> str | None:
        """A sentence about tables that were asked for and not seen; None when all were seen."""
        missing = [name for name, seen in self._tables.items() if not seen]
        if not missing:
            return None
        there = sorted({f"{schema}.{table}" if schema else table for schema, table in self._seen if table is not None})
        folded = {name.casefold(): name for name in there}
        folded |= {name.rpartition(".")[2].casefold(): name for name in there}
        lines = []
        for name in missing:
            near = difflib.get_close_matches(name.casefold(), folded, n=1)
            lines.append(f"no event of table {name}" + (f"; did you mean {folded[near[0]]}?" if near else ""))
        more = f" and {len(there) - SHOWN} more" if len(there) > SHOWN else ""
        lines.append(f"the tables are {', '.join(there[:SHOWN])}{more}" if there else "there is no event of any table")
        return "; ".join(lines)


def _kinds(given: Sequence[str], known: Sequence[str]) -> list[str]:
    found = []
    for name in given:
        for kind in name.casefold().split(","):
            if kind == ROW:
                found += ["insert", "update", "delete"]
            elif kind in known:
                found.append(kind)
            else:
                near = difflib.get_close_matches(kind, [*known, ROW], n=1)
                hint = f"did you mean {near[0]}? " if near else ""
                raise CommandError(f"--kind {name}: {hint}There are {', '.join(known)}, and row for the first three")
    return found

"""Selects events by table and by kind."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tidewire.cli.shell import CommandError
from tidewire.reading.tables import Name, asked, fitting, guess, parse_name, several

if TYPE_CHECKING:
    from tidewire.runtime.batch import TableName

SHOWN = 12
"""Maximum number of names listed in an error about a wrong name."""
ROW = "row"
"""Selects all kinds of row changes."""


def complete_kind(incomplete: str) -> list[str]:
    """Kinds of events for the shell's completion."""
    from tidewire.events import KINDS

    return [name for name in (*KINDS, ROW) if name.startswith(incomplete.casefold())]


Tables: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--table",
        metavar="TABLE",
        help="Only events of this table: shop.orders, or orders where one schema alone has it. Names match in any "
        "case; of two that differ in case only it is the one that is spelled so. May be repeated.",
    ),
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
    """Selects events.

    Args:
        tables: names with or without a schema; empty: all events, including those without a table.
        kinds: kinds of events; empty: all.
        known: valid kinds.

    Raises:
        CommandError: a kind is not valid.
        SchemaError: a name cannot be that of a table.
    """

    def __init__(self, tables: Sequence[str], kinds: Sequence[str], known: Sequence[str]) -> None:
        self._tables = {name: parse_name(name) for name in tables}
        self._kinds = frozenset(_kinds(kinds, known))
        self._chosen: dict[str, list[TableName]] | None = None
        self._seen: dict[TableName, bool] = {}

    def choose(self, seen: Iterable[Iterable[TableName]]) -> None:
        """Resolves the table names, before the first event is printed.

        Args:
            seen: tables of the events, in lists. Reading stops as soon as every name has an exact match, which always
                wins.

        Raises:
            CommandError: a name can mean several tables.
        """
        if not self._tables:
            return
        there: set[TableName] = set()
        for names in seen:
            there.update(names)
            if all(schema is not None and (schema, table) in there for schema, table in self._tables.values()):
                break
        self._chosen = {name: fitting(wanted, there) for name, wanted in self._tables.items()}
        for name, fits in self._chosen.items():
            if len(fits) > 1:
                raise CommandError(f"--{several(self._tables[name], fits)}")

    def wants(self, kind: str, schema: str | None, table: str | None) -> bool:
        """Whether an event of this kind and table is selected."""
        name = schema, table
        wanted = self._seen.get(name)
        if wanted is None:
            wanted = self._seen[name] = not self._tables or any(name in fits for fits in self._of(name))
        return wanted and (not self._kinds or kind in self._kinds)

    def _of(self, name: TableName) -> Iterable[list[TableName]]:
        """For each selected name, the tables that it selects: those found by reading the input before, or, if it can be
        read only once, this table if its name fits.
        """
        if self._chosen is not None:
            return self._chosen.values()
        return [fitting(wanted, [name]) for wanted in self._tables.values()]

    def remarks(self) -> Iterator[str]:
        """Sentences about other tables that a name could mean."""
        for wanted in self._tables.values():
            near = sorted({asked(name) for name in self._seen if fitting(wanted, [name])})
            if len(near) > 1 and self._chosen is None:
                yield (
                    f"--table {asked(wanted)}: what is read once shows all that have this name, {' and '.join(near)}; "
                    "of a file that is read twice, the one that is meant"
                )
            elif others := [one for one in near if one not in {asked(name) for name in self._shown(wanted)}]:
                yield (
                    f"beside {asked(wanted)} there are events of {' and '.join(others)}, whose name differs in case "
                    "only: they are not shown"
                )

    def _shown(self, wanted: Name) -> list[TableName]:
        return fitting(wanted, [name for name, shown in self._seen.items() if shown])

    def problem(self) -> str | None:
        """A sentence about selected tables that did not occur; None if all did."""
        missing = [name for name, wanted in self._tables.items() if not self._shown(wanted)]
        if not missing:
            return None
        seen = [name for name in self._seen if name[1] is not None]
        lines = []
        for name in missing:
            meant = guess(self._tables[name], seen)
            lines.append(f"no event of table {name}{meant}" + ("" if meant.endswith("?") else "."))
        there = sorted({asked(name) for name in seen})
        more = f" and {len(there) - SHOWN} more" if len(there) > SHOWN else ""
        lines.append(f"The tables are {', '.join(there[:SHOWN])}{more}" if there else "There is no event of any table")
        return " ".join(lines)


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

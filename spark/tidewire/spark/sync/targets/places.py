"""Checks that different tables have different locations in the target: `{schema}_{table}` maps both `a.b_c` and `a_b.c`
to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tidewire.reading.table_names import split
from tidewire.spark.sync.changelog import table_name
from tidewire.spark.sync.targets.names import Template
from tidewire.spark.sync.targets.shapes import TargetError


class Places:
    """The locations of a synchronisation's tables, including history tables."""

    def __init__(self, into: str, beside: str, history: Callable[[str], bool], by_key: bool) -> None:
        """Args:
            into: location of the tables, from `targets.opened.target_of`.
            beside: location of additional history tables; empty for none.
            history: whether a table, given by name, is itself a history table, so that there is no additional one.
            by_key: whether each table has another one with the order of its changes (`by_key.py`).
        """
        self._into = Template(into.partition(":")[2])
        self._beside = Template(beside.partition(":")[2]) if beside else None
        self._history = history
        self._by_key = by_key
        self._known: tuple[Mapping[str, str], dict[str, list[tuple[str, str]]]] = {}, {}

    def of(self, name: str) -> Iterator[tuple[str, str]]:
        """The locations of a table, each with a description of what is there."""
        yield self._into.place(name), f"table {name}"
        if self._beside is not None and not self._history(name):
            yield self._beside.place(name), f"the history of {name}"
        if self._by_key:
            yield self._into.place(order_of(name)), f"the order of changes of {name}"

    def check(self, names: Iterable[str]) -> None:
        """Refuses tables of which two have the same location.

        Raises:
            TargetError: there are two.
        """
        found: dict[str, str] = {}
        for name in names:
            for place, what in self.of(name):
                if place in found:
                    raise one_place(found[place], what, place)
                found[place] = what

    def check_new(self, name: str, number: str, names: Mapping[str, str], there: Callable[[str], bool]) -> None:
        """Refuses a new table, or a new name of one, at the location of an earlier table.

        Args:
            name: the new name.
            number: the table's id.
            names: ids of tables by name.
            there: whether the table with an id exists.

        Raises:
            TargetError: the location belongs to another table.
        """
        if self._known[0] is not names:
            places: dict[str, list[tuple[str, str]]] = {}
            for one in names:
                for place, what in self.of(one):
                    places.setdefault(place, []).append((names[one], what))
            self._known = names, places
        for place, what in self.of(name):
            for other, was in self._known[1].get(place, ()):
                if other != number and (int(other) < int(number) or there(other)):
                    raise one_place(was, what, place)


def order_of(name: str) -> str:
    """The name of the table with the order of a table's changes, with consistency=key."""
    schema, table = split(name)
    return table_name(schema, f"{table}__order")


def one_place(first: str, second: str, place: str) -> TargetError:
    """The error for two tables with the same location."""
    return TargetError(
        f"{first} and {second} would both be {place}: choose names for the target that tell them apart, as"
        " {schema}.{table} or {schema}__{table}, with another folder as state; or keep one of them"
    )

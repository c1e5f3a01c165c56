"""Whether two tables would be one in the target: `a.b_c` and `a_b.c` in `{schema}_{table}`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from tidewire.reading.table_names import split
from tidewire.spark.sync.changelog import table_name
from tidewire.spark.sync.targets.names import Template
from tidewire.spark.sync.targets.shapes import TargetError


class Places:
    """Where the tables of a synchronisation are, with their history tables."""

    def __init__(self, into: str, beside: str, history: Callable[[str], bool], by_key: bool) -> None:
        """
        Args:
            into: of `targets.opened.target_of`.
            beside: likewise, of the history tables that are kept beside the tables; empty for none.
            history: whether a table, by its name, is itself a history table, and has none beside it.
            by_key: whether each table has another one with the order of its changes (`by_key.py`).
        """
        self._into = Template(into.partition(":")[2])
        self._beside = Template(beside.partition(":")[2]) if beside else None
        self._history = history
        self._by_key = by_key
        self._known: tuple[Mapping[str, str], dict[str, list[tuple[str, str]]]] = {}, {}

    def of(self, name: str) -> Iterator[tuple[str, str]]:
        """The places of a table, each with what is there."""
        yield self._into.place(name), f"table {name}"
        if self._beside is not None and not self._history(name):
            yield self._beside.place(name), f"the history of {name}"
        if self._by_key:
            yield self._into.place(order_of(name)), f"the order of changes of {name}"

    def check(self, names: Iterable[str]) -> None:
        """Refuses tables of which two would be one.

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
        """Refuses a new table, or a new name of one, in the place of a table that came before.

        Args:
            name: that the table gets.
            number: its id.
            names: what tables are called, with their ids.
            there: whether the table with an id has been made.

        Raises:
            TargetError: another table is there, or will be.
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
    """The name of the table that has the order of a table's changes, where each key is kept by itself."""
    schema, table = split(name)
    return table_name(schema, f"{table}__order")


def one_place(first: str, second: str, place: str) -> TargetError:
    """The error where two tables would be one."""
    return TargetError(
        f"{first} and {second} would both be {place}: choose names for the target that tell them apart, as"
        " {schema}.{table} or {schema}__{table}, with another folder as state; or keep one of them"
    )

"""What tables of all formats do alike: whose they are, where a step begins, and how one makes way for another.

A format looks at its table by one object, a view: the newest record of Parquet, a snapshot of Delta, Iceberg's object
for a table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, Self, TypeVar

from pyspark.sql import SparkSession

from tidewire.spark.sync.changelog import Position
from tidewire.spark.sync.targets import TRIES, begins, fenced, taken
from tidewire.spark.sync.targets.names import Template
from tidewire.spark.sync.targets.shapes import Column, TargetError


class Target(Protocol):
    """The tables of a target, and the template of their names."""

    spark: SparkSession
    names: Template


TablesT = TypeVar("TablesT", bound=Target)
ViewT = TypeVar("ViewT")


class OwnedTable(ABC, Generic[TablesT, ViewT]):
    """A table of a target; `targets.Table` documents the public methods."""

    name: str

    def __init__(self, tables: TablesT, name: str, owner: str) -> None:
        self.tables = tables
        self.spark = tables.spark
        self.owner = owner
        self._at(name)

    @abstractmethod
    def _at(self, name: str) -> None:
        """Takes a name, and the place that belongs to it."""

    @abstractmethod
    def _move(self, name: str) -> None:
        """Renames the table."""

    @abstractmethod
    def _view(self) -> ViewT | None:
        """The table as it is now; None if there is none."""

    @abstractmethod
    def _owner_of(self, view: ViewT) -> str:
        """The table's owner; empty if Tidewire did not create it."""

    @abstractmethod
    def _columns_of(self, view: ViewT) -> tuple[Column, ...]:
        """The table's columns."""

    @abstractmethod
    def _position_of(self, view: ViewT) -> Position | None:
        """The table's position; None if its creation was not completed."""

    @abstractmethod
    def _ended_at(self, view: ViewT) -> int:
        """The commit ts at which the table was dropped in the source; 0 if it was not."""

    @abstractmethod
    def _made(self, columns: Sequence[Column], to: Position) -> ViewT | None:
        """Creates the table. Returns it if it still needs its position."""

    @abstractmethod
    def _mark(self, view: ViewT, at: Position | None, to: Position, ended: bool = False) -> None:
        """Commits a position without rows, and with `ended` that the table was dropped in the source."""

    def _is_conflict(self, error: Exception) -> bool:
        """Whether a step failed because another writer was faster, so that it can be tried again."""
        return False

    def current(self) -> ViewT | None:
        """The table as it is now; None if there is none.

        Raises:
            TargetError: it belongs to another owner.
        """
        view = self._view()
        if view is not None and self._owner_of(view) != self.owner:
            raise taken(self, self.name)
        return view

    def found_owner(self) -> str | None:
        """The owner of the table of that name."""
        view = self._view()
        return None if view is None else self._owner_of(view)

    def columns(self) -> tuple[Column, ...] | None:
        """Its columns."""
        view = self.current()
        return None if view is None else self._columns_of(view)

    def position(self) -> Position | None:
        """The table's position."""
        view = self.current()
        return None if view is None else self._position_of(view)

    def create(self, columns: Sequence[Column], to: Position) -> None:
        """Creates the table; one that a crash left without a position gets one."""
        view = self._view()
        if view is not None and self._owner_of(view) != self.owner:
            self._make_way(view)
            view = None
        if view is None and (view := self._made(columns, to)) is None:
            return
        here = self._position_of(view)
        if here is None:
            self._mark(view, None, to)
        elif here < to:
            raise fenced(self, here, to)

    def rename(self, name: str, at: Position, to: Position) -> None:
        """Renames the table."""
        if self._begun(at, to) is None:
            return
        if name != self.name:
            other = self._other(name, self.owner)
            there = other._view()
            same = there is not None and self._owner_of(there) == self.owner  # some catalogs ignore case in names
            if there is not None and not same:
                other._make_way(there)
            self._at(name) if same else self._move(name)
        self._retried(lambda view: self._mark(view, at, to), at, to)

    def end(self, at: Position, to: Position) -> None:
        """Marks the table as dropped in the source."""
        self._retried(lambda view: self._mark(view, at, to, ended=True), at, to)

    def _begun(self, at: Position, to: Position) -> ViewT | None:
        """The table to start a step from; None if the step was done before."""
        view = self.current()
        return view if begins(self, None if view is None else self._position_of(view), at, to) else None

    def _retried(self, step: Callable[[ViewT], None], at: Position, to: Position) -> None:
        """Carries out a step; repeats it if another writer, not a synchronisation, interfered."""
        for _ in range(TRIES):
            view = self._begun(at, to)
            if view is None:
                return
            try:
                step(view)
                return
            except Exception as error:
                if not self._is_conflict(error):
                    raise
        raise TargetError(
            f"table {self.name} was changed by another program each of the {TRIES} times that Tidewire wrote it: let"
            " compaction run less often"
        )

    def _make_way(self, view: ViewT) -> None:
        """Renames another table of the same synchronisation out of the way."""
        owner = self._owner_of(view)
        if not owner or owner.rpartition("/")[0] != self.owner.rpartition("/")[0]:
            raise taken(self, self.name)
        there = lambda name: self._other(name, owner).found_owner() is not None  # noqa: E731
        self._other(self.name, owner)._move(self.tables.names.aside(self.name, owner, self._ended_at(view), there))

    def _other(self, name: str, owner: str) -> Self:
        """Another table of the target."""
        return type(self)(self.tables, name, owner)

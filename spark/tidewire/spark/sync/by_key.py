"""Streams without watermarks or commit timestamps (`consistency="key"`): each key by itself, immediately.

Nothing tells up to where such a stream is complete, so a micro-batch is applied as soon as it is staged: batch n has
position n, whatever its rows contain. The rows of a key are ordered by commit ts or, if so chosen, by message offset:
the only order of a stream in which some rows lack a commit ts. The last row of a key in a batch is applied if it is
later than the last one applied before. A table beside the user's own stores the latter for all keys ever seen,
including deleted ones. It is written after the user's table: a crash between the two writes leaves different positions,
and the step is completed later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.table_names import quoted
from tidewire.reading.types import SchemaError
from tidewire.runtime.batch import EventColumns
from tidewire.spark.sync.changelog import Position, Staged
from tidewire.spark.sync.rules import NOTHING
from tidewire.spark.sync.targets import CHANGE_TYPE, Column, Table, Tables
from tidewire.spark.sync.targets.places import order_of

ORDER = (Column("_commit_version", "bigint"), Column("_commit_rank", "int"))
"""The columns that order the changes of a key."""


def by_offset(messages: MessageBatch, decoded: EventColumns) -> EventColumns:
    """The events with the offsets of their messages as `commit_ts`."""
    offsets = messages.column("offset", decoded.events.column("message"))
    return decoded.with_columns({"commit_ts": offsets.cast(decoded.events.column("commit_ts").type)})


def at_once(staged: Staged, number: int) -> tuple[Staged, tuple[str, ...]]:
    """The staged rows of a batch, marked so that the next manifest applies all of them; and notes for the user.

    Args:
        staged: all that was staged.
        number: number of the manifest.
    """
    lost = [one for one in staged.statements if any(action.kind not in NOTHING for action in one.actions)]
    kinds = sorted({action.kind for one in lost for action in one.actions} - {"AddColumn", "CreateTable"})
    notes = (
        (
            f"{len(lost)} statements were not followed ({', '.join(kinds)}): with consistency=key nothing tells between"
            " which rows they belong; compare the tables with the source, or build them anew with"
            " tidewire sync reset FILE TABLE",
        )
        if kinds
        else ()
    )
    found = replace(
        staged,
        rows=tuple(one._replace(lo=number, hi=number, late=0) for one in staged.rows),
        watermarks={"": {0: number + 1}},
        statements=(),
        dead=tuple(one._replace(table="", ts=0) for one in staged.dead),
        unmergeable={name: (number, lacks) for name, (_, lacks) in staged.unmergeable.items()},
    )
    return found, notes


class Orders:
    """The order of the last applied change of each key of one table."""

    def __init__(self, tables: Tables, name: str, owner: str) -> None:
        self.table: Table = tables.table(order_of(name), f"{owner}o")

    def position(self) -> Position | None:
        """The position of this table; None if it does not exist."""
        return self.table.position() if self.table.found_owner() == self.table.owner else None

    def create(self, columns: Sequence[Column], keys: Sequence[str], to: Position) -> None:
        """Creates the table, with the key's columns."""
        names = {one.lower() for one in keys}
        self.table.create([*(one for one in columns if one.name.lower() in names), *ORDER], to)

    def check(self, name: str, keys: Sequence[str]) -> None:
        """Refuses rows with another key than the rows applied before.

        Raises:
            SchemaError: the key differs.
        """
        known = {one.name.lower() for one in self.table.columns() or ()} - {one.name for one in ORDER}
        if known != {one.lower() for one in keys}:
            raise SchemaError(
                f"{name}: its rows are told apart by {', '.join(keys)} now, and were by {', '.join(sorted(known))}"
                f" before: build it anew with tidewire sync reset FILE {name}"
            )

    def later(self, last: DataFrame, keys: Sequence[str]) -> DataFrame:
        """From the last change of each key, those later than the change applied before."""
        known = self.table.read(self.table.version()).alias("o")
        same = [F.col(f"s.{quoted(one)}").eqNullSafe(F.col(f"o.{quoted(one)}")) for one in keys]
        order = [F.struct(*(F.col(f"{side}.{one.name}") for one in ORDER)) for side in "so"]
        done = reduce(lambda one, other: one & other, same) & (order[0] <= order[1])
        return last.alias("s").join(known, done, "left_anti")

    def apply(self, last: DataFrame, keys: Sequence[str], at: Position, to: Position) -> None:
        """Stores the order of the applied changes."""
        kept = self.later(last, keys).select(
            *(F.col(quoted(one)) for one in keys), *(one.name for one in ORDER), F.lit("insert").alias(CHANGE_TYPE)
        )
        self.table.apply(kept, keys, at, to)

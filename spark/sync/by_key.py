"""Streams without watermarks or without commit timestamps (`consistency="key"`): each key by itself, at once.

Nothing says up to where such a stream is complete, so that a micro-batch is applied as soon as it is staged: batch n is
at n, whatever its rows say. What orders the rows of a key is their commit ts, or, where that is chosen, the offset of
their message: a stream in which some rows have a commit ts and others have not has no other order. The last of a batch
is applied if it is later than the last that was applied before. That one is known for all keys that ever came, deleted
ones too, from a table beside the user's own. It is written behind that: a crash between leaves the two at different
positions, and what is left of the step is done.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from tidewire.reading.message_batch import MessageBatch
from tidewire.reading.table_names import quoted, split
from tidewire.reading.types import SchemaError
from tidewire.runtime.batch import EventColumns
from tidewire.spark.sync.changelog import Position, Staged, table_name
from tidewire.spark.sync.rules import NOTHING
from tidewire.spark.sync.targets import CHANGE_TYPE, Column, Table, Tables

_ORDER = (Column("_commit_version", "bigint"), Column("_commit_rank", "int"))
"""By which the changes of a key are in order."""


def by_offset(messages: MessageBatch, decoded: EventColumns) -> EventColumns:
    """The same events, with the offset of the message in place of a commit ts."""
    offsets = messages.column("offset", decoded.events.column("message"))
    return decoded.with_columns({"commit_ts": offsets.cast(decoded.events.column("commit_ts").type)})


def at_once(staged: Staged, number: int) -> tuple[Staged, tuple[str, ...]]:
    """What a batch staged, as the next manifest resolves it, and what people have to know of it.

    Args:
        staged: all that was staged.
        number: of the manifest.
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
    """What was applied last of each key of one table."""

    def __init__(self, tables: Tables, name: str, owner: str) -> None:
        schema, table = split(name)
        self.table: Table = tables.table(table_name(schema, f"{table}__order"), f"{owner}o")

    def position(self) -> Position | None:
        """How far it is."""
        return self.table.position() if self.table.found_owner() == self.table.owner else None

    def create(self, columns: Sequence[Column], keys: Sequence[str], to: Position) -> None:
        """Makes it, with the key's columns."""
        names = {one.lower() for one in keys}
        self.table.create([*(one for one in columns if one.name.lower() in names), *_ORDER], to)

    def check(self, name: str, keys: Sequence[str]) -> None:
        """Refuses rows of a table with another key than those had that were applied.

        Raises:
            SchemaError: they have another one.
        """
        known = {one.name.lower() for one in self.table.columns() or ()} - {one.name for one in _ORDER}
        if known != {one.lower() for one in keys}:
            raise SchemaError(
                f"{name}: its rows are told apart by {', '.join(keys)} now, and were by {', '.join(sorted(known))}"
                f" before: build it anew with tidewire sync reset FILE {name}"
            )

    def later(self, last: DataFrame, keys: Sequence[str]) -> DataFrame:
        """Of the last change of each key those that are later than what was applied."""
        known = self.table.read(self.table.version()).alias("o")
        same = [F.col(f"s.{quoted(one)}").eqNullSafe(F.col(f"o.{quoted(one)}")) for one in keys]
        order = [F.struct(*(F.col(f"{side}.{one.name}") for one in _ORDER)) for side in "so"]
        done = reduce(lambda one, other: one & other, same) & (order[0] <= order[1])
        return last.alias("s").join(known, done, "left_anti")

    def apply(self, last: DataFrame, keys: Sequence[str], at: Position, to: Position) -> None:
        """Keeps what was applied."""
        kept = self.later(last, keys).select(
            *(F.col(quoted(one)) for one in keys), *(one.name for one in _ORDER), F.lit("insert").alias(CHANGE_TYPE)
        )
        self.table.apply(kept, keys, at, to)

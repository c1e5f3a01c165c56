"""Compares all tables of a published state with a source, table by table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructField, VariantType

from tidewire.mysql import ColumnType
from tidewire.reading.database.connection import Address, Database
from tidewire.reading.database.dump import Dump
from tidewire.reading.database.dumped_text import RawRows
from tidewire.reading.database.stored_values import StoredValues
from tidewire.reading.options import ReadOptions
from tidewire.reading.types import SchemaError
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import OptionError
from tidewire.spark.arrow_types import wanted
from tidewire.spark.sync.changelog import StateError, table_name
from tidewire.spark.sync.choices import Chosen, Tables, chosen
from tidewire.spark.sync.letters import keys_waiting
from tidewire.spark.sync.manifests import Manifests
from tidewire.spark.sync.named import spelled
from tidewire.spark.sync.publish import Published, Snapshot, snapshot, time_of, tso_of
from tidewire.spark.sync.staging import staging_options
from tidewire.spark.sync.state import identity
from tidewire.spark.sync.targets.shapes import quoted
from tidewire.spark.sync.verifying.comparing import Compared, compare
from tidewire.spark.sync.verifying.row_hashes import RowHashes
from tidewire.spark.sync.verifying.sides import SourceSide, TableSide
from tidewire.tables import TableDescription

SHOWN = 20
"""How many rows of each kind are shown of a table."""
TableName = tuple[str, str]


class Source(Protocol):
    """The source at one TSO."""

    @property
    def timezone(self) -> str | None:
        """In which TIMESTAMP values are printed."""
        ...

    def names(self) -> Sequence[TableName]:
        """All tables."""
        ...

    def describe(self, name: TableName) -> TableDescription:
        """The description of a table."""
        ...

    def columns(self, description: TableDescription) -> Sequence[Column]:
        """The columns whose values it gives."""
        ...

    def rows(self, name: TableName, description: TableDescription) -> Iterator[RawRows]:
        """The rows of a table."""
        ...


@dataclass(frozen=True)
class TableVerdict:
    """What a comparison of one table found.

    Attributes:
        table: its name.
        resolved: the TSO of the published tables.
        verdict: equal; different; or not compared.
        reason: why it is not compared, or different as a whole.
        compared: the rows; None if they were not compared.
        notes: what is not compared of it, and what may explain differences.
        expected: for `not compared`, whether that is as chosen, as for a history.
    """

    table: str
    resolved: int
    verdict: str
    reason: str = ""
    compared: Compared | None = None
    notes: tuple[str, ...] = ()
    expected: bool = False


@dataclass(frozen=True)
class Verification:
    """A comparison that is about to be made.

    Attributes:
        snapshot: the published tables.
        source: the source at the same TSO.
        options: how messages are decoded.
        choice: which tables are kept, and how.
        only: the tables to compare; empty for all.
        shown: how many rows of each kind are shown.
        keys: by table, how many keys wait for a row that can be read.
        at: the source's TSO; it has all changes up to it.
    """

    snapshot: Snapshot
    source: Source
    options: ReadOptions
    choice: Chosen
    only: Collection[str]
    shown: int
    keys: Mapping[str, int]
    at: int

    @property
    def resolved(self) -> int:
        """The TSO of the published tables: they have all changes below it."""
        return self.snapshot.resolved

    def tables(self) -> Iterator[TableVerdict]:
        """The verdicts, table by table.

        Raises:
            OptionError: there is no table of a given name.
            InputError: the source cannot be read.
        """
        there = {table_name(*name): name for name in self.source.names()}
        names = sorted({*self.snapshot, *(one for one in there if self.choice.wanted.named(one))})
        only = [spelled(one, names) for one in self.only]
        for one in only:
            if one not in names:
                more = ", …" if len(names) > 20 else ""
                listed = f"there are {', '.join(names[:20])}{more}" if names else "there is none"
                raise OptionError(f"table {one} is neither published nor in the source: {listed}")
        for name in names:
            if not only or name in only:
                yield self._table(name, there.get(name))

    def _table(self, name: str, source: TableName | None) -> TableVerdict:
        if self.choice.rules.history(name):
            why = "all of its changes are kept (mode: history), not its rows"
            return self._left_out(name, why, expected=True)
        if name in self.snapshot.parked:
            return self._left_out(name, f"it waits, and is older: {self.snapshot.parked[name]}")
        if source is None:
            why = "it is published, and the source has no such table: of a dump with some tables, name those to compare"
            return TableVerdict(name, self.resolved, "different", why)
        description = self.source.describe(source)
        if name not in self.snapshot:
            return self._unpublished(name, source, description)
        try:
            return self._compared(name, source, description, self.snapshot[name])
        except SchemaError as error:
            return self._left_out(name, str(error))

    def _unpublished(self, name: str, source: TableName, description: TableDescription) -> TableVerdict:
        rows = sum(len(one.columns[0]) for one in self.source.rows(source, description) if one.columns)
        if not rows:
            notes = ("it has no rows yet, and is not made",)
            return TableVerdict(name, self.resolved, "equal", compared=Compared(0, 0), notes=notes)
        why = "it is in the source, and not published: it is not made yet, or not kept from its beginning"
        return TableVerdict(name, self.resolved, "different", why, Compared(rows, 0, 1, {"missing": rows}))

    def _compared(
        self, name: str, source: TableName, description: TableDescription, frame: DataFrame
    ) -> TableVerdict:
        columns = {one.name.lower(): one for one in self.source.columns(description)}
        fields = [one for one in frame.schema if one.name.lower() in columns]
        here = {one.name.lower() for one in frame.schema}
        lacking = [one.name for one in columns.values() if one.name.lower() not in here]
        notes, reasons = self._other_columns(name, description, frame, columns)
        if not fields:
            return TableVerdict(name, self.resolved, "different", "it has no column of the source's table", notes=notes)
        selected = frame.select(*(_selected(one) for one in fields))
        keys = {one.lower() for one in description.handle_key}
        if not keys:
            notes = (*notes, "it has no key: rows are compared as a whole")
        names = tuple(one.name for one in fields)
        key_names = tuple(one for one in names if one.lower() in keys)
        if len(key_names) < len(keys):
            return TableVerdict(name, self.resolved, "different", "it lacks columns of the key", notes=notes)
        documents = frozenset(one for one in names if columns[one.lower()].type == ColumnType.JSON)
        hashing = RowHashes(names, key_names or names, documents)
        values = StoredValues(
            list(columns.values()), wanted(selected.schema), self.options, self.source.timezone
        )
        of_source = SourceSide(lambda: self.source.rows(source, description), values, hashing)
        found = compare(of_source, TableSide(selected, hashing), hashing.keys, self.shown)
        if lacking:
            reasons = (f"it has no column {', '.join(lacking)}", *reasons)
        if not found.equal:
            notes = (*notes, *self._explained(name))
        verdict = "different" if reasons or not found.equal else "equal"
        return TableVerdict(name, self.resolved, verdict, "; ".join(reasons), found, notes)

    def _other_columns(
        self, name: str, description: TableDescription, frame: DataFrame, columns: Mapping[str, Column]
    ) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Notes and reasons about columns that only one side has."""
        described = {one.name.lower() for one in description.columns}
        computed = [one.name for one in frame.schema if one.name.lower() in described - columns.keys()]
        alone = [one.name for one in frame.schema if one.name.lower() not in described]
        notes: list[str] = []
        reasons: list[str] = []
        if computed:
            notes.append(f"not compared, as the source computes them: {', '.join(computed)}")
        if alone:
            text = f"columns that the source does not have: {', '.join(alone)}"
            keeps = self.choice.rules.mode(name) in ("lenient", "ignore")
            (notes if keeps else reasons).append(f"not compared, {text}" if keeps else text)
        return tuple(notes), tuple(reasons)

    def _explained(self, name: str) -> Iterator[str]:
        """Sentences about possible causes of differences in a table."""
        if self.keys.get(name):
            yield f"{self.keys[name]:,} of its keys wait for a row that cannot be read: tidewire sync status FILE"
        if self.at >= self.resolved:
            yield (
                f"the source is read at {self.at}, and the tables have the changes below {self.resolved}: a change with"
                f" just that commit ts would differ; dump with --snapshot {self.resolved - 1}"
            )

    def _left_out(self, name: str, why: str, expected: bool = False) -> TableVerdict:
        return TableVerdict(name, self.resolved, "not compared", why, expected=expected)


def _selected(of: StructField) -> Any:
    column = F.col(quoted(of.name))
    return (F.to_json(column) if isinstance(of.dataType, VariantType) else column).alias(of.name)


def verify_dump(spark: SparkSession, state: str, dump: Dump, **more: Any) -> Verification:
    """A comparison of the tables published at the TSO of a dump with its rows.

    Args:
        spark: a session that can read the tables.
        state: the folder of the synchronisation.
        dump: the dump.
        more: tables, options, only and shown, as for `verify_database`.

    Raises:
        StateError: nothing is published at the dump's TSO; the text says what to do.
    """
    resolved = published_at(state, dump)
    return _verification(spark, state, resolved, dump, dump.tso, **more)


def verify_database(
    spark: SparkSession,
    state: str,
    address: Address,
    as_of: Any = None,
    frozen: bool = False,
    opened: Callable[[Address, int | None], Source] = Database,
    **more: Any,
) -> Verification:
    """A comparison of published tables with the rows of a database at the same TSO.

    Args:
        spark: a session that can read the tables.
        state: the folder of the synchronisation.
        address: how to connect.
        as_of: a TSO or a time: the newest tables published at or before it; None: the newest.
        frozen: whether the database is a copy as of that TSO, which nothing changes, so that it is not asked for one.
        opened: opens the source.
        more:
            tables, options: as for `sync`.
            only: the tables to compare, by name; empty for all.
            shown: how many rows of each kind are shown of a table.

    Raises:
        StateError: nothing is published so early.
        InputError: the database cannot be read.
    """
    resolved = Published(state).at(tso_of(spark, as_of)).resolved
    at = resolved - 1
    return _verification(spark, state, resolved, opened(address, None if frozen else at), at, **more)


def _verification(
    spark: SparkSession,
    state: str,
    resolved: int,
    source: Source,
    at: int,
    tables: Tables = "*.*",
    options: Mapping[str, Any] | None = None,
    only: Collection[str] = (),
    shown: int = SHOWN,
) -> Verification:
    choice = chosen(tables, options)
    of = identity(state)
    reading = staging_options(of.source.protocol, choice.reading, str(spark.conf.get("spark.sql.session.timeZone")))
    manifest = Manifests(state, of.source).newest()
    lake = snapshot(spark, state, resolved)
    return Verification(lake, source, reading, choice, tuple(only), shown, keys_waiting(manifest), at)


def published_at(state: str, dump: Dump) -> int:
    """The TSO of the published tables that have what a dump has; Spark is not asked.

    Raises:
        StateError: there are none; the text says what to do.
    """
    every = Published(state).resolved()
    # tables at R have the changes below it, and a dump those up to its TSO
    for one in (dump.tso + 1, dump.tso):
        if one in every:
            return one
    if not every:
        Published(state).at(None)
    newest = every[-1]
    near = sorted(every, key=lambda one: abs(one - dump.tso))[0]
    raise StateError(
        f"the dump in {dump.place} is of {time_of(dump.tso)} ({dump.tso}), and nothing is published at that TSO: the"
        f" nearest is {time_of(near)} ({near}); make a dump of the newest with dumpling --snapshot {newest - 1}"
        f"{'' if near == newest else f', or of that one with --snapshot {near - 1}'}, while TiDB keeps what it had then"
        " (tidb_gc_life_time)"
    )

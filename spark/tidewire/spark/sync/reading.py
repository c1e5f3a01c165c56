"""Reads staged changes of one table between two commit timestamps into frames with the table's columns."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    VariantType,
)

from tidewire.reading.options import ReadOptions
from tidewire.reading.table_names import quoted, split
from tidewire.reading.types import MOST_VERSION, SchemaError
from tidewire.schemas import ROW_METADATA
from tidewire.spark.arrow_types import arrow_schema, sql_name
from tidewire.spark.infer import common_type
from tidewire.spark.sync.changed_rows import NO_KEY, ChangedRows, not_there
from tidewire.spark.sync.changelog import StagedRows
from tidewire.spark.sync.equal_rows import NTH
from tidewire.spark.sync.mixed import FIRST, LAST, TABLE, MixedRows
from tidewire.spark.sync.shapes import METADATA, Shape
from tidewire.spark.sync.staged_files import MESSAGES, ROWS, full, holds
from tidewire.spark.sync.staging import known_by
from tidewire.spark.sync.targets.confs import files_of, view_of
from tidewire.spark.sync.targets.shapes import literal
from tidewire.spark.workers import run_on

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

_WHOLE: dict[type[DataType], int] = {ByteType: 3, ShortType: 5, IntegerType: 10, LongType: 19}
"""The maximum number of digits of each integer type."""
_NTH = StructField(NTH, IntegerType())
_BEHIND = StructType([StructField(one.name, one.dataType, True) for one in ROW_METADATA if one.name in METADATA])


def columns_of(files: Iterable[StagedRows], *, keys_only: bool = False) -> StructType:
    """The columns of a table's staged rows, those of the latest rows first. The metadata of a field contains
    `handle_key`, and `mysql_type` if the protocol carries it.

    Args:
        keys_only: whether the types of other columns than those of the handle key are not needed: they are those of the
            latest rows then.

    Raises:
        SchemaError: no type holds all types that a column had.
    """
    fields: dict[str, StructField] = {}
    ordered = sorted({(one.hi, one.shape) for one in files}, reverse=True)
    shapes = [Shape.parse(text) for text in dict.fromkeys(text for _, text in ordered)]
    # partial rows and deletes have less information than complete rows
    for shape in sorted(shapes, key=lambda one: (bool(one.lacks), one.keys == one.columns)):
        for column in shape.columns:
            name, kind = column.name.lower(), column.kind
            facts: dict[str, Any] = {"handle_key": column.key}
            if column.mysql_type is not None:
                facts["mysql_type"] = column.mysql_type
            known = fields.get(name)
            if known is None:
                fields[name] = StructField(column.name, kind, True, facts)
            elif not keys_only or column.key:
                held = _both(known.name, known.dataType, kind)
                fields[name] = StructField(known.name, held, True, known.metadata)
    return StructType(list(fields.values()))


def _both(name: str, one: DataType, other: DataType) -> DataType:
    """The type that holds the values of both types."""
    if isinstance(one, DecimalType) and isinstance(other, DecimalType):
        scale = max(one.scale, other.scale)
        whole = max(one.precision - one.scale, other.precision - other.scale)
        return DecimalType(min(whole + scale, 38), scale)
    return common_type(name, one, other)


def changes(
    spark: SparkSession,
    protocol: str,
    options: ReadOptions,
    state: str,
    table: str,
    columns: StructType,
    files: Iterable[StagedRows],
    lo: int,
    hi: int,
    *,
    descriptions: Mapping[str, Any] | None = None,
    passed_over: Collection[str] = (),
    leave: Mapping[str, tuple[int, ...]] | None = None,
    only: Mapping[str, int] | None = None,
    merge: bool = True,
    nth: bool = False,
    order: str = "",
    in_one: bool = False,
    latest: Sequence[str] = (),
) -> DataFrame:
    """The changes of a table with lo <= commit ts < hi, in the columns of the target, followed by `_change_type`,
    `_commit_version` and `_commit_rank`. Replayed rows appear repeatedly.

    Deletes have the columns of their key, and null in others. A column that rows lack is null.

    Args:
        protocol, options: those with which the rows were staged.
        state: location of the state, in Spark's form.
        table: name of the table (`changelog.table_name`).
        columns: columns of the target.
        files: staged files with rows of the table.
        lo: the first commit ts.
        hi: the commit ts after the last.
        descriptions: table descriptions in the manifest.
        passed_over: columns that rows may have although the target lacks them.
        leave: keys (`changed_rows.key_text`) whose rows at these commit timestamps are left out.
        only: keys whose rows are included, from a commit ts on; None: all.
        merge: whether the rows are for a MERGE, so that each must be complete and have a key.
        nth: whether to include the column `NTH`, which distinguishes equal rows without a key.
        order: for all rows of the files regardless of their commit ts, one of `choices.ORDERS`; otherwise empty.
        in_one: whether the rows are in one partition.
        latest: the key columns, if only the last change of each key is wanted; the columns that order changes are then
            left out unless `order` needs them. Empty for all changes.

    Raises:
        SchemaError: rows have a column that the target lacks, or whose type its column cannot hold; or they cannot be
            merged. A single value that does not fit is an error of the query.
    """
    mine = [one for one in files if one.table == table and one.hi >= lo and one.lo < hi]
    if order:  # the range in the files' entries is not one of commit timestamps
        lo, hi = 0, MOST_VERSION
        mine = [one._replace(lo=lo, hi=lo) for one in mine]
    shapes = {one.shape: Shape.parse(one.shape) for one in mine}
    over = frozenset(name.lower() for name in passed_over)
    keys = {column.name.lower() for shape in shapes.values() for column in shape.keys}
    if merge:
        for shape in shapes.values():
            if shape.lacks or not shape.keys:
                raise SchemaError(f"{table}: {shape.lacks or NO_KEY}, so that none can be merged")
    frames: list[tuple[DataFrame, StructType, str]] = []
    by_shape: dict[str, list[str]] = {}
    for one in mine:
        if holds(one.path) == ROWS:
            by_shape.setdefault(one.shape, []).append(full(state, one.path))
    for text, paths in sorted(by_shape.items()):
        struct = shapes[text].struct()
        own = [] if shapes[text].keys else [_NTH]
        rows = files_of(spark, sorted(set(paths)), StructType(struct.fields + _BEHIND.fields + own))
        frames.append((rows, struct, f"coalesce({NTH}, 0)" if own else "0"))
    kept = sorted({full(state, one.path) for one in mine if holds(one.path) == MESSAGES})
    # equal rows are numbered per file, over all of its columns
    counted = nth and not all(shape.keys for shape in shapes.values())
    span = (0, MOST_VERSION) if counted else (lo, hi)
    sent = StructType(
        [
            StructField(one.name, StringType() if isinstance(one.dataType, VariantType) else one.dataType, True)
            for one in columns
        ]
    )
    for some in [[one] for one in kept] if counted else [kept] if kept else []:
        frame = _decoded(
            spark, protocol, options, table, sent, some, *span, descriptions or {}, over, order == "offset", counted
        )
        frames.append((frame, sent, NTH if counted else "0"))
    cut = counted or any(one.lo < lo or one.hi >= hi for one in mine)
    by = Latest(latest, [*columns.names, *(METADATA if order else METADATA[:1])]) if latest else None
    at_once = None if leave or only is not None else by
    found = _united(spark, table, frames, columns, over, nth, (lo, hi) if cut else None, in_one, at_once)
    fields = [one for one in columns if one.name.lower() in keys]
    if leave:
        found = _without(spark, found, fields, leave)
    if only is not None:
        found = _by_key(spark, found, fields, only)
    if by is None or at_once is not None:
        return found
    with view_of(found) as view:
        return spark.sql(by.text(view))


class Latest(NamedTuple):
    """The last change of each key.

    Attributes:
        keys: the key columns.
        names: the columns of the result.
    """

    keys: Sequence[str]
    names: Sequence[str]

    def text(self, source: str) -> str:
        """The SQL statement over a view, or over a statement in parentheses."""
        names, keys = (", ".join(map(quoted, some)) for some in (self.names, self.keys))
        nth = f"row_number() over (partition by {keys} order by _commit_version desc, _commit_rank desc)"
        last = "_tidewire_last"
        while last in {one.lower() for one in self.names}:
            last += "_"
        return f"select {names} from (select *, {nth} as {last} from {source}) where {last} = 1"


def _united(
    spark: SparkSession,
    table: str,
    frames: Sequence[tuple[DataFrame, StructType, str]],
    columns: StructType,
    over: Collection[str],
    nth: bool,
    span: tuple[int, int] | None,
    in_one: bool,
    latest: Latest | None,
) -> DataFrame:
    """The rows of all frames in the target's columns. Each frame comes with its columns and an SQL expression for
    `NTH`.

    It is one SQL statement: with frames, each column takes several calls of Java, and at each step the plan is analysed
    again.
    """
    with ExitStack() as views:
        parts = []
        for frame, own, number in frames:
            view = views.enter_context(view_of(frame))
            found = [*_selected(table, own, columns, over), *METADATA, *([f"{number} as {NTH}"] if nth else [])]
            parts.append(f"select {', '.join(found)} from {view}")
        if not parts:
            nulls = [f"cast(null as {one.dataType.simpleString()}) as {quoted(one.name)}" for one in columns]
            behind = [*_BEHIND, *([_NTH] if nth else [])]
            nulls += [f"cast(null as {one.dataType.simpleString()}) as {one.name}" for one in behind]
            parts.append(f"select {', '.join(nulls)} from range(0)")
        where = "" if span is None else f" where _commit_version >= {span[0]} and _commit_version < {span[1]}"
        hint = "/*+ coalesce(1) */ " if in_one else ""
        text = f"select {hint}* from ({' union all '.join(parts)}){where}"
        return spark.sql(text if latest is None else latest.text(f"({text})"))


def _selected(table: str, own: StructType, columns: StructType, over: Collection[str]) -> list[str]:
    """SQL for the target's columns, from rows with these columns."""
    there = {one.name.lower(): one for one in own}
    wanted = {one.name.lower() for one in columns}
    for one in own:
        if one.name.lower() not in wanted and one.name.lower() not in over:
            raise SchemaError(not_there(table, one.name))
    found = []
    for one in columns:
        given = there.get(one.name.lower())
        value = f"cast(null as {one.dataType.simpleString()})" if given is None else _held(table, given, one.dataType)
        found.append(f"{value} as {quoted(one.name)}")
    return found


def _held(table: str, given: StructField, wanted: DataType) -> str:
    """SQL that converts a staged column to the type of the target's column exactly; otherwise the query fails."""
    column, kind, type = quoted(given.name), given.dataType, wanted.simpleString()
    if kind == wanted:
        return column
    if isinstance(kind, StringType) and isinstance(wanted, VariantType):
        return f"parse_json({column})"
    if isinstance(kind, StringType) and isinstance(wanted, BinaryType):
        return f"cast({column} as binary)"
    if isinstance(kind, FloatType) and isinstance(wanted, DoubleType):
        return f"cast({column} as double)"
    if _digits(kind) is not None and isinstance(wanted, StringType):
        return f"cast({column} as string)"
    there, room = _digits(kind), _digits(wanted)
    if there is None or room is None:
        raise SchemaError(
            f"{table}, column {given.name!r}: rows have {sql_name(kind)}, which {sql_name(wanted)} of the table cannot "
            "hold: change the column of the table, or build the table anew"
        )
    if there[0] < room[0] + isinstance(wanted, DecimalType) and there[1] <= room[1]:
        return f"cast({column} as {type})"
    narrow = f"try_cast({column} as {type})"
    lost = f"{column} is not null and ({narrow} is null or not coalesce({narrow} = {column}, false))"
    where, why = literal(f"{table}, column '{given.name}': "), literal(f" does not fit {sql_name(wanted)}")
    reason = f"concat({where}, cast({column} as string), {why})"
    return f"case when {lost} then cast(raise_error({reason}) as {type}) else {narrow} end"


def _digits(kind: DataType) -> tuple[int, int] | None:
    """The maximum digits before and after the decimal point; None if the type is not an exact number."""
    if isinstance(kind, DecimalType):
        return kind.precision - kind.scale, kind.scale
    whole = _WHOLE.get(type(kind))
    return None if whole is None else (whole, 0)


def _decoded(
    spark: SparkSession,
    protocol: str,
    options: ReadOptions,
    table: str,
    sent: StructType,
    paths: Sequence[str],
    lo: int,
    hi: int,
    descriptions: Mapping[str, Any],
    over: frozenset[str],
    by_offset: bool,
    nth: bool,
) -> DataFrame:
    """The changes of a table stored as messages, in the target's columns, with VARIANT as text."""
    schema = StructType(sent.fields + _BEHIND.fields + ([_NTH] if nth else []))
    schema_name, name = split(table)
    task = MixedRows(
        protocol,
        options,
        arrow_schema(schema),
        (schema_name, name),
        ChangedRows(protocol, options, sent, over),
        lo,
        hi,
        by_offset,
        tables=known_by(descriptions),
    )
    messages = files_of(spark, paths).where((F.col(TABLE) == table) & (F.col(LAST) >= lo) & (F.col(FIRST) < hi))
    return run_on(messages.drop(TABLE, FIRST, LAST), task, schema)


def ended_keys(spark: SparkSession, rows: DataFrame, keys: Mapping[str, int]) -> set[str]:
    """The given keys that have a row later than a commit ts.

    Args:
        rows: the key columns, then those of `METADATA`.
        keys: the commit ts by key (`changed_rows.key_text`).
    """
    fields = [one for one in rows.schema if one.name not in METADATA]
    known, same = _known_keys(spark, rows, fields, ((key, ts) for key, ts in keys.items()))
    found = rows.join(known, same & (rows["_commit_version"] > known["ts"])).select(known["key"]).distinct()
    return {row.key for row in found.collect()}


def _by_key(spark: SparkSession, rows: DataFrame, fields: Sequence[StructField], keys: Mapping[str, int]) -> DataFrame:
    """The rows of these keys, from the key's commit ts on."""
    known, same = _known_keys(spark, rows, fields, keys.items())
    return rows.join(known, same & (rows["_commit_version"] >= known["ts"]), "left_semi")


def _without(
    spark: SparkSession, rows: DataFrame, fields: Sequence[StructField], keys: Mapping[str, tuple[int, ...]]
) -> DataFrame:
    """The rows without changes of `keys`: for each key, the commit timestamps of its changes to leave out."""
    known, same = _known_keys(spark, rows, fields, ((key, ts) for key, each in keys.items() for ts in each))
    return rows.join(known, same & (rows["_commit_version"] == known["ts"]), "left_anti")


def _known_keys(
    spark: SparkSession, rows: DataFrame, fields: Sequence[StructField], keys: Iterable[tuple[str, int]]
) -> tuple[DataFrame, Column]:
    """A frame of keys with a commit ts each, and the condition by which it is joined with rows."""
    ordered = sorted(fields, key=lambda one: one.name.lower())
    names = [f"key {at}" for at in range(len(ordered))]
    schema = StructType([StructField(name, StringType()) for name in (*names, "key")])
    schema = StructType([*schema, StructField("ts", LongType())])
    texts = spark.createDataFrame([(*json.loads(key), key, ts) for key, ts in keys], schema)
    typed = [
        (
            F.unhex(quoted(name)) if isinstance(one.dataType, BinaryType) else F.col(quoted(name)).cast(one.dataType)
        ).alias(name)
        for name, one in zip(names, ordered, strict=True)
    ]
    known = F.broadcast(texts.select(*typed, "key", "ts"))
    same = F.lit(True)
    for name, one in zip(names, ordered, strict=True):
        same = same & (rows[quoted(one.name)] == known[quoted(name)])
    return known, same

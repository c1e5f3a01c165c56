"""The last change of each key in staged files, in the columns of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from pyspark.sql.types import StructField, StructType

from tidewire.reading.table_names import split
from tidewire.runtime.arrow.literals import column_of
from tidewire.schemas import ROW_METADATA
from tidewire.spark.arrow_types import arrow_schema, spark_type
from tidewire.spark.sync.changed_rows import ChangedRows, key_text
from tidewire.spark.sync.mixed import FIRST, LAST, TABLE, MixedRows
from tidewire.spark.sync.native import files
from tidewire.spark.sync.native.work import COLUMNS, MOST_CHANGES, Unsuited, Work
from tidewire.spark.sync.shapes import METADATA
from tidewire.spark.sync.staging import known_by

CHANGE_TYPE, VERSION, RANK = METADATA
_BEHIND = [StructField(one.name, one.dataType, True) for one in ROW_METADATA if one.name in METADATA]
_NUMBERS = (pa.types.is_integer, pa.types.is_decimal)


def keys_of(work: Work, columns: pa.Schema) -> list[str]:
    """The key columns, as the table names them.

    Raises:
        Unsuited: the table lacks one.
    """
    known = {name.lower(): name for name in columns.names}
    if lacking := [key for key in work.keys if key.lower() not in known]:
        raise Unsuited(f"the table has no column {lacking[0]}", COLUMNS)
    return [known[key.lower()] for key in work.keys]


def last_changes(work: Work, keys: Sequence[str], columns: pa.Schema) -> pa.Table:
    """The last change of each key: the table's columns, then `_change_type`.

    Columns that rows lack are null. Changes of one key are in the order of commit ts and rank.

    Args:
        keys: names of the key columns in `columns`.
        columns: of the table.

    Raises:
        Unsuited: only Spark converts these values, a key has null in it, or there are too many changes.
    """
    _check_size(work)
    known = {name.lower() for name in columns.names}
    if known.intersection(METADATA):
        raise Unsuited("the table has all changes, and is no table of rows")
    if not work.ignores and (lacking := [name for name in work.columns if name.lower() not in known]):
        raise Unsuited(f"the table has no column {lacking[0]}", COLUMNS)
    parts = [_fitted(_between(parquet.read_table(**files.of(path)), work.lo, work.hi), columns) for path in work.rows]
    if work.messages:
        parts += [_fitted(rows, columns) for rows in _decoded(work, columns)]
    parts = [part for part in parts if part.num_rows] or parts[:1] or [_none(columns)]
    rows = _wanted(pa.concat_tables(parts), keys, work)
    for key in keys:
        if rows.column(key).null_count:
            raise Unsuited(f"key column {key} has null in it")
        if pa.types.is_floating(rows.column(key).type):
            raise Unsuited(f"key column {key} has numbers with NaN and two zeros")
    return _last(rows, keys).drop_columns([VERSION, RANK])


def _check_size(work: Work) -> None:
    size = 0
    for path in (*work.rows, *work.messages):
        of = files.metadata(path)
        size += sum(of.row_group(at).total_byte_size for at in range(of.num_row_groups))
    if size > MOST_CHANGES:
        raise Unsuited(
            f"its changes are {size >> 20} MiB, and a worker takes up to {MOST_CHANGES >> 20} at once; fewer come in a"
            " micro-batch with maxOffsetsPerTrigger"
        )


def _none(columns: pa.Schema) -> pa.Table:
    behind = [pa.field(CHANGE_TYPE, pa.utf8()), pa.field(VERSION, pa.int64()), pa.field(RANK, pa.int32())]
    return pa.schema([*columns, *behind]).empty_table()


def _between(rows: pa.Table, lo: int, hi: int) -> pa.Table:
    version = rows.column(VERSION)
    span = pc.min_max(version).as_py()
    if span["min"] is None or (span["min"] >= lo and span["max"] < hi):
        return rows
    return rows.filter(pc.and_(pc.greater_equal(version, lo), pc.less(version, hi)))


def _decoded(work: Work, columns: pa.Schema) -> Iterator[pa.Table]:
    """The rows in files of messages."""
    protocol, options, name, descriptions = work.decoding
    schema_name, table = split(name)
    try:
        sent = StructType([StructField(one.name, spark_type(one.type), True) for one in columns])
    except KeyError as error:
        raise Unsuited(f"rows kept as messages are not decoded to {error}") from None
    schema = arrow_schema(StructType([*sent.fields, *_BEHIND]))
    over = frozenset(name.lower() for name in work.columns) if work.ignores else frozenset()
    task = MixedRows(
        protocol,
        options,
        schema,
        (schema_name, table),
        ChangedRows(protocol, options, sent, over),
        work.lo,
        work.hi,
        tables=known_by(descriptions),
    )
    mine = [(TABLE, "==", name), (LAST, ">=", work.lo), (FIRST, "<", work.hi)]
    for path in work.messages:
        messages = parquet.read_table(**files.of(path), filters=mine).drop_columns([TABLE, FIRST, LAST])
        for batch in task(messages.to_batches()):
            yield pa.Table.from_batches([batch])


def _fitted(rows: pa.Table, columns: pa.Schema) -> pa.Table:
    """The rows in the columns of a table, then those of `METADATA`."""
    given = {name.lower(): at for at, name in enumerate(rows.column_names)}
    arrays = []
    for field in columns:
        at = given.get(field.name.lower())
        if at is None:
            arrays.append(pa.nulls(rows.num_rows, field.type))
        else:
            arrays.append(_held(rows.column(at), field))
    schema = pa.schema([*columns, *(rows.schema.field(name) for name in METADATA)])
    return pa.table([*arrays, *(rows.column(name) for name in METADATA)], schema=schema)


def _held(values: pa.ChunkedArray, field: pa.Field) -> pa.ChunkedArray:
    """The values in the type of the table's column, where that is exact; as `reading.changes` does."""
    kind, wanted = values.type, field.type
    if kind == wanted:
        return values
    exact = all(any(is_one(one) for is_one in _NUMBERS) for one in (kind, wanted))
    if not (
        exact
        or (pa.types.is_float32(kind) and pa.types.is_float64(wanted))
        or (pa.types.is_string(kind) and pa.types.is_binary(wanted))
        or (pa.types.is_integer(kind) and pa.types.is_string(wanted))
    ):
        raise Unsuited(f"column {field.name} is {wanted}, and rows have {kind}")
    try:
        return values.cast(wanted)
    except pa.ArrowInvalid as error:
        raise Unsuited(f"column {field.name}: {error}") from None


def _wanted(rows: pa.Table, keys: Sequence[str], work: Work) -> pa.Table:
    """The rows without those in `leave`, and of the keys in `only` alone."""
    if work.only is None and not work.leave:
        return rows
    only, leave = work.only, work.leave
    versions = rows.column(VERSION).to_pylist()
    mask = [only is None] * rows.num_rows
    whole = {ts for each in leave.values() for ts in each}
    asked = [at for at, ts in enumerate(versions) if only is not None or ts in whole]
    for at, key in zip(asked, _key_texts(rows.select(list(keys)).take(asked), keys), strict=True):
        if only is not None:
            mask[at] = versions[at] >= only.get(key, work.hi)
        if versions[at] in leave.get(key, ()):
            mask[at] = False
    return rows.filter(column_of(mask, pa.bool_()))


def _key_texts(rows: pa.Table, keys: Sequence[str]) -> Iterator[str]:
    columns: Mapping[str, list[object]] = rows.to_pydict()
    for values in zip(*(columns[key] for key in keys), strict=True):
        yield key_text(keys, values)


def _last(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    ordered = rows.take(pc.sort_indices(rows, sort_keys=[(VERSION, "ascending"), (RANK, "ascending")]))
    names = [f"k{at}" for at in range(len(keys))]  # a key column may be called like the column of numbers
    numbered = ordered.select(list(keys)).rename_columns(names)
    numbered = numbered.append_column("at", whole_numbers(numpy.arange(rows.num_rows)))
    last = numbered.group_by(names, use_threads=False).aggregate([("at", "max")]).column("at_max")
    return ordered if len(last) == rows.num_rows else ordered.take(last)


def whole_numbers(values: numpy.ndarray) -> pa.Array:
    """The numbers as an array of int64. `pa.array` would import pandas, which takes time in a worker."""
    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values.astype(numpy.int64, copy=False))])

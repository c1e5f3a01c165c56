"""Writes files of an Iceberg table in a worker: the rows that changes bring, and the positions of the rows that they
take.

The driver adds both files to the table in one commit. Deleted rows are named by file and position, as MERGE does with
merge-on-read; workers look the keys up in the key columns of the data files, whose statistics rule most of them out.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from tidewire.runtime.arrow.literals import column_of
from tidewire.spark.sync.native import files as addressed
from tidewire.spark.sync.native.last_changes import CHANGE_TYPE, keys_of, last_changes, whole_numbers
from tidewire.spark.sync.native.work import Left, Unsuited, Work, left

FIELD_ID = b"PARQUET:field_id"
_POSITIONS = pa.schema(
    [
        pa.field("file_path", pa.utf8(), False, {FIELD_ID: b"2147483546"}),
        pa.field("pos", pa.int64(), False, {FIELD_ID: b"2147483545"}),
    ]
)
"""The columns of a file of position deletes, with the ids that Iceberg's specification reserves for them."""
_MOST_POSITIONS = 1_000_000
"""Files of more positions are not read: rows that are deleted twice are deleted."""


class DataFile(NamedTuple):
    """A data file, and the files with positions of rows that are deleted in it."""

    location: str
    deletes: tuple[str, ...]


class DataFiles(NamedTuple):
    """The data files of a table, as the driver read them.

    Attributes:
        metadata: the file of the table's metadata that was read.
        into: where a data file may be written: the beginning of its path.
        columns: with the ids of fields, in the types of files.
        compression: of new files.
        files: all of them.
    """

    metadata: str
    into: str
    columns: pa.Schema
    compression: str
    files: tuple[DataFile, ...]


class WrittenFile(NamedTuple):
    """A file that was written: its location and its bytes."""

    location: str
    size: int


class Written(NamedTuple):
    """The files with the changes of one table.

    Attributes:
        number: the table's id.
        metadata: of `DataFiles`.
        rows: the file of new rows; None for no rows.
        deletes: the file of positions; None for no positions.
        seconds: the time that it took.
    """

    number: str
    metadata: str
    rows: WrittenFile | None
    deletes: WrittenFile | None
    seconds: float

    def discard(self) -> None:
        """Removes the files, which no commit names."""
        for one in (self.rows, self.deletes):
            if one is not None:
                addressed.remove(one.location)


def write(work: Work, files: DataFiles) -> Written | Left:
    """Writes the files for the changes of one table."""
    began = time.perf_counter()
    new = None
    try:
        keys = keys_of(work, files.columns)
        changes = last_changes(work, keys, files.columns)
        rows = changes.filter(pc.not_equal(changes.column(CHANGE_TYPE), "delete")).drop_columns([CHANGE_TYPE])
        found = list(_positions(files, changes.select(keys)))
        name = f"{files.into}-{uuid.uuid4().hex}"  # another one each time that a task is tried
        new = _written(f"{name}.parquet", rows.cast(files.columns), files.compression) if rows.num_rows else None
        gone = _written(f"{name}-deletes.parquet", _deletes(found), files.compression) if found else None
    except BaseException as error:
        Written(work.number, files.metadata, new, None, 0).discard()
        return left(work.number, error)
    return Written(work.number, files.metadata, new, gone, time.perf_counter() - began)


def _positions(files: DataFiles, keys: pa.Table) -> Iterator[tuple[str, numpy.ndarray]]:
    """By data file, the positions of rows with one of these keys that are there."""
    bounds = {name: pc.min_max(keys.column(name)).as_py() for name in keys.column_names}
    ids = {name: files.columns.field(name).metadata[FIELD_ID] for name in keys.column_names}
    deleted: dict[str, pa.Table] = {}
    for location, deletes in sorted(files.files):
        with parquet.ParquetFile(**addressed.of(location)) as file:
            names = _names(file.schema_arrow, ids)
            met = [numpy.empty(0, numpy.int64)]
            start = 0
            for at in range(file.num_row_groups):  # one at a time: a file may have any size
                group = file.metadata.row_group(at)
                if _may_have(group, names, bounds):
                    rows = file.read_row_group(at, columns=list(names.values()))
                    own = pa.table([rows.column(names[key]) for key in ids], list(ids)).cast(keys.schema)
                    met.append(_met(own, keys) + start)
                start += group.num_rows
        places = numpy.concatenate(met)
        if places.size and deletes:
            places = numpy.setdiff1d(places, _gone(location, deletes, deleted))
        if places.size:
            yield location, places


def _names(schema: pa.Schema, ids: dict[str, bytes]) -> dict[str, str]:
    """The names that key columns have in a file, by their ids."""
    by_id = {(field.metadata or {}).get(FIELD_ID): field.name for field in schema}
    if lacking := [name for name, id in ids.items() if id not in by_id]:
        raise Unsuited(f"a data file has no key column {lacking[0]}, or no ids of columns")
    return {name: by_id[id] for name, id in ids.items()}


def _may_have(group: parquet.RowGroupMetaData, names: dict[str, str], bounds: dict[str, dict[str, Any]]) -> bool:
    """Whether rows of a row group may have one of the keys, by the statistics of the group."""
    columns = {group.column(at).path_in_schema: group.column(at) for at in range(group.num_columns)}
    for key, name in names.items():
        statistics = columns[name].statistics if name in columns else None
        if statistics is None or not statistics.has_min_max:
            continue
        try:
            if statistics.max < bounds[key]["min"] or statistics.min > bounds[key]["max"]:
                return False
        except TypeError:
            continue  # values of another type than the column has now
    return True


def _met(own: pa.Table, keys: pa.Table) -> numpy.ndarray:
    """The numbers of rows that have one of these keys."""
    if keys.num_columns == 1:
        met = pc.is_in(own.column(0), value_set=keys.column(0).combine_chunks())
        return numpy.flatnonzero(met.to_numpy(zero_copy_only=False))
    names = [f"k{at}" for at in range(keys.num_columns)]
    numbered = own.rename_columns(names).append_column("place", whole_numbers(numpy.arange(own.num_rows)))
    joined = numbered.join(keys.rename_columns(names), names, join_type="left semi")
    return numpy.sort(joined.column("place").to_numpy())


def _gone(location: str, deletes: Sequence[str], known: dict[str, pa.Table]) -> numpy.ndarray:
    """The positions in a data file that are deleted already: a row that changes often would be deleted again each time.
    """
    found = [numpy.empty(0, numpy.int64)]
    for one in deletes:
        if one not in known:
            few = addressed.metadata(one).num_rows <= _MOST_POSITIONS
            at = addressed.of(one)
            known[one] = parquet.read_table(**at, columns=_POSITIONS.names) if few else _POSITIONS.empty_table()
        rows = known[one].filter(pc.equal(known[one].column("file_path"), location))
        found.append(rows.column("pos").to_numpy())
    return numpy.concatenate(found)


def _deletes(found: Sequence[tuple[str, numpy.ndarray]]) -> pa.Table:
    paths = column_of([location for location, _ in found], pa.utf8())
    counts = numpy.repeat(numpy.arange(len(found)), [places.size for _, places in found])
    positions = whole_numbers(numpy.concatenate([places for _, places in found]))
    return pa.table([paths.take(whole_numbers(counts)), positions], schema=_POSITIONS)


def _written(location: str, rows: pa.Table, compression: str) -> WrittenFile:
    return WrittenFile(location, addressed.write(location, rows, compression))

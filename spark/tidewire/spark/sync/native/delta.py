"""Merges changes into Delta tables by delta-rs, in a worker."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.spark.sync.native.last_changes import CHANGE_TYPE, keys_of, last_changes
from tidewire.spark.sync.native.work import AGAIN, PLACE, POSITION, Left, Merged, Unsuited, Work, left
from tidewire.spark.sync.s3 import delta_options
from tidewire.spark.sync.storage import storage
from tidewire.spark.sync.targets.delta_log import OWNER, TWICE, identifier, last_position, lines_in

if TYPE_CHECKING:
    from deltalake import DeltaTable

    from tidewire.spark.sync.changelog import Position

MOST_TABLE = 64 << 20
"""The size in bytes up to which a table is merged by a worker, which writes anew each file in which rows change."""
_MOST_HELD = 256 << 20
"""What a merge holds in its joins; a merge that needs more is left to Spark."""
_GROUP = 100_000
"""Rows of a row group: those of one are held until it is written."""
_LOOK_BACK = 100
"""Commits that are read, newest first, for the table's position."""
_FEATURES = {"appendOnly", "columnMapping", "deletionVectors", "invariants", "timestampNtz"}
"""Features of a table that ask no more of a writer than delta-rs does, where no column or property uses them so."""
_OF_COLUMNS = {"comment", "delta.columnMapping.id", "delta.columnMapping.physicalName"}
"""What may be said of a column."""


def merge(work: Work) -> Merged | Left:
    """Merges the changes of one table, in one commit that records its position.

    The position is read in the snapshot that is merged, and a commit that another writer was faster than is refused:
    delta-rs itself lets a lower version of a transaction through, and takes it for the newest.
    """
    began = time.perf_counter()
    try:
        version = _merged(work)
    except BaseException as error:
        return left(work.number, error)
    return Merged(work.number, "", version, time.perf_counter() - began)


def check(place: str) -> None:
    """Refuses a table that only Spark can write.

    Args:
        place: its folder.

    Raises:
        Unsuited: it is such a table.
    """
    _check(_opened(place))


def _opened(place: str) -> DeltaTable:
    try:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaProtocolError, TableNotFoundError
    except ImportError:
        raise Unsuited("the Python of Spark's executors has no deltalake: pip install 'tidewire[native]'") from None
    if "%" in place:
        raise Unsuited("delta-rs opens no folder with % in its name")
    try:
        return DeltaTable(place, storage_options=delta_options(place))
    except TableNotFoundError:
        raise Unsuited("there is no such table", PLACE) from None
    except DeltaProtocolError as error:
        raise Unsuited(f"delta-rs: {error}") from None


def _check(table: DeltaTable) -> None:
    of = table.protocol()
    if other := {*(of.reader_features or ()), *(of.writer_features or ())} - _FEATURES:
        raise Unsuited(f"it has features that workers do not write: {', '.join(sorted(other))}")
    settings = table.metadata().configuration
    for name, value in settings.items():
        used = name.startswith("delta.constraints.") or (
            name in ("delta.appendOnly", "delta.enableChangeDataFeed") and value == "true"
        )
        if used:
            raise Unsuited(f"it has the property {name}")
    for field in json.loads(table.schema().to_json())["fields"]:
        if field["metadata"].keys() - _OF_COLUMNS or not field["nullable"]:
            raise Unsuited(f"column {field['name']} has rules, which Spark keeps")
    size = sum(pa.table(table.get_add_actions()).column("size_bytes").to_pylist())
    if size > MOST_TABLE:
        raise Unsuited(
            f"the table has {size >> 20} MiB, and workers, which write files anew, take up to {MOST_TABLE >> 20}"
        )


def _merged(work: Work) -> int:
    table = _opened(work.place)
    if table.metadata().configuration.get(OWNER) != work.owner:
        raise Unsuited("the table there has another owner", PLACE)
    here: Position | None = work.at
    if table.version() != work.known:
        here = last_position(partial(lines_in, storage(work.place)), work.owner, table.version(), _LOOK_BACK)
    if here == work.to != work.at:
        return int(table.version())
    if here != work.at:
        raise Unsuited("the table is at another position", POSITION)
    _check(table)
    columns = pa.schema(table.schema())
    keys = keys_of(work, columns)
    rows = last_changes(work, keys, columns)
    pa.default_memory_pool().release_unused()  # what was read stays beside what delta-rs takes otherwise
    _merge(table, work, keys, rows)
    return int(table.version())


def _merge(table: DeltaTable, work: Work, keys: list[str], rows: pa.Table) -> None:
    from deltalake import CommitProperties, Transaction, WriterProperties
    from deltalake.exceptions import CommitFailedError

    # names of columns are numbered in the source, so that none can be taken for another
    names = {name: f"c{at}" for at, name in enumerate(rows.column_names) if name != CHANGE_TYPE}
    deleted = pc.equal(rows.column(CHANGE_TYPE), "delete")
    source = rows.drop_columns([CHANGE_TYPE]).rename_columns(list(names.values())).append_column("deleted", deleted)
    same = " and ".join(f"t.{_quoted(key)} = s.{names[key]}" for key in keys)
    values = {_quoted(name): f"s.{column}" for name, column in names.items()}
    changed = {_quoted(name): f"s.{column}" for name, column in names.items() if name not in keys}
    if work.at == work.to:
        done = Transaction(work.owner + TWICE, table.version())
    else:
        done = Transaction(identifier(work.owner, work.to), work.to.ts)
    before = table.version()
    try:
        merger = table.merge(
            source,
            same,
            source_alias="s",
            target_alias="t",
            writer_properties=WriterProperties(max_row_group_size=_GROUP),
            max_spill_size=_MOST_HELD,
            commit_properties=CommitProperties(app_transactions=[done], max_commit_retries=0),
        ).when_matched_delete("s.deleted")
        if changed:
            merger = merger.when_matched_update(changed)
        merger.when_not_matched_insert(values, "not s.deleted").execute()
    except CommitFailedError as error:
        raise Unsuited(f"another program changed the table meanwhile ({error})", AGAIN) from None
    if table.version() == before:
        raise Unsuited("delta-rs made no commit")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'

"""What workers need to write files of an Iceberg table themselves, and the snapshot that adds these files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pyarrow as pa
from pyspark.sql.types import StructType

from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.sync.native.iceberg import FIELD_ID, DataFile, DataFiles, Written
from tidewire.spark.sync.native.work import Unsuited
from tidewire.spark.sync.s3 import is_s3
from tidewire.spark.sync.targets.names import plain_path
from tidewire.spark.sync.targets.shapes import Column, quoted

MOST_FILES = 1000
"""The most data files of a table in which workers look keys up."""
_STORED = {pa.int8(): pa.int32(), pa.int16(): pa.int32()}
"""Types that Iceberg lacks, and those of its files."""
_CODECS = ("zstd", "snappy", "gzip", "lz4", "brotli")
_PLACES = ("write.object-storage.enabled", "write.location-provider.impl", "write.data.path")
_MODES = ("write.merge.mode", "write.update.mode", "write.delete.mode")


def check_rows(table: Any) -> None:
    """Refuses a table whose rows only Spark can write.

    Args:
        table: Iceberg's object.

    Raises:
        Unsuited: it is such a table.
    """
    version = table.operations().current().formatVersion()
    if table.spec().isPartitioned():
        raise Unsuited("the table is partitioned")
    if table.sortOrder().isSorted():
        raise Unsuited("the table has a sort order")
    if version != 2:
        raise Unsuited(f"the table is of Iceberg's format {version}, and workers write files of positions, as 2 has")
    properties = table.properties()
    if str(properties.get(_MODES[0])) != "merge-on-read":
        raise Unsuited(f"the table is not merged on read ({_MODES[0]})")
    if str(properties.get("write.format.default") or "parquet").lower() != "parquet":
        raise Unsuited("the table's files are not Parquet's (write.format.default)")
    if other := [name for name in _PLACES if properties.get(name) not in (None, "false")]:
        raise Unsuited(f"the table says where its files are ({other[0]})")
    if not ((place := plain_path(table.location())).startswith("/") or is_s3(place)):
        raise Unsuited(f"the table is at {place}, and workers write in folders or in S3")
    if required := [one.name() for one in table.schema().columns() if one.isRequired()]:
        raise Unsuited(f"column {required[0]} is required, which Spark checks")


def data_files(table: Any, columns: Sequence[Column]) -> DataFiles:
    """The data files of a table.

    Args:
        table: Iceberg's object.
        columns: of the table.

    Raises:
        Unsuited: only Spark can write rows of this table.
    """
    check_rows(table)
    ids = {str(one.name()): int(one.fieldId()) for one in table.schema().columns()}
    kinds = cast(StructType, StructType.fromDDL(", ".join(f"{quoted(one.name)} {one.type}" for one in columns)))
    fields = [
        pa.field(one.name, _STORED.get(one.type, one.type), True, {FIELD_ID: str(ids[one.name]).encode()})
        for one in arrow_schema(kinds)
    ]
    found = []
    files = table.newScan().planFiles()
    try:
        each = files.iterator()
        while each.hasNext():
            task = each.next()
            deletes = [str(one.location()) for one in task.deletes() if str(one.content()) == "POSITION_DELETES"]
            found.append(DataFile(str(task.file().location()), tuple(deletes)))
            if len(found) > MOST_FILES:
                raise Unsuited(f"the table has more than {MOST_FILES:,} data files: compact it")
    finally:
        files.close()
    codec = str(table.properties().get("write.parquet.compression-codec") or "zstd").lower()
    return DataFiles(
        str(table.operations().current().metadataFileLocation()),
        f"{table.location()}/data/tidewire",
        pa.schema(fields),
        codec if codec in _CODECS else "zstd",
        tuple(found),
    )


def added(jvm: Any, tx: Any, written: Written) -> Any:
    """The uncommitted snapshot with the files that a worker wrote, in a transaction.

    Args:
        jvm: Iceberg's package.
        tx: the transaction.
        written: the files.
    """
    table = tx.table()
    delta = tx.newRowDelta()
    if written.rows is not None:
        file = table.io().newInputFile(written.rows.location)
        metrics = jvm.parquet.ParquetUtil.fileMetrics(file, jvm.MetricsConfig.forTable(table))
        made = jvm.DataFiles.builder(table.spec()).withPath(written.rows.location).withFormat(jvm.FileFormat.PARQUET)
        delta.addRows(made.withFileSizeInBytes(written.rows.size).withMetrics(metrics).build())
    if written.deletes is not None:
        file = table.io().newInputFile(written.deletes.location)
        metrics = jvm.parquet.ParquetUtil.fileMetrics(file, jvm.MetricsConfig.forPositionDelete())
        gone = jvm.FileMetadata.deleteFileBuilder(table.spec()).ofPositionDeletes()
        gone = gone.withPath(written.deletes.location).withFormat(jvm.FileFormat.PARQUET)
        delta.addDeletes(gone.withFileSizeInBytes(written.deletes.size).withMetrics(metrics).build())
    return delta

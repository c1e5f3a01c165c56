"""Files of Parquet that become files of an Iceberg table as they are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAPPING = "schema.name-mapping.default"
"""The property that says which column is which in files without ids; Iceberg keeps it up to date with the schema."""


def append_of(jvm: Any, tx: Any, sizes: Mapping[str, int]) -> Any:
    """What adds files to a table in a transaction, and is not committed yet.

    Args:
        jvm: Iceberg's package.
        tx: the transaction.
        sizes: the bytes of each file, by its path in the table's folder.
    """
    table = tx.table()
    mapping = jvm.mapping.MappingUtil.create(table.schema())
    if table.properties().get(_MAPPING) is None:
        tx.updateProperties().set(_MAPPING, jvm.mapping.NameMappingParser.toJson(mapping)).commit()
    append = tx.newAppend()
    for path, size in sizes.items():
        file = table.io().newInputFile(path)
        metrics = jvm.parquet.ParquetUtil.fileMetrics(file, jvm.MetricsConfig.forTable(table), mapping)
        made = jvm.DataFiles.builder(table.spec()).withPath(path).withFormat(jvm.FileFormat.PARQUET)
        append.appendFile(made.withFileSizeInBytes(size).withMetrics(metrics).build())
    return append

"""Adopts Parquet files unchanged into an Iceberg table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_MAPPING = "schema.name-mapping.default"
"""The property that maps column names to ids, for files without ids."""


def takes_files(table: Any) -> bool:
    """Whether data files that have column names but no Iceberg column ids can be added to the table. They cannot if it
    is partitioned, or if one of the names belonged to another column when such files were added before.
    """
    if table.spec().isPartitioned():
        return False
    text = table.properties().get(_MAPPING)
    if text is None:
        return True
    ids = {name: one["field-id"] for one in json.loads(text) for name in one["names"]}
    return all(ids.get(one.name()) == one.fieldId() for one in table.schema().columns())


def mapping_of(table: Any) -> str | None:
    """The value of the property; None if no such files were added."""
    text = table.properties().get(_MAPPING)
    return None if text is None else str(text)


def keep_names(tx: Any, before: str | None) -> None:
    """Keeps the names in files without ids assigned to the columns that they belonged to when the files were added.

    By default Iceberg assigns a name to its current column, so that old files would give values to new columns, and
    older snapshots would lose theirs.

    Args:
        tx: a transaction in which columns were changed.
        before: the previous value of the property.
    """
    if before is None:
        return
    ids = {int(one["field-id"]): list(one["names"]) for one in json.loads(before)}
    known = {name for names in ids.values() for name in names}
    for one in json.loads(str(tx.table().properties().get(_MAPPING))):
        ids.setdefault(int(one["field-id"]), []).extend(name for name in one["names"] if name not in known)
    found = [{"field-id": id, "names": names} for id, names in ids.items()]
    tx.updateProperties().set(_MAPPING, json.dumps(found)).commit()


def append_of(jvm: Any, tx: Any, sizes: Mapping[str, int]) -> Any:
    """The uncommitted append of files in a transaction.

    Args:
        jvm: Iceberg's package.
        tx: the transaction.
        sizes: the size of each file in bytes, by its path in the table's folder.
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

"""Files of Parquet that become files of an Iceberg table as they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_MAPPING = "schema.name-mapping.default"
"""The property that says which column is which in files without ids."""


def takes_files(table: Any) -> bool:
    """Whether files of no partition can be added whose columns are the table's of these names: none of the names was
    another column's when such files were added before.
    """
    if table.spec().isPartitioned():
        return False
    text = table.properties().get(_MAPPING)
    if text is None:
        return True
    ids = {name: one["field-id"] for one in json.loads(text) for name in one["names"]}
    return all(ids.get(one.name()) == one.fieldId() for one in table.schema().columns())


def mapping_of(table: Any) -> str | None:
    """What the property says; None: no such files were added."""
    text = table.properties().get(_MAPPING)
    return None if text is None else str(text)


def keep_names(tx: Any, before: str | None) -> None:
    """Lets names that files without ids have stay those of the columns that they were of when the files were added.

    Iceberg gives a name to the column that has it now, so that old files would have values of new columns, and older
    snapshots none of their own.

    Args:
        tx: a transaction in which columns were changed.
        before: what the property said before.
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

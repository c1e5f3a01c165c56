"""The first commit of a Delta table in a folder: what Delta's CREATE TABLE writes, and the table's position.

The statement takes Spark seconds of each table: it reads back what it wrote in 50 tasks, and the position is a second
commit, which does so again.
"""

from __future__ import annotations

import errno
import json
import os
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from tidewire.spark.sync.changelog import StateError
from tidewire.spark.sync.storage import Local
from tidewire.spark.sync.targets.delta_columns import NAMES_IN_LOG
from tidewire.spark.sync.targets.delta_log import LOG
from tidewire.spark.sync.targets.shapes import Column

VECTORS, MAPPING = "delta.enableDeletionVectors", "delta.columnMapping.mode"
_NO_LINKS = (errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP)
"""Errors of a file system that has no hard links."""
_TYPES = {*NAMES_IN_LOG, "float", "double", "string", "binary", "date", "timestamp", "timestamp_ntz", "boolean"}
_DECIMAL = re.compile(r"decimal\(\d+,\d+\)")


def there(place: str) -> bool:
    """Whether a folder has a log."""
    return os.path.isdir(os.path.join(place, LOG))


def create(place: str, columns: Sequence[Column], properties: Mapping[str, str], transaction: tuple[str, int]) -> bool:
    """Creates a table, in one commit.

    Args:
        place: its folder.
        columns: its columns, all nullable.
        properties: its properties.
        transaction: the identifier and the version of the transaction that the commit records.

    Returns:
        Whether it was created. False if there is a table or are files of others, if Spark is needed to describe the
        columns or properties, or if the file system has no hard links.

    Raises:
        StateError: the disk is full, or there is no access.
    """
    commit = _commit(columns, properties, transaction)
    if commit is None or not _free(place):
        return False
    try:
        return Local(place).create(f"{LOG}/{0:020d}.json", commit)
    except StateError as error:
        if isinstance(error.__context__, OSError) and error.__context__.errno in _NO_LINKS:
            return False
        raise


def _free(place: str) -> bool:
    """Whether nothing is in a folder but what a crash of `create` leaves."""
    try:
        return {*os.listdir(place)} <= {LOG}
    except FileNotFoundError:
        return True


def _commit(columns: Sequence[Column], properties: Mapping[str, str], transaction: tuple[str, int]) -> str | None:
    types = [one.type for one in columns]
    plain = all(type in _TYPES or _DECIMAL.fullmatch(type) for type in types)
    mapped = properties.get(MAPPING) == "name"
    known = properties.get(VECTORS) == "true" and not any(
        name.startswith("delta.") for name in properties.keys() - {VECTORS, MAPPING}
    )
    if not columns or not plain or not known or len({one.name.lower() for one in columns}) < len(columns):
        return None
    configuration = dict(properties)
    if mapped:
        configuration["delta.columnMapping.maxColumnId"] = str(len(columns))
    fields = [
        {"name": one.name, "type": NAMES_IN_LOG.get(one.type, one.type), "nullable": True, "metadata": metadata}
        for one, metadata in ((one, _in_files(at + 1) if mapped else {}) for at, one in enumerate(columns))
    ]
    now = int(time.time() * 1000)
    metadata = {
        "id": str(uuid.uuid4()),
        "format": {"provider": "parquet", "options": {}},
        "schemaString": json.dumps({"type": "struct", "fields": fields}),
        "partitionColumns": [],
        "configuration": configuration,
        "createdTime": now,
    }
    features = ["deletionVectors"]
    features += ["timestampNtz"] if "timestamp_ntz" in types else []
    features += ["columnMapping"] if mapped else []
    protocol = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": features,
        "writerFeatures": [*features, "appendOnly", "invariants"],
    }
    parameters = {"partitionBy": "[]", "properties": json.dumps(configuration)}
    info = {
        "timestamp": now,
        "operation": "CREATE TABLE",
        "operationParameters": parameters,
        "isBlindAppend": True,
        "engineInfo": "tidewire",
    }
    name, version = transaction
    actions: list[dict[str, Any]] = [
        {"commitInfo": info},
        {"metaData": metadata},
        {"protocol": protocol},
        {"txn": {"appId": name, "version": version, "lastUpdated": now}},
    ]
    return "".join(f"{json.dumps(one)}\n" for one in actions)


def _in_files(number: int) -> dict[str, Any]:
    """How files name the column of a number."""
    return {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{uuid.uuid4()}"}

"""The values of a synchronisation file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SyncFile:
    """The values of a synchronisation file.

    Attributes:
        source: options of Spark's Kafka source; empty if messages are in files.
        files: location of the files; None for Kafka.
        protocol: protocol of the messages; None: the one in the state, or detected from the first messages.
        into: location of the tables.
        tables: table patterns, each with its options.
        state: folder of the state.
        options: options of `sync`.
        every: interval of micro-batches, such as 10s.
        conf: settings of the Spark session.
        warehouse: folder, or URL in S3, of an Iceberg catalog; None for none.
        history: location of the tables with all changes; None for none.
        path: path of the file, as given.
        verify: where the source's rows are read to compare them; see `sync.schema.json`.
        catalog: file with the names of Iceberg's tables, or URL of a REST catalog; None: a file in the warehouse.
    """

    source: Mapping[str, str]
    files: str | None
    protocol: str | None
    into: str
    tables: Mapping[str, Any]
    state: str
    options: Mapping[str, Any]
    every: str = "10s"
    conf: Mapping[str, str] = field(default_factory=dict)
    warehouse: str | None = None
    history: str | None = None
    path: str = ""
    verify: Mapping[str, Any] = field(default_factory=dict)
    catalog: str | None = None

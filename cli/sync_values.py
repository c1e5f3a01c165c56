"""What the file of a synchronisation says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class SyncFile:
    """What a file says.

    Attributes:
        source: options of Spark's Kafka source; empty where messages are in files.
        files: where those are; None for Kafka.
        protocol: of the messages; None: that of the state, or of the first messages.
        into: where the tables are.
        tables: patterns, and what is chosen for each.
        state: the folder.
        options: of `sync`.
        every: how often a micro-batch is made, as 10s.
        conf: settings of the session.
        warehouse: of an Iceberg catalog that is a folder; None for none.
        history: where all changes of each table are kept beside it; None for nowhere.
        path: of the file, as it was given.
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

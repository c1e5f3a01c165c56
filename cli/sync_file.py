"""The file of a synchronisation: read, and held against its JSON Schema (`sync.schema.json`)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from tidewire.cli.shell import CommandError

_READ = ("startingOffsets", "maxOffsetsPerTrigger", "failOnDataLoss", "subscribe", "subscribePattern", "assign")


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
        every: how often a micro-batch is made, in seconds.
        conf: settings of the session.
        warehouse: of an Iceberg catalog that is a folder; None for none.
        history: where all changes of each table are kept beside it; None for nowhere.
    """

    source: Mapping[str, str]
    files: str | None
    protocol: str | None
    into: str
    tables: Mapping[str, Any]
    state: str
    options: Mapping[str, Any]
    every: float = 10.0
    conf: Mapping[str, str] = field(default_factory=dict)
    warehouse: str | None = None
    history: str | None = None


def read_sync_file(path: str) -> SyncFile:
    """Reads a file.

    Raises:
        CommandError: it cannot be read, or something in it is not as it has to be; the text says where.
    """
    of = _plain(path)
    source, into, apply = of["source"], of["into"], of.get("apply", {})
    kafka = {name: _text(value) for name, value in source.items() if name.startswith("kafka.") or name in _READ}
    if bool(kafka) == ("files" in source):
        raise CommandError(f"{path}: source has either files, or kafka.bootstrap.servers and subscribe")
    options: dict[str, Any] = {name: _text(value) for name, value in source.get("options", {}).items()}
    if "timezone" in source:
        options["timezone"] = source["timezone"]
    for name, option in (
        ("schema_changes", "schemaChanges"),
        ("consistency", "consistency"),
        ("order", "order"),
        ("late", "late"),
        ("keep_staged", "keepStaged"),
        ("threads", "threads"),
    ):
        if name in apply:
            options[option] = apply[name]
    if "keep_published" in of.get("maintain", {}):
        options["keepPublished"] = of["maintain"]["keep_published"]
    from tidewire.spark.sync.choices import seconds

    return SyncFile(
        kafka,
        source.get("files"),
        source.get("protocol"),
        f"{into['format']}:{into['table']}",
        of.get("tables", {"*.*": {}}),
        of["state"],
        options,
        seconds("apply.every", apply.get("every", "10s")),
        {name: _text(value) for name, value in of.get("spark", {}).items()},
        into.get("warehouse"),
        f"{into['format']}:{into['history']}" if "history" in into else None,
    )


def _plain(path: str) -> dict[str, Any]:
    """The file as mappings, when nothing is wrong with it."""
    try:
        from tidewire.generator.load import Source, load
        from tidewire.generator.meta import validate_by
        from tidewire.generator.problems import report
    except ImportError as error:
        raise CommandError(
            f"tidewire sync reads a YAML file, for which {error.name} is needed: pip install '.[spark,generate]' in"
            " Tidewire's folder installs it"
        ) from None
    text = Path(path).read_bytes()
    if not text.strip():
        raise CommandError(f"{path}: the file is empty; needed are source, into and state")
    top, problems = load(Source(path, text))
    if top is not None and not problems:
        problems = validate_by(top, json.loads(files("tidewire.cli").joinpath("sync.schema.json").read_text()))
    if problems or top is None:
        first, *others = report(problems).splitlines() or [f"{path}: the file is empty"]
        raise CommandError(first, others)
    found: dict[str, Any] = top.plain()
    return found


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)

"""Keeps the tables of a capture up to date, as `tidewire sync` does from Kafka: the last part of `make run`."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from tidewire.spark.demo_topics import read_capture
from tidewire.spark.sync.publish import snapshot, time_of
from tidewire.spark.sync.run import sync

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.console import RenderableType

CAPTURE = "canal_json"
"""The capture whose changes are applied."""
TABLES = {"*.*": {}, "test.k_*": {"mode": "history"}, "test.k_comp": {"mode": "state"}}
"""Options by table: tables without a key to merge rows by are kept as histories."""


def keep_current(
    spark: SparkSession, capture: Path, protocol: str, options: Mapping[str, Any], out: Path
) -> list[RenderableType]:
    """Brings Parquet tables to the last watermark of a capture. Returns what the console shows about them.

    Args:
        capture: its messages.
        options: reading options.
        out: folder for tables and state; existing ones are replaced.
    """
    shutil.rmtree(out, ignore_errors=True)
    into, state = f"parquet:{out.absolute()}/{{schema}}/{{table}}", f"{out.absolute()}/_tidewire"
    messages = read_capture(spark, capture)
    found = sync(spark, messages, protocol, into=into, tables=TABLES, state=state, options=options).once()
    if not found.published:
        return ["[bold]tidewire sync[/]: nothing is published, as the capture has no watermark"]
    published = snapshot(spark, state)
    table = Table("table", "rows", "kept as", title=f"Live tables at {time_of(found.published)}", title_justify="left")
    for name in published:
        history = "_change_type" in published[name].columns
        why = found.parked[name].reason if name in found.parked else ""
        kept = f"waits: {escape(why)}" if why else "all changes" if history else "its rows"
        table.add_row(escape(name), f"{published[name].count():,}", kept)
    return [
        table,
        f"They are under {escape(str(out))}, as the database was at commit ts {found.published}, with DDL "
        "applied: docs/live-tables.md\n",
    ]

"""The tables of a capture, kept current as `tidewire sync` does it from Kafka: the end of `make run`."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.table import Table

from tidewire.spark.sync.publish import snapshot, time_of
from tidewire.spark.sync.run import sync

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from rich.console import Console

CAPTURE = "canal_json"
"""Of the captures the one whose tables are kept current."""
TABLES = {"*.*": {}, "test.k_*": {"mode": "history"}, "test.k_comp": {"mode": "state"}}
"""Some tables of the shipped capture have no key, by which rows could be merged: all of their changes are kept."""


def keep_current(
    spark: SparkSession, messages: DataFrame, protocol: str, options: Mapping[str, Any], out: Path, console: Console
) -> None:
    """Brings tables of Parquet to the last watermark of a capture, and shows them at it.

    Args:
        spark: the session.
        messages: of the capture.
        protocol: of its messages.
        options: with which they are read.
        out: where tables and state go; both are made anew.
        console: where to print.
    """
    shutil.rmtree(out, ignore_errors=True)
    into, state = f"parquet:{out.absolute()}/{{schema}}/{{table}}", f"{out.absolute()}/_tidewire"
    found = sync(spark, messages, protocol, into=into, tables=TABLES, state=state, options=options).once()
    if not found.published:
        console.print("[bold]tidewire sync[/]: nothing is published, as the capture has no watermark")
        return
    published = snapshot(spark, state)
    table = Table("table", "rows", "kept as", title=f"Live tables at {time_of(found.published)}", title_justify="left")
    for name in published:
        history = "_change_type" in published[name].columns
        why = found.parked[name].reason if name in found.parked else ""
        kept = f"waits: {escape(why)}" if why else "all changes" if history else "its rows"
        table.add_row(escape(name), f"{published[name].count():,}", kept)
    console.print(table)
    console.print(
        f"[bold]{len(published)} tables[/] are under {escape(str(out))} as the database was at commit ts"
        f" {found.published}, with DDL applied: rows are merged and deleted as [bold]tidewire sync[/] does it from"
        " Kafka into Iceberg and Delta (make demo). docs/live-tables.md says how."
    )

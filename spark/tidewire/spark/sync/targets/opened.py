"""The tables at an address: `parquet:/lake/{schema}/{table}`, `iceberg:lake.{schema}.{table}`, `delta:…`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.targets.shapes import TargetError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from tidewire.spark.sync.targets import Tables

FORMATS = ("parquet", "iceberg", "delta")


def target_of(into: str) -> str:
    """The address of tables in normal form: with the format first and an absolute path.

    Raises:
        TargetError: it is not an address of tables.
    """
    format, colon, names = into.partition(":")
    if not colon or format not in FORMATS:
        if "/" not in into:
            raise TargetError(
                f"into={into!r}: say the format and where the tables are, as in parquet:/lake/{{schema}}/{{table}},"
                " iceberg:lake.{schema}.{table} or delta:/lake/{schema}/{table}"
            )
        format, names = "parquet", into
    for part in ("{schema}", "{table}"):
        if part not in names:
            raise TargetError(f"into={into!r} does not say where {part} is in it: tables of one name would be one")
    if "://" in names:
        if urlsplit(names).password is not None:
            raise TargetError(
                "into has a password in it, which would be kept in the state: leave it out, and give it to the storage"
                " by its own settings"
            )
    elif "/" in names or format == "parquet":
        names = os.path.abspath(names)
    if format == "iceberg" and "/" in names:
        raise TargetError(f"into={into!r}: tables of Iceberg are named, as in iceberg:lake.{{schema}}.{{table}}")
    return f"{format}:{names}"


def targets_of(into: str, history: str | None, by_key: bool) -> tuple[str, str]:
    """The addresses of tables and of their history tables (empty for none), in the form of `target_of`.

    Args:
        into, history: as for `sync`.
        by_key: whether consistency=key.

    Raises:
        TargetError: one of them is not an address.
        OptionError: history tables are not possible with these options.
    """
    target = target_of(into)
    beside = "" if history is None else target_of(history)
    if beside == target:
        raise OptionError(f"history={history!r} is where the tables are: name another place, as {history}_changes")
    if beside and by_key:
        raise OptionError(
            "consistency=key keeps no histories: without watermarks nothing tells that all changes up to a commit ts"
            " are there, or that one came before; leave out history"
        )
    return target, beside


def tables_of(spark: SparkSession, target: str) -> Tables:
    """The tables at an address that `target_of` returned."""
    format, _, names = target.partition(":")
    if format == "iceberg":
        from tidewire.spark.sync.targets.iceberg import IcebergTables

        return IcebergTables(spark, names)
    if format == "delta":
        from tidewire.spark.sync.targets.delta import DeltaTables

        return DeltaTables(spark, names)
    from tidewire.spark.sync.targets.parquet import ParquetTables

    return ParquetTables(spark, names)

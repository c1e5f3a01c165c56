"""Whether workers can merge changes into the tables of a target, as far as that is known before a row comes."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tidewire.runtime.errors import OptionError
from tidewire.spark.sync.choices import Chosen
from tidewire.spark.sync.native import delta
from tidewire.spark.sync.native.work import left
from tidewire.spark.sync.s3 import is_s3
from tidewire.spark.sync.targets.names import Template, plain_path

if TYPE_CHECKING:
    from tidewire.spark.sync.targets import Table

INSTALL = "pip install 'tidewire[native]'"


def unfit(target: str, state: str, chosen: Chosen) -> str:
    """Why workers merge into no table of a target; empty if they may.

    Args:
        target: of `targets.opened.target_of`.
        state: the state's location.
        chosen: the user's choices.
    """
    format, _, names = target.partition(":")
    if chosen.by_key:
        return "with consistency: key MERGE compares the order of each key"
    if format == "parquet":
        return "tables of Parquet are written anew"
    if "://" in (place := plain_path(state)) and not is_s3(place):
        return "workers merge what is staged in a folder or in S3, and the state is elsewhere"
    if format == "delta" and "://" in (place := Template(names).text) and not is_s3(place):
        return "workers merge tables in folders or in S3, and these are elsewhere"
    if format == "delta" and find_spec("deltalake") is None:
        return f"for Delta deltalake is needed: {INSTALL}"
    return ""


def refuse_unfit(target: str, state: str, chosen: Chosen) -> None:
    """Refuses the choice of workers alone where they merge into no table.

    Raises:
        OptionError: the reason.
    """
    if chosen.engine == "native" and (reason := unfit(target, state, chosen)):
        raise OptionError(f"engine=native: {reason}; leave it out, or choose engine=auto")


def unfit_table(table: Table) -> str:
    """Why workers do not merge into a table that exists; empty if they may.

    Args:
        table: of a target of which `unfit` says nothing.
    """
    from tidewire.spark.sync.targets.delta import DeltaTable
    from tidewire.spark.sync.targets.iceberg import IcebergTable

    try:
        if isinstance(table, IcebergTable):
            table.check_rows()
        elif isinstance(table, DeltaTable) and (place := table.location()):
            if not (place.startswith("/") or is_s3(place)):
                return f"the table is at {place}, and workers merge tables in folders or in S3"
            delta.check(place)
    except Exception as error:
        return left("", error).reason
    return ""

"""The file formats of typed rows."""

from __future__ import annotations

from enum import StrEnum


class RowsFormat(StrEnum):
    """A file format of typed rows."""

    parquet = "parquet"
    arrow = "arrow"

"""Descriptions of tables that are known apart from their rows, and where they are kept."""

from __future__ import annotations

from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription
from tidewire.runtime.tables.description import DescribedTable

__all__ = ["ColumnDescription", "DescribedTable", "IndexDescription"]

"""Table descriptions that are known apart from rows, and the store that keeps them."""

from __future__ import annotations

from tidewire.runtime.tables.columns import ColumnDescription, IndexDescription
from tidewire.runtime.tables.description import DescribedTable

__all__ = ["ColumnDescription", "DescribedTable", "IndexDescription"]

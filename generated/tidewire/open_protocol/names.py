"""Names of numbers: TiCDC Open Protocol. Compiled code has them as constants of C."""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import INT, TEXT, UINT

# Columns of a batch of events.
(
    MESSAGE, KIND, COMMIT_TS, TABLE, PARTITION_ID, ROW_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, QUERY, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, COMMIT_MS
) = range(15)

# What an event is, by the number in its key.
CASE_ROW: Final = 1
CASE_DDL: Final = 2
CASE_WATERMARK: Final = 3

# Which columns of a row image are written.
(ALL_COLUMNS, HANDLE_KEY_COLUMNS) = range(2)

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "table", "partition_id", "row_id", "handle_key_only", "claim_check", "ddl_type",
    "query", "new_layout", "new_row", "old_layout", "old_row", "commit_ms"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 14 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, INT, TEXT, INT, TEXT, INT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_POSITIONS: Final = (0, 1, 2, 5, 7, 9, 11, 12, 13, 15, 25, 26, 27, 28)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

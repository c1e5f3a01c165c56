"""Names of numbers: Canal-JSON. Compiled code has them as constants of C."""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import BYTES, INT, TEXT, UINT

# Columns of a batch of events.
(
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, ROW_KEY, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY,
    NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, PARTITION_ID, DDL_TYPE
) = range(17)

# What a message is, by its switch; what is none of the first is told by its text.
(
    CASE_INSERT, CASE_UPDATE, CASE_DELETE, CASE_TIDB_WATERMARK, CASE_INIT, CASE_GTID, CASE_XACOMMIT, CASE_XAROLLBACK,
    CASE_MHEARTBEAT, CASE_OTHER
) = range(10)

# Which columns of a row image are written.
(ALL_COLUMNS, HANDLE_KEY_COLUMNS) = range(2)

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "commit_ms", "sent_ms", "table", "row_key", "handle_key_only", "claim_check",
    "ddl_class", "query", "new_layout", "new_row", "old_layout", "old_row", "partition_id", "ddl_type"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 15 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, BYTES, INT, TEXT, TEXT, TEXT, INT, INT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_POSITIONS: Final = (0, 1, 2, 3, 4, 5, 10, 11, 12, 14, 15, 25, 26, 27, 28)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

"""Names of numbers: TiCDC Simple. Compiled code has them as constants of C."""
# Generated from spec/simple.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import INT, TEXT, UINT

# Columns of a batch of events.
(
    MESSAGE, KIND, COMMIT_TS, SENT_MS, TABLE, TABLE_ID, HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_CLASS, QUERY, TABLE_VERSION,
    TABLE_AFTER, TABLE_BEFORE, TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT,
    NEW_ROW, OLD_LAYOUT, OLD_ROW, COMMIT_MS, PARTITION_ID, DDL_TYPE
) = range(25)

# What a message is, by its switch; what is none of the first is told by its text.
(CASE_INSERT, CASE_UPDATE, CASE_DELETE, CASE_WATERMARK, CASE_BOOTSTRAP, CASE_OTHER) = range(6)

# Which columns of a row image are written.
(ALL_COLUMNS,) = range(1)

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "sent_ms", "table", "table_id", "handle_key_only", "claim_check", "ddl_class",
    "query", "table_version", "table_after", "table_before", "time_zone", "checksum", "checksum_before",
    "checksum_version", "checksum_corrupted", "new_layout", "new_row", "old_layout", "old_row", "commit_ms",
    "partition_id", "ddl_type"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 22 of them."""

EVENT_STORAGE: Final = (
    INT, INT, UINT, INT, INT, INT, INT, TEXT, TEXT, TEXT, UINT, INT, INT, TEXT, UINT, UINT, INT, INT, INT, INT, INT,
    INT, INT, INT, INT
)
"""What each of them holds."""

EVENT_POSITIONS: Final = (0, 1, 2, 4, 5, 6, 11, 12, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

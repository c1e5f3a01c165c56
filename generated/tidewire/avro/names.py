"""Names of numbers: Avro with a schema registry. Compiled code has them as constants of C."""
# Generated from spec/avro.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import INT, TEXT, UINT

# Columns of a batch of events.
(
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, TABLE, DDL_TYPE, QUERY, TYPES_FROM, CHECKSUM, CHECKSUM_BEFORE,
    CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, TABLE_AFTER
) = range(17)

# What a row's record says to have happened.
(CASE_C, CASE_U, CASE_D) = range(3)

# Which columns of a row image are written.
(ALL_COLUMNS, KEY_COLUMNS) = range(2)

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "commit_ms", "table", "ddl_type", "query", "types_from", "checksum",
    "checksum_before", "checksum_version", "checksum_corrupted", "new_layout", "new_row", "old_layout", "old_row",
    "table_after"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 16 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, TEXT, TEXT, UINT, UINT, INT, INT, INT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_POSITIONS: Final = (0, 1, 2, 3, 5, 13, 15, 19, 21, 22, 23, 24, 25, 26, 27, 28)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

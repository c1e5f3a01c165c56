"""Names of numbers: Debezium. Compiled code has them as constants of C."""
# Generated from spec/debezium.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import INT, TEXT, UINT

# Columns of a batch of events.
(
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, START_TS, DDL_TYPE, QUERY, TABLE_AFTER, TABLE_BEFORE,
    TYPES_FROM, TIME_ZONE, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW
) = range(17)

# What a message is, by its switch; what is none of the first is told by its text.
(CASE_C, CASE_U, CASE_D, CASE_R, CASE_M, CASE_T, CASE_WITH_DDL, CASE_WITHOUT_OP) = range(8)

# Which columns of a row image are written.
(ALL_COLUMNS, HANDLE_KEY_COLUMNS) = range(2)

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "commit_ms", "sent_ms", "table", "start_ts", "ddl_type", "query", "table_after",
    "table_before", "types_from", "time_zone", "new_layout", "new_row", "old_layout", "old_row"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 17 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, UINT, INT, TEXT, INT, INT, TEXT, TEXT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_POSITIONS: Final = (0, 1, 2, 3, 4, 5, 8, 13, 15, 17, 18, 19, 20, 25, 26, 27, 28)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

"""Names of numbers: TiCDC Open Protocol. Compiled code has the same from name_numbers.pxd, as constants of C."""
# Generated from spec/open-protocol.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import INT, TEXT, UINT

# Columns of a batch of events.
MESSAGE: Final = 0
KIND: Final = 1
COMMIT_TS: Final = 2
TABLE: Final = 3
PARTITION_ID: Final = 4
ROW_ID: Final = 5
HANDLE_KEY_ONLY: Final = 6
CLAIM_CHECK: Final = 7
DDL_TYPE: Final = 8
QUERY: Final = 9
NEW_LAYOUT: Final = 10
NEW_ROW: Final = 11
OLD_LAYOUT: Final = 12
OLD_ROW: Final = 13
COMMIT_MS: Final = 14

# What an event is, by the number in its key.
CASE_ROW: Final = 1
CASE_DDL: Final = 2
CASE_WATERMARK: Final = 3

# Which columns of a row image are written.
ALL_COLUMNS: Final = 0
HANDLE_KEY_COLUMNS: Final = 1

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "table", "partition_id", "row_id", "handle_key_only", "claim_check", "ddl_type",
    "query", "new_layout", "new_row", "old_layout", "old_row", "commit_ms"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 14 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, INT, TEXT, INT, TEXT, INT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_PLACES: Final = (0, 1, 2, 5, 7, 8, 10, 11, 12, 14, 15, 16, 17, 18)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

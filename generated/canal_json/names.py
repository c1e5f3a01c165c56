"""Names of numbers: Canal-JSON. Compiled code has the same from name_numbers.pxd, as constants of C."""
# Generated from spec/canal-json.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import BYTES, INT, TEXT, UINT

# Columns of a batch of events.
MESSAGE: Final = 0
KIND: Final = 1
COMMIT_TS: Final = 2
COMMIT_MS: Final = 3
SENT_MS: Final = 4
TABLE: Final = 5
ROW_KEY: Final = 6
HANDLE_KEY_ONLY: Final = 7
CLAIM_CHECK: Final = 8
DDL_CLASS: Final = 9
QUERY: Final = 10
NEW_LAYOUT: Final = 11
NEW_ROW: Final = 12
OLD_LAYOUT: Final = 13
OLD_ROW: Final = 14
PARTITION_ID: Final = 15
DDL_TYPE: Final = 16

# What a message is, by its switch; what is none of the first is told by its text.
CASE_INSERT: Final = 0
CASE_UPDATE: Final = 1
CASE_DELETE: Final = 2
CASE_TIDB_WATERMARK: Final = 3
CASE_INIT: Final = 4
CASE_GTID: Final = 5
CASE_XACOMMIT: Final = 6
CASE_XAROLLBACK: Final = 7
CASE_MHEARTBEAT: Final = 8
CASE_OTHER: Final = 9

# Which columns of a row image are written.
ALL_COLUMNS: Final = 0
HANDLE_KEY_COLUMNS: Final = 1

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "commit_ms", "sent_ms", "table", "row_key", "handle_key_only", "claim_check",
    "ddl_class", "query", "new_layout", "new_row", "old_layout", "old_row", "partition_id", "ddl_type"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 15 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, BYTES, INT, TEXT, TEXT, TEXT, INT, INT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_PLACES: Final = (0, 1, 2, 3, 4, 5, 9, 10, 11, 13, 14, 15, 16, 17, 18)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

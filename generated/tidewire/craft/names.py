"""Names of numbers: TiCDC Craft. Compiled code has them as constants of C."""
# Generated from spec/craft.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow.storage import INT, TEXT, UINT

# Columns of a batch of events.
(MESSAGE, KIND, COMMIT_TS, TABLE, PARTITION_ID, DDL_TYPE, QUERY, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW) = range(11)

# What event_type can be.
EVENT_TYPE_ROW: Final = 1
EVENT_TYPE_DDL: Final = 2
EVENT_TYPE_RESOLVED: Final = 3

# What image_kind can be.
IMAGE_KIND_NEW: Final = 1
IMAGE_KIND_OLD: Final = 2

# Which row images a message has, each a bit.
HAS_NEW: Final = 1
HAS_OLD: Final = 2

# Which columns of a row image are written.
(ALL_COLUMNS, HANDLE_KEY_COLUMNS) = range(2)

EVENT_COLUMNS: Final = (
    "message", "kind", "commit_ts", "table", "partition_id", "ddl_type", "query", "new_layout", "new_row", "old_layout",
    "old_row"
)
"""The columns that are named above, by their names in a batch; a decoder fills the first 11 of them."""

EVENT_STORAGE: Final = (INT, INT, UINT, INT, INT, INT, TEXT, INT, INT, INT, INT)
"""What each of them holds."""

EVENT_POSITIONS: Final = (0, 1, 2, 5, 7, 13, 15, 25, 26, 27, 28)
"""Where the columns that a decoder fills are among all columns of a batch of events."""

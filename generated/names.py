"""Names of numbers: events and columns. Compiled code has the same from name_numbers.pxd, as constants of C."""
# Generated from spec/events.yaml and spec/mysql_types.yaml by "make generate". Do not edit.

from __future__ import annotations

from typing import Final

# Kinds of events.
INSERT: Final = 1
UPDATE: Final = 2
DELETE: Final = 3
DDL: Final = 4
WATERMARK: Final = 5
BOOTSTRAP: Final = 6

# Flags of columns, each a bit.
BINARY: Final = 1
HANDLE_KEY: Final = 2
GENERATED: Final = 4
PRIMARY_KEY: Final = 8
UNIQUE_KEY: Final = 16
MULTIPLE_KEY: Final = 32
NULLABLE: Final = 64
UNSIGNED: Final = 128

# Columns of a batch of events.
MESSAGE: Final = 0
KIND: Final = 1
COMMIT_TS: Final = 2
COMMIT_MS: Final = 3
SENT_MS: Final = 4
TABLE: Final = 5
TABLE_ID: Final = 6
PARTITION_ID: Final = 7
ROW_ID: Final = 8
ROW_KEY: Final = 9
HANDLE_KEY_ONLY: Final = 10
CLAIM_CHECK: Final = 11
DDL_TYPE: Final = 12
DDL_CLASS: Final = 13
QUERY: Final = 14
NEW_LAYOUT: Final = 15
NEW_ROW: Final = 16
OLD_LAYOUT: Final = 17
OLD_ROW: Final = 18

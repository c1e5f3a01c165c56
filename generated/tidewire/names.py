"""Names of numbers: events and columns. Compiled code has them as constants of C."""
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
(
    MESSAGE, KIND, COMMIT_TS, COMMIT_MS, SENT_MS, TABLE, TABLE_ID, PARTITION_ID, START_TS, ROW_ID, ROW_KEY,
    HANDLE_KEY_ONLY, CLAIM_CHECK, DDL_TYPE, DDL_CLASS, QUERY, TABLE_VERSION, TABLE_AFTER, TABLE_BEFORE, TYPES_FROM,
    TIME_ZONE, CHECKSUM, CHECKSUM_BEFORE, CHECKSUM_VERSION, CHECKSUM_CORRUPTED, NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW
) = range(29)

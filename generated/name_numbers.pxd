# Generated from spec/events.yaml and spec/mysql_types.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Kinds of events.
    INSERT = 1
    UPDATE = 2
    DELETE = 3
    DDL = 4
    WATERMARK = 5
    BOOTSTRAP = 6
    # Flags of columns, each a bit.
    BINARY = 1
    HANDLE_KEY = 2
    GENERATED = 4
    PRIMARY_KEY = 8
    UNIQUE_KEY = 16
    MULTIPLE_KEY = 32
    NULLABLE = 64
    UNSIGNED = 128
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    COMMIT_MS = 3
    SENT_MS = 4
    TABLE = 5
    TABLE_ID = 6
    PARTITION_ID = 7
    ROW_ID = 8
    ROW_KEY = 9
    HANDLE_KEY_ONLY = 10
    CLAIM_CHECK = 11
    DDL_TYPE = 12
    DDL_CLASS = 13
    QUERY = 14
    TABLE_VERSION = 15
    TABLE_AFTER = 16
    TABLE_BEFORE = 17
    TIME_ZONE = 18
    CHECKSUM = 19
    CHECKSUM_BEFORE = 20
    CHECKSUM_VERSION = 21
    CHECKSUM_CORRUPTED = 22
    NEW_LAYOUT = 23
    NEW_ROW = 24
    OLD_LAYOUT = 25
    OLD_ROW = 26

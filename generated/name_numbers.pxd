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
    START_TS = 8
    ROW_ID = 9
    ROW_KEY = 10
    HANDLE_KEY_ONLY = 11
    CLAIM_CHECK = 12
    DDL_TYPE = 13
    DDL_CLASS = 14
    QUERY = 15
    TABLE_VERSION = 16
    TABLE_AFTER = 17
    TABLE_BEFORE = 18
    TYPES_FROM = 19
    TIME_ZONE = 20
    CHECKSUM = 21
    CHECKSUM_BEFORE = 22
    CHECKSUM_VERSION = 23
    CHECKSUM_CORRUPTED = 24
    NEW_LAYOUT = 25
    NEW_ROW = 26
    OLD_LAYOUT = 27
    OLD_ROW = 28

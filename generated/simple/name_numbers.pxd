# Generated from spec/simple.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    SENT_MS = 3
    TABLE = 4
    TABLE_ID = 5
    HANDLE_KEY_ONLY = 6
    CLAIM_CHECK = 7
    DDL_CLASS = 8
    QUERY = 9
    TABLE_VERSION = 10
    TABLE_AFTER = 11
    TABLE_BEFORE = 12
    TIME_ZONE = 13
    CHECKSUM = 14
    CHECKSUM_BEFORE = 15
    CHECKSUM_VERSION = 16
    CHECKSUM_CORRUPTED = 17
    NEW_LAYOUT = 18
    NEW_ROW = 19
    OLD_LAYOUT = 20
    OLD_ROW = 21
    COMMIT_MS = 22
    PARTITION_ID = 23
    DDL_TYPE = 24
    # What a message is, by its switch; what is none of the first is told by its text.
    CASE_INSERT = 0
    CASE_UPDATE = 1
    CASE_DELETE = 2
    CASE_WATERMARK = 3
    CASE_BOOTSTRAP = 4
    CASE_OTHER = 5
    # Which columns of a row image are written.
    ALL_COLUMNS = 0

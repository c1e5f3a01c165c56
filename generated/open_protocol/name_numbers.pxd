# Generated from spec/open-protocol.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    TABLE = 3
    PARTITION_ID = 4
    ROW_ID = 5
    HANDLE_KEY_ONLY = 6
    CLAIM_CHECK = 7
    DDL_TYPE = 8
    QUERY = 9
    NEW_LAYOUT = 10
    NEW_ROW = 11
    OLD_LAYOUT = 12
    OLD_ROW = 13
    COMMIT_MS = 14
    # What an event is, by the number in its key.
    CASE_ROW = 1
    CASE_DDL = 2
    CASE_WATERMARK = 3
    # Which columns of a row image are written.
    ALL_COLUMNS = 0
    HANDLE_KEY_COLUMNS = 1

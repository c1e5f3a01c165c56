# Generated from spec/canal-json.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    COMMIT_MS = 3
    SENT_MS = 4
    TABLE = 5
    ROW_KEY = 6
    HANDLE_KEY_ONLY = 7
    CLAIM_CHECK = 8
    DDL_CLASS = 9
    QUERY = 10
    NEW_LAYOUT = 11
    NEW_ROW = 12
    OLD_LAYOUT = 13
    OLD_ROW = 14
    PARTITION_ID = 15
    DDL_TYPE = 16
    # What a message is, by its switch; what is none of the first is told by its text.
    CASE_INSERT = 0
    CASE_UPDATE = 1
    CASE_DELETE = 2
    CASE_TIDB_WATERMARK = 3
    CASE_INIT = 4
    CASE_GTID = 5
    CASE_XACOMMIT = 6
    CASE_XAROLLBACK = 7
    CASE_MHEARTBEAT = 8
    CASE_OTHER = 9
    # Which columns of a row image are written.
    ALL_COLUMNS = 0
    HANDLE_KEY_COLUMNS = 1

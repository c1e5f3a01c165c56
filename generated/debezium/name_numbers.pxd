# Generated from spec/debezium.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    COMMIT_MS = 3
    SENT_MS = 4
    TABLE = 5
    START_TS = 6
    DDL_TYPE = 7
    QUERY = 8
    TABLE_AFTER = 9
    TABLE_BEFORE = 10
    TYPES_FROM = 11
    TIME_ZONE = 12
    NEW_LAYOUT = 13
    NEW_ROW = 14
    OLD_LAYOUT = 15
    OLD_ROW = 16
    # What a message is, by its switch; what is none of the first is told by its text.
    CASE_C = 0
    CASE_U = 1
    CASE_D = 2
    CASE_R = 3
    CASE_M = 4
    CASE_T = 5
    CASE_WITH_DDL = 6
    CASE_WITHOUT_OP = 7
    # Which columns of a row image are written.
    ALL_COLUMNS = 0
    HANDLE_KEY_COLUMNS = 1

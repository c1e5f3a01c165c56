# Generated from spec/debezium-avro.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    COMMIT_MS = 3
    SENT_MS = 4
    TABLE = 5
    DDL_TYPE = 6
    QUERY = 7
    TABLE_AFTER = 8
    TABLE_BEFORE = 9
    TYPES_FROM = 10
    TIME_ZONE = 11
    NEW_LAYOUT = 12
    NEW_ROW = 13
    OLD_LAYOUT = 14
    OLD_ROW = 15
    # What a row's record says to have happened.
    CASE_C = 0
    CASE_U = 1
    CASE_D = 2
    CASE_R = 3
    # Which columns of a row image are written.
    ALL_COLUMNS = 0
    KEY_COLUMNS = 1

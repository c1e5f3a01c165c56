# Generated from spec/craft.yaml by "make generate". Do not edit.
# The numbers of names.py for compiled modules, which have them as constants of C.
cdef enum:
    # Columns of a batch of events.
    MESSAGE = 0
    KIND = 1
    COMMIT_TS = 2
    TABLE = 3
    PARTITION_ID = 4
    DDL_TYPE = 5
    QUERY = 6
    NEW_LAYOUT = 7
    NEW_ROW = 8
    OLD_LAYOUT = 9
    OLD_ROW = 10
    # What event_type can be.
    EVENT_TYPE_ROW = 1
    EVENT_TYPE_DDL = 2
    EVENT_TYPE_RESOLVED = 3
    # What image_kind can be.
    IMAGE_KIND_NEW = 1
    IMAGE_KIND_OLD = 2
    # Which row images a message has, each a bit.
    HAS_NEW = 1
    HAS_OLD = 2
    # Which columns of a row image are written.
    ALL_COLUMNS = 0
    HANDLE_KEY_COLUMNS = 1

# The numbers of storage.py for compiled modules, which compare them without a Python object. A test holds the two together.
cdef enum:
    NOTHING = 0
    INT = 1
    UINT = 2
    FLOAT = 3
    TEXT = 4
    BYTES = 5
    RAW_TEXT = 6

# The numbers of codecs.py for compiled modules, which compare them without a Python object. A test holds the two together.
cdef enum:
    INT_TEXT = 1
    UINT_TEXT = 2
    ENUM_TEXT = 3
    SET_TEXT = 4
    FLOAT32_TEXT = 5
    FLOAT64_TEXT = 6
    CHECKED_TEXT = 7
    UNCHECKED_TEXT = 8
    LATIN1_TEXT = 9

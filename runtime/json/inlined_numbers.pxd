# The numbers of inlined.py for compiled modules, which compare them without a Python object. A test holds the two together.
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
    INT_NUMBER = 10
    UINT_NUMBER = 11
    FLOAT32_NUMBER = 12
    FLOAT64_NUMBER = 13
    CALLED = 14
    BASE64_BYTES = 15
    BASE64_CHECKED_TEXT = 16
    BASE64_UNCHECKED_TEXT = 17
    QUOTED_BYTES = 18
    LOCATED_TEXT = 19

# The numbers of branches.py for compiled modules, which compare them without a Python object. A test holds the two together.
cdef enum:
    NULL_VALUE = 32
    LONG_VALUE = 33
    FLOAT_VALUE = 34
    DOUBLE_VALUE = 35
    STRING_VALUE = 36
    BYTES_VALUE = 37
    LOCATED_VALUE = 38
    WRAPPED_VALUE = 39

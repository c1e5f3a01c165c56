# The numbers of steps.py for compiled modules, which compare them without a Python object. A test holds the two together.
cdef enum:
    INNER = 0
    NUMBER = 1
    TEXT = 2
    BOOLEAN = 3
    SHORT = 4
    PASSED_NUMBER = 5
    PASSED_TEXT = 6
    PASSED = 7

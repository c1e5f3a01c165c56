# The numbers of codecs.py for compiled modules, which compare them without a Python object. A test holds the two together.
cdef enum:
    NOTHING = 0
    VARINT = 1
    UVARINT = 2
    FLOAT64 = 3
    TEXT = 4
    BYTES = 5
    RAW_TEXT = 6

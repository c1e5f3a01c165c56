# The numbers of tidewire.runtime.checksums.ways, for C code.
cdef enum:
    NUMBER = 0
    DOUBLE = 1
    SINGLE = 2
    TEXT = 3
    LOCAL = 4
    VECTOR = 5
    NONE = 6

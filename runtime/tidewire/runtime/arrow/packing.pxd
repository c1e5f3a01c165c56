cimport cython

cpdef bytearray bits(object given)
cpdef tuple packed(object given, bint wide)

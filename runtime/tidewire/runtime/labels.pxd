cimport cython

@cython.final
cdef class LabelNumbers:
    cdef bint several
    cdef readonly tuple labels
    cdef dict numbers
    cdef frozenset doubtful
    cpdef object number_of(self, bytes text)
    cdef object _members(self, bytes text)
    cdef str _why(self, bytes label)
    cpdef bytes text_of(self, object value)

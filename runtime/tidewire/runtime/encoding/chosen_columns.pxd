cdef class ChosenColumns:
    cdef readonly str protocol
    cdef readonly tuple columns, chosen, descriptions
    cdef readonly list codecs
    cdef readonly int width
    cdef readonly dict positions
    cdef object number
    cdef set agreeing, covering
    cdef int check_covers(self, ChosenColumns other, str name, str main) except -1
    cdef int check_described(self, ChosenColumns other, str name, str main) except -1
    cdef int check_alike(self, ChosenColumns other, str name) except -1

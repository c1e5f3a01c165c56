cimport cython

from tidewire.runtime.arrow.array_view cimport ArrayView
from tidewire.runtime.arrow.memory cimport Memory, Numbers

@cython.final
cdef class ImageRows:
    cdef ArrayView kind, new_layout, new_row, old_layout, old_row
    cdef Numbers bases
    cdef Memory event, image, rank
    cdef Py_ssize_t count
    cdef int put(self, Py_ssize_t event, long long image, int rank) except -1

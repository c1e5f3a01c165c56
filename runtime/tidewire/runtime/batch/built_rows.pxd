cimport cython

from tidewire.runtime.arrow.columns cimport Columns

@cython.final
cdef class RowSchema:
    cdef tuple given, columns
    cdef Py_ssize_t digest
    cdef list names, storages, decimals

@cython.final
cdef class BuiltRows(Columns):
    cdef Py_ssize_t table, number
    cdef RowSchema shape
    cdef list names, unspeakable
    cdef bint take(self, Py_ssize_t index, object image) except -1
    cdef bint take_plain(self, dict image) except -1
    cdef bint put_values(self, Py_ssize_t index, list values) except -1
    cdef int put_value(self, Py_ssize_t index, int c, object value) except -1

cimport cython

from tidewire.runtime.json.cursor cimport Part
from tidewire.runtime.record.cursor cimport RecordCursor

@cython.final
cdef class RecordDescriptions:
    cdef object part, description
    cdef dict known
    cdef Py_ssize_t size
    cdef readonly str path
    cdef Part text
    cdef object read(self, RecordCursor r, int field, int path_field)
    cdef dict said_in(self, RecordCursor r, object part, str path, int field)
    cdef tuple each(self, RecordCursor r, object one, str path, int field)
    cdef object told(self, RecordCursor r, object one, int field)
    cdef str string(self, RecordCursor r, int field)
    cdef tuple strings(self, RecordCursor r, int field)

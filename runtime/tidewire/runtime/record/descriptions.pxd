cimport cython

from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.record.cursor cimport RecordCursor

@cython.final
cdef class RecordDescriptionReader:
    cdef object part, description, cache
    cdef readonly str path
    cdef Part text
    cpdef object read(self, RecordCursor r, int field, int path_field)
    cdef dict attributes(self, RecordCursor r, object part, str path, int field)
    cdef tuple each(self, RecordCursor r, object one, str path, int field)
    cdef object scalar(self, RecordCursor r, object one, int field)
    cdef str string(self, RecordCursor r, int field)
    cdef tuple strings(self, RecordCursor r, int field)

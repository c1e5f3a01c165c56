from tidewire.runtime.record.cursor cimport RecordCursor

cdef int pass_value(RecordCursor r, object kind, int field, int depth=*) except -1
cpdef object plain_value(RecordCursor r, object kind, int field, int depth=*)

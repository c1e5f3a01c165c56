from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.message_encoder cimport MessageEncoder
from tidewire.runtime.encoding.written_messages cimport WrittenMessages
from tidewire.runtime.record.sink cimport RecordSink

cdef class RecordEncoder(MessageEncoder):
    cdef str last_location
    cdef bytes last_spelled
    cpdef WrittenMessages write(self, object columns)
    cdef bytes located(self, Py_ssize_t event, int column)
    cdef int put_unsigned(self, RecordSink s, int column, str name, Py_ssize_t event) except -1
    cdef bint has_message(self, Py_ssize_t event) noexcept
    cdef int write_message(self, RecordSink s, Py_ssize_t event) except -1

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.encoding.message_encoder cimport MessageEncoder
from tidewire.runtime.encoding.written_messages cimport WrittenMessages
from tidewire.runtime.json.sink cimport JsonSink

cdef class JsonEncoder(MessageEncoder):
    cdef object spelling
    cdef tuple absent

    cdef str last_location
    cdef bytes last_opening
    cdef bytes located(self, Py_ssize_t event, int column)

cdef class ObjectEncoder(JsonEncoder):
    cdef bytes terminated
    cdef bint keyed
    cpdef WrittenMessages write(self, object columns)
    cdef bint has_message(self, Py_ssize_t event) noexcept
    cdef bint gathered(self, Py_ssize_t event) noexcept
    cdef bint together(self, Py_ssize_t event, Py_ssize_t other) noexcept
    cdef int write_message(self, JsonSink s, Py_ssize_t event) except -1
    cdef int write_key(self, JsonSink s, Py_ssize_t event) except -1
    cdef bint takes_key(self, JsonSink s, Py_ssize_t start, Py_ssize_t event) except? True

cdef class FramesEncoder(JsonEncoder):
    cdef object head, compress
    cdef Py_ssize_t events_limit, bytes_limit, overhead
    cpdef WrittenMessages write(self, object columns, bint alone=*)
    cdef bint gathered(self, Py_ssize_t event) noexcept
    cdef int write_objects(self, JsonSink key, JsonSink s, Py_ssize_t event) except -1
    cdef int write_event(self, JsonSink key, JsonSink s, Py_ssize_t event) except -1

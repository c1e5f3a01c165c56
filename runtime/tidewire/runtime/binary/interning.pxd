cimport cython

from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.binary.codec cimport BinaryCodec
from tidewire.runtime.binary.sink cimport Sink
from tidewire.runtime.arrow.column_reader cimport ColumnReader

@cython.final
cdef class Terms:
    cdef list names
    cdef dict positions, kept
    cdef long long message
    cdef Py_ssize_t text, kept_bytes
    cdef Numbers used, ids, order
    cdef Py_ssize_t position(self, str name) except -1
    cpdef bint refresh(self) except -1
    cdef int begin(self) except -1
    cdef Py_ssize_t use(self, Py_ssize_t position) except? -2
    cdef long long use_or(self, Py_ssize_t position, long long absent) except? 0
    cdef bytes kept_image(self)
    cdef int keep(self, Sink s, Py_ssize_t start) except -1
    cdef object texts(self)

@cython.final
cdef class WrittenColumns:
    cdef readonly tuple columns, chosen, storages
    cdef bint calls
    cdef readonly list encoded_names
    cdef readonly Py_ssize_t width
    cdef Py_ssize_t name_size
    cdef Numbers names, ids, types, flags, codecs
    cdef bytes image
    cdef long long message
    cdef bint described(self, Terms terms) except -1
    cdef int keep(self, Sink s, Py_ssize_t start, long long message=*) except -1

@cython.final
cdef class WrittenImages:
    cdef ColumnReader source
    cdef WrittenColumns columns
    cdef Py_ssize_t width, last
    cdef str protocol
    cdef Numbers called_sizes
    cdef Sink called_values
    cdef int write(self, Sink s, Py_ssize_t row) except -1
    cdef Py_ssize_t call(self, Py_ssize_t row) except -1
    cdef Py_ssize_t estimate(self, Py_ssize_t row, long long column, long long name, long long value) except -1
    cdef Py_ssize_t most_bytes(self, long long column, long long name, long long value) except -1

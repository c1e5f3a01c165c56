cimport cython

from tidewire.runtime.encoding.chosen_columns cimport ChosenColumns
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.sink cimport JsonSink
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.arrow.column_reader cimport ColumnReader

cdef class RowTexts(ChosenColumns):
    cdef bytes keys, close
    cdef Py_ssize_t close_size
    cdef Numbers ends, codes, needs
    cdef list null_defaults

@cython.final
cdef class WrittenRows:
    cdef readonly RowTexts texts
    cdef readonly ColumnReader source
    cdef readonly Py_ssize_t rows
    cdef public bytes location
    cdef WrittenRows against
    cdef bint as_written
    cdef Numbers pairs
    cpdef int write(self, JsonSink s, Py_ssize_t row) except -1
    cpdef int write_changed(self, JsonSink s, Py_ssize_t row, WrittenRows other, Py_ssize_t other_row, bint as_written) except -1
    cdef int _write(self, JsonSink s, Py_ssize_t row, WrittenRows other, Py_ssize_t other_row) except -1
    cdef int _pair(self, WrittenRows other) except -1
    cdef bint _same(self, int c, Py_ssize_t row, WrittenRows other, Py_ssize_t other_row) noexcept
    cdef int _fill(self, JsonSink s, int c) except -1
    cdef int _call(self, JsonSink s, int c, Py_ssize_t row) except -1
    cdef Py_ssize_t _write_float(self, JsonSink s, Py_ssize_t at, int c, int codec, double value) except -1
    cdef int _check_float(self, int c, double value) except -1
    cdef int _check_single(self, int c, double value) except -1
    cdef int _refuse_text(self, int c, Py_ssize_t row) except -1
    cdef int _refuse(self, int c, str reason) except -1

@cython.final
cdef class MappedTexts:
    cdef bytes whole
    cdef list parts, usual, beyond
    cdef Numbers columns, limits
    cdef int write(self, JsonSink s, WrittenRows rows, Py_ssize_t row) except -1

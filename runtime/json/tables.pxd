cimport cython

from tidewire.runtime.catalog cimport Catalog, RowImages, Table
from tidewire.runtime.json.cursor cimport JsonCursor, Part
from tidewire.runtime.json.names cimport Names
from tidewire.runtime.json.text cimport JsonText
from tidewire.runtime.memory cimport Memory, Numbers

cdef Py_ssize_t MOST_PASSED

@cython.final
cdef class Declared:
    cdef readonly int number
    cdef readonly str text
    cdef readonly int type
    cdef readonly unsigned long long flags
    cdef readonly object labels

@cython.final
cdef class Passed:
    cdef Memory memory
    cdef Py_ssize_t size

@cython.final
cdef class RowLayout:
    cdef RowImages images
    cdef Numbers numbers, types, marks, codecs
    cdef list labels
    cdef Py_ssize_t width
    cdef unsigned long long epoch

@cython.final
cdef class JsonTable:
    cdef readonly Table table
    cdef Tables tables
    cdef Names names
    cdef bytes raw
    cdef unsigned long long epoch, serial
    cdef Py_ssize_t described
    cdef list last, named, passed
    cdef dict layouts
    cdef Numbers key
    cdef Py_ssize_t at_column
    cpdef str at_name(self)
    cdef int undescribed(self) except -1
    cdef int describe(self, JsonCursor r, int field, int column_field) except -1
    cdef int skip(self, JsonCursor r, Py_ssize_t which, int field) except -1
    cdef int named_by(self, JsonCursor r, Py_ssize_t which, Part part, int field) except -1
    cdef int read_named(self, JsonCursor r, Py_ssize_t which, Part part, int field) except -1
    cdef Py_ssize_t learn_name(self, JsonText r, Py_ssize_t start, Py_ssize_t end, int field) except -1
    cdef int learn_type(self, JsonText r, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, int field) except -1
    cdef bint holds(self, RowLayout layout, JsonText r, int field, Py_ssize_t offset) except -1
    cdef RowLayout layout(self, JsonText r, Numbers numbers, Py_ssize_t member, int field, Py_ssize_t offset)
    cdef RowLayout new_layout(self, JsonText r, Numbers numbers, int field, Py_ssize_t offset)

@cython.final
cdef class Tables:
    cdef Catalog catalog
    cdef object declared, codec_of
    cdef int text_codec
    cdef tuple named_flags
    cdef Py_ssize_t members, passed, made, numbered, bytes
    cdef list recent, numbers
    cdef dict known, types
    cpdef int begin(self) except -1
    cdef JsonTable find(self, JsonCursor r, Part schema, Part name, int schema_field, int name_field)
    cdef JsonTable of(self, str schema, str name)
    cdef Declared type_of(self, JsonText r, Py_ssize_t start, Py_ssize_t end, int field)

cimport cython

from tidewire.runtime.decoding.layout_cache cimport LayoutBuilder, Table

cdef struct FieldOp:
    int codec, null, column, slot, field, scale, storage

@cython.final
cdef class RegisteredImages(LayoutBuilder):
    cpdef bint is_like(self, RegisteredImages other) except -1

@cython.final
cdef class RecordPlan:
    cdef FieldOp *ops
    cdef readonly int count
    cdef readonly int width
    cdef readonly bint has_columns
    cdef bint nests, flat
    cdef unsigned int gathered
    cdef int group
    cdef Table known
    cdef readonly Py_ssize_t whole_width
    cdef readonly tuple names, columns
    cdef list kinds, helpers, storages
    cdef readonly list insides
    cdef int handle_key
    cdef readonly bint zoned, told
    cdef readonly str types_from
    cdef readonly tuple unknown
    cdef readonly object kept
    cdef Py_ssize_t least
    cdef int schema_slot, table_slot, schema_field, table_field, time_slot
    cdef bytes schema_name, table_name
    cdef public object id
    cdef public str text
    cdef public tuple solid
    cdef public bint is_connect_message
    cdef Py_ssize_t changes
    cdef long long number
    cdef unsigned long long first, last
    cdef dict layouts
    cdef object last_key
    cdef RegisteredImages last_images
    cdef RegisteredImages images_for(self, RecordPlan key)
    cdef RegisteredImages made_for(self, RecordPlan key)

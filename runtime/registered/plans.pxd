cimport cython

from tidewire.runtime.decoding.layout_cache cimport RowImages, Table

cdef struct FieldOp:
    int codec, null, column, slot, field, scale, storage

@cython.final
cdef class RegisteredImages(RowImages):
    pass

@cython.final
cdef class RecordPlan:
    cdef FieldOp *ops
    cdef readonly int count
    cdef readonly int width
    cdef Table known
    cdef readonly tuple names, forms
    cdef list labels, storages
    cdef RecordPlan inner
    cdef int handle_key
    cdef bint exact
    cdef object kept
    cdef Py_ssize_t least
    cdef dict layouts
    cdef object last_key
    cdef RegisteredImages last_images
    cdef RecordPlan inner_plan(self)
    cdef RegisteredImages images_for(self, RecordPlan key)
    cdef RegisteredImages made_for(self, RecordPlan key)

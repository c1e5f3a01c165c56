from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.decoding.layout_cache cimport LayoutCache, LayoutBuilder

cdef class BatchDecoder:
    cdef str protocol
    cdef object fields, batches
    cdef list event_names
    cdef Numbers never_null
    cdef bint replace_invalid
    cdef LayoutCache cache
    cdef Columns events
    cdef int check_images(self) except -1
    cdef int end_batch(self) except -1

cdef class MessageDecoder(BatchDecoder):
    pass

cdef class KeyedDecoder(BatchDecoder):
    pass

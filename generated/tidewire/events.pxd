# Generated from spec/events.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.batch.event_objects cimport EventObject, EventView

cdef class Event(EventObject):
    cdef public object commit_ts

@cython.final
cdef class RowChange(Event):
    cdef public object own_kind
    cdef public object commit_ms
    cdef public object sent_ms
    cdef public object schema
    cdef public object table
    cdef public object table_id
    cdef public object partition_id
    cdef public object start_ts
    cdef public object row_id
    cdef public object row_key
    cdef public object handle_key_only
    cdef public object claim_check
    cdef public object table_version
    cdef public object types_from
    cdef public object time_zone
    cdef public object checksum
    cdef public object checksum_before
    cdef public object checksum_version
    cdef public object checksum_corrupted
    cdef public object new
    cdef public object old
    cdef public tuple given_columns

@cython.final
cdef class Ddl(Event):
    cdef public object commit_ms
    cdef public object sent_ms
    cdef public object schema
    cdef public object table
    cdef public object ddl_type
    cdef public object ddl_class
    cdef public object query
    cdef public object table_after
    cdef public object table_before

@cython.final
cdef class Watermark(Event):
    cdef public object commit_ms
    cdef public object sent_ms

@cython.final
cdef class Bootstrap(Event):
    cdef public object sent_ms
    cdef public object schema
    cdef public object table
    cdef public object table_id
    cdef public object table_after
    cdef public tuple columns

@cython.final
cdef class Events(EventView):
    pass

cimport cython

from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.batch.event_columns cimport EventColumns
from tidewire.runtime.batch.layout cimport Layout
from tidewire.messages.checksums.rows cimport RowSums
from tidewire.messages.checksums.zones cimport Zone, Zones

cdef int NEW_LAYOUT, NEW_ROW, OLD_LAYOUT, OLD_ROW, MESSAGE, VERSION, ZONE, CORRUPTED, NOW, BEFORE, PART, PLACE, MADE

cdef class Plans:
    cdef readonly object tables, roles
    cdef readonly bint by_id, records
    cdef readonly tuple fields
    cdef readonly str zone
    cdef readonly Zones zones
    cdef dict known
    cpdef object of(self, object description, Layout layout)

@cython.final
cdef class CheckedImage:
    cdef bint versioned
    cdef unsigned long long first, last
    cdef RowSums sums
    cdef object reason, doubt
    cdef bint undescribed
    cdef tuple names
    cdef bint local

@cython.final
cdef class RowChecks:
    cdef EventColumns columns
    cdef Plans plans
    cdef ColumnReader events
    cdef list layouts, last
    cdef dict images
    cdef Zone zone
    cdef bytes zone_name
    cdef readonly object computed, reason
    cdef readonly bint sure, bad, undescribed
    cdef readonly Py_ssize_t failed
    cpdef object check(self, bint pointers)
    cdef bint _is(self, Py_ssize_t event, bint new, unsigned long long expected) except -1
    cdef int _report(self, object found, Py_ssize_t event, str image, unsigned long long expected) except -1
    cpdef long long sum(self, Py_ssize_t event, bint new) except *
    cdef Zone _zone(self, Py_ssize_t event)
    cdef bytes _zone_name(self, Py_ssize_t event)
    cdef CheckedImage _image(self, Py_ssize_t event, Py_ssize_t layout)

cimport cython

cdef long long NOWHERE, LEAST, GREATEST, HOURS

@cython.final
cdef class Zone:
    cdef object rules
    cdef long long offset, hour
    cdef readonly bint utc
    cdef bint steady
    cdef dict known
    cpdef long long to_utc(self, long long local) except *
    cdef int _enter(self, long long hour) except -1
    cpdef long long exactly(self, long long local) except *

cdef class Zones:
    cdef dict known
    cpdef Zone of(self, bytes name)

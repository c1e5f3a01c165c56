cimport cython

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages
from tidewire.runtime.registered.reading cimport RecordReader
from tidewire.runtime.registered.schema_plans cimport SchemaPlans

cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define tidewire_prefetch(p) __builtin_prefetch(p)
    #else
    #define tidewire_prefetch(p)
    #endif
    """
    void prefetch "tidewire_prefetch"(const void *p) noexcept nogil

# Asks for as many bytes as these are to be brought into the processor's caches, from a few messages further on: messages
# lie behind each other, and are read a bit of each at a time, not in the order in which a processor brings them by itself.
cdef inline void fetch(const unsigned char *p, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(0, size, 64):
        prefetch(p + AHEAD + k)

# So many numbers that are all the same.
cdef inline void put_same(long long *values, int count, long long value) noexcept nogil:
    cdef int k
    for k in range(count):
        values[k] = value

# So many numbers from this one on.
cdef inline void put_rising(long long *values, int count, long long value) noexcept nogil:
    cdef int k
    for k in range(count):
        values[k] = value + k

cdef enum:
    MOST_ROWS = 1024  # that are read together
    ROOM_ROWS = 1064  # that arrays have room for, so that what they have of a row does not fall on the same cache lines
    USUAL_ROWS = 128  # likewise where all are of one schema; for each more than one there are:
    MORE_ROWS = 16
    ROOM = 24576  # bytes of all of them: they have to stay in the processor's first cache
    MORE_ROOM = 2048  # for each schema more: reading few records of each together costs more than the second cache
    AHEAD = 1024  # bytes between a message that has been found and the memory that is brought into the caches then
    BEHIND = 48  # bytes of the buffer behind each record, so that eight and 32 bytes can be read anywhere in it

cdef unsigned long long HEAD

# What one field of the event is, by message: whether the record has it; its number; where its text is.
cdef struct SlotOfMany:
    bint texts
    unsigned char given[ROOM_ROWS]
    long long numbers[ROOM_ROWS]
    const unsigned char *starts[ROOM_ROWS]
    int sizes[ROOM_ROWS]

@cython.final
cdef class ColumnarReader:
    cdef SlotOfMany *slots
    cdef int slot_count, cases, count, groups
    cdef public bint gathers
    cdef Numbers codes
    cdef readonly bint told
    cdef Py_ssize_t first
    cdef unsigned int gathered
    cdef list plans
    cdef const unsigned char *p[ROOM_ROWS]
    cdef const unsigned char *end[ROOM_ROWS]
    cdef const unsigned char *start[ROOM_ROWS]
    cdef int group[ROOM_ROWS]
    cdef int order[ROOM_ROWS]
    cdef int counts[ROOM_ROWS]
    cdef int firsts[ROOM_ROWS]
    cdef long long layout[ROOM_ROWS]
    cdef long long row[ROOM_ROWS]
    cdef long long table[ROOM_ROWS]
    cdef int case_of[ROOM_ROWS]
    cdef int case
    cdef long long one_layout, first_row, one_table
    cdef int gather(self, RecordCursor key, RecordCursor r, Py_ssize_t k, Py_ssize_t stop, SchemaPlans plans, int batch) except -1
    cdef bint read(self, RecordReader record, RecordCursor r, LayoutCache cache) except -1
    cdef bint read_fields(self, RecordReader record, RecordCursor r, RecordPlan plan, RegisteredImages images, LayoutCache cache, int at, int n) except -1
    cdef int read_singly(self, RecordReader record, RecordCursor r, RecordPlan plan, int i, RegisteredImages images, LayoutCache cache, int at, int n) except -1
    cdef int forget(self, int k) except -1
    cdef int restore(self, int k, RecordReader record, RecordCursor r) except -1
    cdef bint has_text(self, int slot) noexcept
    cdef bint has_one_for(self, int slot, int other) noexcept
    cdef long long *place(self, Columns events, int c) noexcept
    cdef int put_messages(self, Columns events, int c, Py_ssize_t message) noexcept
    cdef int put_tables(self, Columns events, int c) noexcept
    cdef int put_numbers(self, Columns events, int c, int slot) noexcept
    cdef int put_kinds(self, Columns events, int c) noexcept
    cdef int put_places(self, Columns events, int layouts, int rows, int image) noexcept

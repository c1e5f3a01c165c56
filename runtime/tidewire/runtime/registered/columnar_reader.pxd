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

# Prefetches the bytes of a message a few messages ahead into the processor's caches: messages are consecutive in
# memory,
# but are read a field at a time, a pattern that hardware prefetchers do not recognize.
cdef inline void fetch(const unsigned char *p, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(0, size, 64):
        prefetch(p + AHEAD + k)

# Writes the same number `count` times.
cdef inline void put_same(long long *values, int count, long long value) noexcept nogil:
    cdef int k
    for k in range(count):
        values[k] = value

# Writes consecutive numbers.
cdef inline void put_rising(long long *values, int count, long long value) noexcept nogil:
    cdef int k
    for k in range(count):
        values[k] = value + k

cdef enum:
    MOST_ROWS = 1024  # maximum number of rows read together
    ROOM_ROWS = 1064  # rows that arrays have room for, so that the entries of one row do not share cache sets
    USUAL_ROWS = 128  # rows read together if all have one schema; fewer for each further schema:
    MORE_ROWS = 16
    ROOM = 24576  # bytes of all of them, which must fit the L1 cache
    MORE_ROOM = 2048  # more for each further schema: small groups cost more than L2 accesses
    AHEAD = 1024  # distance in bytes between the current message and the memory being prefetched
    BEHIND = 48  # readable bytes of the buffer after each record: loads of 8 and 32 bytes may start anywhere in it

cdef unsigned long long HEAD

# One field with a property of the event, by message: whether the record has it; its number; the position of its text.
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

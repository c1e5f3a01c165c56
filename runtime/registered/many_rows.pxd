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

# Asks for these bytes to be brought into the processor's caches: they are read a bit of each message at a time, and not in
# the order in which a processor brings them by itself.
cdef inline void fetch(const unsigned char *p, Py_ssize_t size) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(64, size, 64):
        prefetch(p + k)

cdef enum:
    MOST_ROWS = 128  # that are read together
    ROOM = 24576  # bytes of all of them: they have to stay in the processor's first cache
    BEHIND = 48  # bytes of the buffer behind each record, so that eight and 32 bytes can be read anywhere in it

cdef unsigned long long HEAD

# What one field of the event is, by message: whether the record has it; its number; where its text is.
cdef struct SlotOfMany:
    bint texts
    unsigned char given[MOST_ROWS]
    long long numbers[MOST_ROWS]
    const unsigned char *starts[MOST_ROWS]
    int sizes[MOST_ROWS]

@cython.final
cdef class ManyRows:
    cdef SlotOfMany *slots
    cdef int slot_count, cases, count, groups
    cdef Numbers codes
    cdef readonly bint told
    cdef Py_ssize_t first
    cdef unsigned int gathered
    cdef list plans
    cdef const unsigned char *p[MOST_ROWS]
    cdef const unsigned char *end[MOST_ROWS]
    cdef const unsigned char *start[MOST_ROWS]
    cdef int group[MOST_ROWS]
    cdef int order[MOST_ROWS]
    cdef int counts[MOST_ROWS]
    cdef int firsts[MOST_ROWS]
    cdef long long layout[MOST_ROWS]
    cdef long long row[MOST_ROWS]
    cdef long long table[MOST_ROWS]
    cdef int case_of[MOST_ROWS]
    cdef int gather(self, RecordCursor key, RecordCursor r, Py_ssize_t k, Py_ssize_t stop, SchemaPlans plans, int batch) except -1
    cdef bint read(self, RecordReader record, RecordCursor r, LayoutCache cache) except -1
    cdef bint read_fields(self, RecordReader record, RecordCursor r, RecordPlan plan, RegisteredImages images, LayoutCache cache, int at, int n) except -1
    cdef int read_singly(self, RecordReader record, RecordCursor r, RecordPlan plan, int i, RegisteredImages images, LayoutCache cache, int at, int n) except -1
    cdef int forget(self, int k) except -1
    cdef int restore(self, int k, RecordReader record, RecordCursor r) except -1
    cdef bint has_text(self, int slot) noexcept
    cdef bint has_one_for(self, int slot, int other) noexcept
    cdef int put_messages(self, Columns events, int c, Py_ssize_t message) noexcept
    cdef int put_tables(self, Columns events, int c) noexcept
    cdef int put_numbers(self, Columns events, int c, int slot) noexcept
    cdef int put_kinds(self, Columns events, int c) noexcept
    cdef int put_places(self, Columns events, int layouts, int rows, int image) noexcept

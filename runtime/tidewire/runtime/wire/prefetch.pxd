# Prefetches memory that is looked at soon. Where messages of thousands of tables alternate, what is known of a table is in
# no cache of the processor any more, and comes into one while other parts of its message are read.
cdef extern from *:
    """
    static inline void tidewire_fetch(const void *start, Py_ssize_t size) {
    #if defined(__GNUC__)
        Py_ssize_t at;
        for (at = 0; at < size; at += 64) __builtin_prefetch((const char *)start + at, 1);
    #else
        (void)start; (void)size;
    #endif
    }
    """
    void fetch "tidewire_fetch"(const void *start, Py_ssize_t size) noexcept nogil

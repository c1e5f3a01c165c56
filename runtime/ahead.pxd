# Memory that is looked at soon: where messages are of thousands of tables in turn, what is known of the next one is in no
# cache, and is fetched while other parts of its message are read.
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

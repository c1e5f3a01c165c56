from tidewire.runtime.json.encoders cimport ObjectEncoder

cdef class DescribedEncoder(ObjectEncoder):
    cdef object writer
    cdef list descriptions
    cdef bytes described(self, Py_ssize_t event, int column)

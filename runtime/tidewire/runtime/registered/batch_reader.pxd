from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.decoding.layout_cache cimport LayoutCache
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.columnar_reader cimport ColumnarReader
from tidewire.runtime.registered.control_messages cimport ControlDecoder
from tidewire.runtime.registered.plans cimport RecordPlan, RegisteredImages
from tidewire.runtime.registered.reading cimport RecordReader
from tidewire.runtime.registered.schema_plans cimport SchemaPlans

cdef int FEW
cdef Py_ssize_t NUMBERED_BYTES

cdef class RunDecoder(ControlDecoder):
    cdef SchemaPlans plans
    cdef RecordReader record
    cdef readonly ColumnarReader many
    cdef int many_slots
    cdef object many_cases
    cdef tuple operations
    cdef signed char letters[256]
    cdef Py_ssize_t at, first_row
    cdef Py_ssize_t read_run(self, RecordCursor key, RecordCursor r, Py_ssize_t k, Py_ssize_t stop, Py_ssize_t base) except -1
    cdef int read_many(self, RecordCursor key, RecordCursor r, Py_ssize_t k, Py_ssize_t stop, Py_ssize_t base) except -1
    cdef bint put_rows(self, ColumnarReader many, Py_ssize_t message) except -1
    cdef bint operations_of(self, ColumnarReader many, int slot) except -1
    cdef Py_ssize_t read_known(self, RecordCursor key, RecordCursor r, Py_ssize_t k, Py_ssize_t stop, Py_ssize_t base) except -1
    cdef int put_row(self, RecordCursor r, Py_ssize_t message) except -1

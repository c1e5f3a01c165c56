from tidewire.runtime.arrow.column_reader cimport ColumnReader
from tidewire.runtime.arrow.memory cimport Numbers
from tidewire.runtime.batch.layout cimport Layout
from tidewire.runtime.encoding.written_messages cimport WrittenMessages

cdef int _SHIFT, _HAS_SCHEMA, _HAS_TABLE

cdef class MessageEncoder:
    cdef readonly str protocol
    cdef object names, storages, values, layouts, descriptions, description_writer
    cdef tuple flags
    cdef int most_type
    cdef Py_ssize_t ways
    cdef bint nameless
    cdef list known, table_names, schemas, tables, images
    cdef ColumnReader events
    cdef Numbers named, layout_rows
    cdef long long now
    cpdef WrittenMessages write(self, object columns)
    cdef bint has_other_decimals(self, Layout layout) except -1
    cdef int check_event(self, Py_ssize_t event) except -1
    cdef long long table_at(self, Py_ssize_t event, int column) except -1
    cdef bint has_schema(self, Py_ssize_t table) noexcept
    cdef bint has_table(self, Py_ssize_t table) noexcept
    cdef int check_image(self, long long layout, long long row) except -1
    cdef int check_class(self, Py_ssize_t event, int column, str name, object classes) except -1
    cdef int check_all_or_none(self, Py_ssize_t event, object columns) except -1
    cdef bytes described(self, Py_ssize_t event, int column)
    cdef object prepare(self, Py_ssize_t layout, int way)
    cdef long long physical_ms(self, Py_ssize_t event, int commit_ts, int commit_ms) noexcept
    cdef long long sending_ms(self, Py_ssize_t event, int column) noexcept

from tidewire.runtime.decoding.declared cimport DeclaredType, DeclaredTypes
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables
from tidewire.runtime.decoding.table_columns cimport TableColumns
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.json.skip_cache cimport Passed
from tidewire.runtime.json.text cimport JsonText
from tidewire.runtime.wire.part cimport Part

cdef RowTable find_table(Tables tables, JsonCursor r, Part schema, Part name, int schema_field, int name_field)
cdef int describe(TableColumns columns, JsonCursor r, int field, int column_field) except -1
cdef int outlined(TableColumns columns, JsonCursor r, int field) except -1
cdef Py_ssize_t learn_name(TableColumns columns, JsonText r, Py_ssize_t start, Py_ssize_t end, int field) except -1
cdef int learn_type(TableColumns columns, JsonText r, Py_ssize_t k, Py_ssize_t start, Py_ssize_t end, int field) except -1
cdef int named_by(TableColumns columns, JsonCursor r, Py_ssize_t which, Part part, int field) except -1
cdef int read_named(TableColumns columns, JsonCursor r, Py_ssize_t which, Part part, int field) except -1
cdef DeclaredType declared_type(DeclaredTypes types, JsonText r, Py_ssize_t start, Py_ssize_t end, int field)
cdef int skip_as_last(RowTable table, JsonCursor r, Py_ssize_t which, int field) except -1

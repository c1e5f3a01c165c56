# Generated from spec/craft.yaml by "make generate". Do not edit.
cimport cython

from tidewire.runtime.binary.cursor cimport Cursor
from tidewire.runtime.binary.table_layouts cimport BinaryImages, TableLayouts
from tidewire.runtime.binary.dictionaries cimport Dictionaries, Dictionary
from tidewire.runtime.decoding.message_decoder cimport MessageDecoder
from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.batch.layout cimport Layout
from tidewire.runtime.arrow.memory cimport Numbers

cdef int MESSAGE_VERSION
cdef int MESSAGE_HEADERS
cdef int HEADER_COLUMNS_COMMIT_TS
cdef int HEADER_COLUMNS_EVENT_TYPE
cdef int HEADER_COLUMNS_PARTITION
cdef int HEADER_COLUMNS_SCHEMA
cdef int HEADER_COLUMNS_TABLE
cdef int MESSAGE_BODIES
cdef int ROW_BODY_GROUPS
cdef int COLUMN_GROUP_KIND
cdef int COLUMN_GROUP_COUNT
cdef int COLUMN_GROUP_COLUMNS
cdef int GROUP_COLUMNS_NAME
cdef int GROUP_COLUMNS_TYPE
cdef int GROUP_COLUMNS_FLAGS
cdef int GROUP_COLUMNS_VALUE
cdef int DDL_BODY_TYPE
cdef int DDL_BODY_QUERY
cdef int MESSAGE_TERMS
cdef int MESSAGE_SIZES
cdef int SIZE_TABLES_META
cdef int SIZE_TABLES_BODIES
cdef int SIZE_TABLES_GROUPS
cdef int MESSAGE_SIZES_LENGTH

@cython.final
cdef class Decoder(MessageDecoder):
    cdef bint checked
    cdef Numbers group_columns_name
    cdef Numbers group_columns_type
    cdef Numbers group_columns_flags
    cdef Numbers group_columns_value
    cdef Numbers sizes_meta
    cdef Numbers sizes_bodies
    cdef Numbers sizes_groups
    cdef Numbers sizes_groups_ends
    cdef Numbers header_columns_commit_ts
    cdef Numbers header_columns_event_type
    cdef Numbers header_columns_partition
    cdef Numbers header_columns_schema
    cdef Numbers header_columns_table
    cdef Dictionary terms
    cdef Numbers terms_ends
    cdef Dictionaries terms_seen
    cdef Py_ssize_t at_bodies
    cdef Py_ssize_t at_groups
    cdef int read_message(self, Cursor r, Py_ssize_t message) except -1
    cdef int read_column_group(
        self, Cursor r, Py_ssize_t message, Py_ssize_t row, TableLayouts described, int seen
    ) except -1
    cdef int read_row_body(self, Cursor r, Py_ssize_t message, Py_ssize_t row, Py_ssize_t k) except -1
    cdef int read_ddl_body(self, Cursor r, Py_ssize_t message, Py_ssize_t row, Py_ssize_t k) except -1
    cdef int read_header_columns(self, Cursor r, Py_ssize_t n) except -1
    cdef int read_dictionary(self, Cursor r) except -1
    cdef int read_size_tables(self, Cursor r) except -1
    cdef int read_body(self, Cursor r, Py_ssize_t message, Py_ssize_t k) except -1
    cdef BinaryImages read_group_columns(self, Cursor r, Py_ssize_t n, TableLayouts described)
    cdef BinaryImages new_layout(self, Cursor r, TableLayouts described, object names, Py_ssize_t start)
    cdef int check_repeated(
        self, Cursor r, Py_ssize_t found, Numbers switch, unsigned long long code, int field, int switch_field
    ) except -1

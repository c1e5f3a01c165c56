cimport cython

from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.registered.plans cimport RecordPlan
from tidewire.runtime.registered.reading cimport RecordReader

cdef int NUMBERED, UUID

@cython.final
cdef class SchemaPlans:
    cdef object forms, row_part, key_part, handle_key, schemas, store, remembered, unknown, unnamed, met_unnamed
    cdef bint said_unnamed
    cdef bint checked
    cdef str last_text
    cdef object last_schema
    cdef list recent_rows, recent_keys
    cdef Py_ssize_t low_bits, known_changes
    cdef RecordPlan last_row
    cdef int begin(self) except -1
    cdef Py_ssize_t changes(self) except -1
    cdef object schema_id(self, RecordCursor r, int field)
    cdef RecordPlan of_row(self, RecordCursor r, int field)
    cdef RecordPlan of_key(self, RecordCursor r, int field)
    cdef RecordPlan looked_up(self, RecordCursor r, object part, int field)
    cdef RecordPlan planned(self, object id, str text, object part, object kept, object table=*, object described=*)
    cdef int know_fields(self, RecordPlan plan) except -1
    cdef list descriptions(self, object table)
    cdef tuple named(self, str schema, str table)
    cdef int say_unnamed(self) except -1
    cdef RecordPlan refitted(self, RecordCursor r, RecordReader record, RecordPlan plan, int field)
    cdef bint unfit(self, RecordPlan plan) except -1
    cdef object name_of(self, RecordCursor r, RecordReader record, int slot, int field)
    cdef int age_when_full(self) except -1
    cdef int begin_recent(self, Py_ssize_t room) except -1

from tidewire.runtime.json.cursor cimport Part
from tidewire.runtime.json.described_decoder cimport DescribedDecoder
from tidewire.runtime.json.table cimport JsonTable
from tidewire.runtime.json.tables cimport Tables
from tidewire.runtime.record.cursor cimport RecordCursor

cdef class RecordDecoder(DescribedDecoder):
    cdef Tables tables
    cdef JsonTable find_table(self, RecordCursor r, Part schema, Part name, int schema_field, int name_field)

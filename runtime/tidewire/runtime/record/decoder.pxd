from tidewire.runtime.wire.part cimport Part
from tidewire.runtime.decoding.described_decoder cimport DescribedDecoder
from tidewire.runtime.decoding.row_table cimport RowTable
from tidewire.runtime.decoding.row_tables cimport Tables
from tidewire.runtime.record.cursor cimport RecordCursor

cdef class RecordDecoder(DescribedDecoder):
    cdef Tables tables
    cdef RowTable find_table(self, RecordCursor r, Part schema, Part name, int schema_field, int name_field)

cimport cython

from tidewire.runtime.json.cells cimport RowCells
from tidewire.runtime.json.codec cimport JsonCodec
from tidewire.runtime.json.cursor cimport JsonCursor
from tidewire.runtime.decoding.row_layouts cimport RowLayoutBuilder
from tidewire.runtime.decoding.table_columns cimport TableColumns

cdef bint put_known_row(RowCells cells, JsonCursor r, TableColumns names, RowLayoutBuilder images, int field) except -1

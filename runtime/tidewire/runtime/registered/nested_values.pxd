from tidewire.runtime.record.cursor cimport RecordCursor

cpdef bytes nested_value(RecordCursor r, object kind, int codec, int field)

# Reads one field of many records, one value after the other: the kind of field is decided once for all of them, and the
# reads do not depend on each other. Compiled modules only.
#
# All functions read the field of the records order[0:n], in that order, and advance their positions. They return True;
# or False if a value is malformed or in an unusual form: then `RecordReader.read_fields` must read all of these records
# again, each as a whole.
from libc.string cimport memcpy

from tidewire.runtime.arrow.columns cimport Columns
from tidewire.runtime.arrow.puts cimport not_ascii
from tidewire.runtime.arrow.storage cimport TEXT as TEXT_COLUMN
from tidewire.runtime.wire.swar cimport first, load8
from tidewire.runtime.record.decimal_text cimport SHORT_ROOM, SHORT_SCALE, SHORT_SIZE, short_decimal_text
from tidewire.runtime.wire.inlined_reader cimport float32_at, float64_at, load
from tidewire.runtime.record.cursor cimport RecordCursor
from tidewire.runtime.record.decimals cimport put_decimal
from tidewire.runtime.wire.varint_bits cimport gathered_bits, unzigzag, varint_bits, varint_ends
from tidewire.runtime.registered.columnar_reader cimport ColumnarReader, SlotOfMany
from tidewire.runtime.registered.plans cimport FieldOp
from tidewire.runtime.wire.utf8 cimport well_formed

cdef extern from *:
    """
    #pragma GCC optimize ("O3")
    /* Whether the byte is not a valid branch of a union of two. */
    #define tidewire_no_branch(byte) ((byte) & 0xFD)
    """
    int no_branch "tidewire_no_branch"(int byte) noexcept nogil

# Decodes the varint at p into *value; returns its size in bytes, 0 if it has more than 64 bits. If the processor
# gathers
# bits, sizes of one to eight bytes take the same branch, because the next size is unpredictable.
cdef inline int number_at(const unsigned char *p, long long *value, bint gathers) noexcept nogil:
    cdef unsigned long long word, ends
    if not gathers and p[0] < 0x80:
        value[0] = unzigzag(p[0])
        return 1
    word = load8(p)
    ends = varint_ends(word)
    if ends:
        word &= ends ^ (ends - 1)  # up to the byte that ends it
        value[0] = unzigzag(gathered_bits(word) if gathers else varint_bits(word))
        return first(ends) + 1
    word = (gathered_bits(word) if gathers else varint_bits(word)) | <unsigned long long>(p[8] & 0x7F) << 56
    if p[8] < 0x80:
        value[0] = unzigzag(word)
        return 9
    value[0] = unzigzag(word | <unsigned long long>p[9] << 63)
    return 10 if p[9] < 2 else 0

cdef inline bint numbers_into(ColumnarReader many, const int *order, int n, int null_branch, long long *values, unsigned char *valid, long long least, long long most, bint nullable, bint limited) noexcept:
    cdef const unsigned char *p
    cdef long long value = 0
    cdef int j, k, size
    cdef bint null = False
    cdef bint wrong = False
    cdef bint gathers = many.gathers
    for j in range(n):
        k = order[j]
        p = many.p[k]
        if nullable:
            wrong |= no_branch(p[0]) != 0
            null = (p[0] >> 1) == null_branch
            p += 1
        size = number_at(p, &value, gathers)
        if nullable:
            if size == 0 and not null:
                return False
            size = 0 if null else size
            value = 0 if null else value
        elif size == 0:
            return False
        if limited:
            wrong |= value < least or value > most
        p += size
        if p > many.end[k]:
            return False
        many.p[k] = p
        values[j] = value
        valid[j] = not null
    return not wrong

# Reads numbers into a column from this row on; `limited`: values outside least to most are refused.
cdef inline bint read_numbers(ColumnarReader many, const int *order, int n, int null_branch, long long *values, unsigned char *valid, long long least, long long most, bint limited) noexcept:
    if null_branch >= 0:
        if limited:
            return numbers_into(many, order, n, null_branch, values, valid, least, most, True, True)
        return numbers_into(many, order, n, null_branch, values, valid, 0, 0, True, False)
    if limited:
        return numbers_into(many, order, n, -1, values, valid, least, most, False, True)
    return numbers_into(many, order, n, -1, values, valid, 0, 0, False, False)

# Reads numbers that are properties of the event.
cdef inline bint read_said_numbers(ColumnarReader many, const int *order, int n, FieldOp op) noexcept:
    cdef SlotOfMany *slot = &many.slots[op.slot]
    cdef const unsigned char *p
    cdef long long value
    cdef int j, k, size, null
    cdef bint nullable = op.null >= 0
    cdef bint gathers = many.gathers
    for j in range(n):
        k = order[j]
        p = many.p[k]
        null = 0
        if nullable:
            if no_branch(p[0]):
                return False
            null = (p[0] >> 1) == op.null
            p += 1
        value = 0
        size = 0
        if not null:
            size = number_at(p, &value, gathers)
            if size == 0:
                return False
        p += size
        if p > many.end[k]:
            return False
        many.p[k] = p
        slot.numbers[k] = value
        slot.given[k] = not null
    return True

# Stores the length of the string or bytes at p in *size; returns the position after the length, NULL if truncated.
cdef inline const unsigned char *behind_size(const unsigned char *p, const unsigned char *end, Py_ssize_t *size) noexcept nogil:
    cdef long long value = 0
    cdef int taken
    if p[0] < 0x80 and not p[0] & 1:
        size[0] = p[0] >> 1
        p += 1
        return p if size[0] <= end - p else NULL
    taken = number_at(p, &value, False)
    p += taken
    if taken == 0 or p > end or value < 0 or value > end - p:
        return NULL
    size[0] = value
    return p

# Reads strings that are properties of the event.
cdef inline bint read_said_texts(ColumnarReader many, const int *order, int n, FieldOp op) noexcept:
    cdef SlotOfMany *slot = &many.slots[op.slot]
    cdef const unsigned char *p
    cdef Py_ssize_t size
    cdef int j, k, null
    cdef bint nullable = op.null >= 0
    slot.texts = True
    for j in range(n):
        k = order[j]
        p = many.p[k]
        if nullable:
            if no_branch(p[0]) or p >= many.end[k]:
                return False
            null = (p[0] >> 1) == op.null
            p += 1
            if null:
                many.p[k] = p
                continue
        size = 0
        p = behind_size(p, many.end[k], &size)
        if p == NULL or size > 0x7FFFFFFF:
            return False
        slot.given[k] = True
        slot.starts[k] = p
        slot.sizes[k] = <int>size
        many.p[k] = p + size
    return True

# Reads strings or bytes into a column from this row on.
cdef inline bint read_texts(ColumnarReader many, RecordCursor r, const int *order, int n, FieldOp op, Columns columns, Py_ssize_t row) except -1:
    cdef int c = op.column
    cdef int *ends = columns.values.i32 + 2 * columns.room * c + row
    cdef unsigned char *valid = columns.valid + columns.room * c + row
    cdef unsigned char *data = columns.cells[c].data
    cdef Py_ssize_t last = columns.cells[c].data_room - 32  # up to here, 32 bytes can be written
    cdef Py_ssize_t pos = ends[0]
    cdef bint checked = columns.cells[c].storage == TEXT_COLUMN
    cdef bint nullable = op.null >= 0
    cdef const unsigned char *p
    cdef Py_ssize_t size
    cdef bint fine
    cdef int j, k, null
    for j in range(n):
        k = order[j]
        p = many.p[k]
        if nullable:
            if no_branch(p[0]) or p >= many.end[k]:
                return False
            null = (p[0] >> 1) == op.null
            p += 1
            if null:
                many.p[k] = p
                ends[j + 1] = <int>pos
                valid[j] = 0
                continue
        size = 0
        p = behind_size(p, many.end[k], &size)
        if p == NULL:
            return False
        many.p[k] = p + size
        # few values are long or have non-ASCII characters
        fine = size <= 32 and not (checked and not_ascii(p, size)) or not checked or well_formed(p, 0, size)
        if not fine or pos + size > last:
            load(r, many.first + k)
            columns.put_bytes(c, row + j, r, p - r.p, size, op.field)
            data = columns.cells[c].data
            last = columns.cells[c].data_room - 32
            pos = ends[j + 1]
            continue
        if size > 32:
            memcpy(data + pos, p, size)
        else:
            memcpy(data + pos, p, 32)
        pos += size
        ends[j + 1] = <int>pos
        valid[j] = 1
    return True

# Reads decimals into a text column from this row on.
cdef inline bint read_decimals(ColumnarReader many, RecordCursor r, const int *order, int n, FieldOp op, Columns columns, Py_ssize_t row) except -1:
    cdef int c = op.column
    cdef int *ends = columns.values.i32 + 2 * columns.room * c + row
    cdef unsigned char *valid = columns.valid + columns.room * c + row
    cdef unsigned char *data = columns.cells[c].data
    cdef Py_ssize_t last = columns.cells[c].data_room - SHORT_ROOM
    cdef Py_ssize_t pos = ends[0]
    cdef bint nullable = op.null >= 0
    cdef const unsigned char *p
    cdef Py_ssize_t size
    cdef int j, k, null
    for j in range(n):
        k = order[j]
        p = many.p[k]
        if nullable:
            if no_branch(p[0]) or p >= many.end[k]:
                return False
            null = (p[0] >> 1) == op.null
            p += 1
            if null:
                many.p[k] = p
                ends[j + 1] = <int>pos
                valid[j] = 0
                continue
        size = 0
        p = behind_size(p, many.end[k], &size)
        if p == NULL:
            return False
        many.p[k] = p + size
        if size == 0 or size > SHORT_SIZE or op.scale > SHORT_SCALE or pos > last:
            load(r, many.first + k)
            put_decimal(columns, c, row + j, r, p - r.p, size, op.scale, op.field)
            data = columns.cells[c].data
            last = columns.cells[c].data_room - SHORT_ROOM
            pos = ends[j + 1]
            continue
        pos += short_decimal_text(data + pos, p, <int>size, op.scale)
        ends[j + 1] = <int>pos
        valid[j] = 1
    return True

# Reads IEEE 754 numbers of 4 or 8 bytes into a column from this row on.
cdef inline bint read_floats(ColumnarReader many, const int *order, int n, FieldOp op, double *values, unsigned char *valid, int width) noexcept:
    cdef const unsigned char *p
    cdef double value
    cdef int j, k, null
    cdef bint nullable = op.null >= 0
    for j in range(n):
        k = order[j]
        p = many.p[k]
        null = 0
        if nullable:
            if no_branch(p[0]):
                return False
            null = (p[0] >> 1) == op.null
            p += 1
        value = float32_at(p) if width == 4 else float64_at(p)
        if null:
            value = 0.0
        else:
            p += width
        if p > many.end[k]:
            return False
        many.p[k] = p
        values[j] = value
        valid[j] = not null
    return True

# The numbers of fields.py for compiled modules, which compare them without a Python object. A test holds the two together.
cdef enum:
    INT_FIELD = 40
    BOOLEAN_FIELD = 41
    BITS_TRIMMED_FIELD = 42
    BITS_WHOLE_FIELD = 43
    DECIMAL_FIELD = 44
    LABEL_FIELD = 45
    LABELS_FIELD = 46
    LABEL_OR_NOTHING_FIELD = 47
    BITS_LITTLE_FIELD = 48
    NATURAL_FIELD = 49
    WIDENED_FIELD = 50
    TIME_FIELD = 51
    SHORT_TIME_FIELD = 52
    TIME_TEXT_FIELD = 53
    UNSIGNED_BYTES_FIELD = 54
    CONVERTED_FIELD = 55
    ANY_FIELD = 56
    VECTOR_FIELD = 57
    SCALED_FIELD = 58
    SYMBOL_FIELD = 59
    FIXED_FIELD = 60
    COUNT_FIELD = 61

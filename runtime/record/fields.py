"""The codecs of column values that are fields of a record, beside those that are branches of a union too (codecs.py).

A field that can be null is a union of null and the type of its values.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
from tidewire.runtime.json import connect_times
from tidewire.runtime.json.codec import ColumnFacts, JsonCodec
from tidewire.runtime.wire.value_codec import ValueCodec

INT_FIELD: Final = 40
"""A number of 32 bits with a sign."""
BOOLEAN_FIELD: Final = 41
"""True or false, which are 1 and 0."""
BITS_TRIMMED_FIELD: Final = 42
"""Bits as bytes, the highest first, without those in front that are 0."""
BITS_WHOLE_FIELD: Final = 43
"""The same, as many as the bits of the column take."""
DECIMAL_FIELD: Final = 44
"""A decimal as its number without the point: bytes in two's complement, the highest first."""
LABEL_FIELD: Final = 45
"""A label, by which a value is stored as its number."""
LABELS_FIELD: Final = 46
"""Labels with commas between, by which a value is stored as a bitmap."""
LABEL_OR_NOTHING_FIELD: Final = 47
"""The same of a label; an empty text is the invalid value of an ENUM."""
BITS_LITTLE_FIELD: Final = 48
"""Bits as bytes, the lowest first, as many as the bits of the column take."""
NATURAL_FIELD: Final = 49
"""A number without a sign as a long, which has no room for those from 2**63 on."""
WIDENED_FIELD: Final = 50
"""A 32-bit float in a double."""
TIME_FIELD: Final = 51
"""A date or a time as a number of days or of parts of a second."""
SHORT_TIME_FIELD: Final = 52
"""The same in 32 bits."""
TIME_TEXT_FIELD: Final = 53
"""A time as a text of ISO 8601."""
UNSIGNED_BYTES_FIELD: Final = 54
"""A number without a sign as a decimal has it."""
CONVERTED_FIELD: Final = 55
"""A value that becomes another one in its column (converted.py)."""
ANY_FIELD: Final = 56
"""A value of any type, of which JSON is made."""
VECTOR_FIELD: Final = 57
"""A vector as an array of floats."""
SCALED_FIELD: Final = 58
"""A decimal as a record of its scale and its number without the point."""
SYMBOL_FIELD: Final = 59
"""A text as a symbol of an enum."""
FIXED_FIELD: Final = 60
"""Bytes, of which the schema says how many there are."""
COUNT_FIELD: Final = 61
"""A number without a sign as a long, where none is below 0."""
UNSIGNED: Final = "its column is unsigned"
"""Why a number below 0 is refused, for the end of a sentence."""
NAMES: Final = {
    INT_FIELD: "an int",
    BOOLEAN_FIELD: "a boolean",
    BITS_TRIMMED_FIELD: "bits",
    BITS_WHOLE_FIELD: "bits",
    DECIMAL_FIELD: "a decimal",
    LABEL_FIELD: "a label",
    LABELS_FIELD: "labels",
    LABEL_OR_NOTHING_FIELD: "a label",
    BITS_LITTLE_FIELD: "bits",
    NATURAL_FIELD: "a long",
    WIDENED_FIELD: "a double",
    TIME_FIELD: "a time",
    SHORT_TIME_FIELD: "a date or a time",
    TIME_TEXT_FIELD: "a time",
    UNSIGNED_BYTES_FIELD: "a decimal",
    CONVERTED_FIELD: "a value in another form",
    ANY_FIELD: "any value",
    VECTOR_FIELD: "a vector",
    SCALED_FIELD: "a decimal with its scale",
    SYMBOL_FIELD: "a symbol",
    FIXED_FIELD: "bytes",
    COUNT_FIELD: "a long",
}
"""What they are called in errors."""


class TimeField(ValueCodec):
    """A date or a time as Kafka Connect has it.

    Attributes:
        times: makes texts of it, and what is written of texts, for one column.
    """

    def __init__(self, number: int, times: JsonCodec) -> None:
        """
        Args:
            number: by which readers and writers know it.
            times: how such a value stands in JSON.
        """
        super().__init__(storage.TEXT, number, number, True)
        self.times = times

    def for_column(self, facts: ColumnFacts) -> TimeField:
        """The codec of a column of which this is known."""
        return TimeField(self.number, self.times.for_column(facts))


INT: Final = ValueCodec(storage.INT, INT_FIELD, INT_FIELD, True)
UINT: Final = ValueCodec(storage.UINT, INT_FIELD, INT_FIELD, True)
"""A number without a sign that 31 bits can hold."""
UINT_LONG: Final = ValueCodec(storage.UINT, COUNT_FIELD, COUNT_FIELD, True)
"""A number without a sign that 63 bits can hold."""
BOOLEAN: Final = ValueCodec(storage.INT, BOOLEAN_FIELD, BOOLEAN_FIELD, False)
BITS_TRIMMED: Final = ValueCodec(storage.UINT, BITS_TRIMMED_FIELD, BITS_TRIMMED_FIELD, True)
BITS_WHOLE: Final = ValueCodec(storage.UINT, BITS_WHOLE_FIELD, BITS_WHOLE_FIELD, True)
DECIMAL: Final = ValueCodec(storage.TEXT, DECIMAL_FIELD, DECIMAL_FIELD, True)
LABEL: Final = ValueCodec(storage.UINT, LABEL_FIELD, LABEL_FIELD, True)
LABELS: Final = ValueCodec(storage.UINT, LABELS_FIELD, LABELS_FIELD, True)
BIT_BOOLEAN: Final = ValueCodec(storage.UINT, BOOLEAN_FIELD, BOOLEAN_FIELD, True)
"""A BIT(1)."""
BITS_LITTLE: Final = ValueCodec(storage.UINT, BITS_LITTLE_FIELD, BITS_LITTLE_FIELD, True)
LABEL_OR_NOTHING: Final = ValueCodec(storage.UINT, LABEL_OR_NOTHING_FIELD, LABEL_OR_NOTHING_FIELD, True)
UNSIGNED_BYTES: Final = ValueCodec(storage.UINT, UNSIGNED_BYTES_FIELD, UNSIGNED_BYTES_FIELD, False)
NATURAL: Final = ValueCodec(storage.UINT, NATURAL_FIELD, NATURAL_FIELD, True)
WIDENED: Final = ValueCodec(storage.FLOAT, WIDENED_FIELD, WIDENED_FIELD, True)
EPOCH_DAYS: Final = TimeField(SHORT_TIME_FIELD, connect_times.DAYS)
EPOCH_MS: Final = TimeField(TIME_FIELD, connect_times.EPOCH_MS)
EPOCH_US: Final = TimeField(TIME_FIELD, connect_times.EPOCH_US)
EPOCH_NS: Final = TimeField(TIME_FIELD, connect_times.EPOCH_NS)
MICRO_TIME: Final = TimeField(TIME_FIELD, connect_times.MICRO_TIME)
NANO_TIME: Final = TimeField(TIME_FIELD, connect_times.NANO_TIME)
MILLI_TIME: Final = TimeField(SHORT_TIME_FIELD, connect_times.MILLI_TIME)
ZONED_TIME: Final = TimeField(TIME_TEXT_FIELD, connect_times.ZONED_TIME)
ISO_TEXT: Final = TimeField(TIME_TEXT_FIELD, connect_times.ISO_TEXT)
"""A text in one of several forms; such columns are read, and never written, and so are those that follow."""
ANY: Final = ValueCodec(storage.TEXT, ANY_FIELD, ANY_FIELD, False)
VECTOR: Final = ValueCodec(storage.TEXT, VECTOR_FIELD, VECTOR_FIELD, False)
SCALED: Final = ValueCodec(storage.TEXT, SCALED_FIELD, SCALED_FIELD, False)
SYMBOL: Final = ValueCodec(storage.TEXT, SYMBOL_FIELD, SYMBOL_FIELD, False)
FIXED: Final = ValueCodec(storage.BYTES, FIXED_FIELD, FIXED_FIELD, False)

"""The codecs of column values that are fields of a record, in addition to those of union branches (codecs.py).

A nullable field is a union of null and the type of its values.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
from tidewire.runtime.wire import times
from tidewire.runtime.wire.times import TimeConversion
from tidewire.runtime.wire.value_codec import ColumnFacts, ValueCodec

INT_FIELD: Final = 40
"""A signed 32-bit integer."""
BOOLEAN_FIELD: Final = 41
"""A boolean, stored as 1 and 0."""
BITS_TRIMMED_FIELD: Final = 42
"""A BIT as bytes, big-endian, without leading zero bytes."""
BITS_WHOLE_FIELD: Final = 43
"""A BIT as bytes, big-endian, as many as the column's bits need."""
DECIMAL_FIELD: Final = 44
"""A decimal as bytes: its unscaled value in two's complement, big-endian."""
LABEL_FIELD: Final = 45
"""An ENUM label; stored as its number."""
LABELS_FIELD: Final = 46
"""SET labels separated by commas; stored as a bitmap."""
LABEL_OR_NOTHING_FIELD: Final = 47
"""An ENUM label; the empty string is the invalid value 0."""
BITS_LITTLE_FIELD: Final = 48
"""A BIT as bytes, little-endian, as many as the column's bits need."""
NATURAL_FIELD: Final = 49
"""An unsigned number as a long; from 2**63 on it does not fit."""
WIDENED_FIELD: Final = 50
"""A float32 value in a double."""
TIME_FIELD: Final = 51
"""A date or time as a long: days or fractions of a second."""
SHORT_TIME_FIELD: Final = 52
"""A date or time as an int."""
TIME_TEXT_FIELD: Final = 53
"""A time as ISO 8601 text."""
UNSIGNED_BYTES_FIELD: Final = 54
"""An unsigned number in the encoding of a decimal."""
CONVERTED_FIELD: Final = 55
"""A value that is converted to the column's form (converted.py)."""
ANY_FIELD: Final = 56
"""A value of any type, converted to JSON text."""
VECTOR_FIELD: Final = 57
"""A vector as an array of floats."""
SCALED_FIELD: Final = 58
"""A decimal as a record of its scale and its unscaled value."""
SYMBOL_FIELD: Final = 59
"""A string as a symbol of an enum."""
FIXED_FIELD: Final = 60
"""Bytes of a fixed size, which is in the schema."""
COUNT_FIELD: Final = 61
"""An unsigned number as a long that must not be negative."""
UNSIGNED: Final = "its column is unsigned"
"""The reason why a negative number is refused; ends a sentence."""
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
"""Names of the codecs in errors."""


class TimeField(ValueCodec):
    """A date or time in Kafka Connect's form.

    Attributes:
        times: converts between its texts and the written values, for one column.
    """

    def __init__(self, number: int, times: TimeConversion) -> None:
        """
        Args:
            number: codec number.
            times: the conversion of such values.
        """
        super().__init__(storage.TEXT, number, number, True)
        self.times = times

    def for_column(self, facts: ColumnFacts) -> TimeField:
        """The codec for a column with these facts."""
        return TimeField(self.number, self.times.for_column(facts))


INT: Final = ValueCodec(storage.INT, INT_FIELD, INT_FIELD, True)
UINT: Final = ValueCodec(storage.UINT, INT_FIELD, INT_FIELD, True)
"""An unsigned number of at most 31 bits."""
UINT_LONG: Final = ValueCodec(storage.UINT, COUNT_FIELD, COUNT_FIELD, True)
"""An unsigned number of at most 63 bits."""
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
EPOCH_DAYS: Final = TimeField(SHORT_TIME_FIELD, times.DAYS)
EPOCH_MS: Final = TimeField(TIME_FIELD, times.EPOCH_MS)
EPOCH_US: Final = TimeField(TIME_FIELD, times.EPOCH_US)
EPOCH_NS: Final = TimeField(TIME_FIELD, times.EPOCH_NS)
MICRO_TIME: Final = TimeField(TIME_FIELD, times.MICRO_TIME)
NANO_TIME: Final = TimeField(TIME_FIELD, times.NANO_TIME)
MILLI_TIME: Final = TimeField(SHORT_TIME_FIELD, times.MILLI_TIME)
ZONED_TIME: Final = TimeField(TIME_TEXT_FIELD, times.ZONED_TIME)
ISO_TEXT: Final = TimeField(TIME_TEXT_FIELD, times.ISO_TEXT)
"""A text in one of several forms; read only, like the codecs that follow."""
ANY: Final = ValueCodec(storage.TEXT, ANY_FIELD, ANY_FIELD, False)
VECTOR: Final = ValueCodec(storage.TEXT, VECTOR_FIELD, VECTOR_FIELD, False)
SCALED: Final = ValueCodec(storage.TEXT, SCALED_FIELD, SCALED_FIELD, False)
SYMBOL: Final = ValueCodec(storage.TEXT, SYMBOL_FIELD, SYMBOL_FIELD, False)
FIXED: Final = ValueCodec(storage.BYTES, FIXED_FIELD, FIXED_FIELD, False)

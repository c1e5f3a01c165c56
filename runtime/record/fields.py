"""The codecs of column values that are fields of a record, beside those that are branches of a union too (codecs.py).

A field that can be null is a union of null and the type of its values.
"""

from __future__ import annotations

from typing import Final

from tidewire.runtime.arrow import storage
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
NAMES: Final = {
    INT_FIELD: "an int",
    BOOLEAN_FIELD: "a boolean",
    BITS_TRIMMED_FIELD: "bits",
    BITS_WHOLE_FIELD: "bits",
    DECIMAL_FIELD: "a decimal",
    LABEL_FIELD: "a label",
    LABELS_FIELD: "labels",
}
"""What they are called in errors."""

INT: Final = ValueCodec(storage.INT, INT_FIELD, INT_FIELD, True)
UINT: Final = ValueCodec(storage.UINT, INT_FIELD, INT_FIELD, True)
"""A number without a sign that 31 bits can hold."""
BOOLEAN: Final = ValueCodec(storage.INT, BOOLEAN_FIELD, BOOLEAN_FIELD, False)
BITS_TRIMMED: Final = ValueCodec(storage.UINT, BITS_TRIMMED_FIELD, BITS_TRIMMED_FIELD, True)
BITS_WHOLE: Final = ValueCodec(storage.UINT, BITS_WHOLE_FIELD, BITS_WHOLE_FIELD, True)
DECIMAL: Final = ValueCodec(storage.TEXT, DECIMAL_FIELD, DECIMAL_FIELD, True)
LABEL: Final = ValueCodec(storage.UINT, LABEL_FIELD, LABEL_FIELD, True)
LABELS: Final = ValueCodec(storage.UINT, LABELS_FIELD, LABELS_FIELD, True)

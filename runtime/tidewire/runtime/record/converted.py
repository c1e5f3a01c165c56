"""Codecs of column values in records that connectors write in modes that TiCDC does not have; read only."""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from math import isfinite
from typing import Any, Final

from tidewire.runtime.arrow.storage import BYTES, TEXT
from tidewire.runtime.column_types import MOST_PRECISION
from tidewire.runtime.record.fields import CONVERTED_FIELD
from tidewire.runtime.wire.conversions import base64_url, hexadecimal, spatial, unscaled_text
from tidewire.runtime.wire.value_codec import ColumnFacts, RefusedValueError, ValueCodec, strict64

MOST_DIGITS = 81
"""Maximum digits of a decimal: 65, plus the zeros that an exponent can stand for."""


class ConvertedField(ValueCodec):
    """A value that is read by its Avro type and converted to the column's form.

    Attributes:
        image: returns the column's bytes for a value: a number, bytes, or the fields of a record by name. It raises
            ValueError if the column cannot have this value.
    """

    def __init__(self, storage: int, image: Callable[..., bytes], scaled: bool = False) -> None:
        """
        Args:
            storage: how columns store the values.
            image: see the attribute.
            scaled: whether `image` takes the column's digits after the decimal point as `scale`, if they are known.
        """
        super().__init__(storage, CONVERTED_FIELD, CONVERTED_FIELD, False)
        self.image = image
        self.scaled = scaled

    def for_column(self, facts: ColumnFacts) -> ConvertedField:
        """The codec for a column with these facts."""
        return ConvertedField(self.storage, partial(self.image, scale=facts.scale)) if self.scaled else self


def _decimal_double(value: float, scale: int | None = None) -> bytes:
    """A decimal as a double."""
    if not isfinite(value):
        raise RefusedValueError(f"{value} is no decimal")
    number = Decimal(repr(value))
    if number.adjusted() > MOST_DIGITS or number.adjusted() < -MOST_DIGITS:
        raise RefusedValueError("it has more digits than a decimal")
    whole, _, digits = f"{number:f}".partition(".")
    digits = digits.rstrip("0") if scale is None or len(digits) > scale else digits
    digits = digits.ljust(scale or 0, "0")
    return (f"{whole}.{digits}" if digits else whole).encode()


def _fixed_decimal(value: Any, scale: int | None = None) -> bytes:
    """A decimal as bytes of a fixed size: the unscaled value in two's complement, big-endian."""
    number = int.from_bytes(a2b_base64(value), "big", signed=True)
    if abs(number) >= 10**MOST_PRECISION:
        raise RefusedValueError(f"it has more than the {MOST_PRECISION} digits of a decimal")
    return unscaled_text(number, scale or 0)


def _geometry(value: Any) -> bytes:
    """A spatial value as a record of its SRID and its well-known binary (WKB)."""
    form, system = value.get("wkb"), value.get("srid")
    if not isinstance(form, str) or not isinstance(system, int | None):
        raise RefusedValueError("it is no record with wkb and srid")
    return spatial(a2b_base64(form), system or 0)


DECIMAL_DOUBLE: Final = ConvertedField(TEXT, _decimal_double, scaled=True)
FIXED_DECIMAL: Final = ConvertedField(TEXT, _fixed_decimal, scaled=True)
BASE64_TEXT: Final = ConvertedField(BYTES, strict64)
BASE64_URL: Final = ConvertedField(BYTES, base64_url)
HEXADECIMAL: Final = ConvertedField(BYTES, hexadecimal)
GEOMETRY: Final = ConvertedField(BYTES, _geometry)

"""Codecs of column values in records that connectors write in modes that TiCDC does not have; read only."""

from __future__ import annotations

from binascii import Error, a2b_base64, unhexlify
from decimal import Decimal
from math import isfinite
from typing import Any, Final

from tidewire.runtime.arrow.storage import BYTES, TEXT
from tidewire.runtime.column_types import MOST_PRECISION
from tidewire.runtime.record.fields import CONVERTED_FIELD
from tidewire.runtime.wire.value_codec import ColumnFacts, RefusedValueError, ValueCodec, strict64

MOST_DIGITS = 81
"""Maximum digits of a decimal: 65, plus the zeros that an exponent can stand for."""


class ConvertedField(ValueCodec):
    """A value that is read by its Avro type and converted to the column's form."""

    def __init__(self, storage: int) -> None:
        super().__init__(storage, CONVERTED_FIELD, CONVERTED_FIELD, False)

    def for_column(self, facts: ColumnFacts) -> ConvertedField:
        """The codec for a column with these facts."""
        return self

    def image(self, value: Any) -> bytes:
        """The column's bytes for a value.

        Args:
            value: a number, bytes, or the fields of a record by name.

        Raises:
            ValueError: the column cannot have this value.
        """
        raise NotImplementedError


class DecimalDouble(ConvertedField):
    """A decimal as a double, with the column's digits after the decimal point if known."""

    def __init__(self, scale: int | None = None) -> None:
        super().__init__(TEXT)
        self.scale = scale

    def for_column(self, facts: ColumnFacts) -> ConvertedField:
        return DecimalDouble(facts.scale)

    def image(self, value: Any) -> bytes:
        if not isfinite(value):
            raise RefusedValueError(f"{value} is no decimal")
        number = Decimal(repr(value))
        if number.adjusted() > MOST_DIGITS or number.adjusted() < -MOST_DIGITS:
            raise RefusedValueError("it has more digits than a decimal")
        text = f"{number:f}"
        whole, _, digits = text.partition(".")
        digits = digits.rstrip("0") if self.scale is None or len(digits) > self.scale else digits
        digits = digits.ljust(self.scale or 0, "0")
        return (f"{whole}.{digits}" if digits else whole).encode()


class FixedDecimal(ConvertedField):
    """A decimal as bytes of a fixed size: the unscaled value in two's complement, big-endian."""

    def __init__(self, scale: int = 0) -> None:
        super().__init__(TEXT)
        self.scale = scale

    def for_column(self, facts: ColumnFacts) -> ConvertedField:
        return FixedDecimal(facts.scale or 0)

    def image(self, value: Any) -> bytes:
        number = int.from_bytes(a2b_base64(value), "big", signed=True)
        digits = str(abs(number)) if abs(number) < 10**MOST_PRECISION else ""
        if not digits:
            raise RefusedValueError(f"it has more than the {MOST_PRECISION} digits of a decimal")
        digits = digits.rjust(self.scale + 1, "0")
        whole = len(digits) - self.scale
        return f"{'-' if number < 0 else ''}{digits[:whole]}{'.' if self.scale else ''}{digits[whole:]}".encode()


class Base64Text(ConvertedField):
    """Bytes in base64."""

    def __init__(self) -> None:
        super().__init__(BYTES)

    def image(self, value: Any) -> bytes:
        return strict64(value)


class Base64UrlText(ConvertedField):
    """Bytes in URL-safe base64 (- and _), with or without padding."""

    def __init__(self) -> None:
        super().__init__(BYTES)

    def image(self, value: Any) -> bytes:
        if b"+" in value or b"/" in value:
            raise RefusedValueError("it has + or /, where - and _ are expected")
        text = value.replace(b"-", b"+").replace(b"_", b"/")
        return strict64(text + b"=" * (3 - (len(text) + 3) % 4))


class HexadecimalText(ConvertedField):
    """Bytes as pairs of hexadecimal digits."""

    def __init__(self) -> None:
        super().__init__(BYTES)

    def image(self, value: Any) -> bytes:
        try:
            return unhexlify(value)
        except Error:
            raise RefusedValueError("it has something else than pairs of hexadecimal digits") from None


class GeometryRecord(ConvertedField):
    """A spatial value as a record of its SRID and its well-known binary (WKB). It is read into MySQL's storage format:
    the SRID in four bytes, little-endian, followed by the WKB.
    """

    def __init__(self) -> None:
        super().__init__(BYTES)

    def image(self, value: Any) -> bytes:
        form, system = value.get("wkb"), value.get("srid")
        if not isinstance(form, str) or not isinstance(system, int | None):
            raise RefusedValueError("it is no record with wkb and srid")
        srid = system or 0
        if not 0 <= srid < 1 << 32:
            raise RefusedValueError(f"{srid} is no spatial reference system")
        return srid.to_bytes(4, "little") + a2b_base64(form)


DECIMAL_DOUBLE: Final = DecimalDouble()
FIXED_DECIMAL: Final = FixedDecimal()
BASE64_TEXT: Final = Base64Text()
BASE64_URL: Final = Base64UrlText()
HEXADECIMAL: Final = HexadecimalText()
GEOMETRY: Final = GeometryRecord()

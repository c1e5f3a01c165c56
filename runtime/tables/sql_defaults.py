"""Defaults of columns in SQL, as TiDB keeps them."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_tokens import Clause

NOW = ("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP")
"""Functions that say the time of a statement."""
MOST_BITS = 1024
"""Bits of a default in binary or hexadecimal digits that is a number; with more it is bytes only."""
_DAY = re.compile(r"\d+-\d+-\d+")


class Default:
    """A default as it stands in a statement.

    Attributes:
        text: of a literal, or of an expression as it stands there.
        bits: of a number in binary or hexadecimal digits; None otherwise.
        expression: whether it is an expression.
        number: whether it is a number, written without quotes.
    """

    def __init__(self, text: str, bits: bytes | None = None, expression: bool = False, number: bool = False) -> None:
        self.text = text
        self.bits = bits
        self.expression = expression
        self.number = number


def read_default(clause: Clause) -> Default | None:
    """Reads the value behind DEFAULT; None for NULL.

    Raises:
        SqlError: there is none.
    """
    kind = clause.kind()
    if clause.accept("NULL"):
        return None
    if clause.word() in ("TRUE", "FALSE"):
        return Default("1" if clause.next().text.upper() == "TRUE" else "0", number=True)
    if kind == "INTRODUCER":
        clause.next()
        return Default(clause.string())
    if kind in ("STRING", "NATIONAL_STRING"):
        return Default(clause.next().text)
    if kind in ("HEX_STRING", "BIT_STRING"):
        digits = clause.next().text
        number, bits = (int(digits or "0", 16), 4) if kind == "HEX_STRING" else (int(digits or "0", 2), 1)
        # what no number of a database has is not turned into digits: Python refuses more than some thousand
        text = str(number) if number.bit_length() <= MOST_BITS else f"0x{number:x}"
        return Default(text, number.to_bytes((len(digits) * bits + 7) // 8, "big"))
    sign = clause.word() if clause.word() in ("-", "+") else ""
    if clause.kind(1 if sign else 0) == "NUMBER":
        if sign:
            clause.next()
        return Default(("-" if sign == "-" else "") + clause.next().text, number=True)
    if kind == "L_PAREN":
        return Default(clause.inside()[0], expression=True)
    start, word = clause.at, clause.word()
    name = clause.name()
    if clause.word() == "(":
        clause.inside()
    if word in NOW:
        return Default(NOW[0], expression=True)
    if name.upper() == word and word:
        return Default(clause.source(start), expression=True)
    clause.fail("a default is a value, NULL, or an expression")


def kept_default(
    default: Default, types: TypesOfTables, code: int, length: int | None, scale: int | None, labels: tuple[str, ...]
) -> str | int:
    """A default as TiDB keeps it: a number for BIT, else text.

    Args:
        default: as it was written.
        types: of the database.
        code: of the column's type.
        length: of the column.
        scale: digits behind its point.
        labels: of an ENUM or SET.

    Raises:
        ValueError: it is the number of no label.
    """
    if default.expression:
        return default.text
    facts = types.types.facts(code)
    if types.is_bits(code):
        raw = default.bits if default.bits is not None else default.text.encode()
        number = _number(default.text)
        return int(number) if default.bits is None and number is not None else int.from_bytes(raw, "big")
    text = default.text
    if default.bits is not None and facts.storage not in ("int", "uint", "float"):
        text = default.bits.decode("utf-8", "replace")
    if facts.labels:
        several = facts.labels == "several"
        if default.number and text.lstrip("-").isdigit():
            return _numbered(int(text[:22]), labels, several)
        return _named(text, labels, several)
    number = _number(text)
    if facts.storage == "int" and number is not None:
        return str(int(number.to_integral_value()))
    if facts.storage == "float" and number is not None and math.isfinite(float(number)):
        return format(Decimal(repr(float(number))), "f").removesuffix(".0")
    if facts.fractions:
        return _time(text, scale or 0, bool(_DAY.fullmatch(text)) and types.has_days(code))
    return text


def padded(default: str | int, length: int | None) -> str | int:
    """The default of a BINARY column, which is filled with zero bytes."""
    return default.ljust(length or 0, "\0") if isinstance(default, str) else default


def _number(text: str) -> Decimal | None:
    try:
        found = Decimal(text.strip())
    except InvalidOperation:
        return None
    # what no column holds is not written out digit by digit
    return found if found.is_finite() and abs(found.adjusted()) < 400 else None


def _time(text: str, scale: int, day: bool) -> str:
    whole, _, fraction = text.partition(".")
    if day:
        whole += " 00:00:00"
    return f"{whole}.{fraction[:scale]:0<{scale}}" if scale and len(fraction) <= scale else text


def _numbered(number: int, labels: tuple[str, ...], several: bool) -> str:
    """The labels with a number: the place of one, from 1, or a sum of 1, 2, 4, …: getEnumDefaultValue and
    getSetDefaultValue of pingcap/tidb pkg/ddl/add_column.go.
    """
    if not 0 < number < (1 << len(labels) if several else len(labels) + 1):
        raise ValueError(f"{number} is the number of no label of this column")
    if several:
        return ",".join(label for at, label in enumerate(labels) if number >> at & 1)
    return labels[number - 1]


def _named(text: str, labels: tuple[str, ...], several: bool) -> str:
    """The labels that a text names, spelled and in the order as the column has them; the text where one is none. Spaces
    at the end belong to no label, and upper and lower case differ where labels differ in nothing else.
    """
    folded = {label.lower(): label for label in reversed(labels)}
    if not several:
        text = text.rstrip(" ")
        return text if text in labels else folded.get(text.lower(), text)
    own = set(labels)
    chosen = {one if one in own else folded.get(one.lower()) for one in text.split(",")} if text else set()
    return text if None in chosen else ",".join(label for label in labels if label in chosen)

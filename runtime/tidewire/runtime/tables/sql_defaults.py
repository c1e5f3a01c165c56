"""Defaults of columns in SQL, as TiDB stores them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Literal

from tidewire.runtime.tables.facts import TypesOfTables
from tidewire.runtime.tables.sql_tokens import Clause

NOW = ("CURRENT_TIMESTAMP", "NOW", "LOCALTIME", "LOCALTIMESTAMP")
"""Functions that return the time of a statement."""
MOST_BITS = 1024
"""Maximum bits of a binary or hexadecimal default that is a number; longer ones are bytes only."""
_NUMBER = re.compile(r"\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?")
_DAY = re.compile(r"\d+-\d+-\d+")


@dataclass(frozen=True, slots=True)
class Default:
    """A default as written in a statement.

    Attributes:
        text: content of a literal, or source text of an expression.
        bits: bytes of a binary or hexadecimal literal; None for others.
        expression: whether it is an expression.
        number: whether it is an unquoted number.
    """

    text: str
    bits: bytes | None = None
    expression: bool = False
    number: bool = False

    @property
    def kind(self) -> Literal["text", "number", "bits", "now", "expression"]:
        """The kind of the default; "now" is the time of the statement, by any of its functions."""
        if self.expression:
            return "now" if self.text == NOW[0] else "expression"
        return "bits" if self.bits is not None else "number" if self.number else "text"


_NULL = Default("NULL", expression=True)


def read_default(clause: Clause) -> Default | None:
    """Reads the value after DEFAULT; None for NULL.

    Raises:
        SqlError: there is no value.
    """
    if clause.kind() == "L_PAREN":
        text, inside = clause.inside()
        inside = _bare(inside)
        found = _literal(inside) or _now(inside)
        if found is None or not inside.ended:
            found = Default(text, expression=True)
    else:
        found = _literal(clause) or _now(clause) or _expression(clause)
    return None if found is _NULL else found


def _bare(clause: Clause) -> Clause:
    """The clause without the parentheses around the whole of it."""
    tokens = clause.tokens
    first = next((at for at, one in enumerate(tokens) if one.kind != "L_PAREN"), 0)
    last = next((at for at, one in enumerate(reversed(tokens)) if one.kind != "R_PAREN"), 0)
    depth = least = first
    for token in tokens[first : len(tokens) - last]:
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(token.kind, 0)
        least = min(least, depth)
    around = min(least, last)
    return Clause(clause.text, tokens[around : len(tokens) - around]) if around > 0 else clause


def _literal(clause: Clause) -> Default | None:
    """Reads a literal; None: there is none."""
    kind, word = clause.kind(), clause.word()
    if clause.accept("NULL"):
        return _NULL
    if word in ("TRUE", "FALSE"):
        clause.next()
        return Default("1" if word == "TRUE" else "0", number=True)
    if kind == "INTRODUCER":
        clause.next()
        kind = clause.kind()
        if kind not in ("STRING", "HEX_STRING", "BIT_STRING"):
            clause.fail("a text or bits are expected behind the name of a character set")
    if kind in ("STRING", "NATIONAL_STRING"):
        text = clause.next().text
        while clause.kind() == "STRING":  # adjacent texts are concatenated
            text += clause.next().text
        return Default(text)
    if kind in ("HEX_STRING", "BIT_STRING"):
        digits = clause.next().text
        number, bits = (int(digits or "0", 16), 4) if kind == "HEX_STRING" else (int(digits or "0", 2), 1)
        # numbers beyond any database's are not converted to digits: Python refuses more than some thousand
        text = str(number) if number.bit_length() <= MOST_BITS else f"0x{number:x}"
        return Default(text, number.to_bytes((len(digits) * bits + 7) // 8, "big"))
    sign = word if word in ("-", "+") else ""
    ahead = 1 if sign else 0
    point = clause.word(ahead) == "."
    if clause.kind(ahead + point) != "NUMBER":
        return None
    clause.at += ahead + point
    if not _NUMBER.fullmatch(clause.tokens[clause.at].text):
        clause.fail("a number is expected")
    return Default(("-" if sign == "-" else "") + ("0." if point else "") + clause.next().text, number=True)


def _now(clause: Clause) -> Default | None:
    """Reads a function that returns the time of the statement; None: there is none."""
    if clause.word() not in NOW:
        return None
    clause.next()
    if clause.word() == "(":
        clause.inside()
    return Default(NOW[0], expression=True)


def _expression(clause: Clause) -> Default:
    """Reads a function call, or the next value of a sequence.

    Raises:
        SqlError: there is none.
    """
    start, word = clause.at, clause.word()
    if clause.accept("NEXT", "VALUE", "FOR"):
        clause.name()
        if clause.accept("."):
            clause.name()
        return Default(clause.source(start), expression=True)
    name = clause.name()
    if clause.word() == "(":
        clause.inside()
    if name.upper() == word and word:
        return Default(clause.source(start), expression=True)
    clause.fail("a default is a value, NULL, or an expression")


def kept_default(
    default: Default, types: TypesOfTables, code: int, length: int | None, scale: int | None, labels: tuple[str, ...]
) -> str | int:
    """A default as TiDB stores it: a number for BIT, otherwise text.

    Args:
        default: the default as written.
        types: types of the database.
        code: type code of the column.
        scale: digits after its decimal point.
        labels: labels of an ENUM or SET.

    Raises:
        ValueError: it is a number that stands for no label.
    """
    if default.expression:
        return default.text
    facts = types.types.facts(code)
    if types.is_bits(code):
        raw = default.bits if default.bits is not None else default.text.encode()
        number = number_in(default.text)
        return int(number) if default.bits is None and number is not None else int.from_bytes(raw, "big")
    text = default.text
    if default.bits is not None and facts.storage not in ("int", "uint", "float"):
        text = default.bits.decode("utf-8", "replace")
    if facts.labels:
        several = facts.labels == "several"
        if default.number and text.lstrip("-").isdigit():
            return _numbered(int(text[:22]), labels, several)
        return _named(text, labels, several)
    number = number_in(text)
    if facts.storage == "int" and number is not None:
        return str(int(number.to_integral_value(ROUND_HALF_UP)))
    if facts.storage == "float" and number is not None and math.isfinite(float(number)):
        return format(Decimal(repr(float(number))), "f").removesuffix(".0")
    if facts.fractions:
        return _time(text, scale or 0, bool(_DAY.fullmatch(text)) and types.has_days(code))
    return text


def padded(default: str | int, length: int | None) -> str | int:
    """The default of a BINARY column, padded with zero bytes."""
    return default.ljust(length or 0, "\0") if isinstance(default, str) else default


def number_in(text: str) -> Decimal | None:
    """The number in a text; None: there is none, or no column can hold it."""
    try:
        found = Decimal(text.strip())
    except InvalidOperation:
        return None
    # numbers that no column can hold are not converted to digits
    return found if found.is_finite() and abs(found.adjusted()) < 400 else None


def _time(text: str, scale: int, day: bool) -> str:
    whole, _, fraction = text.partition(".")
    if day:
        whole += " 00:00:00"
    return f"{whole}.{fraction[:scale]:0<{scale}}" if scale and len(fraction) <= scale else text


def _numbered(number: int, labels: tuple[str, ...], several: bool) -> str:
    """The labels with a number: an index from 1, or for several labels a sum of bits: getEnumDefaultValue and
    getSetDefaultValue of pingcap/tidb pkg/ddl/add_column.go.
    """
    if not 0 < number < (1 << len(labels) if several else len(labels) + 1):
        raise ValueError(f"{number} is the number of no label of this column")
    if several:
        return ",".join(label for at, label in enumerate(labels) if number >> at & 1)
    return labels[number - 1]


def _named(text: str, labels: tuple[str, ...], several: bool) -> str:
    """The labels that a text names, in the spelling and order of the column; the text itself if one is unknown.
    Trailing spaces are ignored, and case too, unless labels differ in case only.
    """
    folded = {label.lower(): label for label in reversed(labels)}
    if not several:
        text = text.rstrip(" ")
        return text if text in labels else folded.get(text.lower(), text)
    own = set(labels)
    chosen = {one if one in own else folded.get(one.lower()) for one in text.split(",")} if text else set()
    return text if None in chosen else ",".join(label for label in labels if label in chosen)

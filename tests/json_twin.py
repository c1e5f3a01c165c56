"""JSON read with the standard library's decoder, for second readers that ours are held against: numbers stay texts.

What they refuse raises MalformedError.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any


class MalformedError(Exception):
    """The value is not what it has to be."""


class LaterError(MalformedError):
    """What is needed to read the value cannot be had now."""


class ForeignError(Exception):
    """A twin does not read it, as it has columns of unknown types; tests of their own hold what becomes of them."""


class Anything:
    """What a twin says of messages that it does not read: it agrees with whatever the decoder says."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Number(str):
    """A number as it stands in the text."""


class Pairs(list[tuple[str, Any]]):
    """An object: its members in order, those that are given twice too."""


class Written:
    """A value as it stands in the message, of which only the parsed form is known here: equal to every text of it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Written):
            return bool(self.value == other.value)
        return isinstance(other, str) and bool(DECODER.decode(other) == self.value)

    __hash__ = None  # type: ignore[assignment]


def _refuse(_: object) -> Any:
    raise MalformedError("NaN")


DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=_refuse, strict=True
)
SPACE = re.compile(r"[ \t\n\r]*")


def need(right: bool, what: str = "") -> None:
    """Refuses what is not right."""
    if not right:
        raise MalformedError(what)


def members(value: Any, names: Sequence[str], again: Sequence[str] = ()) -> dict[str, Any]:
    """The members of an object with these names, each once at most; others are skipped.

    Of those that may come again, the last counts.
    """
    need(isinstance(value, Pairs), "no object")
    found: dict[str, Any] = {}
    for name, one in value:
        if name in names:
            need(name not in found or name in again, "twice")
            found[name] = one
    return found


def text(value: Any) -> str | None:
    """A string that UTF-8 has bytes for, or null."""
    need(value is None or (type(value) is str and encodable(value)), "no text")
    return value  # type: ignore[no-any-return]


def encodable(text: str) -> bool:
    """Whether UTF-8 has bytes for it: no lone surrogates."""
    return not any(0xD800 <= ord(c) < 0xE000 for c in text)


def string(value: Any) -> str | None:
    """Any string, or null."""
    need(value is None or type(value) is str, "no string")
    return value  # type: ignore[no-any-return]


def integer(value: Any, low: int, high: int) -> int | None:
    """An integer between two, without a fraction or an exponent, or null."""
    if value is None:
        return None
    need(type(value) is Number and re.fullmatch("-?[0-9]+", value) is not None, "no integer")
    number = whole(value)
    need(low <= number <= high, "outside")
    return number


def whole(text: str) -> int:
    """The integer of some digits, which may have zeros before them."""
    text = text.lstrip("-").lstrip("0") if text[:1] != "-" else "-" + text[1:].lstrip("0")
    need(len(text) < 40, "outside")
    return int(text) if text not in ("", "-") else 0


def unpacked(text: str | None) -> bytes:
    """The bytes of a text in base64, padded."""
    assert text is not None
    try:
        found = base64.b64decode(text.encode("ascii"), validate=True)
    except (binascii.Error, ValueError):
        raise MalformedError("base64") from None
    need(base64.b64encode(found) == text.encode(), "base64")
    return found


def bits(value: Any) -> Any:
    """A float as its eight bytes, so that equal means the same; others as they are."""
    return struct.pack("<d", value) if isinstance(value, float) else value


def plain(number: str) -> str:
    """A number's digits, without an exponent that is not too great."""
    exponent = re.search(r"[eE][-+]?0*([0-9]*)", number)
    return number if exponent is None or len(exponent[1]) > 2 else format(Decimal(number), "f")


def decimal(text: Any) -> Any:
    """A DECIMAL in the one spelling; what is no number is an error."""
    if not isinstance(text, str):
        return text
    found = re.fullmatch(r"[ \t\r\n]*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?:[eE]([-+]?[0-9]+))?[ \t\r\n]*", text)
    usual = re.fullmatch(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?", text)
    if usual and not re.fullmatch(r"-[0.]*", text):
        return text
    if found is None:
        raise MalformedError("no number")
    sign, whole, behind = re.fullmatch(r"([-+]?)([0-9]*)\.?([0-9]*)", found[1]).groups()  # type: ignore[union-attr]
    power = int((found[2] or "0")[:300])
    digits = whole + behind
    nothing = not digits.strip("0")
    need(power > -1000 and (power < 1000 or nothing) and len(digits.lstrip("0")) < 1000, "digits")
    point = len(whole) + (min(power, len(behind)) if nothing else power)
    digits = "0" * (1 - point) + digits if point < 1 else digits
    point = max(point, 1)
    digits = digits.ljust(point, "0")
    before, after = digits[:point].lstrip("0"), digits[point:]
    need(len((before + after).lstrip("0") if before else after) <= 65, "digits")
    return ("-" if sign == "-" and not nothing else "") + (before or "0") + ("." + after if after else "")


def double(text: str) -> float:
    """The nearest double, which is not infinite."""
    found = float(text)
    need(found not in (float("inf"), float("-inf")), "outside")
    return found


def single(text: str) -> float:
    """The nearest float32, found by comparing exactly; of two that are as near, the even one."""
    near = _rounded(double(text))
    exact = Fraction(text)
    bits = struct.unpack("<i", struct.pack("<f", near))[0]
    around = {near}
    for step in (-1, 1):
        if 0 <= (bits & 0x7FFFFFFF) + step < 0x7F800000:
            around.add(struct.unpack("<f", struct.pack("<i", bits + step))[0])
    distances = sorted((abs(Fraction(one) - exact), one != near) for one in around)
    if distances[0][0] == distances[1][0]:
        return near
    return next(one for one in around if abs(Fraction(one) - exact) == distances[0][0])


def _rounded(value: float) -> float:
    try:
        found: float = struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        raise MalformedError("outside") from None
    return found

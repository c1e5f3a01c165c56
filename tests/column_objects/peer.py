"""Images of column objects, read twice: by the runtime's reader, and by a naive one over the standard library's JSON.

Neither knows a protocol: the names of the members and the codecs of types are those of these tests.
"""

from __future__ import annotations

import json
import re
import struct
from base64 import b64decode, b64encode
from fractions import Fraction
from typing import Any, NamedTuple

from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.decoding.layout_cache import LayoutCache
from tidewire.runtime.decoding.row_tables import Tables
from tidewire.runtime.errors import REASONS, WireError
from tidewire.runtime.json import codecs
from tidewire.runtime.json.codec import JsonCodec
from tidewire.runtime.json.column_objects import ColumnMembers, ColumnObjects
from tidewire.runtime.json.cursor import JsonCursor

INT, UINT, FLOAT, DOUBLE, RAW, TEXT64, QUOTED, TEXT, NULL = range(9)
"""Codes of types, for a codec each; other codes have none."""
CODECS = (
    *(codecs.INT_NUMBER, codecs.UINT_NUMBER, codecs.FLOAT32_NUMBER, codecs.FLOAT64_NUMBER, codecs.BASE64_BYTES),
    *(codecs.BASE64_TEXT, codecs.QUOTED_BYTES, codecs.TEXT, codecs.NOTHING),
)
HANDLE = 2
FRAME, IMAGE, COLUMN, TYPE, MARK, FLAGS, VALUE = range(7)
"""Fields."""


class Outcome(NamedTuple):
    """What comes of an image: its columns (name, type, flags), and their values."""

    columns: tuple[tuple[str, int, int], ...]
    values: tuple[Any, ...]


def values(type: int, flags: int, flagged: bool = True) -> JsonCodec | None:
    """The codec of a column; one that tells no flags has its texts in base64."""
    if type >= len(CODECS):
        return None
    return codecs.BASE64_TEXT if type == TEXT and not flagged else CODECS[type]


def framed(content: bytes) -> bytes:
    """A frame."""
    return struct.pack(">Q", len(content)) + content


class Reader:
    """The runtime's reader: images, one in each message."""

    def __init__(self, checked: bool = True) -> None:
        self.cache = LayoutCache()
        self.tables = Tables(self.cache, None, -1, values, checked, None, 2, 0)
        self.objects = ColumnObjects(ColumnMembers(("type", "mark", "flags", "value"), 0, 2, 1, 3, HANDLE))

    def read(self, images: list[bytes], table: str = "t", member: int = 0) -> list[Any]:
        """Of each image its outcome, -1 for null, or the numbers of its error."""
        r = JsonCursor()
        r.receive([framed(image) for image in images])
        self.cache.begin()
        self.tables.begin()
        places: list[Any] = []
        rows: list[int] = []
        for k in range(len(images)):
            self.cache.start()
            try:
                r.load(k)
                r.begin()
                r.frame(FRAME)
                known = self.tables.of("s", table)
                self.objects.read(r, known, self.cache, k, member, IMAGE, COLUMN)
                r.close(FRAME)
                r.finished(FRAME)
            except WireError as error:
                self.cache.undo()
                places.append((REASONS[error.code][0], error.field, error.offset, error.needed, error.available))
                continue
            now = [images.rows for images in self.cache.layouts]
            (slot,) = [j for j, n in enumerate(now) if n != (rows[j] if j < len(rows) else 0)] or [-1]
            rows = now
            places.append((slot, now[slot] - 1) if self.objects.count >= 0 else -1)
        layouts = [Layout.of(0, None, images, False) for images in self.cache.layouts]
        return [self._outcome(place, layouts) for place in places]

    def _outcome(self, place: Any, layouts: list[Layout]) -> Any:
        if not isinstance(place, tuple) or isinstance(place[0], str):
            return place
        layout = layouts[place[0]]
        columns = tuple([(column.name, column.type, column.flags) for column in layout.columns])
        return Outcome(columns, tuple([array[place[1]].as_py() for array in layout.arrays]))


class MalformedError(Exception):
    """An image that has to be refused."""


class Number(str):
    """A number as it stands."""


class Pairs(list[tuple[str, Any]]):
    """An object."""

    def members(self) -> dict[str, Any]:
        """Its members, each of which may be there once."""
        found = dict(self)
        require(len(found) == len(self))
        return found


def require(true: bool) -> None:
    """What has to be true."""
    if not true:
        raise MalformedError


def _constant(_: str) -> Any:
    raise MalformedError


_DECODER = json.JSONDecoder(
    object_pairs_hook=Pairs, parse_int=Number, parse_float=Number, parse_constant=_constant, strict=True
)


def naive(image: bytes) -> Any:
    """What `Reader.read` gives for an image, where text has to be UTF-8.

    Raises:
        MalformedError: it has to be refused.
    """
    try:
        parsed = _DECODER.decode(image.decode())
    except (ValueError, RecursionError):
        raise MalformedError from None
    if parsed is None:
        return -1
    require(type(parsed) is Pairs)
    columns, found = [], []
    for name, column in parsed.members().items():
        require(type(column) is Pairs)
        require(not re.search("[\ud800-\udfff]", name))
        known = [(key, value) for key, value in column if key in ("type", "mark", "flags", "value")]
        members = Pairs(known).members()
        kind = _whole(members.get("type"), 0, 255)
        flags = None if members.get("flags") is None else _whole(members["flags"], 0, 2**64 - 1)
        mark = members.get("mark")
        require(mark is None or type(mark) is bool)
        require("value" in members)
        columns.append((name, kind, (HANDLE if mark else 0) if flags is None else flags))
        found.append(_value(kind, flags is not None, members["value"]))
    return Outcome(tuple(columns), tuple(found))


def _whole(value: Any, low: int, high: int) -> int:
    require(type(value) is Number and re.fullmatch("-?[0-9]+", value) is not None)
    require(low <= int(value) <= high)
    return int(value)


def _value(kind: int, flagged: bool, value: Any) -> Any:
    require(kind < len(CODECS))
    if value is None:
        return None
    require(kind != NULL)
    if kind in (INT, UINT):
        return _whole(value, *((-(2**63), 2**63 - 1) if kind == INT else (0, 2**64 - 1)))
    if kind in (FLOAT, DOUBLE):
        require(type(value) is Number)
        return nearest(value, kind == FLOAT)
    require(type(value) is str)
    try:
        text = value.encode()
    except UnicodeEncodeError:
        raise MalformedError from None
    if kind == QUOTED:
        return unquoted(text)
    if kind == TEXT and flagged:
        return value
    require(re.fullmatch(rb"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", text) is not None)
    image = b64decode(text)
    require(b64encode(image) == text)
    if kind == RAW:
        return image
    try:
        return image.decode()
    except UnicodeDecodeError:
        raise MalformedError from None


def nearest(text: str, single: bool) -> float:
    """The float that is nearest to a number, of two the one with an even last bit."""
    value = float(text)
    require(abs(value) != float("inf"))
    if not single:
        return value
    exact = Fraction(text)
    most = struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
    require(abs(exact) < Fraction(most) + Fraction(2) ** 103)
    bits = struct.unpack("<I", struct.pack("<f", min(abs(value), most)))[0]
    candidates = range(max(bits - 1, 0), min(bits + 2, 0x7F800000))
    best = min(candidates, key=lambda n: (abs(abs(exact) - Fraction(_single(n))), n & 1))
    return -_single(best) if text.startswith("-") else _single(best)


def _single(bits: int) -> float:
    found: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return found


def unquoted(text: bytes) -> bytes:
    """Go's strconv.Unquote of a text in double quotes."""
    letters = dict(zip(b'abfnrtv\\"', b'\a\b\f\n\r\t\v\\"', strict=True))
    out = bytearray()
    at = 0
    while at < len(text):
        byte = text[at]
        at += 1
        if byte != 0x5C:
            require(byte not in b'"\n')
            out.append(byte)
            continue
        require(at < len(text))
        kind = text[at : at + 1]
        at += 1
        if kind[0] in letters:
            out.append(letters[kind[0]])
            continue
        size, base = {b"x": (2, 16), b"u": (4, 16), b"U": (8, 16)}.get(kind, (3, 8))
        digits = text[at : at + size] if base == 16 else text[at - 1 : at + 2]
        at += size if base == 16 else 2
        allowed = rb"[0-9a-fA-F]" if base == 16 else rb"[0-7]"
        require(re.fullmatch(allowed + rb"{%d}" % size, digits) is not None)
        number = int(digits, base)
        if size in (2, 3):
            require(number < 256)
            out.append(number)
        else:
            require(number <= 0x10FFFF and not 0xD800 <= number < 0xE000)
            out += chr(number).encode()
    return bytes(out)

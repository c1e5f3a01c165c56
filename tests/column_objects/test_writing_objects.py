"""Images of column objects are formatted like Go's encoders, and are read back unchanged."""

from __future__ import annotations

import json
import struct
import sys
import unicodedata
from base64 import b64encode
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from tidewire.runtime.arrow.storage import RAW_TEXT
from tidewire.runtime.batch import Column, Layout
from tidewire.runtime.batch.layout import STORAGE_OF_ARROW
from tidewire.runtime.errors import EncodeError
from tidewire.runtime.json.bytes_as_text import quoted
from tidewire.runtime.json.column_object_texts import ColumnObjectTexts
from tidewire.runtime.json.printable import STARTS
from tidewire.runtime.json.row_writer import WrittenRows
from tidewire.runtime.json.sink import JsonSink, Spelling

from .images import FLOATS, NAMES, text
from .peer import CODECS, DOUBLE, FLOAT, INT, NULL, QUOTED, RAW, TEXT, TEXT64, UINT, Reader, nearest, unquoted, values

pytestmark = pytest.mark.codec
ARROW = {storage: type for type, storage in STORAGE_OF_ARROW.items()} | {RAW_TEXT: pa.utf8()}
BROKEN = b"\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80\xe2\x82"
PLAIN, WEB = Spelling(False, False, False, 2), Spelling(True, True, True, 1)


def written(columns: list[Column], arrays: list[pa.Array], chosen: list[int], spelling: Spelling) -> list[bytes]:
    """Each row of a layout as an object."""
    codecs = [values(column.type, column.flags) for column in columns]
    opens = [b'{"type":%d,"flags":%d,"value":' % (columns[k].type, columns[k].flags) for k in chosen]
    texts = ColumnObjectTexts("protocol", columns, chosen, codecs, opens, b"}", spelling)
    rows = WrittenRows(texts, Layout(0, tuple(columns), arrays, len(arrays[0])))
    found = []
    for row in range(len(arrays[0])):
        sink = JsonSink(*spelling)
        assert rows.write(sink, row) == len(chosen)
        found.append(sink.written(0))
    return found


def stored(kind: int) -> int:
    """What a column of a type holds."""
    return CODECS[kind].stored(False)


def one(kind: int, value: object, spelling: Spelling = WEB) -> str:
    """The value of a column as it is written."""
    (image,) = written([Column("c", kind, 0)], [pa.array([value], ARROW[stored(kind)])], [0], spelling)
    opened = f'{{"c":{{"type":{kind},"flags":0,"value":'
    assert image.decode().startswith(opened)
    assert image.endswith(b"}}")
    return image.decode()[len(opened) : -2]


def made(chance: Random, kind: int) -> object:
    """A value of a type."""
    if chance.random() < 0.15 or kind == NULL:
        return None
    if kind in (INT, UINT):
        number = chance.getrandbits(chance.randrange(1, 64))
        return number if kind == UINT or chance.random() < 0.5 else -number
    if kind == DOUBLE:
        return struct.unpack("<d", struct.pack("<Q", chance.getrandbits(62)))[0] * chance.choice((1, -1))
    if kind == FLOAT:
        return struct.unpack("<f", struct.pack("<I", chance.getrandbits(30)))[0] * chance.choice((1, -1))
    if kind in (RAW, QUOTED):
        return chance.randbytes(chance.randrange(12)) + text(chance).encode()
    return text(chance)


@pytest.mark.parametrize("spelling", [PLAIN, WEB])
def test_what_is_written_is_read_back(spelling: Spelling) -> None:
    chance = Random(7)
    for number in range(30):
        columns = [Column(name, chance.randrange(9), chance.choice((0, 2, 2**64 - 1))) for name in NAMES]
        rows = [[made(chance, column.type) for column in columns] for _ in range(5)]
        arrays = [pa.array(column, ARROW[stored(columns[k].type)]) for k, column in enumerate(zip(*rows, strict=True))]
        chosen = chance.sample(range(len(columns)), chance.randrange(1, len(columns)))
        images = written(columns, arrays, chosen, spelling)
        for row, image, outcome in zip(rows, images, Reader().read(images, f"t{number}"), strict=True):
            assert repr(outcome.values) == repr(tuple(row[k] for k in chosen))
            assert outcome.columns == tuple((columns[k].name, columns[k].type, columns[k].flags) for k in chosen)
            assert list(json.loads(image)) == [columns[k].name for k in chosen]


def number(value: float, single: bool, least: int) -> str:
    """A float as Go's encoding/json writes it; strconv's shortest digits, which Python's are for doubles."""
    size = abs(value)
    if single:
        digits = next(t for t in (f"{value:.{n}e}" for n in range(9)) if nearest(t, True) == value)
        low, high = _narrow(1e-6), _narrow(1e21)
    else:
        digits, low, high = repr(value), 1e-6, 1e21
    if size and not low <= size < high:
        sign, figures, _ = Decimal(digits).as_tuple()
        text = "".join(map(str, figures)).rstrip("0")
        exponent = Decimal(digits).adjusted()
        return f"{'-' * sign}{text[0]}{'.' * (len(text) > 1)}{text[1:]}e{'+-'[exponent < 0]}{abs(exponent):0{least}}"
    plain = format(Decimal(digits), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _narrow(value: float) -> float:
    narrow: float = struct.unpack("<f", struct.pack("<f", value))[0]
    return narrow


@pytest.mark.parametrize(
    ("kind", "value", "spelled"),
    [
        (DOUBLE, 1.0, "1"), (DOUBLE, -0.0, "-0"), (DOUBLE, 1e21, "1e+21"), (DOUBLE, 1e20, "100000000000000000000"),
        (DOUBLE, 1e-6, "0.000001"), (DOUBLE, 1e-7, "1e-7"), (DOUBLE, 9.99e-7, "9.99e-7"), (DOUBLE, 1e-10, "1e-10"),
        (DOUBLE, 1.7976931348623157e308, "1.7976931348623157e+308"), (DOUBLE, 5e-324, "5e-324"),
        (DOUBLE, -1.2345678901234567e21, "-1.2345678901234568e+21"), (DOUBLE, 123456.0, "123456"),
        (FLOAT, _narrow(3.14), "3.14"), (FLOAT, _narrow(1e21), "1e+21"), (FLOAT, _narrow(1e-6), "0.000001"),
        (FLOAT, _narrow(1e-7), "1e-7"), (FLOAT, _narrow(3.4028235e38), "3.4028235e+38"),
        (FLOAT, _narrow(1e-45), "1e-45"),
        (FLOAT, _narrow(16777216.0), "16777216"), (FLOAT, _narrow(9.99e20), "999000000000000000000"),
        (INT, -(2**63), "-9223372036854775808"), (UINT, 2**64 - 1, "18446744073709551615"), (INT, None, "null"),
        (TEXT, "<a>&\u2028\b\f\t\x01\x7f", '"\\u003ca\\u003e\\u0026\\u2028\\b\\f\\t\\u0001\x7f"'), (TEXT, None, "null"),
        (TEXT64, "<ä>", '"PMOkPg=="'), (RAW, b"", '""'), (RAW, b"\xff", '"/w=="'), (RAW, None, "null"),
        (NULL, None, "null"),
        (QUOTED, b"\x89PNG\r\n\x1a\n", '"\\\\x89PNG\\\\r\\\\n\\\\x1a\\\\n"'),
        (QUOTED, b"\a\b\t\v\f\x00\x7f\"\\'<", '"\\\\a\\\\b\\\\t\\\\v\\\\f\\\\x00\\\\x7f\\\\\\"\\\\\\\\\'\\u003c"'),
        (QUOTED, "\xa0\u200b\u2028ä漢".encode(), '"\\\\u00a0\\\\u200b\\\\u2028ä漢"'),
        (QUOTED, "\U000e0001😀\ufffd".encode(), '"\\\\U000e0001😀\ufffd"'),
        (QUOTED, BROKEN, "".join(['"', *(f"\\\\x{b:02x}" for b in BROKEN), '"'])),
    ],
)  # fmt: skip
def test_values_are_spelled_as_go_spells_them(kind: int, value: object, spelled: str) -> None:
    assert one(kind, value) == spelled


def test_what_writers_spell_differently() -> None:
    assert one(TEXT, "<a>&\u2028\b\f\t", PLAIN) == '"<a>&\u2028\\u0008\\u000c\\t"'
    assert one(TEXT, "<a>&\u2028\b", Spelling(False)) == '"<a>&\\u2028\\u0008"'
    assert one(DOUBLE, 1e-7, PLAIN) == "1e-07"
    assert one(DOUBLE, 1e-10, PLAIN) == "1e-10"
    assert one(FLOAT, _narrow(1e-9), PLAIN) == "1e-09"
    assert one(QUOTED, b"<\b", PLAIN) == '"<\\\\b"'


def test_floats_are_spelled_as_a_peer_spells_them() -> None:
    chance = Random(3)
    doubles = [float(text) for text in FLOATS if abs(float(text)) < 1e309]
    doubles += [chance.uniform(-1, 1) * 10.0 ** chance.randrange(-12, 27) for _ in range(2000)]
    doubles += [10.0**n for n in range(-30, 30)] + [-(10.0**n) for n in (-7, -6, 20, 21, 22)]
    for value in doubles:
        assert one(DOUBLE, value) == number(value, False, 1), value
        if abs(value) < 3e38:
            narrow = _narrow(value)
            assert one(FLOAT, narrow, PLAIN) == number(narrow, True, 2), narrow


def test_what_is_printable() -> None:
    """Go's table against Python's, which is that of an older or newer Unicode: for characters that both have."""
    assert list(STARTS) == sorted(set(STARTS))
    limits = [*STARTS, *([sys.maxunicode + 1] * (len(STARTS) % 2))]
    printable = {c for a, b in zip(limits[::2], limits[1::2], strict=True) for c in range(a, b)}
    wrong = []
    for code_point in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code_point))
        if category != "Cn" and (category[0] in "LMNPS" or code_point == 0x20) != (code_point in printable):
            wrong.append(code_point)
    newer = tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 0, 0)
    assert not wrong or (newer and not printable.intersection(wrong))


def test_every_byte_is_quoted_so_that_it_is_read_back() -> None:
    chance = Random(5)
    samples = [bytes([byte]) for byte in range(256)] + [chance.randbytes(40) for _ in range(200)]
    samples += [
        chr(code_point).encode() for code_point in range(0x80, 0x110000, 97) if not 0xD800 <= code_point < 0xE000
    ]
    for image in samples:
        assert unquoted(quoted(image).encode()) == image
        assert json.loads(one(QUOTED, image, PLAIN)) == quoted(image)
        assert json.loads(one(QUOTED, image)) == quoted(image)
    assert json.loads(one(QUOTED, b"\xff" * 100000)) == "\\xff" * 100000
    assert one(RAW, bytes(100001)) == f'"{b64encode(bytes(100001)).decode()}"'


@pytest.mark.parametrize("kind", [RAW, QUOTED, TEXT, TEXT64])
def test_values_that_fill_the_room(kind: int) -> None:
    """Whatever ends where the sink's memory ends, there is room for the quote and what is behind it."""
    first: Any = b"\xff" if kind in (RAW, QUOTED) else "\0"
    last = b"\0" if kind in (RAW, QUOTED) else ""
    for size in range(3800, 4200):
        value = first * (size // (4 if kind == QUOTED else 1)) + last
        columns = [Column(f"c{k}", kind, 0) for k in range(3)]
        arrays = [pa.array([value], ARROW[stored(kind)])] * 3
        (image,) = written(columns, arrays, [0, 1, 2], PLAIN)
        assert len(json.loads(image)) == 3
        if size % 50 == 0:
            assert Reader().read([image])[0].values == (value,) * 3


def test_columns_that_changed() -> None:
    columns = [Column("a", INT, 0), Column("b", TEXT, 0), Column("c", DOUBLE, 0), Column("d", RAW, 0)]
    old = [pa.array([1, 1, None]), pa.array(["x", "x", None]), pa.array([0.0, 0.0, None]), pa.array([b"", b"", None])]
    new = [pa.array([1, 2, None]), pa.array(["x", None, "x"]), pa.array([-0.0, 1.0, None]), pa.array([b"", b"1", b""])]
    codecs = [values(column.type, 0) for column in columns]
    opens = [b"{"] * 4
    texts = ColumnObjectTexts("protocol", columns, range(4), codecs, opens, b"}", PLAIN)
    before = WrittenRows(
        texts, Layout(0, tuple(columns), [a.cast(ARROW[stored(c.type)]) for a, c in zip(old, columns, strict=True)], 3)
    )
    after = WrittenRows(
        texts, Layout(0, tuple(columns), [a.cast(ARROW[stored(c.type)]) for a, c in zip(new, columns, strict=True)], 3)
    )
    found = []
    for row in range(3):
        sink = JsonSink(*PLAIN)
        count = before.write_changed(sink, row, after, row, False)
        found.append((count, sink.written(0)))
    assert found == [(0, b"{}"), (4, b'{"a":{1},"b":{"x"},"c":{0},"d":{""}}'), (2, b'{"b":{null},"d":{null}}')]
    sink = JsonSink(*PLAIN)
    assert before.write_changed(sink, 0, after, 0, True) == 1


@pytest.mark.parametrize(
    ("kind", "value", "reason"),
    [
        (DOUBLE, float("nan"), "has no digits"),
        (FLOAT, float("inf"), "has no digits"),
        (FLOAT, 0.12345678901, "no 32-bit float"),
        (FLOAT, 1e39, "no 32-bit float"),
    ],
)
def test_what_cannot_be_written_is_refused(kind: int, value: object, reason: str) -> None:
    with pytest.raises(EncodeError, match=f"column 'c': .*{reason}"):
        one(kind, value)
    with pytest.raises(EncodeError, match="no values of type 9"):
        ColumnObjectTexts("protocol", [Column("c", 9, 0)], [0], [None], [b""], b"", PLAIN)

"""The fuzzing engine for Open Protocol, whose inputs are keys and values (`keyed_inputs.py`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import recorded
from json_twin import MalformedError
from open_protocol.twin import flat, read
from open_protocol.wire import Made, cell, column, compact, frame, frames, insert, key, message

from tidewire import open_protocol
from tidewire.messages.delivery.compression import compress
from tidewire.open_protocol.decoder import Decoder
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import DecodeError

from . import keyed_inputs, text_edits
from .crowd import Row
from .engine import Engine, Paired, Wire
from .keyed_inputs import joined, parted
from .paths import Halves

HOSTILE = tuple(
    number.to_bytes(8, "big") for number in (0, 1, 7, 2**31 - 1, 2**32, 2**56 - 1, 2**56, 2**63 - 1, 2**63, 2**64 - 1)
)
"""Lengths that nobody means."""
PIECES = (
    *text_edits.PIECES,
    *(b'"t":', b'"f":', b'"h":true,', b'"v":', b'"u":{', b'"p":{}', b'"d":{', b'"ohk":true', b'"rid":0', b'"ptn":-1'),
    *(
        b'"ccl":"x"',
        b"1",
        b"3",
        b"200",
        b"256",
        b"-0",
        b"1e-7",
        b"1E+21",
        b"3.4028236e38",
        b"1e400",
        b"YQ==",
        b"YQ=\\n=",
    ),
    *(rb"\\x89", rb"\\377", rb"\\400", rb"\\u00e9", rb"\\U0001f600", rb"\\ud800", rb"\\'", rb"\\\"", rb"\\a"),
)
"""What is put into objects."""
_FACT = re.compile(rb'"(ts?|f|v|h|rid|ptn|ohk)":("(?:[^"\\]|\\.)*"|[^,{}\[\]"]+)')
_INTEGERS = (b"0", b"-1", b"-0", b"00", b"1", b"9223372036854775807", b"9223372036854775808", b"-9223372036854775809")
_NUMBERS = (*_INTEGERS, b"18446744073709551615", b"18446744073709551616", b"1.0", b"1e2", b"null", b'"1"', b"1" * 40)
_BOOLS = (b"true", b"false", b"null", b"0", b'""')
FACTS = {
    b"t": (
        *(b"%d" % kind for kind in (1, 3, 4, 5, 6, 7, 8, 13, 15, 16, 225, 245, 247, 250, 252, 254)),
        *_NUMBERS,
        b"256",
    ),
    b"f": (b"0", b"1", b"2", b"64", b"65", b"128", b"193", *_NUMBERS),
    b"v": (
        *(
            *_NUMBERS,
            b"true",
            b"[1, 2]",
            b'{"a":"\\u00e9"}',
            b'""',
            b'"YWE="',
            b'"YWE"',
            b'"YW E="',
            b'"/w=="',
            b'"a\\"b"',
        ),
        *(b'"\\\\xff\\\\101"', b'"\\\\"', b'"\\\\u00e9"', b'"\\ud83d\\ude00"', b'"\\ud83d"', b"1e-7", b"1E+21"),
        *(b"3.4028235e38", b"3.4028236e38", b"1e400", b"1e-400", b"0.1", b"16777217", b"1.", b".5", b"-", b"1e", b"+1"),
    ),
    b"h": _BOOLS,
    b"ohk": _BOOLS,
    b"ts": _NUMBERS,
    b"rid": _NUMBERS,
    b"ptn": _NUMBERS,
}
"""What is said instead of something else."""


@cache
def _made() -> list[Made]:
    wide = {f"column {k}": column(3, k, k << 55) for k in range(140)}
    kinds = {f"c{kind}": column(kind, None, kind) for kind in range(256)}
    values = {
        "i": column(8, -(2**63), 65), "u": column(8, 2**64 - 1, 193), "f": column(4, 3.14), "d": column(5, 1e-7),
        "b": column(252, "AP8=", 65), "t": column(252, "w6k=", 64), "q": column(15, "\\x89a\\n\\u00a0é\\\\\\\"", 1),
        "s": column(15, "<&>\u2028😀", 64), "y": column(13, 2155, 193), "bit": column(16, 2**64 - 1, 193),
        "e": column(247, 2, 64), "set": column(248, 2**63, 64), "j": column(245, '{"a": "é"}', 65),
        "z": column(3, 7, 11),
        "n": column(246, "-1.50", 65), "v": column(225, "[1,2.5]", 65), "old": column(15, "YWE=", None),
    }  # fmt: skip
    return [
        insert(**wide),
        insert(**kinds),
        insert(**values),
        message(
            (key(rid=-5, ptn=0), {"u": values, "p": {"i": values["i"]}}), (key(ohk=True), {"d": {"z": values["z"]}})
        ),
        message((key(ccl="s3://b/x.json"), {"u": {"a": column(3, 1)}, "p": {}}), (key(), {"u": {"b": column(3, 2)}})),
        message((key(2, table=""), {"q": "create database é", "t": 1}), (key(3), b""), (key(2), {"q": "", "t": 255})),
        message((key(3, 2**64 - 1), b"")),
        Made(message((key(3), b""))[0], b""),
        message(),
        message(
            (b' { "t" : 1 , "x":[[{}]], "ts":1,"scm":"s","tbl":"\\u0074" } ', b'\n{"x":null,"u":{"a":{"v":1,"t":3}}}')
        ),
        *(cell(4, b"-0"), cell(5, b"1.7976931348623157e308"), cell(15, "aé"), cell(254, "\\000", 1)),
    ]



class OpenEngine(Engine):
    """The decoder of Open Protocol."""

    name = "open-protocol"
    module = open_protocol

    @classmethod
    def made(cls) -> Sequence[bytes]:
        return [joined(one) for one in _made()]

    @classmethod
    def recorded(cls) -> Iterator[list[bytes]]:
        for stream in recorded.streams("open-protocol"):
            yield [joined(Made(one.key or b"", one.value)) for one in recorded.plain(stream)]

    @classmethod
    def taken(cls) -> Iterator[bytes]:
        """Not those of which a producer has lost the names of columns."""
        for one in super().taken():
            try:
                read(*parted(one))
            except MalformedError:
                continue
            yield one

    def fresh(self) -> Wire:
        return Paired(Decoder(), self.halves)

    def read(self, value: bytes, known: Any) -> list[Any]:
        return read(*parted(value))

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def halves(self, inputs: Sequence[bytes]) -> Halves:
        return keyed_inputs.halves(inputs)

    def part(self, value: bytes, error: DecodeError) -> bytes:
        return keyed_inputs.part(value, error)

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """Mostly one to three changes of objects whose frames then fit; else of the frames, or of any bytes."""
        made = parted(chance.choice(corpus))
        kind = chance.random()
        if kind < 0.6:
            return joined(self._objects(chance, corpus, made))
        if kind < 0.85:
            return joined(_frames(chance, made))
        image = bytearray(joined(made))
        for _ in range(chance.choice((1, 1, 2, 4))):
            place = chance.randrange(len(image))
            image[place] = chance.choice((image[place] ^ (1 << chance.randrange(8)), chance.randrange(256), 0, 255))
        return bytes(image[: chance.randrange(len(image))] if chance.random() < 0.2 else image)

    def _objects(self, chance: Random, corpus: Sequence[bytes], made: Made) -> Made:
        keys, values = frames(made.key[8:]), frames(made.value)
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            run = values if values and (not keys or chance.random() < 0.75) else keys
            if run:
                place = chance.randrange(len(run))
                run[place] = _object(chance, corpus, run[place])
        return Made(made.key[:8] + b"".join(map(frame, keys)), b"".join(map(frame, values)))


    def written(self, row: Row) -> bytes:
        columns = {"id": column(3, row.id, 2)} | {f"c{k}": column(15, text) for k, text in enumerate(row.texts)}
        return joined(message((key(table=row.table), {"u": columns})))

    def packed(self, name: str, value: bytes) -> bytes | None:
        """An input with each frame of the value compressed; None when it is no run of whole frames."""
        made = parted(value)
        items = frames(made.value)
        if b"".join(map(frame, items)) != made.value:
            return None
        return joined(Made(made.key, b"".join(frame(compress(name, item) if item else b"") for item in items)))

    def pointing(self, value: bytes, location: str) -> bytes | None:
        """An input of one row as one that points to a file."""
        made = parted(value)
        keys = frames(made.key[8:])
        start = keys[0].rfind(b"}") if len(keys) == 1 else -1
        if start < 0 or b"ccl" in keys[0] or not frames(made.value)[:1] or b'"t":1' not in keys[0]:
            return None
        head = keys[0][:start] + b',"ccl":' + compact(location) + keys[0][start:]
        return joined(Made(made.key[:8] + frame(head), made.value))


def _object(chance: Random, corpus: Sequence[bytes], content: bytes) -> bytes:
    """What is said of a column or in a key, told otherwise or left out; or any change."""
    told = text_edits.told_otherwise(chance, content, FACTS, _FACT, PIECES) if chance.random() < 0.5 else None
    return text_edits.edited(chance, content, corpus, PIECES) if told is None else told


def _frames(chance: Random, made: Made) -> Made:
    """Frames too many or too few, exchanged, empty, or with lengths that are wrong."""
    head, keys, values = made.key[:8], frames(made.key[8:]), frames(made.value)
    run = keys if chance.random() < 0.5 else values
    place = chance.randrange(len(run)) if run else 0
    choice = chance.randrange(8)
    lengths: dict[int, bytes] = {}
    if choice == 0 and run:
        del run[place]
    elif choice == 1 and run:
        run.insert(place, chance.choice(run))
    elif choice == 2 and run:
        run[place] = b""
    elif choice == 3:
        keys, values = values, keys
    elif choice == 4:
        head = chance.choice((b"", b"\0" * 8, (2).to_bytes(8, "big"), (1).to_bytes(8, "little"), head[1:]))
    elif choice == 5 and run:
        lengths[place] = chance.choice(HOSTILE)
    elif choice == 6 and run:
        lengths[place] = max(0, len(run[place]) + chance.choice((-9, -1, 1, 8, 9))).to_bytes(8, "big")
    else:
        run.append(chance.choice((b"", b"{}", b"x", b"null")))

    def written(items: Sequence[bytes], mine: bool) -> bytes:
        wrong = lengths if mine else {}
        return b"".join(wrong.get(k, frame(item)[:8]) + item for k, item in enumerate(items))

    return Made(head + written(keys, run is keys), written(values, run is values))

"""The fuzzing engine for a JSON protocol, with its own messages, mutations and twin."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from canal_json.twin import flat, read
from json_twin import MalformedError
from recorded import canal_json_values

from tidewire import canal_json
from tidewire.canal_json.decoder import Decoder
from tidewire.runtime.batch import EventColumns

from .crowd import Row, text
from .engine import Engine, Wire
from .paths import Way

TERMINATOR = "\r\n"
MADE = (
    rb'{"id":1,"database":"d\u00e9","table":"t","type":"INSERT","es":1,"ts":2,"mysqlType":{"a\u003cb":"varchar",'
    rb""""c":"varbinary","f":"float","e":"enum('x','y')","s":"set('x','y','z')","d":"double","i":"int","""
    rb'"u":"bigint unsigned"},"pkNames":["i"],"data":[{"a<b":"\ud83d\ude00\n","c":"\u00ff\u0000","f":"1e-7","e":"y",'
    rb'"s":"x,z","d":1.5e300,"i":-5,"u":"18446744073709551615"},{"i":"7"}]}',
    rb' { "data" : [ { "i" : "1" } , {"i":null}] , "old":[{},{"i":"3"}], "type":"UPDATE" , "table":"t","database":"d",'
    rb'"es":5,"ts":6,"mysqlType":{"i":"INTEGER"},"_tidb":{"commitTs":99,"rowkey":"AAEC","onlyHandleKey":true,'
    rb'"claimCheckLocation":"x\/y"}}' + b"\r\n ",
    rb'{"type":"TIDB_WATERMARK","es":1,"ts":1,"_tidb":{}}{"type":"GTID"}' + b"\r\n" + rb'{"type":"CREATE","sql":'
    rb'"a\u2028","es":1,"ts":1,"gtid":[[[{"x":[1,2.5e-3,true,false,null,"\\"]}]]]}',
    rb'{"type":"DELETE","es":1,"ts":1,"table":"t","database":"d","mysqlType":{"b":"bit(8)","y":"year","j":"json",'
    rb'"x":"decimal(10,2) unsigned","t":"tinyint unsigned zerofill"},"data":[{"b":"5","y":"2024",'
    rb'"j":"{\"a\": \"\\u00e9\"}","x":"1.50","t":"0007"}]}',
)
"""What no recording has."""
LONG = (120, 130, 32_760, 40_000, 65_500)
"""Bytes of long values: around 128, 2^15 and 2^16 other memory is given to the values that come next."""
PIECES = (
    *(bytes((byte,)) for byte in b'"\\{}[],: .e-0'),
    *(b"null", b"true", b"1e5", b"1.0", b"0.1", b'""', b"{}", b"[]", b"9" * 25, b"\r\n", b"\x00", b"\x1f"),
    *(rb"\u0041", rb"\ud800", rb"\udc00", rb"\u003c", rb"\/", rb"\b", b"\xff", b"\xc3\xa9", b"\xed\xa0\x80"),
    *(b'"type"', b'"data"', b"INSERT", b"UPDATE", b"DELETE", b"18446744073709551616", b"-9223372036854775809"),
    *(b"enum('a')", b"varchar", b"binary", b"float", b"double", b"bigint unsigned", b"tinyint", b"[" * 600),
    *(b"x" * size for size in LONG),
)
"""What is put into messages."""


@cache
def messages() -> tuple[bytes, ...]:
    """Well-formed messages, the shortest first; always the same."""
    found = {value for value in canal_json_values() if len(value) <= 8192} | set(MADE)
    return tuple(sorted(found, key=lambda message: (len(message), message)))


class JsonEngine(Engine):
    """The decoder of Canal-JSON."""

    def fresh(self) -> Wire:
        return Decoder(terminator=TERMINATOR)

    def expected(self, value: bytes) -> Any:
        try:
            return read(value, TERMINATOR)
        except MalformedError:
            return None

    def plain(self, columns: EventColumns) -> dict[int, list[Any]]:
        return flat(columns)

    def eventless(self, value: bytes) -> bool:
        return bool(self.expected(value) == [])

    def way(self, values: Sequence[bytes]) -> Way:
        return Way(
            canal_json,
            canal_json.Options(terminator=TERMINATOR),
            lambda name, most: canal_json.Options(
                terminator=TERMINATOR, large_message_handle_compression=name, max_unpacked_bytes=most
            ),
            lambda directory: canal_json.Options(terminator=TERMINATOR, claim_check=directory),
            pointing=pointing,
        )

    def row(self) -> Callable[[Row], bytes]:
        return text

    def cut(self) -> Sequence[bytes]:
        """Some: recorded messages differ little."""
        return [*MADE, *self.corpus[::40]]

    def _encoded_again(self, values: Sequence[bytes], columns: EventColumns) -> None:
        """Writing has tests of its own."""

    def spoiled(self, chance: Random, corpus: Sequence[bytes]) -> bytes:
        """One to three changes: a bit, a piece put in, taken out or replaced, a graft, a new string, the end cut."""
        image = bytearray(chance.choice(corpus))
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            place = chance.randrange(len(image) + 1)
            choice = chance.randrange(8)
            if choice == 0 and image:
                image[place % len(image)] ^= 1 << chance.randrange(8)
            elif choice == 1:
                image[place:place] = chance.choice(PIECES)
            elif choice == 2:
                del image[place : place + chance.randrange(1, 12)]
            elif choice == 3:
                image[place : place + chance.randrange(1, 6)] = chance.choice(PIECES)
            elif choice == 4:
                other = chance.choice(corpus)
                start = chance.randrange(len(other) + 1)
                image[place : place + chance.randrange(60)] = other[start : start + chance.randrange(60)]
            elif choice < 7:
                quotes = [at for at, byte in enumerate(image) if byte == 34]
                if len(quotes) > 1:
                    at = chance.randrange(len(quotes) - 1)
                    image[quotes[at] + 1 : quotes[at + 1]] = chance.choice(PIECES)
            else:
                del image[place:]
        return bytes(image)


def pointing(value: bytes, location: str) -> bytes | None:
    """The message as one that points to a file; None where it is none that can."""
    try:
        found = json.loads(value)
        if "claimCheckLocation" in found["_tidb"]:
            return None
        found["_tidb"]["claimCheckLocation"] = location
        return json.dumps(found).encode()
    except (ValueError, LookupError, TypeError, RecursionError):
        return None

"""Defaults of columns as schemas of records have them: a description says them as a statement does, a schema as JSON.

The rules are those of TiCDC's encoders: getDefaultValue, pingcap/ticdc pkg/sink/codec/avro/arvo.go.
"""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Callable, Mapping

from tidewire.runtime.json.sink import JsonSink, Spelling
from tidewire.runtime.json.spelled import text_json


def _number(said: str | int, spelling: Spelling) -> str:
    number = int(said)
    if not -(1 << 63) <= number < 1 << 64:
        raise ValueError("it is no number of 64 bits")
    return str(number - (1 << 64) if number >> 63 > 0 else number)


def _single(said: str | int, spelling: Spelling) -> str:
    return _written(struct.unpack("<f", struct.pack("<f", float(said)))[0], spelling)


def _double(said: str | int, spelling: Spelling) -> str:
    return _written(float(said), spelling)


def _written(number: float, spelling: Spelling) -> str:
    sink = JsonSink(*spelling)
    sink.number64(number)
    return sink.written(0).decode()


def _text(said: str | int, spelling: Spelling) -> str:
    return text_json("", str(said), spelling).decode()


def _base64(said: str | int, spelling: Spelling) -> str:
    image = said.encode() if isinstance(said, str) else said.to_bytes(max(1, (said.bit_length() + 7) // 8), "big")
    return f'"{b64encode(image).decode()}"'


WRITERS: Mapping[str, Callable[[str | int, Spelling], str]] = {
    "number": _number,
    "single": _single,
    "double": _double,
    "text": _text,
    "base64": _base64,
}
"""By what a spec says of a form: of a default and how JSON is spelled the JSON of it.

Raises:
    ValueError: the default is none that a schema can have, such as an expression in place of a number.
"""

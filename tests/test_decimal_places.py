"""Where a DECIMAL is that is no number: its errors say the part of the message, and dissectors show its place."""

from __future__ import annotations

import struct

import pytest

from tidewire import canal_json, open_protocol

pytestmark = pytest.mark.codec

ROW = (
    b'{"id":0,"database":"s","table":"t","pkNames":["id"],"isDdl":false,"type":"INSERT","es":1,"ts":2,"sql":"",'
    b'"sqlType":{"id":4,"d":3},"mysqlType":{"id":"int","d":"decimal(10,2)"},"old":null,"data":[{"id":"1","d":%s}]}'
)


@pytest.mark.parametrize("text", [b'"none"', b'""', b'"1.2.3"', b'"1e99"'])
def test_the_fields_before_it_are_shown_and_then_the_trouble(text: bytes) -> None:
    value = ROW % text
    *before, last = canal_json.dissect(value)
    (error,) = canal_json.decode_batch([value]).errors
    assert (last.type, last.path, last.meaning) == ("trouble", "d", error.detail)
    assert last.start == value.index(b'"d":' + text, value.index(b'"data"'))
    assert [one.path for one in before if one.column] == ["data/0/id"]
    assert (error.needed, error.available) == (len(text) - 2, 0)


def test_errors_name_the_value_where_messages_have_keys() -> None:
    def framed(text: bytes) -> bytes:
        return struct.pack(">Q", len(text)) + text

    key = struct.pack(">Q", 1) + framed(b'{"ts":1,"scm":"s","tbl":"t","t":1}')
    value = framed(b'{"u":{"a":{"t":3,"f":0,"v":1},"d":{"t":246,"f":0,"v":"none"}}}')
    (error,) = open_protocol.decode_batch([value], [key]).errors
    assert str(error).startswith("open-protocol value d: 'none' is no DECIMAL")
    (trouble,) = [one for one in open_protocol.dissect(value, key) if one.type == "trouble"]
    assert (trouble.part, trouble.start) == ("value", value.index(b'"v":"none"'))

"""Messages that may differ: in what is random, and in how they are compressed; nothing else is forgiven."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tidewire import canal_json
from tidewire.cli.conform.alike import Alike
from tidewire.messages.delivery.compression import compress

RANDOM = {"types-order": (("types",), "order", ""), "at-value": (("x", "at"), "value", "")}


def alike(compression: str = "none", terminator: str = "") -> Alike:
    facts = SimpleNamespace(
        random=RANDOM, compression="squeeze", item_prefix=0, packed_keys=False, are_records=lambda _: False
    )
    protocol = SimpleNamespace(FACTS=facts, dissect=canal_json.dissect)
    return Alike(protocol, SimpleNamespace(squeeze=compression, terminator=terminator))


@pytest.mark.parametrize(
    ("wanted", "got", "reasons"),
    [
        ('{"a":1}', '{"a":1}', ()),
        ('{"a":1}', '{"a":2}', None),
        ('{"types":{"a":"x","b":"y"}}', '{"types":{"b":"y","a":"x"}}', ("types-order",)),
        ('{"types":{"a":"x","b":"y"}}', '{"types":{"b":"x","a":"y"}}', None),
        ('{"types":{"a":"x"}}', '{"types":{"a":"x","b":"y"}}', None),
        ('{"types":null}', '{"types":{}}', None),
        ('{"other":{"a":1,"b":2}}', '{"other":{"b":2,"a":1}}', None),
        ('{"x":{"at":"1","b":2}}', '{"x":{"at":"22","b":2}}', ("at-value",)),
        ('{"x":{"at":"1","b":2}}', '{"x":{"at":"22","b":3}}', None),
        ('{"x":{"at":"1"}}', '{"x":{}}', None),
        ('{"at":"1"}', '{"at":"2"}', None),
        ('{"types":{"a":1,"b":2},"x":{"at":1}}', '{"types":{"b":2,"a":1},"x":{"at":2}}', ("types-order", "at-value")),
        # the same text to a parser, and other bytes
        ('{"types":{"a":"<","b":1}}', '{"types":{"b":1,"a":"\\u003c"}}', None),
        ('{"types":{"a":1,"b":1.0}}', '{"types":{"b":1.00,"a":1}}', None),
        ('{"types":{"a":1,"b":2}}', '{"types": {"b":2,"a":1}}', None),
        ('{"types":{"a":1,"b":2}}', '{"types":{ "b":2,"a":1}}', None),
        ('{"types":{"a":1,"b":2}}', '{"types":{"b":2, "a":1}}', None),
        ('{"types":{"a":1,"b":2}}', '{"types":{"a":1,"b":2 }}', None),
        ('{"types":{"a":1,"b":2}}', '{"types":{"a":1 ,"b":2}}', None),
        ('{"x":{"at":"1"}}', '{"x":{"at":1}}', None),
        ('{"x":{"at":"1"}}', '{"x":{"at":null}}', None),
        ('{"types":{"a":1,"b":2}} ', '{"types":{"b":2,"a":1}}', None),
        ('{"types":{"a":1,"b":2}}', '{"types":{"b":2,"a":1}', None),
        ("", "{", None),
        ('{"types":{', '{"types":{}}', None),
    ],
)
def test_reasons(wanted: str, got: str, reasons: tuple[str, ...] | None) -> None:
    assert alike().reasons(wanted.encode(), got.encode()) == reasons


def test_every_object_of_a_value_is_looked_at() -> None:
    one, other = '{"types":{"a":1,"b":2}}', '{"types":{"b":2,"a":1}}'
    judge = alike(terminator="\r\n")
    assert judge.reasons(f"{one}\r\n{one}\r\n".encode(), f"{one}\r\n{other}\r\n".encode()) == ("types-order",)
    assert judge.reasons(f"{one}\r\n{one}\r\n".encode(), f"{one}\r\n{other}\n".encode()) is None
    assert alike(terminator="#").reasons(f"{one}#{one}#".encode(), f"{other}#{one}#".encode()) == ("types-order",)


def test_compressed_messages_are_compared_decompressed() -> None:
    text = b'{"types":{"a":1,"b":2}}' + b" " * 500
    judge = alike("snappy")
    # the same as literals only
    stored = compress("snappy", b"")[:0] + bytes([0x8B, 0x04, 0xF4, 0x0A, 0x02]) + text
    assert judge.reasons(stored, compress("snappy", text)) == ("compressed-otherwise",)
    other = text.replace(b'"a":1,"b":2', b'"b":2,"a":1')
    assert judge.reasons(stored, compress("snappy", other)) == ("compressed-otherwise", "types-order")
    assert judge.reasons(stored, compress("snappy", text + b" ")) is None
    assert judge.reasons(stored, b"damaged") is None


def test_a_protocol_explains_its_reasons() -> None:
    ours = {"mysqlType-order", "claimCheckLocation-value"}
    assert set(canal_json.FACTS.reasons) == {*ours, "compressed-otherwise", "gathered-otherwise"}
    known: Any = canal_json.FACTS.random
    assert known["claimCheckLocation-value"][0] == ("_tidb", "claimCheckLocation")

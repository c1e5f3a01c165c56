"""Conformance runs see a decoder that reads NULL, and what differs in columns only."""

from __future__ import annotations

from typing import Any

import pytest
from every_protocol.test_recordings_agree import result, stream

from tidewire import debezium
from tidewire.cli.conform.respelled import differ_in_columns_only
from tidewire.cli.eventjson import Image


@pytest.mark.parametrize(
    ("name", "scenario"),
    [("dt", "times"), ("d", "times"), ("d1", "decimals"), ("e", "enum-set-json-vector")],
)
def test_a_decoder_that_reads_null_is_found(name: str, scenario: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of types whose values can be lost."""
    decode: Any = debezium.decode
    changed = 0

    def wrong(*given: Any, **more: Any) -> list[Any]:
        nonlocal changed
        events = list(decode(*given, **more))
        for event in events:
            image = getattr(event, "new", None)
            if image is not None and image.get(name) is not None:
                values = [None if one.name == name else image[one.name] for one in image.columns]
                event.new = Image(image.columns, values)
                changed += 1
        return events

    path = stream("debezium", "tiflow", scenario, "default")
    assert result(path).agrees
    monkeypatch.setattr(debezium, "decode", wrong)
    found = result(path)
    assert changed > 0
    assert f"new {name}" in {one.where for one in found.findings if one.what == "decode"}


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (b'{"a":{"c":null}}', b'{"a":{"c":1}}', True),
        (b'{"a":{"c":1}}', b'{"a":{"c":null}}', False),
        (b'{"a":{"c":1}}', b'{"a":{"c":1}}', True),
        (b'{"a":{"c":null,"d":null}}', b'{"a":{"c":1,"d":1}}', False),
    ],
)
def test_what_differs_only_where_null_was_recorded(one: bytes, other: bytes, alike: bool) -> None:
    assert differ_in_columns_only(one, other, {"c"}, nulls=True) is alike


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (b'{"a":{"c":1}}', b'{"a":{"c":"1"}}', True),
        (b'{"a":{"c":"x","c":"y","d":1}}', b'{"a":{"c":"x","d":1}}', True),
        (b'{"a":{"c":1,"d":1}}', b'{"a":{"d":1,"c":1}}', False),
        (b'{"a":{"c":1,"d":1}}', b'{"a":{"c":2,"d":1.0}}', False),
        (b'{"a":{"c":{"d":1}}}', b'{"a":{"c":{"d":2}}}', False),
        (b'{"a":{"d":1,"d":2}}', b'{"a":{"d":1}}', False),
        (b'{"a":[{"c":1},2]}', b'{"a":[{"c":3},2]}', True),
        (b'{"a":[{"c":1},2]}', b'{"a":[{"c":3}]}', False),
        (b'{"a":1}', b'{"a":true}', False),
    ],
)
def test_what_differs_in_columns_only(one: bytes, other: bytes, alike: bool) -> None:
    assert differ_in_columns_only(one, other, {"c"}) is alike

"""Compiled and interpreted give the same: values, absent and null, errors with their numbers, and bytes."""

from __future__ import annotations

from itertools import zip_longest

import pytest
from both_modes import printed
from fuzz.session import ENGINES

pytestmark = [pytest.mark.codec, pytest.mark.once]

CODES = {
    "craft": "truncated range const trailing utf8 overflow term duplicate enum missing value",
    "canal-json": "truncated syntax kind value outside utf8 missing duplicate unnamed",
    "open-protocol": "truncated syntax kind value outside utf8 missing duplicate enum const trailing",
    "simple": "truncated syntax kind value outside utf8 missing duplicate",
    "simple-records": "truncated kind value outside utf8 duplicate enum overflow trailing",
    "debezium": "truncated syntax kind value outside utf8 missing duplicate",
    "avro": "truncated value outside utf8 enum overflow trailing missing_schema",
    "debezium-avro": "truncated value utf8 enum overflow trailing missing missing_schema",
}
"""Codes of errors that are among them."""


@pytest.mark.parametrize("name", ENGINES)
def test_a_protocol_is_the_same_compiled_and_interpreted(name: str) -> None:
    """More than a thousand spoiled messages, three times, and good ones that encoders of all producers write again."""
    compiled, interpreted = printed("every_protocol.modes", name)
    for number, (one, other) in enumerate(zip_longest(compiled, interpreted)):
        assert one == other, f"line {number}"
    text = "\n".join(compiled)
    assert text.count("'code': '") > 500
    assert [code for code in CODES[name].split() if f"'code': '{code}'" not in text] == []
    assert text.count("'reason': ") > 5


def test_numbers_at_the_ends_of_64_bits_are_the_same() -> None:
    compiled, interpreted = printed("every_protocol.extremes")
    assert len(compiled) > 5000
    assert [(a, b) for a, b in zip(compiled, interpreted, strict=True) if a != b] == []


def test_columns_that_are_objects_are_the_same() -> None:
    """Values, and errors with their numbers."""
    compiled, interpreted = printed("column_objects")
    assert compiled == interpreted

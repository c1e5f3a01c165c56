"""The same with Hypothesis, which shrinks what it finds: `pytest tests/oracle/properties.py`, with the oracle built.

The name is not one that pytest collects by itself.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .cases import BINARY, VAR_STRING, Case, Column, Row, Table
from .checks import check
from .client import Oracle
from .maker import Maker
from .protocols import PROTOCOLS
from .refusals import refusals


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """A running oracle; that there is none is an error here."""
    with Oracle() as running:
        yield running


@pytest.mark.parametrize("name", PROTOCOLS)
@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(source=st.randoms(use_true_random=False))
def test_at_random(oracle: Oracle, name: str, source: random.Random) -> None:
    """TiCDC's messages and ours are the same, and each reads what the other wrote."""
    protocol = PROTOCOLS[name]
    check(oracle, protocol, Maker(protocol, source).case("hypothesis"), Counter())


def test_every_character_is_quoted_and_escaped_as_go_does(oracle: Oracle) -> None:
    """In a text, in quoted bytes, alone in front of a byte that is no UTF-8."""
    columns = (
        Column("text", VAR_STRING, 0),
        Column("quoted", VAR_STRING, BINARY),
        Column("broken", VAR_STRING, BINARY),
    )
    table = Table("s", "t", columns, False, True)
    rows = []
    for start in range(0, 0x110000, 2048):
        text = "".join(chr(code) for code in range(start, start + 2048) if not 0xD800 <= code < 0xE000)
        broken = b"".join(letter.encode() + b"\xff" for letter in text)
        rows.append(Row("insert", 1, table, None, (text, text.encode(), broken), None))
    counts: Counter[str] = Counter()
    check(oracle, PROTOCOLS["open-protocol"], Case("every character", {}, tuple(rows)), counts)
    assert counts["messages identical"] == counts["messages"] > 0


@pytest.mark.parametrize("name", PROTOCOLS)
def test_refusals(oracle: Oracle, name: str) -> None:
    """What TiCDC's encoder panics on is refused."""
    refusals(oracle, PROTOCOLS[name], Counter())

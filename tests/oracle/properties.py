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


@pytest.mark.parametrize("name", PROTOCOLS)
def test_refusals(oracle: Oracle, name: str) -> None:
    """What TiCDC's encoder panics on is refused."""
    refusals(oracle, PROTOCOLS[name], Counter())

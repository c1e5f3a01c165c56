"""The fuzzer of Simple for a moment: rows, and hostile descriptions of tables."""

from __future__ import annotations

import pytest
from fuzz.engine import BATCH
from fuzz.simple_engine import SimpleEngine, messages

import tidewire.runtime

pytestmark = pytest.mark.codec


def test_some_batches() -> None:
    """Truncations, mutations, those that are compared with the twin, and those that go all other ways."""
    engine = SimpleEngine(messages(), 20260102)
    batches = [0, 8, 16, *range(36, 100 if tidewire.runtime.compiled else 50)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"undescribed_table", "contradiction", "kind", "syntax", "value"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 20

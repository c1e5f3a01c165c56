"""The fuzzer of Simple's records for a moment: rows, and hostile descriptions of tables."""

from __future__ import annotations

import pytest
from fuzz.engine import BATCH
from fuzz.records_engine import RecordsEngine, messages

import tidewire.runtime

pytestmark = pytest.mark.codec


def test_some_batches() -> None:
    """Truncations, mutations, those that are compared with the twin, and those that go all other ways."""
    engine = RecordsEngine(messages(), 20260102)
    batches = [0, 8, 16, *range(24, 88 if tidewire.runtime.compiled else 42)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"undescribed_table", "contradiction", "kind", "enum", "value", "overflow"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 20

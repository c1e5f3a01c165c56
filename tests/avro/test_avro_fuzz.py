"""A short run of the Avro fuzzer, and a check that it finds errors."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Any

import pytest
from fuzz.avro_engine import AvroEngine, messages, of_corpus
from fuzz.engine import BATCH
from fuzz.finding import Finding
from fuzz.registered_engine import Paired
from fuzz.registered_inputs import parted

import tidewire.runtime
from tidewire import avro
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.registered import schema

pytestmark = pytest.mark.codec

MUTATED = 32
"""Number of a batch without truncations, which is compared with the twin."""


def test_some_batches() -> None:
    """Truncations, mutations of records and schemas, those that are compared, and those that go all other ways."""
    engine = AvroEngine(messages(), 20260103)
    batches = [0, 8, *range(16, 80 if tidewire.runtime.compiled else 34)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"missing_schema", "value", "enum", "truncated", "overflow", "utf8"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 20


def test_inputs_hold_all_that_they_need() -> None:
    for given in messages():
        made = parted(given)
        assert made.value is None or made.value[:1] != b"\0" or made.schema is not None


class Broken(Paired):
    """A decoder with a defect of its own."""

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        columns = super().decode(values)
        tables = [(schema and schema + "x", table) for schema, table in columns.tables]
        return EventColumns(columns.events, tables, columns.layouts, columns.errors)


def test_a_defect_of_the_decoder_is_found() -> None:
    engine = AvroEngine(messages(), 1)
    engine.decoder = Broken(avro, of_corpus())
    with pytest.raises(Finding, match="its neighbours changed it"):
        engine.run(MUTATED)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda spans: spans[:-1], "bytes of no field in the|the decoder says"),
        (lambda spans: [one._replace(end=one.end + 100) for one in spans], "a span of 0 to"),
        (lambda spans: [*spans, spans[0]._replace(type="trouble")], "trouble that no decoder has|the decoder says"),
        (lambda spans: [one._replace(value=b"?") if one.column else one for one in spans], "was decoded"),
    ],
)
def test_a_defect_of_the_dissector_is_found(monkeypatch: pytest.MonkeyPatch, spoil: Any, said: str) -> None:
    engine = AvroEngine(messages(), 1)
    whole = avro.dissect
    monkeypatch.setattr(avro, "dissect", lambda *parts, **more: spoil(whole(*parts, **more)))
    with pytest.raises(Finding, match=f"dissected, .*({said})"):
        collections.deque(map(engine.run, range(MUTATED, MUTATED + 4)))


def test_a_defect_in_the_reading_of_schemas_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A field that is left out, as if it were not there."""
    engine = AvroEngine(messages(), 1)
    whole: Any = schema.SchemaReader._union

    def exchanged(self: Any, *arguments: Any) -> Any:
        found = whole(self, *arguments)
        return found._replace(null=1 - found.null) if found.null >= 0 else found

    monkeypatch.setattr(schema.SchemaReader, "_union", exchanged)
    engine.decoder = engine.fresh()
    with pytest.raises(Finding):
        engine.run(MUTATED)

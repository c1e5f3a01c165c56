"""A short run of the Debezium-Avro fuzzer, a check that it finds errors, and its twin on the recordings."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import recorded
from fuzz.debezium_avro_corpus import messages, of_corpus
from fuzz.debezium_avro_engine import DebeziumAvroEngine, Unlearned
from fuzz.engine import BATCH
from fuzz.finding import Finding
from fuzz.registered_inputs import by_twin, parted

import tidewire.runtime
from tidewire import debezium_avro
from tidewire.debezium_avro.decoder import Decoder
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.registered import schema

from .recordings import STREAMS, schemas
from .recordings import messages as recorded_messages
from .twin import flat, read

pytestmark = pytest.mark.codec

MUTATED = 16
"""Number of a batch without truncations, which is compared with the twin."""


def test_some_batches() -> None:
    """Truncations, mutations of records and schemas, those that are compared, and those that go all other ways."""
    engine = DebeziumAvroEngine(messages(), 20260103)
    batches = [0, *range(8, 60 if tidewire.runtime.compiled else 17)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"missing_schema", "value", "enum", "truncated", "missing"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 20


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_the_twin_reads_what_is_recorded(stream: Path) -> None:
    """A decoder without descriptions of tables, which the twin does not know."""
    held = schemas(stream)
    for one in recorded_messages(stream):
        columns = Decoder(schemas=held).decode([one.value], [one.key])
        if columns.errors:
            assert {error.code for error in columns.errors} == {"utf8"}
        else:
            assert flat(columns)[0] == read(one.key, one.value, held.schema)


def test_inputs_hold_all_that_they_need() -> None:
    kinds = {event.kind for given in messages() for event in by_twin(read, given, {}) or []}
    assert kinds == {"insert", "update", "delete", "ddl", "watermark"}
    for given in messages():
        made = parted(given)
        assert made.value is None or made.schema is not None


class Broken(Unlearned):
    """A decoder with a defect of its own."""

    def decode(self, values: Sequence[bytes]) -> EventColumns:
        columns = super().decode(values)
        tables = [(schema and schema + "x", table) for schema, table in columns.tables]
        found = EventColumns(columns.events, tables, columns.layouts, columns.errors)
        found.descriptions = columns.descriptions
        return found


def test_a_defect_of_the_decoder_is_found() -> None:
    engine = DebeziumAvroEngine(messages(), 1)
    engine.decoder = Broken(debezium_avro, of_corpus())
    with pytest.raises(Finding, match="its neighbours changed it"):
        engine.run(MUTATED)


def test_a_defect_of_the_dissector_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = DebeziumAvroEngine(messages(), 1)
    whole = debezium_avro.dissect

    def spoiled(*parts: Any, **more: Any) -> Any:
        return [one._replace(value=b"?") if one.column else one for one in whole(*parts, **more)]

    monkeypatch.setattr(debezium_avro, "dissect", spoiled)
    with pytest.raises(Finding, match=r"dissected, .*was decoded"):
        engine.run(MUTATED)


def test_a_defect_in_the_reading_of_schemas_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Branches of unions that are exchanged."""
    engine = DebeziumAvroEngine(messages(), 1)
    whole: Any = schema.SchemaReader._union

    def exchanged(self: Any, *arguments: Any) -> Any:
        found = whole(self, *arguments)
        return found._replace(null=1 - found.null) if found.null >= 0 else found

    monkeypatch.setattr(schema.SchemaReader, "_union", exchanged)
    engine.decoder = engine.fresh()
    with pytest.raises(Finding):
        engine.run(MUTATED)

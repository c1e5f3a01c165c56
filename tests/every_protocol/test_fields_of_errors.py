"""Text that is not UTF-8 is reported at the field that it is in, under the name that dissections show."""

from __future__ import annotations

import pytest
from fuzz.avro_engine import AvroEngine
from fuzz.debezium_avro_engine import DebeziumAvroEngine
from fuzz.registered_engine import RegisteredEngine
from fuzz.registered_inputs import Known, parted

pytestmark = [pytest.mark.codec, pytest.mark.filterwarnings("ignore::UserWarning")]

MESSAGES = 120
CONNECT_NAMES = {("value", "d"): ("value", "ddl")}
"""The Kafka Connect name of a field that has another one in Avro."""


@pytest.mark.parametrize("engine", [AvroEngine, DebeziumAvroEngine])
def test_a_text_of_a_record_is_reported_at_its_field(engine: type[RegisteredEngine]) -> None:
    """With rows and without, in keys and values, in records, arrays and maps of any depth."""
    corpus = engine.messages()
    wire = engine(1, corpus=corpus[:: len(corpus) // MESSAGES])
    found: set[str] = set()
    for one in wire.corpus:
        known, parts = Known(wire.schemas()), parted(one)._asdict()
        known.begin([one])
        for span in wire.module.dissect(parts["value"], parts["key"], schemas=known):
            whole = parts[span.part]
            at = span.end - 2  # texts of JSON end with a quote
            if at <= span.start or not isinstance(span.value, str) or span.path.startswith("header/"):
                continue
            sent = {**parts, span.part: whole[:at] + b"\xff" + whole[at + 1 :]}
            for error in wire.module.Decoder(schemas=known).attempt([sent["value"]], [sent["key"]]).errors:
                if error.code == "utf8" or "is not valid UTF-8" in error.detail:
                    place = span.part, span.path
                    named = CONNECT_NAMES.get(place, place) if engine is DebeziumAvroEngine else place
                    assert (error.part, error.field) == named
                    found.add(error.field)
    assert {"statement", "source"} & {path.partition("/")[0] for path in found}
    assert any(path.count("/") > 1 for path in found) == (engine is DebeziumAvroEngine)

"""Event columns that are null in all rows: their values are neither written nor read, in Arrow arrays or in a decoder's
memory.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pytest

from tidewire import avro, craft
from tidewire.events import EVENT_SCHEMA, Events
from tidewire.messages.registry import MemorySchemas, RegisteredSchema

pytestmark = pytest.mark.codec

KEY = {"type": "record", "name": "k", "fields": [{"name": "id", "type": "int"}]}
TABLE = {"type": "record", "namespace": "default.s"}
CHECKSUM = [
    {"name": "_tidb_row_level_checksum", "type": "string"},
    {"name": "_tidb_corrupted", "type": "boolean"},
    {"name": "_tidb_checksum_version", "type": "int"},
]
FIELDS: list[dict[str, Any]] = [{"name": "id", "type": "int"}, {"name": "nothing", "type": ["null", "string"]}]
FIELDS.append({"name": "_tidb_commit_ts", "type": "long"})
ROWS = {2: FIELDS, 3: FIELDS + CHECKSUM}
SCHEMAS = MemorySchemas(
    [RegisteredSchema(1, "k", 1, json.dumps(KEY))]
    + [
        RegisteredSchema(id, f"s{id}", 1, json.dumps({**TABLE, "name": f"t{id}", "fields": fields}))
        for id, fields in ROWS.items()
    ]
)
PLAIN = b"\0\0\0\0\2\2\0\x0a"
CHECKED = b"\0\0\0\0\3\2\0\x0a" + b"\2" + b"7" + b"\1" + b"\4"
QUERY = "truncate table t"
STATEMENT = b"\1" + json.dumps({"query": QUERY, "type": 11, "schema": "s", "table": "t", "commitTs": 5}).encode()
SHARES = ("checksum", "checksum_version", "checksum_corrupted", "query", "ddl_type")


def _decoded(decoder: Any, values: list[bytes]) -> Any:
    return decoder.attempt(pa.array(values, pa.binary()), pa.array([b"\0\0\0\0\1\2"] * len(values), pa.binary()))


@pytest.mark.parametrize("count", [1, 2, 8, 9, 64, 100, 600, 5000])
def test_after_a_batch_with_values(count: int) -> None:
    """Memory that had values before has none now, for readers with and without Arrow."""
    decoder = avro.Decoder(schemas=SCHEMAS)
    for values in ([CHECKED] * count, [STATEMENT] * count, [PLAIN] * count, [PLAIN] * count):
        light, heavy = _decoded(decoder, values), _decoded(decoder, values)
        assert not light.errors
        heavy.events.validate(full=True)
        assert heavy.events.schema.equals(EVENT_SCHEMA, check_metadata=True)
        assert heavy.events.num_rows == count
        for layout in heavy.layouts:
            for array in layout.arrays:
                array.validate(full=True)
        seven = 7 if values[0] is CHECKED else None
        said = [(getattr(event, "checksum", None), getattr(event, "query", None)) for event in Events(light)]
        assert said == [(seven, QUERY if values[0] is STATEMENT else None)] * count
        assert heavy.events.column("checksum").to_pylist() == [seven] * count
        there = {CHECKED: SHARES[:3], STATEMENT: SHARES[3:]}.get(values[0], ())
        assert tuple(name for name in SHARES if heavy.events.column(name).null_count < count) == there
        assert craft.Encoder().encode(light).equals(craft.Encoder().encode(heavy))


@pytest.mark.parametrize("at", [0, 1, 60, 599])
@pytest.mark.parametrize("other", [CHECKED, STATEMENT])
def test_one_value_among_nulls(at: int, other: bytes) -> None:
    """A column is written from its first row on as soon as one row has a value."""
    decoder = avro.Decoder(schemas=SCHEMAS)
    for place in (at, 599 - at):
        values = [PLAIN] * 600
        values[place] = other
        found = _decoded(decoder, values)
        found.events.validate(full=True)
        name, value = ("checksum", 7) if other is CHECKED else ("query", QUERY)
        assert found.events.column(name).to_pylist() == [value if k == place else None for k in range(600)]


def test_messages_that_are_wrong_leave_no_rows() -> None:
    """The last one, or all of them."""
    for values, left in (([PLAIN] * 20 + [PLAIN[:-1]], 20), ([PLAIN[:-1]] * 20, 0)):
        found = _decoded(avro.Decoder(schemas=SCHEMAS), values)
        assert found.events.num_rows == left
        assert len(found.errors) == len(values) - left
        found.events.validate(full=True)
        assert found.events.schema.equals(EVENT_SCHEMA)

"""Records of thousands of tables: plans and fields are created once per table, up to their limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from timed import spent

from tidewire import avro
from tidewire.events import Column, Events, RowChange
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.registered import plan_store

pytestmark = [pytest.mark.codec, pytest.mark.once]

TABLES = 10_000
COLUMNS = [
    Column("id", ColumnType.BIGINT, ColumnFlag.HANDLE_KEY | ColumnFlag.PRIMARY_KEY, "bigint(20)"),
    *(Column(f"text{k}", ColumnType.VARCHAR, ColumnFlag.NULLABLE, "varchar(20)") for k in range(4)),
    *(Column(f"number{k}", ColumnType.INT, ColumnFlag.NULLABLE, "int(11)") for k in range(3)),
]


class Asked(MemorySchemas):
    """Schemas that count how often they are asked for, and registered."""

    times = 0

    def schema(self, id: Any) -> str:
        self.times += 1
        return super().schema(id)

    def id_of(self, subject: str, text: str) -> Any:
        self.times += 1
        return super().id_of(subject, text)


def test_ten_thousand_tables_in_turn_are_looked_at_once() -> None:
    """Tables of eight columns, each with a schema for keys and one for values."""
    schemas = Asked()
    row: dict[str, Any] = {column.name: 1 if column.type != ColumnType.VARCHAR else "a" for column in COLUMNS}
    events = [RowChange("insert", 1, "shop", f"t{k}", new=row, columns=COLUMNS) for k in range(TABLES)]
    columns = Events.of(events).columns
    encoder = avro.Encoder(schemas=schemas)
    for times in (2 * TABLES, 0):
        schemas.times = 0
        messages = encoder.encode(columns).to_pydict()
        assert schemas.times == times
    decoder = avro.Decoder(schemas=schemas)
    for times in (2 * TABLES, 0):
        schemas.times = 0
        found = decoder.decode(messages["value"], messages["key"])
        assert (found.num_events, found.errors) == (TABLES, [])
        assert schemas.times == times


def test_what_is_remembered_of_schemas_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Schemas of eight columns that never come again: two generations of them, less than 192 MiB; an eighth of both."""

    class Made(MemorySchemas):
        def schema(self, id: Any) -> str:
            fields = [{"name": f"column_{id}_{k}", "type": ["null", "long"], "default": None} for k in range(8)]
            return json.dumps({"type": "record", "name": f"t{id}", "namespace": "default.d", "fields": fields})

    for limit in ("MOST_PLANS", "MOST_TEXT"):
        monkeypatch.setattr(plan_store, limit, getattr(plan_store, limit) // 8)
    decoder = avro.Decoder(schemas=Made([RegisteredSchema(1, "s", 1, '"long"')]))

    def work() -> None:
        for start in range(0, 10_000, 2_000):
            values = [b"\0" + id.to_bytes(4, "big") + bytes(8) for id in range(start, start + 2_000)]
            assert decoder.decode(values).num_events == len(values)

    _, kept = spent(work)
    assert kept < 24 << 20

"""A short run of the Debezium fuzzer: rows, keys, hostile blocks, and table changes in statements."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from fuzz.debezium_engine import DebeziumEngine, messages
from fuzz.engine import BATCH
from fuzz.envelope_mutations import halved
from fuzz.open_engine import parted

import tidewire.runtime

pytestmark = pytest.mark.codec


@pytest.fixture(scope="module")
def engine() -> DebeziumEngine:
    return DebeziumEngine(messages(), 20260103)


def test_some_batches(engine: DebeziumEngine) -> None:
    """Truncations, mutations, those that are compared with the twin, and those that go all other ways."""
    batches = [0, 8, 16, *range(32, 60 if tidewire.runtime.compiled else 41)]
    for number in batches:
        engine.run(number)
    assert engine.tally.inputs == len(batches) * BATCH
    assert {"undescribed_table", "undescribed", "kind", "syntax", "value", "trailing"} <= engine.tally.codes.keys()
    assert engine.tally.accepted > engine.tally.inputs // 4


def test_good_messages_are_of_all_kinds(engine: DebeziumEngine) -> None:
    kinds = Counter(engine.known[one][0][0] if engine.known[one] else None for one in engine.good)
    assert {"insert", "update", "delete", "ddl", "watermark", None} <= kinds.keys()
    assert all(engine.known[one] is not None for one in engine.corpus)


def test_blocks_are_spoiled_in_every_way(engine: DebeziumEngine) -> None:
    """Blocks that do not fit, that are gone, huge, deep, or say types that nobody knows."""
    chance, seen = Random(3), Counter[str]()
    for _ in range(3000):
        made = parted(engine.spoiled(chance, engine.small))
        block = halved(made.value)[1] or b""
        try:
            fields = json.loads(block)["fields"]
            columns = [column for one in fields if one["field"] in ("after", "before") for column in one["fields"]]
            kinds = {one.get("type") for one in columns} | {one.get("name") for one in columns}
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            kinds, columns = {"?"}, []
        seen["no block"] += not block
        seen["no key"] += not made.key
        seen["unknown"] += bool(kinds & {"int33", "my.Own", "io.debezium.data.Xml"})
        seen["native"] += bool(kinds & {"io.debezium.time.IsoDate", "org.apache.kafka.connect.data.Decimal"})
        seen["huge"] += len(columns) > 250
        seen["deep"] += block.count(b"[") + block.count(b"{") > 300
        seen["first"] += made.value.startswith(b'{"schema":')
    assert min(seen.values()) > 3, seen

"""What the fuzzer of Debezium does to schema blocks."""

from __future__ import annotations

import json
from collections import Counter
from random import Random

import pytest
from fuzz.debezium_engine import DebeziumEngine
from fuzz.envelope_mutations import halved
from fuzz.keyed_inputs import parted

pytestmark = pytest.mark.codec


def test_blocks_are_spoiled_in_every_way() -> None:
    """Blocks that do not fit, that are gone, huge, deep, or say types that nobody knows."""
    engine = DebeziumEngine(1, corpus=DebeziumEngine.messages()[::4])
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

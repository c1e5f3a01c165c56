"""The Debezium-Avro capture in `examples` is our encoding of Simple's capture."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path

import pytest
from oracle.captures import EXAMPLES, OURS, made_by_us

from tidewire import debezium_avro
from tidewire.events import RowChange
from tidewire.messages.registry import SavedSchemas

pytestmark = pytest.mark.codec


def test_it_is_made_again_as_it_is_shipped(tmp_path: Path) -> None:
    said = made_by_us(tmp_path)
    assert "150 messages" in said
    assert said.count("rename one of them") == 2
    shipped, made = (
        gzip.decompress((folder / f"{OURS}_topic.jsonl.gz").read_bytes()) for folder in (EXAMPLES, tmp_path)
    )
    assert made == shipped
    schemas, again = ((folder / f"{OURS}_topic.registry.json").read_text("utf-8") for folder in (EXAMPLES, tmp_path))
    assert again == schemas


def test_its_messages_are_read_with_the_schemas_beside_it() -> None:
    with gzip.open(EXAMPLES / f"{OURS}_topic.jsonl.gz", "rt", encoding="utf-8") as lines:
        sent = [json.loads(line) for line in lines]
    events = debezium_avro.decode_batch(
        [base64.b64decode(one["value"]) for one in sent],
        [base64.b64decode(one["key"]) for one in sent],
        schemas=SavedSchemas(str(EXAMPLES / f"{OURS}_topic.registry.json")),
    )
    assert events.errors == []
    kinds = [event.kind for event in events]
    assert [kinds.count(kind) for kind in ("insert", "update", "delete", "ddl", "watermark")] == [62, 26, 20, 35, 7]
    assert all(isinstance(event, RowChange) for event in events if event.kind == "insert")

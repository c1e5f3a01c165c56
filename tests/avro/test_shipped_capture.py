"""The capture in `examples` is TiCDC's output for the recorded scenarios, with the schemas that it registered."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

from recorded import stream_truth
from registered import HEAD, registered_stream, registry_file

from tidewire import avro
from tidewire.messages.registry import SavedSchemas

EXAMPLES = Path(__file__).parents[2] / "examples"
REGISTRY = EXAMPLES / "avro_topic.registry.json"
SCENARIOS = (("ddl", "strings"), ("batches", "decimals", "integers"), ("partitions", "times", "keys"))
"""By the partition."""
TABLES_OF_KEYS = ("k_none", "k_uk", "k_comp")

Message = tuple[str | bytes | None, str | bytes | None]
"""Key and value, with the text of the schema in the place of its id."""


def told(line: dict[str, Any], schemas: dict[int, str]) -> list[tuple[str, bytes] | None]:
    """Key and value of a message: the schemas, and what stands behind their ids."""
    found: list[tuple[str, bytes] | None] = []
    for part in (line["key"], line["value"]):
        data = None if part is None else base64.b64decode(part)
        if data is None or data[0] != 0:
            found.append(data if data is None else ("", data))
        else:
            found.append((schemas[int.from_bytes(data[1:HEAD], "big")], data[HEAD:]))
    return found


def texts(path: Path) -> dict[int, str]:
    """The schemas in a file, by their ids."""
    return {one["id"]: one["schema"] for one in json.loads(path.read_text("utf-8"))}


def capture() -> list[dict[str, Any]]:
    with gzip.open(EXAMPLES / "avro_topic.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_messages_and_schemas_are_the_recorded_ones() -> None:
    sent = capture()
    for partition, scenarios in enumerate(SCENARIOS):
        expected = []
        for scenario in scenarios:
            stream = registered_stream(f"tiflow/{scenario}/avro.watermark")
            schemas, happened = texts(registry_file(stream)), stream_truth(stream)
            for line in map(json.loads, stream.read_text("utf-8").splitlines()[1:]):
                table = happened[line["events"][0]]["table"]
                if "error" not in line and (scenario != "keys" or table in TABLES_OF_KEYS):
                    expected.append(told(line, schemas))
        found = [told(line, texts(REGISTRY)) for line in sent if line["partition"] == partition]
        assert found == expected
    assert len(sent) == 151


def test_a_table_has_a_topic_after_which_its_subjects_are_called() -> None:
    events = capture()
    places = [(one["topic"], one["partition"], one["offset"]) for one in events]
    assert len(set(places)) == len(places)
    subjects = {one["id"]: one["subject"] for one in json.loads(REGISTRY.read_text("utf-8"))}
    for one in events:
        for part in ("key", "value"):
            data = base64.b64decode(one[part] or "")
            if data[:1] == b"\0":
                assert subjects[int.from_bytes(data[1:HEAD], "big")] == f"{one['topic']}-{part}"


def test_all_of_it_is_read_with_the_file_beside_it() -> None:
    sent = capture()
    values, keys = ([one[part] and base64.b64decode(one[part]) for one in sent] for part in ("value", "key"))
    events = avro.decode_batch(values, keys, schemas=SavedSchemas(str(REGISTRY)))
    assert not events.columns.errors
    assert len(events) == len(sent) - 3, "of rows without a key that are gone nothing is said"

"""Topics on the broker of the tests, and what Spark is told to read them."""

from __future__ import annotations

import base64
import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

from demo.broker import Broker, Record

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


@cache
def capture(name: str) -> tuple[Record, ...]:
    """The messages of a shipped capture, such as `craft`, in their order."""
    with gzip.open(EXAMPLES / f"{name}_topic.jsonl.gz", "rt") as lines:
        found = [json.loads(line) for line in lines]
    return tuple(Record(one["partition"], _bytes(one.get("key")), _bytes(one.get("value"))) for one in found)


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)


def fill(broker: Broker, topic: str, records: tuple[Record, ...]) -> None:
    """Makes a topic that has these messages."""
    broker.create(topic, max((1 + one.partition for one in records), default=1))
    broker.send(topic, records)


def source(broker: Broker, topic: str, **more: Any) -> dict[str, str]:
    """The options of Spark's Kafka source."""
    found = {"kafka.bootstrap.servers": broker.servers, "subscribe": topic, "startingOffsets": "earliest"}
    return {**found, **{name: str(value) for name, value in more.items()}}

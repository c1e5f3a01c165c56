"""Converts records to lines of a stream: random parts are replaced, and each is joined with its event."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]

CLOCK = {"ms": "1767323045678", "us": "1767323045678901", "ns": "1767323045678901234"}
"""What stands in place of the connector's clock."""
RUN_ID = b"00000000-0000-7000-8000-000000000000"
"""What stands in place of the random id of a run."""


class Written(NamedTuple):
    """A Kafka record as one of the forms (a pair of converters) writes it."""

    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes | None]]


class Record(NamedTuple):
    """A record that the connector made, in every form."""

    topic: str
    partition: int | None
    forms: dict[str, Written]
    position: int | None
    """Where in the binary log it is said to be, None when it does not say."""


OPS = {"c": "insert", "u": "update", "d": "delete", "r": "read", "t": "ddl"}


def lines_of(
    records: list[Record], form: str, events: list[Json], snapshot: bool, window: tuple[float, float]
) -> Iterator[Json]:
    """The lines of a stream: each record, and the events it carries.

    Raises:
        ValueError: the stream and the truth do not have the same events in the same order of every table.
    """
    start = next((event["n"] for event in events if event["kind"] == "read"), len(events)) if snapshot else 0
    if snapshot and start == len(events):
        raise ValueError("a scenario without rows at its step `snapshot`")
    waiting = [e for e in events if e["n"] >= start and (snapshot or e["kind"] != "read")]
    last: list[int] = []
    for m, record in enumerate(records):
        written = record.forms[form]
        value = None if written.value is None else json.loads(written.value)
        if isinstance(value, dict) and set(value) == {"schema", "payload"}:
            value = value["payload"]
        kind, last = _told(value, waiting, last)
        yield {
            "m": m,
            "kind": kind,
            "topic": record.topic,
            "partition": record.partition,
            "key": _base64(_fixed(written.key, window)),
            "value": _base64(_fixed(written.value, window)),
            "headers": [[name, _base64(_run_id(name, _fixed(data, window)))] for name, data in written.headers],
            "events": last if kind in ("row", "tombstone", "ddl") else [],
        }
    if left := [e["n"] for e in waiting if e["kind"] != "ddl"]:
        raise ValueError(f"{form}: events {left} are in no record")


def _told(value: Any, waiting: list[Json], last: list[int]) -> tuple[str, list[int]]:
    """The kind of a record and the events it stands for; rows are taken from those that wait."""
    if value is None:
        return "tombstone", last
    if "op" in value:
        kind, source = OPS[value["op"]], value["source"]
        for number, event in enumerate(waiting):
            if kind == "ddl":
                if event["kind"] == "ddl" and event["ddl_type_name"] and event["ts_ms"] == source["ts_ms"]:
                    return "row", [event["n"]]
            elif (event.get("schema"), event.get("table")) == (source["db"], source["table"]):
                if event["kind"] != kind or (kind != "read" and event["ts_ms"] != source["ts_ms"]):
                    raise ValueError(f"event {event['n']} is {event['kind']} of step {event['step']}, not: {value}")
                del waiting[number]
                return "row", [event["n"]]
        raise ValueError(f"no event for the record {value}")
    if "ddl" in value:
        found = [e["n"] for e in waiting if e["kind"] == "ddl" and e["ts_ms"] == value["source"]["ts_ms"]]
        return "ddl", found
    return ("transaction" if "status" in value else "heartbeat"), []


def _fixed(data: bytes | None, window: tuple[float, float]) -> bytes | None:
    """The same with the connector's clock replaced: in ts_ms, ts_us and ts_ns, what is of the recording's time."""

    def replaced(found: re.Match[bytes]) -> bytes:
        unit = found[1].decode()
        seconds = int(found[2]) / {"ms": 1e3, "us": 1e6, "ns": 1e9}[unit]
        return b'"ts_%s":%s' % (found[1], CLOCK[unit].encode()) if window[0] < seconds < window[1] else found[0]

    return None if data is None else re.sub(rb'"ts_(ms|us|ns)":(\d+)', replaced, data)


def _run_id(name: str, data: bytes | None) -> bytes | None:
    if data is None or name != "__debezium.context.runId":
        return data
    return re.sub(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", RUN_ID, data)


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()

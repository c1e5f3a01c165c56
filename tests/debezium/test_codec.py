"""The codec against all recordings: values as the second reader has them, and the messages again."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import recorded

from debezium.recordings import STREAMS, events, plain
from tidewire import debezium
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec


def messages(stream: Path) -> tuple[list[bytes], list[bytes]]:
    """Keys and values."""
    found = [(key, value) for _, key, value in plain(stream)]
    return [key for key, _ in found], [value for _, value in found]


def options_of(stream: Path) -> debezium.Options:
    """With which the messages were written."""
    header = recorded.header(stream)
    said = {name.removeprefix("debezium."): value for name, value in header["options"].items()}
    names = {"output-old-value": "debezium_output_old_value", "disable-schema": "debezium_disable_schema"}
    names |= {name: name.replace("-", "_") for name in ("enable-tidb-extension", "debezium-disable-schema")}
    names |= {name: name.replace("-", "_") for name in ("debezium-include-start-ts", "debezium-output-old-value")}
    given: dict[str, Any] = {names[name]: value for name, value in said.items() if name in names}
    return debezium.Options(producer=header["producer"], **given)


def shortened(value: object) -> object:
    """A number or time as text without zeros behind its point: the second reader does not know how many there are."""
    return re.sub(r"\.?0+$", "", value) if isinstance(value, str) and "." in value else value


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_values_are_those_of_the_second_reader(stream: Path) -> None:
    keys, values = messages(stream)
    found = debezium.decode_batch(values, keys)
    assert found.errors == []
    expected = [flat for flat, _, _ in events(stream)]
    assert len(found) == len(expected)
    for event, flat in zip(found, expected, strict=True):
        for image in ("new", "old"):
            own, other = getattr(event, image, None), getattr(flat, image)
            if own is None or other is None:
                assert own == other
            else:
                assert {name: shortened(value) for name, value in own.items()} == {
                    name: shortened(value) for name, value in other.items()
                }


def first_of_each(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, of members that are there twice the first."""
    return dict(reversed(members))


def reason(written: bytes, expected: bytes) -> str:
    """Why a message is not written again as it was recorded; it is an error when there is no such reason."""
    own, other = json.loads(written), json.loads(expected, object_pairs_hook=first_of_each)
    changes, wanted = (one["payload"].get("tableChanges", []) for one in (own, other))
    if changes:
        if [change["id"] for change in changes] != [change["id"] for change in wanted]:
            return "what a renamed table was called before"
        for change in (*changes, *wanted):
            for column in change["table"]["columns"]:
                del column["autoIncremented"], column["generated"]
        assert changes == wanted
        return "columns that the database counts up, which this statement does not declare"
    if own == other:
        return "a NULL of bytes beside a default, which is there twice"
    if own["payload"] != other["payload"]:
        return "a NULL of a YEAR beside a default, which is a text"
    return "columns of the table that its rows do not have"


LOSSES = {
    "columns that the database counts up, which this statement does not declare": 148,
    "what a renamed table was called before": 42,
    "a NULL of bytes beside a default, which is there twice": 112,
    "a NULL of a YEAR beside a default, which is a text": 32,
    "columns of the table that its rows do not have": 58,
}
"""What events do not have, with the number of messages that differ by it."""


def test_messages_are_written_again_to_the_byte() -> None:
    found: Counter[str] = Counter()
    count = 0
    for stream in STREAMS:
        keys, values = messages(stream)
        tables = TableStore()
        columns = debezium.Decoder(tables=tables).decode(values, keys)
        again = debezium.Encoder(options_of(stream), tables=tables).encode(columns)
        assert again.column("key").to_pylist() == keys
        for written, expected in zip(again.column("value").to_pylist(), values, strict=True):
            count += 1
            if written != expected:
                found[reason(written, expected)] += 1
    assert count == 5100
    assert dict(found) == LOSSES

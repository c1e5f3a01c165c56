"""Decoding to events: frames contain the recorded events, and undecodable messages do not affect others."""

from __future__ import annotations

import base64
from decimal import Decimal
from itertools import islice
from typing import Any

import pytest
from pyspark.errors import PythonException
from pyspark.sql import Row
from recorded import bench_value, canal_json_values, craft_messages, truth
from spark_frames import Frame, RecordedFrame

from tidewire.schemas import CORRUPT_RECORD, EVENTS
from tidewire.spark import from_ticdc, rows_from_ticdc

GARBAGE = b"\x01\xff not a message"
SCENARIOS = ("integers", "times", "enum-set-json-vector", "keys", "partitions", "ddl")


def expected_value(column: dict[str, Any], value: dict[str, str] | None) -> object:
    """A recorded value as VARIANT gives it to Python."""
    if value is None:
        return None
    ((kind, text),) = value.items()
    if kind in ("int", "uint"):
        return int(text)
    if kind in ("f32", "f64"):
        return float(text)
    if kind != "bytes":
        return text
    raw = base64.b64decode(text)
    character = column["type"] in (15, 253, 254, 249, 250, 251, 252) and not column["flags"] & 1
    return raw.decode() if character or column["type"] == 245 else raw


def expected_image(event: dict[str, Any], side: str) -> dict[str, object] | None:
    """A recorded row image."""
    values = event[side]
    if values is None:
        return None
    pairs = zip(event["columns"], values, strict=True)
    return {column["name"]: expected_value(column, value) for column, value in pairs if not column.get("is_virtual")}


def image(value: Any) -> dict[str, object] | None:
    """A VARIANT row image; integers beyond int64 are decimals there."""
    if value is None:
        return None
    found: dict[str, object] = value.toPython()
    return {name: int(v) if isinstance(v, Decimal) else v for name, v in found.items()}


def test_the_frame_has_the_generated_schema(frame: Frame) -> None:
    events = from_ticdc(frame([bench_value(1)]), "craft")
    assert events.schema.fields[:-1] == EVENTS.fields
    assert events.schema["_corrupt_record"].dataType == CORRUPT_RECORD
    assert from_ticdc(frame([bench_value(1)]), "craft", {"mode": "failfast"}).schema == EVENTS


def test_recorded_events_come_back_value_by_value(recorded_frame: RecordedFrame) -> None:
    messages = [message for name in SCENARIOS for message in craft_messages(name, "default")]
    expected = [(message.scenario, truth(message.scenario)[n]) for message in messages for n in message.events]
    found: list[Row] = []
    for name in SCENARIOS:
        found += from_ticdc(recorded_frame(name), "craft").collect()
    assert len(found) == len(expected)
    for row, (scenario, event) in zip(found, expected, strict=True):
        assert row._corrupt_record is None
        assert (row.kind, row._commit_version) == (event["kind"], event["commit_ts"]), scenario
        assert int(row._commit_timestamp.timestamp() * 1000) == event["commit_ts"] >> 18
        assert (row.schema or "", row.table or "") == (event["schema"] or "", event["table"] or "")
        assert (row.ddl_type, row.query) == (event["ddl_type"], event["query"])
        if event["kind"] in ("insert", "update", "delete"):
            assert image(row.new) == expected_image(event, "new")
            assert image(row.old) == expected_image(event, "old")
            listed = row.columns.toPython()
            present = (row.new or row.old).toPython()
            assert [(c["name"], c["type"], c["flags"]) for c in listed] == [
                (c["name"], c["type"], c["flags"]) for c in event["columns"] if c["name"] in present
            ]
            assert row.old_columns is None


def test_where_an_event_lay(frame: Frame) -> None:
    found = from_ticdc(frame([bench_value(4), bench_value(1)]), "craft").collect()
    assert [(row.topic, row.partition, row.offset, row.event) for row in found] == [
        ("t", 0, 0, 0),
        ("t", 0, 0, 1),
        ("t", 0, 0, 2),
        ("t", 0, 0, 3),
        ("t", 0, 1, 0),
    ]


def test_only_value_has_to_be_there(frame: Frame) -> None:
    found = from_ticdc(frame([bench_value(1), GARBAGE]).select("value"), "craft").collect()
    assert [(row.kind, row.topic, row.partition, row.offset) for row in found] == [
        ("update", None, None, None),
        (None, None, None, None),
    ]
    assert bytes(found[1]._corrupt_record.value) == GARBAGE


def test_permissive_keeps_the_message_and_the_reason(frame: Frame) -> None:
    good = bench_value(4)
    found = from_ticdc(frame([good, GARBAGE, good, None, good[:-3], good]), "craft").collect()
    whole = [row for row in found if row._corrupt_record is None]
    assert [(row.offset, row.event) for row in whole] == [(at, k) for at in (0, 2, 5) for k in range(4)]
    bad = {row._corrupt_record.offset: row for row in found if row._corrupt_record is not None}
    # the one without a value is a tombstone: no event, and nothing wrong
    assert sorted(bad) == [1, 4]
    assert bytes(bad[1]._corrupt_record.value) == GARBAGE
    assert bytes(bad[4]._corrupt_record.value) == good[:-3]
    for row in bad.values():
        assert row._corrupt_record.reason.startswith("craft ")
        assert (row._corrupt_record.topic, row._corrupt_record.partition) == ("t", 0)
        assert all(row[name] is None for name in EVENTS.names)


def test_a_tombstone_is_no_corrupt_record(frame: Frame) -> None:
    messages = frame([None, bench_value(1), None])
    assert from_ticdc(messages, "craft", {"mode": "FAILFAST"}).count() == 1
    rows = rows_from_ticdc(messages, "craft", "test.bench", "id int").collect()
    assert [(row._change_type, row._corrupt_record) for row in rows] == [
        ("update_preimage", None),
        ("update_postimage", None),
    ]
    assert rows_from_ticdc(frame([None]), "craft", None, "variant").collect() == []


def test_dropmalformed_and_a_column_of_another_name(frame: Frame) -> None:
    messages = frame([GARBAGE, bench_value(1)])
    dropped = from_ticdc(messages, "craft", {"mode": "DROPMALFORMED"})
    assert dropped.columns == EVENTS.names
    assert [row.kind for row in dropped.collect()] == ["update"]
    renamed = from_ticdc(messages, "craft", {"columnNameOfCorruptRecord": "bad"})
    assert sorted(row.bad is None for row in renamed.collect()) == [False, True]


def test_failfast_says_which_message_and_why(frame: Frame) -> None:
    with pytest.raises(PythonException) as caught:
        from_ticdc(frame([bench_value(1), GARBAGE]), "craft", {"mode": "FAILFAST"}).collect()
    assert "MalformedError: topic t, partition 0, offset 1: craft " in str(caught.value)


@pytest.mark.parametrize(("protocol", "other"), [("craft", "canal-json"), ("canal-json", "craft")])
def test_the_wrong_protocol_is_called_that(frame: Frame, protocol: str, other: str) -> None:
    """In every row's reason, and where the job fails; one message that is right takes it back."""
    values = {"craft": [bench_value(1), bench_value(4)], "canal-json": [*islice(canal_json_values(), 2)]}
    messages = frame(values[other])
    for rows in (from_ticdc(messages, protocol), rows_from_ticdc(messages, protocol, None, "variant")):
        reasons = [row._corrupt_record.reason for row in rows.collect()]
        assert len(reasons) == 2
        for reason in reasons:
            assert reason.startswith(f"{protocol} ")
            assert reason.endswith(f"; it looks like {other}")
    with pytest.raises(PythonException, match=f"it looks like {other}"):
        from_ticdc(messages, protocol, {"mode": "FAILFAST"}).collect()
    mixed = from_ticdc(frame([*values[other], *values[protocol]]), protocol).collect()
    reasons = [row._corrupt_record.reason for row in mixed if row._corrupt_record is not None]
    assert len(reasons) == 2
    assert not any("looks like" in reason for reason in reasons)


def test_a_commit_ts_beyond_bigint_is_corrupt_not_wrapped(frame: Frame) -> None:
    from tidewire import craft
    from tidewire.events import Watermark

    (message,) = craft.encode([Watermark((1 << 64) - 1)])
    (row,) = from_ticdc(frame([message.value]), "craft").collect()
    assert row._commit_version is None
    assert row.kind == "watermark"
    assert row._corrupt_record.reason == "commit ts 18446744073709551615 is more than BIGINT holds"


def test_text_that_is_not_utf8_is_kept_under_the_stated_policy(frame: Frame) -> None:
    value = bench_value(1)
    at = value.index(b"customer name")
    broken = value[:at] + b"\xff" + value[at + 1 :]
    messages = frame([value, broken])
    (bad,) = from_ticdc(messages, "craft").filter("_corrupt_record is not null").collect()
    assert "not valid UTF-8" in bad._corrupt_record.reason
    replaced = from_ticdc(messages, "craft", {"invalidText": "replace"}).collect()[1]
    assert "�" in image(replaced.new)["name"] + image(replaced.old)["name"]  # type: ignore[index, operator]
    kept = [row.new.toPython()["name"] for row in from_ticdc(messages, "craft", {"invalidText": "bytes"}).collect()]
    olds = [row.old.toPython()["name"] for row in from_ticdc(messages, "craft", {"invalidText": "bytes"}).collect()]
    assert [type(name) for name in kept] + [type(name) for name in olds] in (
        [str, bytes, str, str],
        [str, str, str, bytes],
    )

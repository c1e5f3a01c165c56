"""Transcoding between Debezium and the other protocols: losses, and refused rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from recorded import messages, own, stream_name, streams

import tidewire
from tidewire import debezium
from tidewire.events import Ddl, Events, RowChange
from tidewire.messages.delivery.transcoding import Report

pytestmark = pytest.mark.codec

TS = 470607536966860800
PACKED = ("lz4", "snappy", "claim", "handle-key")
OTHERS = ("craft", "open-protocol", "canal-json", "simple")
EXTENDED = {"enable-tidb-extension": "true"}

LOST_TO_DEBEZIUM = {
    ("value", "of a column"),  # decimals are JSON numbers, dates that no calendar has are null
    ("kind", "watermark"),  # without the extension
    ("kind", "ddl"),  # foreign keys, TTL
    *(("column", name) for name in ("type", "mysql_type")),
    *(("flag", name) for name in ("binary", "generated", "multiple_key", "primary_key", "unique_key", "unsigned")),
    *(("field", name) for name in ("ddl_class", "ddl_type", "partition_id", "row_id", "table_id", "table_version")),
    *(("field", name) for name in ("table_after", "table_before", "time_zone")),
    *(("field", name) for name in ("checksum", "checksum_before", "checksum_version", "checksum_corrupted")),
}
"""What Debezium does not carry of what the other protocols say."""
LOST_FROM_DEBEZIUM = {
    *(("field", name) for name in ("sent_ms", "start_ts", "table_after", "table_before", "time_zone", "types_from")),
    ("column", "mysql_type"),
    ("table", "of a statement"),  # simple: only a description says it
    ("columns", "new"),  # sorted by name
    ("columns", "old"),
    *(("flag", name) for name in ("binary", "handle_key", "multiple_key", "nullable", "unsigned")),
}
"""What none of the others carries of what Debezium says; canal-json alone loses flags."""
REFUSED = (
    "of the column",  # labels and bits that rows of craft do not describe
    "the column has 0 labels",
    "a BIT(1) is 0 or 1",
    "has something else than up to 3 digits behind its seconds",
    "float-overwritten",  # FLOATs that the producer has damaged
    "needs commit_ts",
    "Debezium cannot carry a bootstrap event",
)
"""Why rows and statements of the others are refused: Debezium writes by what a column is declared as."""


def recorded(protocol: str) -> list[Path]:
    """Some recorded streams of a protocol: the same statements with the options that change what is said."""
    if protocol in ("simple", "debezium"):
        found = streams(protocol, own=False)
    elif protocol == "open-protocol":
        found = streams("open-protocol", own=False)
    else:
        found = sorted(own().glob(f"*/*/{protocol}.*.jsonl"))
    return [path for path in found if not any(word in path.name for word in PACKED)]


def lost(report: Report) -> set[tuple[str, str]]:
    general = {"value": "of a column", "table": "of a statement"}
    return {(one.what, general.get(one.what, one.name)) for one in report.losses}


def rows(values: Any, module: Any, keys: Any) -> list[tuple[Any, ...]]:
    """What rows say, whatever order their columns are in."""
    found = module.decode_batch(values, keys, module.Options(invalid_text="bytes"))
    assert not found.errors
    return [
        (one.kind, one.commit_ts, one.schema, one.table, *(dict(side or {}) for side in (one.new, one.old)))
        for one in found
        if isinstance(one, RowChange)
    ]


@pytest.mark.once
@pytest.mark.parametrize("protocol", OTHERS)
def test_recorded_messages_to_debezium_and_back(protocol: str) -> None:
    whole = 0
    for path in recorded(protocol):
        given = list(messages(path))
        values, keys = [one.value for one in given], [one.key for one in given]
        there, report = tidewire.transcode(values, protocol, "debezium", keys=keys, target_options=EXTENDED)
        assert lost(report) <= LOST_TO_DEBEZIUM, stream_name(path)
        assert [one.reason for one in report.refused if not any(why in one.reason for why in REFUSED)] == []
        silent = sum(count for one, count in report.losses.items() if one[:2] == ("kind", "ddl"))
        assert there.num_rows + len(report.refused) + silent == report.events
        again = tidewire.transcode(there.column("value"), "debezium", protocol, keys=there.column("key"))[1]
        assert not again.errors, stream_name(path)
        assert {one.kind for one in again.refused} <= {"ddl"}
        whole += not report.refused
    assert whole > 10


@pytest.mark.once
@pytest.mark.parametrize("protocol", OTHERS)
def test_recorded_messages_of_debezium_to_others(protocol: str) -> None:
    options = {**EXTENDED, "content-compatible": "true"} if protocol == "canal-json" else {}
    refused: Counter[str] = Counter()
    module: Any = tidewire.protocols()[protocol].load()
    statements = same = 0
    for path in recorded("debezium"):
        given = list(messages(path))
        values, keys = [one.value for one in given], [one.key for one in given]
        batch, report = tidewire.transcode(values, "debezium", protocol, keys=keys, target_options=options)
        assert not report.errors, stream_name(path)
        assert lost(report) <= LOST_FROM_DEBEZIUM, stream_name(path)
        assert batch.num_rows
        refused.update(one.reason for one in report.refused)
        if protocol != "canal-json" and {one.kind for one in report.refused} <= {"ddl"}:
            same += 1
            assert rows(batch.column("value"), module, batch.column("key")) == rows(values, debezium, keys)
        statements += sum(count for (name, _), count in report.derived.items() if name in ("ddl_class", "ddl_type"))
    assert statements > 300
    assert same > 50 or protocol == "canal-json"
    # an update without the row before; statements that do not tell what they are
    assert {reason for reason in refused if "needs a row image `old`" not in reason} <= {
        "ddl needs ddl_type or ddl_class"
    }


@pytest.mark.parametrize("protocol", ["canal-json", "simple"])
def test_the_class_of_a_statement_is_concluded(protocol: str) -> None:
    """Debezium says neither class nor type."""
    queries = ["alter table t add column c int", "flashback something else"]
    values = [one.value for one in debezium.encode([Ddl(TS, "s", "t", None, query) for query in queries])]
    batch, report = tidewire.transcode(values, "debezium", protocol, target_options=None)
    assert report.derived == {("ddl_class", "ALTER"): 1}
    assert [(one.event, one.reason) for one in report.refused] == [(1, "ddl needs ddl_type or ddl_class")]
    module: Any = tidewire.protocols()[protocol].load()
    (event,) = module.decode_batch(batch.column("value"))
    assert (event.kind, event.ddl_class, event.query) == ("ddl", "ALTER", queries[0])
    _, report = tidewire.transcode(Events.of([Ddl(TS, "s", "t", 5, queries[0])]).columns, "debezium", protocol)
    assert not report.derived

"""Decoded messages are compared with fastavro's result, and with the same events in Debezium's JSON."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import recorded

from tidewire import debezium, debezium_avro
from tidewire.events import Ddl, Event, RowChange, Watermark
from tidewire.mysql import ColumnFlag, ColumnType

from .recordings import STREAMS, by_fastavro, messages, options_of, schemas, stream

pytestmark = pytest.mark.codec

KINDS = {"c": "insert", "u": "update", "d": "delete", "r": "insert"}
COARSE = (ColumnType.DECIMAL,)
"""Types whose values Debezium's JSON has as doubles."""


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_rows_are_as_fastavro_reads_them(stream: Path) -> None:
    """Which columns there are, which are null, what happened when, and which columns the key has."""
    decoder = debezium_avro.Decoder(options_of(stream, invalid_text="bytes"), schemas=schemas(stream))
    for message in messages(stream):
        if message.kind != "row":
            continue
        columns = decoder.decode([message.value], [message.key])
        assert columns.errors == []
        (event,) = debezium_avro._codec._events(columns)
        assert isinstance(event, RowChange)
        assert message.value is not None
        assert message.key is not None
        found = by_fastavro(message.value, stream)
        source = found["source"]
        assert (event.kind, event.sent_ms) == (KINDS[found["op"]], found["ts_ms"])
        assert (event.schema, event.table) == (source["db"], source["table"])
        assert (event.commit_ts, event.commit_ms) == (source["commit_ts"], None)
        keys = set(by_fastavro(message.key, stream))
        sides: list[tuple[Any, str]] = [(event.old, "before"), (event.new, "after")]
        for image, side in sides:
            assert (image is None) == (found[side] is None)
            if image is not None:
                assert len(image) == len(found[side])
                assert [value is None for value in image.values()] == [one is None for one in found[side].values()]
                flagged = [column.name for column in image.columns if column.flags & ColumnFlag.HANDLE_KEY]
                assert len(flagged) == len(keys)


@cache
def in_json(scenario: str, option_set: str) -> dict[int, Event]:
    """The events of Debezium's JSON, by number."""
    found = {}
    for one in recorded.streams("debezium", own=False):
        if one.parts[-3:] == ("ticdc", scenario, f"debezium.{option_set}.jsonl"):
            for message in recorded.messages(one):
                (event,) = debezium.decode(message.value, message.key, debezium.Options(invalid_text="bytes"))
                found[message.events[0]] = event
    return found


@pytest.mark.parametrize("option_set", ["default", "tidb-extension"])
@pytest.mark.parametrize("scenario", sorted({one.parent.name for one in STREAMS}))
def test_rows_are_as_in_json(scenario: str, option_set: str) -> None:
    """Both encoders of TiCDC make the same of values, but for decimals and bytes."""
    twins = in_json(scenario, option_set)
    compared = 0
    own = stream(scenario, option_set)
    for message in messages(own):
        options = options_of(own, invalid_text="bytes")
        (event,) = debezium_avro.decode(message.value, message.key, options, schemas=schemas(own))
        twin = twins[message.events[0]]
        assert isinstance(event, RowChange)
        assert isinstance(twin, RowChange)
        assert (event.kind, event.commit_ts, event.schema, event.table) == (
            *(twin.kind, twin.commit_ts),
            *(twin.schema, twin.table),
        )
        pairs: list[tuple[Any, Any]] = [(event.new, twin.new), (event.old, twin.old)]
        for image, other in pairs:
            assert (image is None) == (other is None)
            if image is None or other is None:
                continue
            assert list(image) == list(other)
            for column, like in zip(image.columns, other.columns, strict=True):
                bytes_told = column.flags & ColumnFlag.BINARY and not like.flags & ColumnFlag.BINARY
                if column.type in COARSE or like.type in COARSE or bytes_told or like.type == ColumnType.DOUBLE:
                    continue
                compared += 1
                assert image[column.name] == other[column.name], column
                assert column.type == like.type
    assert compared or not twins


def test_statements_and_watermarks_are_those_of_debezium() -> None:
    own = stream("ddl", "watermark")
    twins = in_json("ddl", "tidb-extension")
    kinds = {Ddl: 0, Watermark: 0}
    for message in messages(own):
        if message.kind in ("ddl", "watermark"):
            (event,) = debezium_avro.decode(message.value, message.key, schemas=schemas(own))
            kinds[type(event)] += 1
            assert event == twins[message.events[0]]
    assert kinds[Ddl] == 22
    assert kinds[Watermark] > 0


def test_statements_describe_the_tables_of_rows_behind_them() -> None:
    """A DATETIME(3) has three digits by the description of its table, and as many as it takes by its schema."""
    own = stream("ddl", "watermark")
    with_all = debezium_avro.Decoder(options_of(own), schemas=schemas(own))
    texts: dict[bool, set[Any]] = {True: set(), False: set()}
    for message in messages(own):
        (event,) = debezium_avro._codec._events(with_all.decode([message.value], [message.key]))
        if not isinstance(event, RowChange):
            continue
        (alone,) = debezium_avro.decode(message.value, message.key, options_of(own), schemas=schemas(own))
        assert isinstance(alone, RowChange)
        for one, told in ((event, True), (alone, False)):
            image = one.new or one.old or {}
            texts[told].add(image.get("created"))
    assert "2026-01-02 00:00:00.000" in texts[True]
    assert "2026-01-02 00:00:00" in texts[False]
    assert with_all.tables.at("shop", "orders2", None) is not None


def test_a_whole_stream_at_once_is_read_as_one_message_after_the_other() -> None:
    for own in STREAMS[::5]:
        found = list(messages(own))
        options = options_of(own, invalid_text="bytes")
        at_once = debezium_avro.Decoder(options, schemas=schemas(own)).decode(
            [one.value for one in found], [one.key for one in found]
        )
        decoder = debezium_avro.Decoder(options, schemas=schemas(own))
        singly = [
            event for one in found for event in debezium_avro._codec._events(decoder.decode([one.value], [one.key]))
        ]
        assert list(debezium_avro._codec._events(at_once)) == singly

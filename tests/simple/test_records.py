"""Simple's records: what was recorded is read as what the same messages in JSON say, and written again to the byte, but
for the order of columns, which TiCDC's encoders leave to chance.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import recorded

from simple.avro_twin import read, write
from tidewire import detect, simple
from tidewire.events import Bootstrap, Ddl, Event, RowChange
from tidewire.names import WATERMARK
from tidewire.runtime.errors import DecodeError
from tidewire.runtime.record.sink import long_bytes
from tidewire.runtime.tables.description import DescribedTable
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

STREAMS = recorded.streams("simple-records")
TIMES = re.compile(r"\b(datetime|timestamp|time)\(\d\)")


def plain(stream: Path) -> Iterator[bytes]:
    """Each value of a stream, without its compression."""
    return (message.value for message in recorded.plain(stream))


def options_of(stream: Path, **more: Any) -> simple.Options:
    """Those that the stream was written with, but for compression and large messages."""
    said = recorded.header(stream)["options"]
    sums = bool(said.get("enable-row-checksum") or said.get("integrity-check-level"))
    producer = str(recorded.header(stream)["producer"])
    return simple.Options(encoding_format="avro", producer=producer, enable_row_checksum=sums, **more)


def without_fractions(event: Event) -> Any:
    """An event without what records do not say: the digits of fractions of seconds that times have."""

    def table(one: DescribedTable | None) -> Any:
        if one is None:
            return None
        columns = [(c, None if c.mysql_type in ("datetime", "timestamp", "time") else c.scale) for c in one.columns]
        said = [(c.name, c.mysql_type, c.length, c.labels, c.unsigned, c.zerofill, c.default, c.charset, c.collation,
                 c.nullable, scale) for c, scale in columns]  # fmt: skip
        return one.schema, one.table, one.id, one.version, said, one.indexes

    if isinstance(event, RowChange):
        columns = sorted((c.name, c.type, c.flags, TIMES.sub(r"\1", c.mysql_type or "")) for c in event.columns or ())
        said = (event.commit_ts, event.sent_ms, event.schema, event.table, event.table_id, event.table_version)
        sums = (event.checksum, event.checksum_before, event.checksum_version, event.checksum_corrupted)
        new, old = (None if one is None else dict(one) for one in (event.new, event.old))
        return event.kind, said, sums, event.time_zone, event.handle_key_only, columns, new, old
    if isinstance(event, Ddl):
        about = (event.commit_ts, event.sent_ms, event.schema, event.table, event.query, event.ddl_class)
        return "ddl", about, table(event.table_after), table(event.table_before)
    if isinstance(event, Bootstrap):
        return "bootstrap", event.sent_ms, event.schema, event.table, table(event.table_after)
    return event


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_records_say_what_objects_say(stream: Path) -> None:
    """The same scenario in JSON, whose reader is compared with what happened in the database."""
    names = {"avro-checksum": "json-checksum", "avro-claim-check": "json-claim-check"}
    other = stream.with_name(f"simple.{names.get(recorded.option_set(stream), 'json')}.jsonl")
    store, of_objects = TableStore(), TableStore()
    found = [
        event for value in plain(stream) for event in simple.decode(value, options=options_of(stream), tables=store)
    ]
    objects = [event for value in plain(other) for event in simple.decode(value, tables=of_objects)]
    if "claim-check" in stream.name:  # it lies under another name, and other rows are too long
        found, objects = (
            [one for one in events if not getattr(one, "claim_check", None)] for events in (found, objects)
        )
        assert {one.commit_ts for one in objects} & {one.commit_ts for one in found}
        return
    assert [without_fractions(one) for one in found] == [without_fractions(one) for one in objects]


@pytest.mark.parametrize("stream", STREAMS, ids=recorded.stream_name)
def test_recorded_records_come_out_again(stream: Path) -> None:
    """Byte for byte where a message has no row, or one column; as fastavro reads them where columns have an order."""
    values, options, store = list(plain(stream)), options_of(stream), TableStore()
    decoded = simple.decode_batch(values, options=options, tables=store)
    assert not decoded.errors
    written = [message.value or b"" for message in simple.encode(decoded, options, tables=store)]
    assert len(written) == len(values)
    for wanted, got in zip(values, written, strict=True):
        assert len(wanted) == len(got)
        assert read(wanted) == read(got)
        if read(wanted)["kind"] != "DML":
            assert wanted == got


@pytest.mark.parametrize("stream", STREAMS[::7], ids=recorded.stream_name)
def test_every_byte_is_of_a_field(stream: Path) -> None:
    store = TableStore()
    for value in plain(stream):
        spans = simple.dissect(value, tables=store)
        assert not [one for one in spans if one.type == "trouble"]
        groups = [one for one in spans if one.type in ("record", "array", "map")]
        covered = sorted({at for one in spans for at in range(one.start, one.end)})
        assert covered == list(range(len(value)))
        leaves = [one for one in spans if one not in groups]
        assert all(first.end <= second.start for first, second in pairwise(leaves))
    (trouble,) = simple.dissect(value[:-2], tables=store)[-1:]
    assert trouble.type == "trouble"


@pytest.mark.parametrize("count", [65_536, 65_537, 100_000])
def test_long_arrays_and_maps_are_dissected_to_their_end(count: int) -> None:
    """The labels of a column and the columns of a row, in one block each."""
    kind = {
        "mysqlType": "enum", "charset": "utf8mb4", "collate": "utf8mb4_bin", "length": 1, "decimal": None,
        "elements": ["x"] * count, "unsigned": None, "zerofill": None,
    }  # fmt: skip
    column = {"name": "e", "dataType": kind, "nullable": True, "default": None}
    table = {"database": "s", "table": "t", "tableID": 1, "version": 7, "columns": [column], "indexes": []}
    described = write("BOOTSTRAP", "Bootstrap", version=1, buildTs=6, tableSchema=table)
    row = {
        "version": 1, "database": "s", "table": "t", "tableID": 1, "type": "INSERT", "commitTs": 5, "buildTs": 6,
        "schemaVersion": 7, "claimCheckLocation": None, "handleKeyOnly": None, "checksum": None,
        "data": {f"c{number}": None for number in range(count)}, "old": None,
    }  # fmt: skip
    for value, inside in ((described, "elements"), (write("DML", "DML", **row), "data")):
        spans = simple.dissect(value, tables=TableStore())
        assert not [one for one in spans if one.type == "trouble"]
        held = [one.path.rpartition("/") for one in spans]
        assert sum(around.endswith(inside) and name != "items" for around, _, name in held) == count
        assert max(one.end for one in spans) == len(value)


@pytest.mark.parametrize("count", [10**6, 2**62, -(2**62), -(10**6)])
def test_a_count_that_no_message_can_have_costs_the_dissector_nothing(count: int) -> None:
    head = write("WATERMARK", "Watermark", version=1, commitTs=0, buildTs=6)[:1]
    message = head + b"\x06\x06\x02\x02s\x02t\x02\x00\x0a\x0c\x0e\x00\x00\x00\x02" + long_bytes(count) + b"\x00" * 999
    store = TableStore()
    store.add_sql("CREATE TABLE s.t (n INT)", version=7)
    start = time.process_time()
    spans = simple.dissect(message, tables=store)
    assert time.process_time() - start < 1
    assert (spans[-1].type, spans[-1].path) == ("trouble", "data")


def test_the_encoding_is_found_out() -> None:
    for stream in STREAMS:
        if recorded.option_set(stream) != "avro" or "ddl" not in stream.parts[-2]:
            continue
        found = detect(list(plain(stream)))
        assert (found.protocol, found.sure, found.options["encoding-format"]) == ("simple", True, "avro")
        assert found.producers == (recorded.header(stream)["producer"],)


def test_who_asks_for_the_other_encoding_is_told() -> None:
    stream = next(one for one in STREAMS if recorded.option_set(one) == "avro")
    value = next(plain(stream))
    with pytest.raises(DecodeError, match="it looks like simple with encoding-format=avro"):
        simple.decode(value)
    objects = next(plain(stream.with_name("simple.json.jsonl")))
    with pytest.raises(DecodeError, match="it looks like simple with another encoding-format"):
        simple.decode(objects, options=simple.Options(encoding_format="avro"))


def test_watermarks_are_of_no_table() -> None:
    """Also where the message before them in the same batch is of one."""
    found = []
    for stream in STREAMS:
        batch = simple.Decoder(options=options_of(stream)).decode(list(plain(stream)))
        found += [batch.tables[one["table"]] for one in batch.events.to_pylist() if one["kind"] == WATERMARK]
    assert set(found) == {(None, None)}

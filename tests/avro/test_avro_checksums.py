"""Checksums of rows in records: verified by the columns of the record, and computed as producers do."""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import recorded
from simple.checksums import value_bytes

from avro.images import changed
from avro.recordings import STREAMS, messages, options_of, schemas
from tidewire import avro
from tidewire.events import ROLES, RowChange
from tidewire.messages.checksums.checking import Plans
from tidewire.messages.checksums.verifying import UnverifiedWarning, verify
from tidewire.messages.registry import MemorySchemas, RegisteredSchema
from tidewire.mysql import ColumnFlag, ColumnType
from tidewire.runtime.batch import Column
from tidewire.runtime.errors import ChecksumError, EncodeError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

SUMMED = [one for one in STREAMS if options_of(one).enable_row_checksum]
STRINGS: dict[str, Any] = {
    "enable_tidb_extension": True,
    "avro_decimal_handling_mode": "string",
    "avro_bigint_unsigned_handling_mode": "string",
}
COMPUTING = avro.Options(compute_checksum=True, **STRINGS)
TSO = 470607536135340034
HEAD = b"\0\0\0\0\1"

each_stream = pytest.mark.parametrize("stream", SUMMED, ids=recorded.stream_name)


def test_there_are_recordings_of_both_producers() -> None:
    assert {one.parts[-3] for one in SUMMED} == {"tiflow", "ticdc"}


@each_stream
def test_recorded_checksums_are_those_of_the_columns_of_the_record(stream: Path) -> None:
    """All of them, as soon as somebody says in which zone local times are: here it is UTC."""
    found = list(messages(stream))
    columns = avro.Decoder(schemas=schemas(stream)).decode([one.value for one in found], [one.key for one in found])
    zone = pa.array(["UTC"] * columns.num_events, columns.events.schema.field("time_zone").type)
    columns = columns.with_columns({"time_zone": zone})
    assert columns.events["checksum"].null_count < columns.num_events
    for by_id in (True, False):
        checked = verify(columns, Plans(TableStore(), by_id, "commit_ts", ROLES, True))
        assert (checked.wrong, checked.open) == ([], [])


@each_stream
def test_local_times_are_not_verified_and_all_else_is(stream: Path) -> None:
    found = list(messages(stream))
    decoder = avro.Decoder(options_of(stream, verify_checksum=True), schemas=schemas(stream))
    with pytest.warns(UnverifiedWarning, match="a local time in a time zone that is not said"):
        columns = decoder.decode([one.value for one in found], [one.key for one in found])
    assert columns.errors == []
    assert list(decoder.unverified.values()) == [2]


@each_stream
def test_local_times_are_verified_where_an_option_says_their_zone(stream: Path) -> None:
    found = list(messages(stream))
    said = recorded.header(stream)
    assert said["options"]["time-zone"] == "UTC"
    options = options_of(stream, verify_checksum=True, time_zone="UTC")
    decoder = avro.Decoder(options, schemas=schemas(stream))
    columns = decoder.decode([one.value for one in found], [one.key for one in found])
    assert (columns.errors, decoder.unverified) == ([], {})
    if said["producer"] == "tiflow":  # of the other one the order of columns is in doubt, and so is what differs
        decoder = avro.Decoder(dataclasses.replace(options, time_zone="+08:00"), schemas=schemas(stream))
        columns = decoder.decode([one.value for one in found], [one.key for one in found])
        assert [type(error) for error in columns.errors] == [ChecksumError, ChecksumError]


MOMENT = [Column("ts", ColumnType.TIMESTAMP, ColumnFlag.BINARY, "timestamp")]


@pytest.mark.parametrize(
    ("zone", "local", "utc"),
    [
        ("UTC", "2021-03-04 05:06:07.89", "2021-03-04 05:06:07.89"),
        ("+08:00", "2021-03-04 05:06:07", "2021-03-03 21:06:07"),
        ("America/New_York", "2021-07-01 00:00:00", "2021-07-01 04:00:00"),
        ("America/New_York", "2021-11-07 01:30:00", "2021-11-07 05:30:00"),  # there is it twice: Go takes the first one
        ("Europe/Berlin", "2021-10-31 02:30:00", "2021-10-31 01:30:00"),  # and here the second one
        ("America/New_York", "0000-00-00 00:00:00", "0000-00-00 00:00:00"),
    ],
)
def test_checksums_of_local_times_are_computed_in_utc(zone: str, local: str, utc: str) -> None:
    held = MemorySchemas()
    options = avro.Options(compute_checksum=True, time_zone=zone, **STRINGS)
    (message,) = avro.encode([row(MOMENT, [local])], options, schemas=held)
    (event,) = decoded(message, held, time_zone=zone)
    assert event.checksum == zlib.crc32(value_bytes("varchar", utc))
    assert dict(event.new) == {"ts": local}
    assert event.time_zone is None  # the message does not say it


def test_a_local_time_counts_in_the_zone_that_its_event_says() -> None:
    held = MemorySchemas()
    options = avro.Options(compute_checksum=True, time_zone="+08:00", **STRINGS)
    (message,) = avro.encode([row(MOMENT, ["2021-03-04 05:06:07"], time_zone="UTC")], options, schemas=held)
    (event,) = decoded(message, held, verify_checksum=False)
    assert event.checksum == zlib.crc32(value_bytes("varchar", "2021-03-04 05:06:07"))


def test_local_times_that_cannot_count_are_refused() -> None:
    with pytest.raises(EncodeError, match=r"a time zone that is not said \(option time-zone can say it\)"):
        avro.encode([row(MOMENT, ["2021-03-04 05:06:07"])], COMPUTING, schemas=MemorySchemas())
    skipped = row(MOMENT, ["2021-03-14 02:30:00"])
    options = avro.Options(compute_checksum=True, time_zone="America/New_York", **STRINGS)
    with pytest.raises(EncodeError, match="its local time is none in the zone `America/New_York`"):
        avro.encode([skipped], options, schemas=MemorySchemas())


INTS = [Column("b", ColumnType.INT, 0, "int"), Column("a", ColumnType.INT, 0, "int")]
INTEGERS = [(1, "tinyint", 8), (2, "smallint", 16), (9, "mediumint", 24), (3, "int", 32), (8, "bigint", 64)]
EVERY = [
    *((Column(f"i_{name}", kind, 0, name), name, -kind) for kind, name, _ in INTEGERS),
    *((Column(f"u_{name}", kind, ColumnFlag.UNSIGNED, f"{name} unsigned"), name, 2**bits - 1)
      for kind, name, bits in INTEGERS),
    (Column("y", 13, ColumnFlag.UNSIGNED, "year(4)"), "year", 2155),
    (Column("t", 16, ColumnFlag.UNSIGNED, "bit(10)"), "bit", 515),
    (Column("f", 4, 0, "float"), "float", 1.5),
    (Column("d", 5, 0, "double"), "double", -0.1),
    (Column("n", 246, 0, "decimal(10,3)"), "decimal", "-1.500"),
    (Column("e", 247, 0, "enum('x','y')"), "enum", 2),
    (Column("s", 248, 0, "set('x','y')"), "set", 3),
    (Column("c", 254, 0, "char(9)"), "char", "é"),
    (Column("m", 250, 0, "mediumtext"), "mediumtext", ""),
    (Column("b", 252, ColumnFlag.BINARY, "blob"), "blob", b"\xff\0"),
    (Column("j", 245, ColumnFlag.BINARY, "json"), "json", '{"a": 1}'),
    (Column("da", 10, ColumnFlag.BINARY, "date"), "date", "2020-01-01"),
    (Column("dt", 12, ColumnFlag.BINARY, "datetime(2)"), "datetime", "2020-01-01 00:00:00.50"),
    (Column("ti", 11, ColumnFlag.BINARY, "time"), "time", "-838:59:59"),
    (Column("ts", 7, ColumnFlag.BINARY, "timestamp"), "timestamp", None),
    (Column("v", 225, 0, "vector"), "vector", "[1,-2.5]"),
]  # fmt: skip
"""A column of each type with its name for a checksum and a value."""


def row(columns: Sequence[Column], values: Sequence[Any], **more: Any) -> RowChange:
    image = dict(zip([one.name for one in columns], values, strict=True))
    flagged = [one._replace(flags=one.flags | ColumnFlag.NULLABLE) for one in columns]
    return RowChange("insert", TSO, "d", "t", new=image, columns=flagged, **more)


def total(*cells: tuple[str, Any]) -> int:
    return zlib.crc32(b"".join(value_bytes(kind, value) for kind, value in cells))


def decoded(message: Any, held: Any, tables: TableStore | None = None, **options: Any) -> Any:
    options = {"verify_checksum": True, **options}
    return avro.decode(message.value, message.key, avro.Options(**options), tables, held)


def test_every_type_counts_as_tidb_has_it_though_a_schema_tells_it_coarsely() -> None:
    """An int stands for three types, a text for seven: what they are does not change the bytes that count."""
    columns, kinds, values = zip(*EVERY, strict=True)
    held = MemorySchemas()
    (message,) = avro.encode([row(columns, values)], COMPUTING, schemas=held)
    (event,) = decoded(message, held)
    assert event.checksum == total(*zip(kinds, values, strict=True))
    assert (event.checksum_version, event.checksum_corrupted) == (2, False)


@pytest.mark.parametrize("at", range(len(EVERY)), ids=lambda at: str(EVERY[at][0].mysql_type))
def test_a_value_of_any_type_that_changed_is_found(at: int) -> None:
    columns, kinds, values = zip(*EVERY, strict=True)
    if values[at] is None:
        other: Any = "0000-00-00 00:00:00"
    elif isinstance(values[at], str):
        other = {"decimal": "7.000", "vector": "[2]"}.get(kinds[at], values[at] + "1")
    else:
        other = b"x" if isinstance(values[at], bytes) else 1
    changed = [other if k == at else value for k, value in enumerate(values)]
    held = MemorySchemas()
    expected, computed = (total(*zip(kinds, row, strict=True)) for row in (values, changed))
    options = avro.Options(enable_row_checksum=True, **STRINGS)
    (message,) = avro.encode([row(columns, changed, checksum=expected)], options, schemas=held)
    with pytest.raises(ChecksumError) as found:
        decoded(message, held)
    assert (found.value.expected, found.value.computed) == (expected, computed)


def test_what_the_producer_found_is_an_error() -> None:
    held = MemorySchemas()
    event = row(INTS, [1, 2], checksum=total(("int", 1), ("int", 2)), checksum_corrupted=True)
    (message,) = avro.encode([event], avro.Options(enable_row_checksum=True, **STRINGS), schemas=held)
    with pytest.raises(ChecksumError, match="the producer found that the row differs"):
        decoded(message, held)
    (event,) = decoded(message, held, verify_checksum=False)
    assert event.checksum_corrupted is True


def described(*ids: int) -> TableStore:
    """The table of `INTS`, whose columns have these ids."""
    tables = TableStore()
    tables.add_sql("CREATE TABLE d.t (b INT, a INT)")
    found = tables.latest("d", "t")
    columns = [one.__class__(**{**_members(one), "id": id}) for one, id in zip(found.columns, ids, strict=True)]
    return TableStore([found.replaced(columns=columns, version=5)])


def _members(column: Any) -> dict[str, Any]:
    return {name: getattr(column, name) for name in column.__dataclass_fields__}


@pytest.mark.parametrize(("producer", "first"), [("tiflow", "a"), ("ticdc", "b")])
def test_classic_ticdc_counts_by_the_ids_of_columns_and_the_new_one_by_the_table(producer: str, first: str) -> None:
    """Records of both have them in the order of their ids."""
    tables, held = described(7, 3), MemorySchemas()
    options = avro.Options(compute_checksum=True, producer=producer, **STRINGS)
    (message,) = avro.encode([row(INTS, [1, 2])], options, tables, held)
    fields = [one["name"] for one in json.loads(held.schemas[0].text)["fields"]]
    assert fields[:2] == ["a", "b"]
    (event,) = decoded(message, held, tables, producer=producer)
    assert event.checksum == total(*((("int", 2), ("int", 1)) if first == "a" else (("int", 1), ("int", 2))))


def test_an_order_that_is_not_known_is_no_proof() -> None:
    """Of the new one's record the order of the table is not known without a description."""
    tables, held = described(7, 3), MemorySchemas()
    options = avro.Options(compute_checksum=True, producer="ticdc", **STRINGS)
    (message,) = avro.encode([row(INTS, [1, 2])], options, tables, held)
    with pytest.warns(UnverifiedWarning, match="the table is not described, and its columns count in its order"):
        (event,) = decoded(message, held, producer="ticdc")
    assert dict(event.new) == {"a": 2, "b": 1}


def test_decimals_and_longs_of_avro_are_verified_too() -> None:
    """No producer of TiCDC writes them beside checksums: its configuration forbids it."""
    fields: list[Any] = [
        {"name": "n", "type": {"type": "bytes", "logicalType": "decimal", "precision": 5, "scale": 2,
                               "connect.parameters": {"tidb_type": "DECIMAL"}}},
        {"name": "u", "type": {"type": "long", "connect.parameters": {"tidb_type": "BIGINT UNSIGNED"}}},
        {"name": "_tidb_row_level_checksum", "type": "string"},
    ]  # fmt: skip
    text = json.dumps({"type": "record", "name": "t", "namespace": "default.d", "fields": fields})
    held = MemorySchemas([RegisteredSchema(1, "s", 1, text)])
    digits = str(total(("decimal", "-1.50"), ("bigint", 2**64 - 1))).encode()
    value = HEAD + b"\4\xff\x6a" + b"\1" + bytes((2 * len(digits),))
    options = avro.Options(verify_checksum=True)
    (event,) = avro.decode(value + digits, options=options, schemas=held)
    assert isinstance(event, RowChange)
    assert dict(event.new or {}) == {"n": "-1.50", "u": 2**64 - 1}
    with pytest.raises(ChecksumError):
        avro.decode(value + digits[:-1] + (b"1" if digits[-1:] != b"1" else b"2"), options=options, schemas=held)


def test_a_row_without_a_checksum_says_nothing_about_one() -> None:
    """The producer writes an empty text, and what stands for nothing in the fields beside it, which is read as absent;
    also where a row before it had one, and where the schema of the row has no such fields.
    """
    names = ("_tidb_row_level_checksum", "_tidb_corrupted", "_tidb_checksum_version")
    kinds = ("string", "boolean", "int")
    fields = [{"name": name, "type": kind} for name, kind in zip(names, kinds, strict=True)]
    texts = [
        json.dumps({"type": "record", "name": "t", "namespace": "default.d", "fields": given})
        for given in (fields, fields[1:])
    ]
    held = MemorySchemas([RegisteredSchema(k, "s", 1, text) for k, text in enumerate(texts, 1)])
    values = [HEAD + b"\2" + b"7\1\2", HEAD + b"\0\0\0", HEAD[:4] + b"\2\1\2", HEAD + b"\2" + b"0\0\4"]
    events = [changed(event) for event in avro.decode_batch(values, schemas=held)]
    assert [(event.checksum, event.checksum_corrupted, event.checksum_version) for event in events] == [
        (7, True, 1),
        (None, None, None),
        (None, None, None),
        (0, False, 2),
    ]

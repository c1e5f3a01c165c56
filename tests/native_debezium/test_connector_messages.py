"""Messages of Debezium's own connector decode to what was in the database, but for what they lose.

FACTS.md says what the connector loses; here is how many values of each stream that makes others, and how many rows
cannot be read. Whatever changes a number has to say why.
"""

from __future__ import annotations

import base64
import ctypes
import re
from collections import Counter
from typing import Any

import pytest

from native_debezium.recordings import Json, Stream, payload, streams, truth
from tidewire import debezium
from tidewire.events import Events, RowChange
from tidewire.runtime.errors import DecodeError
from tidewire.tables import TableStore

TRUNCATE_TABLE = 11
pytestmark = pytest.mark.codec

FRACTION = ("time", "datetime", "timestamp", "decimal")


def stored(column: Json, value: dict[str, str] | None) -> Any:
    """A value of the truth as events have it."""
    if value is None:
        return None
    ((kind, said),) = value.items()
    match kind:
        case "int" | "uint":
            return int(said)
        case "f32":
            return ctypes.c_float(float(said)).value
        case "f64":
            return float(said)
        case "bytes":
            data = base64.b64decode(said)
            return data if column["charset"] is None else data.decode()
    return said


def short(value: Any, column: Json) -> Any:
    """A time or a decimal without zeros behind its point; a spatial value without its reference system."""
    if column["type"] == 255 and isinstance(value, bytes):
        return value[4:]
    if isinstance(value, str) and "." in value and column["mysql_type"].startswith(FRACTION):
        return value.rstrip("0").rstrip(".")
    return ctypes.c_float(value).value if column["mysql_type"].startswith("float") and value is not None else value


MODES = ("binary", "decimal", "time.precision", "bigint.unsigned")
"""What the connector's options for modes begin with."""


def options(stream: Stream) -> debezium.Options:
    """Those for reading a stream, by the options of its connector."""
    said = {"decimal.handling.mode": "precise", **stream.header["options"]}
    chosen = {name.replace(".", "-"): mode.replace("_", "-") for name, mode in said.items() if name.startswith(MODES)}
    return debezium.Options.from_strings(chosen)


def others(stream: Stream) -> tuple[int, int, Counter[str]]:
    """How many values the rows of a stream have, how many messages are errors, and how many values are not those that
    were in the database, by what became of them.
    """
    decoder = debezium.Decoder(options(stream))
    found = decoder.decode([one.value for one in stream.messages], [one.key for one in stream.messages])
    count = 0
    wrong: Counter[str] = Counter()
    for number, event in zip(found.events.column("message").to_pylist(), Events(found), strict=True):
        message = stream.messages[number]
        if message.kind != "row" or not message.events:
            continue
        happened = truth(stream.scenario)[message.events[0]]
        columns = {column["name"]: k for k, column in enumerate(happened.get("columns", ()))}
        for side in ("new", "old"):
            for name, value in (getattr(event, side, None) or {}).items():
                count += 1
                if name not in columns:
                    wrong["renamed"] += 1
                    continue
                column = happened["columns"][columns[name]]
                wanted = happened[side] and stored(column, happened[side][columns[name]])
                own, other = short(value, column), wanted if column["type"] == 255 else short(wanted, column)
                if own != other:
                    kind = column["mysql_type"].partition("(")[0].partition(" ")[0]
                    wrong["null" if other is None else f"{kind} null" if own is None else kind] += 1
    return count, len(found.errors), wrong


ZERO = {
    "date null": 10,
    "date": 14,
    "datetime null": 26,
    "datetime": 22,
    "timestamp null": 3,
    "timestamp": 6,
    "year": 7,
}
"""Values of zero dates and the year 0000 that are others."""
LOST: dict[str, tuple[int, dict[str, int]]] = {
    # CHAR CHARACTER SET binary is a text in a stream; BINARY(1) of 00
    "binary/connect": (5, {"binary": 2, "null": 1}),
    "binary/default": (5, {"binary": 2, "null": 1}),
    "binary/microseconds": (5, {"binary": 2, "null": 1}),
    "binary/snapshot-connect": (0, {"null": 1}),
    "binary/snapshot": (0, {"null": 1}),
    "binary/snapshot-strings": (0, {"null": 1}),
    "binary/strings": (5, {"binary": 2, "null": 1}),
    "binary/typed": (5, {"binary": 2, "null": 1}),
    # the block says CHAR, which is a text then
    "binary/typed-schema": (0, {"binary": 12, "varbinary": 8, "blob": 8, "null": 1}),
    # no statements are sent that describe tables
    "ddl/quiet": (12, {}),
    # REAL beyond a 32-bit float; DECIMAL and FLOAT in a snapshot
    "decimals/connect": (4, {"decimal": 9, "double": 2}),
    "decimals/default": (4, {"double": 2}),
    "decimals/numeric-numeric": (4, {"double": 2}),
    "decimals/snapshot-connect": (0, {"decimal": 37, "float": 5, "double": 1}),
    "decimals/snapshot": (0, {"float": 5, "double": 1}),
    "decimals/snapshot-strings": (0, {"float": 5, "double": 1}),
    "decimals/strings": (4, {"double": 2}),
    "decimals/typed": (4, {"double": 2}),
    # NULL where there is a default; TIME beyond a day; milliseconds
    "defaults/connect": (0, {"time null": 3, "datetime": 3, "null": 124, "time": 3}),
    "defaults/default": (0, {"null": 128}),
    "defaults/microseconds": (0, {"null": 128}),
    "defaults/nanoseconds": (0, {"null": 128}),
    "defaults/numeric-numeric": (0, {"null": 128}),
    "defaults/snapshot-connect": (0, {"time null": 3, "datetime": 3, "null": 124, "time": 3}),
    "defaults/snapshot": (0, {"null": 128}),
    "defaults/snapshot-strings": (0, {"time null": 3, "null": 124}),
    "defaults/strings": (0, {"time null": 3, "null": 124}),
    # the server shows a label as ?
    "enums-sets/snapshot": (2, {}),
    # BOOLEAN other than 0 and 1
    "integers/connect": (0, {"tinyint": 5}),
    "integers/converters": (0, {"tinyint": 10}),
    "integers/default": (0, {"tinyint": 5}),
    "integers/lossless-nulls": (0, {"tinyint": 5}),
    "integers/numeric-numeric": (0, {"tinyint": 5}),
    "integers/typed": (0, {"tinyint": 5}),
    # no statements are sent that describe tables
    "key-updates/quiet": (21, {}),
    # milliseconds; no statements are sent that describe tables
    "keys/connect": (0, {"time": 4}),
    "keys/quiet": (27, {}),
    # names that were made fit for Avro
    "names/adjusted-schema": (0, {"renamed": 39}),
    "names/adjusted-plain": (5, {}),
    # years below 100, and out of nanoseconds
    "old-years/connect": (0, {"date": 7, "datetime": 14}),
    "old-years/default": (0, {"date": 7, "datetime": 14}),
    "old-years/microseconds": (0, {"date": 7, "datetime": 14}),
    "old-years/nanoseconds": (0, {"date": 7, "datetime": 14, "datetime null": 4}),
    "old-years/snapshot-connect": (0, {"date": 7, "datetime": 14}),
    "old-years/snapshot": (0, {"date": 7, "datetime": 14}),
    "old-years/strings": (0, {"date": 7, "datetime": 14}),
    # TIME beyond a day or of 24 hours; milliseconds; out of nanoseconds
    "times/connect": (0, {"time": 14, "datetime": 36, "time null": 47}),
    "times/nanoseconds": (0, {"datetime null": 30}),
    "times/snapshot-connect": (0, {"time": 14, "datetime": 37, "time null": 47}),
    "times/snapshot": (0, {"datetime": 1}),
    "times/snapshot-strings": (0, {"time null": 47, "time": 1, "datetime": 1}),
    "times/strings": (0, {"time null": 47, "time": 1}),
    # no statements are sent that describe tables
    "transactions/quiet": (19, {}),
    # FLOAT4; BYTE is a text
    "type-names/default": (0, {"float null": 3, "binary": 3}),
    "type-names/typed": (0, {"float null": 3, "binary": 3}),
    # zero dates, the year 0000
    "zero-dates/connect": (0, ZERO),
    "zero-dates/converters": (0, {"date null": 24, "datetime null": 46, "timestamp null": 9, "year": 7}),
    "zero-dates/default": (0, ZERO),
    "zero-dates/lossless-nulls": (0, ZERO),
    "zero-dates/microseconds": (0, ZERO),
    "zero-dates/nanoseconds": (0, ZERO),
    "zero-dates/snapshot-connect": (
        0,
        {
            "date null": 10,
            "date": 14,
            "datetime null": 23,
            "datetime": 25,
            "timestamp null": 3,
            "timestamp": 6,
            "year": 7,
        },
    ),
    "zero-dates/snapshot": (
        0,
        {
            "date null": 10,
            "date": 14,
            "datetime null": 23,
            "datetime": 25,
            "timestamp null": 3,
            "timestamp": 6,
            "year": 7,
        },
    ),
    "zero-dates/snapshot-strings": (
        0,
        {
            "date null": 10,
            "date": 14,
            "datetime null": 23,
            "datetime": 25,
            "timestamp null": 3,
            "timestamp": 6,
            "year": 7,
        },
    ),
    "zero-dates/strings": (0, ZERO),
    # NULL where there is a default
    "zones/default": (0, {"null": 2}),
    "zones/snapshot": (0, {"null": 2}),
}
"""Of streams, with schema and without it: messages that are errors, and values that are not those that were in the
database. `null` are those that were NULL, `TYPE null` those that became NULL.
"""
VALUES = 34560
"""Values of all streams."""


PASSED = {"row": 38, "transaction": 24, "tombstone": 12, "heartbeat": 8, "ddl": 6}
"""Messages of the streams with transactions and heartbeats."""
ALONE = {"c": ("insert", 611), "u": ("update", 209), "d": ("delete", 258), "r": ("insert", 116), "t": ("ddl", 8)}
"""The event of each op, and how many there are where each message is decoded alone."""
ALONE_LOST = {"decimals": 20, "enums-sets": 2}
"""Those that are errors then, by scenario: REAL is Infinity, and a label that the server shows as ?."""


def told() -> list[Stream]:
    """The streams whose values have blocks."""
    return list(streams("*", "*schema"))


@pytest.mark.parametrize("stream", list(streams()), ids=lambda stream: f"{stream.scenario}/{stream.name}")
def test_values_are_true_but_for_what_is_lost(stream: Stream) -> None:
    _, errors, wrong = others(stream)
    name = f"{stream.scenario}/{stream.name}"
    assert (errors, dict(wrong)) == LOST.get(name, LOST.get(re.sub("-(schema|plain)$", "", name), (0, {})))


def test_all_streams_are_there() -> None:
    counts = [others(stream)[0] for stream in streams()]
    assert (len(counts), sum(counts)) == (192, VALUES)


def test_what_is_no_row_and_no_statement_is_passed() -> None:
    kinds: Counter[str] = Counter()
    for stream in streams("transactions", "metadata-*"):
        found = debezium.Decoder().decode([one.value for one in stream.messages], [one.key for one in stream.messages])
        had = {stream.messages[number].kind for number in found.events.column("message").to_pylist()}
        assert had == {"row", "ddl"}
        assert not found.errors
        assert [stream.messages[number].kind for number in found.tombstones] == ["tombstone"] * len(found.tombstones)
        kinds += Counter(one.kind for one in stream.messages)
    assert kinds == PASSED


def test_a_message_alone_is_told_by_its_block() -> None:
    found: Counter[tuple[str, str]] = Counter()
    lost: Counter[str] = Counter()
    for stream in told():
        for message in stream.messages:
            if message.kind != "row" or message.value is None:
                continue
            events = debezium.decode_batch([message.value], [message.key])
            lost[stream.scenario] += len(events.errors)
            for event in events:
                found[payload(message.value)["op"], event.kind] += 1
                told_by = "propagated" if b"__debezium.source.column.type" in message.value else "connect"
                assert getattr(event, "types_from", None) == (None if event.kind == "ddl" else told_by)
                assert getattr(event, "ddl_type", None) == (TRUNCATE_TABLE if event.kind == "ddl" else None)
    assert found == {(op, kind): count for op, (kind, count) in ALONE.items()}
    assert +lost == ALONE_LOST


ROW = b'{"source":{"commit_ts":2,"db":"s","table":"t"},"ts_ms":3,"op":"c","before":null,"after":{"id":1,"b":"%b"}}'
"""A row with bytes as a text, without schema."""


@pytest.mark.parametrize(
    ("mode", "read"),
    [("base64", b"i\xb7\x1d\xd7m\xf8"), ("base64-url-safe", b"i\xb7\x1d\xd7m\xf8"), ("hex", b"\xab\xcd\x12\x34")],
)
def test_only_an_option_tells_hexadecimal_from_base64(mode: str, read: bytes) -> None:
    """`abcd1234` is both."""
    store = TableStore()
    store.add_sql("create table s.t (id int primary key, b varbinary(9))", version=1)
    (event,) = debezium.decode(
        ROW % b"abcd1234", b'{"id":1}', debezium.Options(binary_handling_mode=mode), tables=store
    )
    assert isinstance(event, RowChange)
    assert event.new is not None
    assert event.new["b"] == read


@pytest.mark.parametrize(
    ("mode", "text", "reason"),
    [
        ("hex", "abc", ": it has something else than pairs of hexadecimal digits"),
        ("hex", "zz", ": it has something else than pairs of hexadecimal digits"),
        ("base64-url-safe", "a+/b", r": it has \+ or /, where - and _ are expected"),
        ("base64", "a-_b", ""),
    ],
)
def test_bytes_that_are_written_otherwise_are_refused(mode: str, text: str, reason: str) -> None:
    store = TableStore()
    store.add_sql("create table s.t (id int primary key, b varbinary(9))", version=1)
    told = f'`"{re.escape(text)}"` cannot be a value of this type{reason}; option binary-handling-mode says how'
    with pytest.raises(DecodeError, match=told):
        debezium.decode(ROW % text.encode(), b'{"id":1}', debezium.Options(binary_handling_mode=mode), tables=store)


@pytest.mark.parametrize(
    ("column", "value", "options", "option"),
    [
        ("decimal(5,2)", '"1.50"', {}, "decimal-handling-mode"),
        ("decimal(5,2)", '"1.50"', {"decimal_handling_mode": "precise"}, "decimal-handling-mode"),
        ("bigint unsigned", '"AQ=="', {}, "bigint-unsigned-handling-mode"),
        ("date", '"2024-01-01Z"', {}, "time-precision-mode"),
        ("date", "99999999999", {}, "time-precision-mode"),
        ("datetime(6)", '"2024-01-01T00:00:00Z"', {}, "time-precision-mode"),
        ("datetime(6)", "5", {"time_precision_mode": "isostring"}, "time-precision-mode"),
        ("time", '"10:00:00Z"', {}, "time-precision-mode"),
        ("int", '"x"', {}, None),
        ("double", '"x"', {}, None),
    ],
)
def test_an_error_names_the_option_by_which_a_value_is_read(
    column: str, value: str, options: dict[str, Any], option: str | None
) -> None:
    store = TableStore()
    store.add_sql(f"create table s.t (id int primary key, b {column})", version=1)
    message = ROW.replace(b'"%b"', value.encode())
    with pytest.raises(DecodeError, match=re.escape(f"`{value}` cannot be a value of this type")) as caught:
        debezium.decode(message, b'{"id":1}', debezium.Options(**options), tables=store)
    found = re.findall(r"; option (\S+) says how the values of this column are written", str(caught.value))
    assert found == ([] if option is None else [option])

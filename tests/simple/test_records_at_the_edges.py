"""Records beyond the recordings: blocks, branches, numbers and names at their limits, and invalid ones."""

from __future__ import annotations

import math
from typing import Any

import pytest

from simple.avro_twin import read, write
from tidewire import simple
from tidewire.events import Bootstrap, Ddl, Event, RowChange, Watermark
from tidewire.runtime.errors import DecodeError, EncodeError, MissingTableError
from tidewire.tables import TableStore

pytestmark = pytest.mark.codec

AVRO = simple.Options(encoding_format="avro")
TICDC = simple.Options(encoding_format="avro", producer="ticdc")
SQL = """CREATE TABLE s.t (id BIGINT UNSIGNED PRIMARY KEY, v VARCHAR(9), n INT, b VARBINARY(9), f FLOAT, d DOUBLE,
    bits BIT(64), e ENUM('a','b'), many SET('x','y'), ts TIMESTAMP(3), m DECIMAL(65,30), j JSON, y YEAR)"""
SPACE = "com.pingcap.simple.avro"
DESCRIBED: dict[str, Any] = {
    "version": 1,
    "sql": "",
    "type": "QUERY",
    "commitTs": 5,
    "buildTs": 6,
    "tableSchema": None,
    "preTableSchema": None,
}


def store() -> TableStore:
    found = TableStore()
    found.add_sql(SQL, version=7)
    return found


def row(data: Any, kind: str = "INSERT", old: Any = None, **more: Any) -> bytes:
    """A row, its columns as fastavro writes them."""
    said: dict[str, Any] = {
        "version": 1,
        "database": "s",
        "table": "t",
        "tableID": 3,
        "type": kind,
        "commitTs": 5,
        "buildTs": 6,
        "schemaVersion": 7,
        "claimCheckLocation": None,
        "handleKeyOnly": None,
        "checksum": None,
        "data": data,
        "old": old,
        **more,
    }
    return write("DML", "DML", **said)


def wrapped(number: int) -> Any:
    return (f"{SPACE}.UnsignedBigint", {"value": number})


def located(zone: str, text: str) -> Any:
    return (f"{SPACE}.Timestamp", {"location": zone, "value": text})


def decoded(value: bytes, options: simple.Options = AVRO) -> RowChange:
    (event,) = simple.decode(value, options=options, tables=store())
    assert isinstance(event, RowChange)
    return event


def refused(value: bytes, options: simple.Options = AVRO) -> str:
    with pytest.raises(DecodeError) as error:
        simple.decode(value, options=options, tables=store())
    return str(error.value)


EDGES: list[dict[str, Any]] = [
    {"id": 2**64 - 1, "v": 'ä\0"\\', "n": -(2**31), "b": b"\xff\0", "f": 0.5, "d": 1e308, "bits": 2**64 - 1},
    {"id": 2**63, "e": 2, "many": 3, "ts": "2020-01-02 03:04:05.678", "m": "-0.000000000000000000000000000001"},
    {"id": 0, "j": '{"a": 1}', "y": 2155, "bits": 0, "v": "", "b": b"", "n": 0, "e": 0, "many": 0, "d": -0.0},
    {"id": 1, "f": math.inf, "d": -math.inf, "n": None, "v": None},
]


@pytest.mark.parametrize("options", [AVRO, TICDC], ids=["tiflow", "ticdc"])
@pytest.mark.parametrize("values", EDGES)
def test_values_at_their_limits_come_back(values: dict[str, Any], options: simple.Options) -> None:
    columns = {column.name: column for column in store().find("s", "t", 7).row_columns()}
    rows: dict[str, Any] = {"columns": [columns[name] for name in values], "table_version": 7}
    zone = "Asia/Shanghai" if "ts" in values else None
    change = RowChange("update", 5, "s", "t", values, {"id": 1}, sent_ms=6, table_id=3, time_zone=zone, **rows)
    value = simple.encode([change], options)[0].value or b""
    found = decoded(value, options)
    assert dict(found.new or {}) == values
    assert str(dict(found.new or {})["d"]) == str(values["d"]) if "d" in values else True
    assert (found.time_zone, dict(found.old or {})) == (zone, {"id": 1})
    said = read(value)["data"]
    if "bits" in values:
        assert said["bits"] == (
            str(values["bits"]) if options is TICDC else values["bits"] - 2**64 * (values["bits"] > 0)
        )


def test_a_number_that_is_not_there_is_not_a_number() -> None:
    nan = decoded(row({"d": math.nan, "f": math.nan})).new or {}
    assert math.isnan(nan["d"])
    assert math.isnan(nan["f"])


def test_numbers_are_taken_from_any_branch_that_has_them() -> None:
    """Producers write a BIT as a long or as digits; an unsigned number of any type may be wrapped."""
    found = decoded(row({"id": -1, "bits": "18446744073709551615", "e": wrapped(2), "f": 0.1, "y": 1970})).new or {}
    assert dict(found) == {"id": 2**64 - 1, "f": 0.1, "bits": 2**64 - 1, "e": 2, "y": 1970}
    assert decoded(row({"bits": -1})).new == {"bits": 2**64 - 1}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"e": -1}, "simple data/e: `-1` cannot be a value of this type: its column is unsigned"),
        ({"e": wrapped(-1)}, "simple data/e: `-1` cannot be a value of this type: its column is unsigned"),
        ({"e": math.pi}, "simple data/e: `a double` where a long is expected"),
        ({"n": "1"}, "simple data/n: `a string` where a long is expected"),
        ({"v": 1}, "simple data/v: `a long` where a string is expected"),
        ({"v": b"1"}, "simple data/v: `bytes` where a string is expected"),
        ({"b": "1"}, "simple data/b: `a string` where bytes is expected"),
        ({"ts": "2020-01-01 00:00:00"}, "simple data/ts: `a string` where a record with a location is expected"),
        ({"v": located("UTC", "x")}, "simple data/v: `a record with a location` where a string is expected"),
        ({"d": 1}, "simple data/d: `a long` where a double is expected"),
        ({"bits": "1x"}, "cannot be a value of this type"),
        ({"bits": ""}, "0 bytes cannot be a value of this column's type"),
        ({"bits": "18446744073709551616"}, "more or less than can be held here"),
        ({"who": 1}, "simple data/who: the description of the table has no column `who`: give the one of this row"),
        ({"id": 1, "": None}, "simple data/: the description of the table has no column ``: give the one of this row"),
    ],
)
def test_values_of_another_kind_are_refused(data: dict[str, Any], said: str) -> None:
    assert said in refused(row(data))


def test_text_that_is_no_text() -> None:
    value = row({"v": "?"}).replace(b"?", b"\xff")
    assert "data/v" in refused(value)
    kept = decoded(value, simple.Options(encoding_format="avro", invalid_text="bytes"))
    assert dict(kept.new or {}) == {"v": b"\xff"}
    again = simple.encode([kept], AVRO)[0].value
    assert again == value, "TiCDC's encoder does not look at text either"
    assert decoded(value, simple.Options(encoding_format="avro", invalid_text="replace")).new == {"v": "\ufffd"}
    assert "name of" not in refused(row({"v": None}).replace(b"\x02v", b"\x02\xff"))


def test_locations_agree() -> None:
    at = located("UTC", "2020-01-01 00:00:00.000")
    other = located("Asia/Tokyo", "2020-01-01 00:00:00.000")
    assert decoded(row({"ts": at}, "UPDATE", {"ts": at})).time_zone == "UTC"
    assert decoded(row({"ts": None}, "UPDATE", {"ts": at})).time_zone == "UTC"
    assert "`Asia/Tokyo` contradicts `UTC`" in refused(row({"ts": at}, "UPDATE", {"ts": other}))


def map_of(*blocks: bytes) -> bytes:
    """A row message whose map of columns is these blocks."""
    return row({}).removesuffix(b"\x00\x00") + b"".join(blocks) + b"\x00" + b"\x00"


def test_a_map_may_have_several_blocks_and_say_how_long_they_are() -> None:
    one, two = b"\x02n\x02\x02", b"\x02v\x08\x02x"
    whole = decoded(map_of(b"\x04" + one + two))
    assert dict(whole.new or {}) == {"v": "x", "n": 1}
    assert decoded(map_of(b"\x02" + one, b"\x02" + two)) == whole
    assert decoded(map_of(b"\x03" + b"\x0a" + one + two)) == whole, "a count below zero is followed by bytes"


@pytest.mark.parametrize(
    "blocks",
    [
        b"\x02\x02n\x02\x02\x02\x02n\x02\x02",  # a column twice
        b"\x02\x02n\x10\x02",  # there is no ninth branch
        b"\x02\x02n\x01\x02",  # nor one before the first
        b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # 2^63 - 1 columns
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # -2^63
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",  # more than 64 bits
        b"\x03\x01",  # a block of -1 bytes
        b"\x02\x01n",  # a name of -1 bytes
        b"\x02\xfe\xff\xff\xff\x0f",  # a name of 2 GiB
        b"\x02\x02v\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01",  # a value of 2^63 - 1 bytes
        b"\x02\x02\xff\x02\x02",  # a name that is no text
    ],
)
def test_maps_that_are_none(blocks: bytes) -> None:
    assert refused(map_of(blocks)).startswith("simple ")
    good = row({"n": 5})
    found = simple.decode_batch([good, map_of(blocks), good], options=AVRO, tables=store())
    assert [error.message for error in found.errors] == [1]
    assert [dict(one.new or {}) for one in found if isinstance(one, RowChange)] == [{"n": 5}, {"n": 5}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (b"", "bytes needed"),
        (b"\x14\x06\x06", "simple type: 10 is none of 11"),
        (b"\x16\x08\x08", "simple type: 4 is none of the numbers 0 to 3"),
        (b"\x16\x06\x04", "simple type: 2 is none of 3"),
        (row({"n": 1}) + b"\0", "simple message: bytes left over: 1"),
        (row({"n": 1}, version=2**31 - 1), ""),
        (write("WATERMARK", "Watermark", version=1, commitTs=-1, buildTs=0), "commitTs: `-1` is out of range"),
        (write("WATERMARK", "Watermark", version=1, commitTs=2**63 - 1, buildTs=0), ""),
        (row({"n": 1}, table=""), "simple table: it is missing"),
        (row({"n": 1}, database=""), "the table `t` is not described in version 7"),
        (row(None), "simple data: it is missing"),
        (row(None, "UPDATE", {"n": 1}), "simple data: it is missing"),
        (row({"n": 1}, "UPDATE"), "simple old: it is missing"),
        (row({"n": 1}, handleKeyOnly=True).replace(b"\x02\x01\x00\x02", b"\x02\x02\x00\x02"), "handleKeyOnly"),
        (
            row({"n": 1}, checksum={"version": 1, "corrupted": False, "current": 2**32, "previous": 0}),
            "checksum/current",
        ),
    ],
)
def test_messages_at_their_limits(value: bytes, said: str) -> None:
    if said:
        assert said in refused(value)
    else:
        assert len(simple.decode(value, options=AVRO, tables=store())) == 1


def test_a_row_of_no_columns_is_one() -> None:
    """TiCDC writes a map without columns, of a table without a handle key of which only the key is sent."""
    found = decoded(row({}, handleKeyOnly=True))
    assert (dict(found.new or {}), found.handle_key_only) == ({}, True)
    assert simple.encode([found], AVRO)[0].value == row({}, handleKeyOnly=True)


def test_an_image_that_the_kind_has_not_is_passed() -> None:
    assert decoded(row({"n": 1}, old={"who": "?", "n": 2})).old is None
    with pytest.raises(DecodeError):
        simple.decode(row({"n": 1}, old={"n": "x"})[:-3], options=AVRO, tables=store())


def test_tables_are_told_apart_where_their_names_have_quotes() -> None:
    """`a"b`.`c` and `a`.`b"c` are the same bytes in a row when a quote is put between them."""
    known = TableStore()
    for schema, table in (('a"b', "c"), ("a", 'b"c')):
        known.add_sql(f"CREATE TABLE `{schema}`.`{table}` (id INT PRIMARY KEY)", version=7)
    sent = [
        row({"id": 1}, database=schema, table=table) for schema, table in (('a"b', "c"), ("a", 'b"c')) for _ in "xy"
    ]
    events = simple.decode_batch(sent * 9, options=AVRO, tables=known)
    found = [(one.schema, one.table) for one in events if isinstance(one, RowChange)]
    assert found == ([('a"b', "c")] * 2 + [("a", 'b"c')] * 2) * 9


def test_columns_in_any_order_are_one_layout() -> None:
    """A row of eight columns has 40,320 orders; the layout is the description's."""
    names = ["id", "v", "n", "b", "f", "d", "bits", "e"]
    sent = []
    for turn in range(8):
        order = names[turn:] + names[:turn]
        sent.append(row(dict.fromkeys(order)))
    found = simple.decode_batch(sent, options=AVRO, tables=store())
    assert not found.errors
    columns = simple.Decoder(AVRO, store()).decode(sent)
    assert len(columns.layouts) == 1
    assert [one.name for one in columns.layouts[0].columns] == names


def test_a_row_before_its_table_is_kept_for_later() -> None:
    known = TableStore()
    with pytest.raises(MissingTableError) as error:
        simple.decode(row({"n": 1}), options=AVRO, tables=known)
    assert (error.value.schema, error.value.table, error.value.version) == ("s", "t", 7)
    (table,) = TableStore().add_sql(SQL, version=7)
    for described in (Bootstrap(None, "s", "t", table_after=table), Ddl(5, "s", "t", 3, SQL, table_after=table)):
        known = TableStore()
        value = simple.encode([described], AVRO)[0].value or b""
        with pytest.raises(DecodeError):
            simple.decode(value[:-1], options=AVRO, tables=known)
        with pytest.raises(DecodeError):
            simple.decode(value + b"\0", options=AVRO, tables=known)
        assert not known, "nothing is learned from a message that does not end where it has to"
        simple.decode(value, options=AVRO, tables=known)
        assert len(simple.decode(row({"n": 1}), options=AVRO, tables=known)) == 1


def test_what_records_cannot_say_is_refused() -> None:
    (table,) = TableStore().add_sql(SQL, version=7)
    change: dict[str, Any] = {"columns": table.row_columns(), "table_version": 7}
    for event, said in (
        (Watermark(2**63), "commit_ts is 0 to 9223372036854775807 in a record, not 9223372036854775808"),
        (RowChange("insert", 1, "s", "t", {"f": 0.30000000001}, **change), "is no 32-bit float"),
        (Bootstrap(None, "s", "t"), "bootstrap needs table_after"),
        (RowChange("insert", 1, "s", "t", {"n": 1}, columns=table.row_columns()), "insert needs table_version"),
    ):
        wanted: Event = event
        with pytest.raises(EncodeError, match=said):
            simple.encode([wanted], AVRO)


def test_a_description_that_is_none() -> None:
    (table,) = TableStore().add_sql("CREATE TABLE s.t (id INT PRIMARY KEY, e ENUM('a','b'))", version=7)
    value = simple.encode([Bootstrap(None, "s", "t", table_after=table, sent_ms=6)], AVRO)[0].value or b""
    assert "tableSchema/columns/0/name" in refused(value.replace(b"\x04id\x06int", b"\x04\xff\xff\x06int"))
    assert read(value)["tableSchema"]["columns"][1]["dataType"]["elements"] == ["a", "b"]
    deep = value[:4] + b"\x0c" + b"\xfe\xff\xff\xff\x0f"
    assert "tableSchema" in refused(deep)

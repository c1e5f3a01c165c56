"""The numbered facts of FACTS.md about values."""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import recorded

from debezium.recordings import STREAMS
from debezium.said import Said, field, fields, images, kind, of, rows, twice, value

EPOCH = "1970-01-01T00:00:00Z"


def cells() -> Iterator[tuple[Said, dict[str, Any], Any, dict[str, str] | None]]:
    """All values of all rows: message, column of the truth, value, and what is in the database."""
    for one in rows():
        columns = {column["name"]: column for column in one.event["columns"]}
        for image, stored in images(one):
            for name, cell in image.items():
                yield one, columns[name], cell, stored[name]


def test_21_null_becomes_the_default() -> None:
    lost: dict[str, int] = defaultdict(int)
    kept: set[str] = set()
    for _, column, cell, stored in cells():
        if stored is None:
            text = str((column["default"] or {}).get("text", ""))
            in_time = kind(column) == "timestamp" and column["nullable"] and text == "CURRENT_TIMESTAMP"
            without = column["default"] is None or text.startswith("0000-00-00") or in_time
            assert (cell is None) == without
            lost[kind(column)] += not without
            if without and column["default"] is not None:
                kept.add(kind(column))
    assert {name for name, count in lost.items() if count} == {
        "int", "bigint", "decimal", "float", "bit", "year", "enum", "set", "varchar", "varbinary", "date", "datetime",
        "timestamp", "time",
    }  # fmt: skip
    assert kept == {"date", "datetime", "timestamp"}
    scenario = "nulls-and-defaults/default"
    assert (value(scenario, "nd_u", "c"), value(scenario, "nd_dtn", "c")) == ("uuid()", 0)
    assert [value(scenario, table, "c") for table in ("nd_d0", "nd_dt0", "nd_ts0", "nd_tsn")] == [None] * 4
    (number,) = (line for line in refused(scenario) if line["kind"] == "row")
    assert "unexpected column value type string" in number["error"]


def refused(name: str) -> list[dict[str, Any]]:
    """The lines of a stream that have an error and no message."""
    data = of(name)[0].stream.read_bytes()
    return [line for line in map(json.loads, data.splitlines()[1:]) if "error" in line]


def test_22_null_of_bytes_and_years_with_a_default() -> None:
    (one,) = rows("nulls-and-defaults/default", "nd_vb")
    assert b'"after":{"id":1,"c":"AQI=","c":"\\u0001\\u0002"}' in one.raw
    assert twice(one.raw) == {"c"}
    assert value("nulls-and-defaults/default", "nd_y", "c") == "69"
    crashed = [line for line in refused("nulls-and-defaults/default") if line["kind"] == "panic"]
    truth = recorded.stream_truth(one.stream)
    assert [truth[line["events"][0]]["table"] for line in crashed] == ["nd_vq", "nd_vf", "nd_bi"]


def test_23_null_of_a_timestamp_with_a_default() -> None:
    assert field("nulls-and-defaults/default", "nd_ts", "c")["default"] == "2020-06-01T00:00:00Z"
    assert value("nulls-and-defaults/default", "nd_ts", "c") == "2020-05-31T15:00:00Z"
    assert rows("nulls-and-defaults/default")[0].options["time-zone"] == "Asia/Tokyo"


def test_24_bigint_unsigned_wraps() -> None:
    wrapped = set()
    for one, column, cell, stored in cells():
        if kind(column) == "bigint" and stored is not None and "uint" in stored:
            number = int(stored["uint"])
            assert cell == (number if number < 2**63 else number - 2**64)
            if number >= 2**63:
                wrapped.add(one.producer)
    assert wrapped == {"tiflow", "ticdc"}


def test_25_numbers() -> None:
    texts = {text for one in rows("decimals/default") for text in re.findall(rb'":(-?[0-9][^,}]*)', one.raw)}
    assert b"1e+65" in texts
    for text in texts:
        number = abs(float(text))
        assert (b"e" in text) == (number != 0 and not 1e-6 <= number < 1e21)
    inexact = 0
    for _, column, cell, stored in cells():
        if kind(column) == "decimal" and stored is not None:
            assert float(cell) == float(stored["text"])
            inexact += len(stored["text"].strip("-").replace(".", "").lstrip("0")) > 17
    assert inexact


def test_26_dates_that_are_none() -> None:
    seen = set()
    for _, column, cell, stored in cells():
        if stored is not None and kind(column) in ("date", "datetime", "timestamp"):
            text = stored["text"]
            if kind(column) == "timestamp":
                if text.startswith("0000"):
                    assert cell == EPOCH
                    seen.add(f"timestamp {column['decimal']}")
            elif "-00" in text[:10]:
                assert cell == (None if column["nullable"] else 0)
                seen.add(kind(column))
    assert {"date", "datetime", "timestamp 0", "timestamp 6"} <= seen
    assert [line["events"] for line in refused("times/default")] == [[6]]
    (one,) = (one for one in rows("times/default", producer="ticdc") if one.event["n"] == 6)
    assert one.payload["after"]["dt"] is None


def test_27_years_of_two_digits() -> None:
    row = {one.payload["after"]["id"]: one.payload["after"] for one in rows("types-checked/default", "tc_time")}[6]
    # 0001-01-01, 0069-01-01, 0070-01-01, 0099-12-31
    assert row["d"] == 11323
    assert row["dt"] == 3124224000000
    assert row["dt1"] == 0
    assert row["dt3"] == 946598400000


def test_28_timestamps_before_the_least_local_time() -> None:
    row = next(one for one in rows("fractions-and-dst/default") if one.event["n"] == 6)
    stored = dict(zip([column["name"] for column in row.event["columns"]], row.event["new"], strict=True))
    assert stored["ts6"] == {"text": "1969-12-31 19:00:01.000001"}
    assert {row.payload["after"][f"ts{digits}"] for digits in range(7)} == {EPOCH}


def test_29_units_of_times() -> None:
    for one, column, cell, stored in cells():
        if stored is None or cell is None:
            continue
        if kind(column) == "timestamp" and cell != EPOCH:
            digits = column["decimal"]
            assert re.fullmatch(r"[-0-9]{10}T[:0-9]{8}" + (rf"\.[0-9]{{{digits}}}" if digits else "") + "Z", cell)
        if kind(column) == "datetime" and "schema" in one.value:
            name = next(part for part in fields(one) if part["field"] == column["name"])["name"]
            assert name.endswith(".MicroTimestamp" if column["decimal"] > 3 else ".Timestamp")
    times = {cell for _, column, cell, _ in cells() if kind(column) == "time" and cell is not None}
    assert {-3020399000000, 3020399000000, -500000} <= times


def test_30_bits() -> None:
    widths = set()
    for _, column, cell, stored in cells():
        if kind(column) == "bit" and stored is not None:
            width, number = column["flen"], int(stored["uint"])
            widths.add(width)
            if width == 1:
                assert cell is bool(number)
            else:
                size = -(-width // 8)
                assert len(cell) == -(-size // 3) * 4
                assert number.to_bytes(size, "little") == bytes_of(cell)
    assert {1, 8, 9, 64} <= widths


def bytes_of(text: str) -> bytes:
    """The bytes of base64 with padding."""
    return base64.b64decode(text, validate=True)


def test_31_labels_and_bytes() -> None:
    for one, column, cell, stored in cells():
        if stored is None:
            continue
        if kind(column) == "enum":
            number = int(stored["uint"])
            assert cell == (column["elems"][number - 1] if number else "")
        elif kind(column) == "set":
            chosen = [label for place, label in enumerate(column["elems"]) if int(stored["uint"]) >> place & 1]
            assert cell == ",".join(chosen)
        elif kind(column) in ("binary", "varbinary", "blob", "tinyblob", "mediumblob", "longblob"):
            assert bytes_of(cell) == bytes_of(stored["bytes"])
            if "schema" in one.value:
                declared = next(part for part in fields(one) if part["field"] == column["name"])
                assert (declared["type"], "name" in declared) == ("string", False)
    empty = {
        column["elems"][-1] for _, column, cell, stored in cells() if kind(column) == "enum" and cell == "" and stored
    }
    assert "" in empty


def test_32_columns_that_are_not_selected() -> None:
    found = rows("types-checked/columns", "tc_int")
    assert {tuple(image) for one in found for image, _ in images(one)} == {("id", "t", "bu")}
    assert {tuple(part["field"] for part in fields(one)) for one in found} == {("id", "t", "bu")}
    whole = rows("tables-described/columns", "d1")[0]  # virtual columns are declared all the same
    assert [part["field"] for part in fields(whole)] == ["b", "a", "_V$_ke_0"]
    assert len(STREAMS) > len({recorded.option_set(stream) for stream in STREAMS}) > 8

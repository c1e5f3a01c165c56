"""The numbered facts of FACTS.md about statements and rows, from 25 on."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path

import recorded

from simple.checksums import row_checksum
from simple.recordings import claimed, plain
from simple.said import (
    FACTS,
    ROWS,
    cells,
    changed,
    described,
    images,
    of,
    rows,
    said,
    statements,
    truths,
)
from simple.twin import Tables, read

# ---- statements


def test_25_who_sends_what_was_before() -> None:
    makes = {"create table", "create view", "create schema", "drop schema", "modify schema charset and collate"}
    for one in statements():
        classic = one.producer == "tiflow"
        assert ("preTableSchema" in one.value) == (classic and one.event["ddl_type_name"] not in makes)


def test_26_types_of_statements() -> None:
    said_by: dict[str, set[str]] = defaultdict(set)
    for one in statements():
        said_by[one.value["type"]].add(one.event["ddl_type_name"])
    table = re.findall(r"^\| ([A-Z]+) \| (.*) \|$", FACTS, re.MULTILINE)
    assert dict(said_by) == {name: set(listed.split(", ")) for name, listed in table}


def test_27_databases_have_no_table_schema() -> None:
    for one in statements():
        of_database = "schema" in one.event["ddl_type_name"].replace("multi-schema", "")
        assert ("tableSchema" not in one.value) == of_database
        assert not of_database or set(one.value) == {"version", "type", "sql", "commitTs", "buildTs"}


def test_28_exchange_partition() -> None:
    for one in changed("exchange partition"):
        after, before = one.value["tableSchema"], one.value["preTableSchema"]
        assert f"`{after['table']}` EXCHANGE PARTITION" in one.value["sql"]
        assert f"WITH TABLE `{before['schema']}`.`{before['table']}`" in one.value["sql"]
        assert after["tableID"] != before["tableID"]
        assert after["version"] != before["version"]


def test_29_the_statement() -> None:
    restored = set()
    for one in statements():
        if one.producer == "ticdc":
            assert one.value["sql"] != one.event["sql"]
        elif one.value["sql"] != one.event["sql"]:
            restored.add(one.event["ddl_type_name"])
    assert restored == {"drop table", "drop view", "rename table", "exchange partition"}
    alone = [one for one in changed("rename table") if "," not in one.event["sql"]]
    assert alone
    assert all(one.value["sql"] == one.event["sql"] for one in alone)
    assert any("_UTF8MB4'" in one.value["sql"] for one in of("ddl/json", "ticdc") if "sql" in one.value)


def test_30_several_tables_are_several_messages() -> None:
    renamed = "rename table test.x to test.y, test.k2 to test.x"
    for statement, times in (("drop table test.child, test.parent", 2), (renamed, 1)):
        found = [one.value for one in of("ddl-kinds/json") if one.event.get("sql") == statement]
        assert len(found) == 2
        assert len({value["sql"] for value in found}) == 2
        assert len({value["commitTs"] for value in found}) == times


# ---- values


def test_31_values_are_strings() -> None:
    for one, mysql_type, value in cells():
        if isinstance(value, dict):
            assert mysql_type == "timestamp"
            assert list(value) == ["location", "value"]
            assert value["location"] == recorded.header(one.stream)["options"]["time-zone"]
        else:
            assert value is None or (isinstance(value, str) and mysql_type != "timestamp")


def test_32_numbers_have_no_exponent() -> None:
    found = {value for _, mysql_type, value in cells() if mysql_type in ("float", "double") and value is not None}
    assert all(re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", value) for value in found)
    assert max(len(value) for value in found if "." not in value and "-" not in value) == 309
    assert max(len(value) for value in found if value.startswith("0.")) == 326


def test_33_numbers_of_enum_set_bit_and_year() -> None:
    for mysql_type in ("enum", "set", "year"):
        assert "0" in {value for _, other, value in cells() if other == mysql_type}
    assert str(2**64 - 1) in {value for _, other, value in cells() if other == "bit"}


def test_34_bytes_and_dates_that_are_none() -> None:
    blobs = {value for _, mysql_type, value in cells() if mysql_type in ("blob", "varbinary") and value is not None}
    assert {"", "AP8="} <= blobs
    dates = {value for _, mysql_type, value in cells() if mysql_type in ("date", "datetime")}
    assert {"0000-00-00", "2020-02-00", "2020-00-00 01:02:03", "0000-00-00 00:00:00.000000"} <= dates
    zero = [value for _, mysql_type, value in cells() if mysql_type == "timestamp" and value is not None]
    assert "0000-00-00 00:00:00" in {value["value"] for value in zero}


def test_35_escapes() -> None:
    escapes = set()
    for one in said():
        text = one.data.decode()
        escapes |= set(re.findall(r"\\(?:u[0-9a-fA-F]{4}|.)", text.replace("\\\\", "")))
        assert not re.search("[<>&\u2028\u2029\0-\x1f]", text)
    assert escapes <= {'\\"', "\\b", "\\f", "\\n", "\\r", "\\t"} | {
        f"\\u{code:04x}" for code in (*range(0x20), 0x3C, 0x3E, 0x26, 0x2028, 0x2029)
    }
    assert {"\\b", "\\f", "\\n", "\\r", "\\t", "\\u0000", "\\u001f", "\\u003c", "\\u003e", "\\u0026"} <= escapes
    assert {"\\u2028", "\\u2029"} <= escapes
    raw = b"".join(one.data for one in of("hostile-texts/json"))
    assert b"\x7f" in raw
    assert "\ufffd".encode() in raw
    assert b"h\\\"o's\\\\\\\\t\\u003c\\u0026\\u003e" in raw


# ---- checksums


def test_36_checksums() -> None:
    for one in said():
        options = recorded.header(one.stream)["options"]
        asked = "enable-row-checksum" in options or "integrity-check-level" in options
        assert ("checksum" in one.value) == (asked and one.value["type"] in ROWS)
        if "checksum" in one.value:
            found = one.value["checksum"]
            assert list(found) == ["version", "corrupted", "current", "previous"]
            assert found["version"] == 2
            assert (found["current"] == 0) == ("data" not in one.value)
            assert (found["previous"] == 0) == ("old" not in one.value)


def test_37_a_corrupted_row() -> None:
    (one,) = (one for one in said() if one.value.get("checksum", {}).get("corrupted"))
    assert (one.scenario, one.option_set, one.event["n"]) == ("types-checked", "json-checksum", 22)
    assert one.value["data"]["ts3"] == {"location": "America/New_York", "value": "2021-11-07 01:30:00.000"}
    tables: Tables = {}
    found = [read(data, tables) for _, data in plain(one.stream)]
    row = next(event for event in found if event.checksum is not None and event.checksum[1])
    assert row.new is not None
    table = tables["test", "tc_time", row.table_version or 0]
    zone = "America/New_York"
    sums = set()
    for hours in ("01:30 01:30", "01:30 -05", "-05 01:30", "-05 -05"):
        image = dict(row.new)
        for name, hour in zip(("ts", "ts3"), hours.split(), strict=True):
            image[name] = type(image[name])(image[name])
            # the second of the two equal hours, by a zone that is always there
            image[name].zone = zone if hour == "01:30" else "Etc/GMT+5"
        sums.add(row_checksum(table, image))
    assert len(sums) == 4
    assert one.value["checksum"]["current"] not in sums


# ---- large rows


def test_38_rows_of_the_handle_key() -> None:
    without = set()
    for one in rows():
        keys = {name for name, column in truths(one).items() if column["is_handle_key"]}
        if one.value.get("handleKeyOnly"):
            assert all(set(image) == keys for image in images(one))
            assert list(images(one)) or not keys
            if not keys:
                without.add((one.producer, one.value["type"]))
                assert not {"data", "old"} & set(one.value)
        else:
            assert "claimCheckLocation" not in one.value
    assert without == {("ticdc", "INSERT"), ("tiflow", "INSERT"), ("tiflow", "DELETE")}


def test_39_claim_checks() -> None:
    files: dict[tuple[str, bool], int] = defaultdict(int)
    for one in said():
        if "claimCheckLocation" not in one.value:
            continue
        where = one.value["claimCheckLocation"]
        uri = recorded.header(one.stream)["options"]["claim-check-storage-uri"]
        assert re.fullmatch(re.escape(uri) + r"/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json", where)
        assert one.value["handleKeyOnly"] is True
        data = (one.stream.with_suffix(".claims") / where.rpartition("/")[2]).read_bytes()
        raw = "claim-check-raw-value" in recorded.header(one.stream)["options"]
        assert raw or list(json.loads(data)) == ["key", "value"]
        assert raw or json.loads(data)["key"] is None
        whole = json.loads(claimed(one.stream, where))
        assert not {"claimCheckLocation", "handleKeyOnly"} & set(whole)
        assert {name: whole[name] for name in ("commitTs", "tableID")} == {
            name: one.value[name] for name in ("commitTs", "tableID")
        }
        files[one.producer, raw] += 1
    assert set(files) == {("tiflow", False), ("tiflow", True), ("ticdc", False)}


def test_40_what_compression_makes_small_is_sent_whole() -> None:
    found = {one.event["n"]: one.value for one in rows("large-rows/json-claim-check-raw-snappy", "l1")}
    plain_ones = {one.event["n"]: one.value for one in rows("large-rows/json-claim-check", "l1")}
    assert "claimCheckLocation" in plain_ones[1]
    assert "claimCheckLocation" not in found[1]
    assert any("claimCheckLocation" in value for value in found.values())


def test_41_columns_that_are_not_selected_are_absent() -> None:
    found = rows("types-checked/json-columns", "tc_int")
    assert {tuple(image) for one in found for image in images(one)} == {("bu", "id", "t")}
    assert len(described("types-checked/json-columns", "tc_int")) == 17
    assert any("old" in one.value for one in rows("types-checked/json-columns"))


def test_every_fact_has_a_test_and_every_stream_is_there() -> None:
    numbered = [int(found) for found in re.findall(r"^([0-9]+)\. ", FACTS, re.MULTILINE)]
    files = sorted(Path(__file__).parent.glob("test_facts_of_*.py"))
    tests = [
        int(found) for file in files for found in re.findall(r"^def test_([0-9]+)_", file.read_text(), re.MULTILINE)
    ]
    assert numbered == sorted(tests) == list(range(1, len(tests) + 1))
    for named in re.findall(r"`([a-z-]+/json[a-z0-9-]*)`", FACTS):
        assert of(named)

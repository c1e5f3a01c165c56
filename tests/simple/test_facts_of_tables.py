"""The numbered facts of FACTS.md about messages and table schemas, 1 to 24."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import recorded

from simple.recordings import STREAMS, plain
from simple.said import (
    ROWS,
    changed,
    columns,
    described,
    images,
    kind,
    names,
    of,
    rows,
    said,
    schemas,
)

# ---- envelope


def test_01_no_key_and_no_white_space() -> None:
    assert {message.key for stream in STREAMS for message in recorded.messages(stream)} == {None}
    for one in said():
        assert json.dumps(one.value, separators=(",", ":"), ensure_ascii=False).count(" ") == one.data.count(b" ")
        assert one.data[-1:] == b"}"


def test_02_the_order_of_members() -> None:
    order = ["version", "database", "table", "tableID", "type", "sql", "commitTs", "buildTs", "schemaVersion"]
    order += ("claimCheckLocation", "handleKeyOnly", "checksum", "data", "old", "tableSchema", "preTableSchema")
    always = {"version", "type", "commitTs", "buildTs"}
    row = {"database", "table", "tableID", "schemaVersion"}
    may = {"claimCheckLocation", "handleKeyOnly", "checksum"}
    ddl = ({"sql"}, {"tableSchema", "preTableSchema"})
    sets = {"INSERT": (row, may | {"data"}), "DELETE": (row, may | {"old"}), "UPDATE": (row, may | {"data", "old"})}
    sets |= {"WATERMARK": (set(), set()), "BOOTSTRAP": ({"tableSchema"}, set())}
    for one in said():
        found = list(one.value)
        assert found == [name for name in order if name in found]
        must, besides = sets.get(one.value["type"], ddl)
        assert always | must <= set(found) <= always | must | besides
        assert one.value["version"] == 1


def test_03_members_of_rows_are_sorted() -> None:
    for one in rows():
        for image in images(one):
            assert list(image) == sorted(image, key=str.encode)
    image = next(images(rows("strings/json")[0]))
    assert list(image) != [column["name"] for column in rows("strings/json")[0].event["columns"]]


def test_04_a_bootstrap_has_no_time() -> None:
    found = [one for one in said() if one.value["type"] == "BOOTSTRAP"]
    assert {one.value["commitTs"] for one in found} == {0}
    assert {one.producer for one in found} == {"tiflow", "ticdc"}


def test_05_compression_is_of_every_message() -> None:
    for stream in STREAMS:
        options = recorded.header(stream)["options"]
        packed = options.get("large-message-handle-compression", "none")
        start = {"lz4": b"\x04\x22\x4d\x18", "none": b"{"}.get(packed)
        for message, data in plain(stream):
            assert (message.value != data) == (packed != "none")
            assert start is None or message.value.startswith(start)
    kinds = {one.value["type"] for one in said() if "lz4" in one.option_set}
    assert {"WATERMARK", "BOOTSTRAP", "CREATE", *ROWS} <= kinds
    assert "WATERMARK" in {one.value["type"] for one in of("bits/json-snappy")}


def test_06_the_handle_key_option_of_deletes_does_nothing() -> None:
    compared = 0
    for stream in STREAMS:
        if recorded.option_set(stream) == "json-delete-handle-only":
            same = [data for _, data in plain(stream.with_name("simple.json.jsonl"))]
            assert [data for _, data in plain(stream)] == same
            compared += 1
    assert compared == 50


# ---- table schemas


def test_07_the_order_of_members_of_a_table_schema() -> None:
    type_order = ("mysqlType", "charset", "collate", "length", "decimal", "elements", "unsigned", "zerofill")
    for _, table in schemas():
        assert list(table) == ["schema", "table", "tableID", "version", "columns", "indexes"]
        for index in table["indexes"]:
            assert list(index) == ["name", "unique", "primary", "nullable", "columns"]
    for _, _, column in columns():
        assert list(column) == ["name", "dataType", "nullable", "default"]
        found = list(kind(column))
        assert found == [name for name in type_order if name in found]
        assert found[:3] == list(type_order[:3])
        assert all(kind(column)[name] for name in found[3:])


def test_08_the_order_of_columns() -> None:
    moved = 0
    for one, table in schemas():
        if table is one.value.get("tableSchema") and one.event["columns"]:
            found = [column["name"] for column in table["columns"]]
            in_table = [column["name"] for column in one.event["columns"]]
            by_id = [column["name"] for column in sorted(one.event["columns"], key=lambda column: int(column["id"]))]
            assert found == (by_id if one.producer == "tiflow" else in_table)
            moved += by_id != in_table
    assert moved > 100


def test_09_lengths() -> None:
    found = described("tables-described/json", "d5")
    assert {name for name, column in found.items() if "length" not in kind(column)} == {"c0", "v0", "vb0"}
    wanted = {"v": -1, "v2": 2, "i5": 5, "t1": 1, "f": 12, "f53": 7, "db": 22, "dp": 9, "vmax": 16383, "y": 4, "d": 10}
    wanted |= {"t0": 10, "t6": 17, "dt": 19, "dt6": 26, "e": 13, "s": 4, "tt": 255, "tx": 65535, "mt": 2**24 - 1}
    wanted |= {"lt": 2**32 - 1, "j": 2**32 - 1, "lb": 2**32 - 1, "b64": 64, "cb": 5, "c": 1}
    assert {name: kind(found[name])["length"] for name in wanted} == wanted
    assert all("decimal" not in kind(found[name]) for name in ("f53", "dp"))


def test_10_digits_behind_the_point() -> None:
    with_digits = {kind(column)["mysqlType"] for _, _, column in columns() if kind(column).get("decimal", 0) > 0}
    assert with_digits == {"decimal", "datetime", "timestamp", "time"}
    found = described("tables-described/json", "d5")
    assert kind(found["f30"])["mysqlType"] == "double"
    assert kind(found["d0"]) == {"mysqlType": "decimal", "charset": "binary", "collate": "binary", "length": 5}
    flag = kind(described("tables-described/json", "d7")["bo"])
    assert (flag["mysqlType"], flag["length"]) == ("tinyint", 1)


def test_11_flags_that_types_bring() -> None:
    for _, _, column in columns():
        flags = (kind(column).get("unsigned", False), kind(column).get("zerofill", False))
        match kind(column)["mysqlType"]:
            case "year":
                assert flags == (True, True)
            case "bit":
                assert flags == (True, False)
            case _:
                assert flags != (False, True)


def test_12_bytes_have_types_of_their_own() -> None:
    texts = ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "var_string")
    for _, _, column in columns():
        found = kind(column)
        if found["mysqlType"] != "unspecified":
            assert (found["charset"] == "binary") == (found["mysqlType"] not in texts)
            assert found["collate"].startswith(found["charset"])
    found = described("tables-described/json", "d5")
    assert [kind(found[name])["mysqlType"] for name in ("bi", "cb", "tbi")] == ["varbinary", "binary", "blob"]


def test_13_columns_of_views() -> None:
    views = 0
    for one, _, column in columns():
        is_view = "view" in (one.event["ddl_type_name"] or "")
        bare = {"mysqlType": "unspecified", "charset": "", "collate": ""}
        assert (kind(column) == bare) == is_view
        views += is_view
    assert views


def test_14_virtual_columns_are_listed_and_never_sent() -> None:
    keys = ("name", "dataType", "nullable", "default")
    for name, table, virtual, stored in (
        ("keys/json", "k_gen", {"b"}, {"c"}),
        ("tables-described/json", "d2", {"v1", "v3"}, {"v2"}),
        ("tables-described/json", "d1", {"_V$_ke_0"}, {"c"}),
    ):
        found = described(name, table)
        assert virtual | stored <= set(found)
        assert all(tuple(column) == keys for column in found.values())
        for one in rows(name, table):
            for image in images(one):
                assert set(found) - set(image) == virtual
    hidden = kind(described("tables-described/json", "d1")["_V$_ke_0"])
    assert (hidden["mysqlType"], hidden["decimal"]) == ("var_string", -1)


def test_15_defaults() -> None:
    for _, _, column in columns():
        assert column["default"] is None or isinstance(
            column["default"], int if kind(column)["mysqlType"] == "bit" else str
        )
    found = {name: column["default"] for name, column in described("tables-described/json", "d7").items()}
    wanted = {
        "b64": 2**64 - 1,
        "b1": 0,
        "e": "1",
        "e2": "0",
        "s": "",
        "y": "0",
        "y2": "69",
        "bo": "0",
        "f": "1" + "0" * 20,
    }
    assert {name: found[name] for name in wanted} == wanted
    assert next(images(rows("tables-described/json", "d7")[0]))["e"] == "2"
    made = described("tables-described/json", "d6")
    assert [made[name]["default"] for name in ("ts3", "dt", "u")] == [
        "CURRENT_TIMESTAMP",
        "CURRENT_TIMESTAMP",
        "uuid()",
    ]
    assert kind(made["ts3"])["decimal"] == 3


def test_16_defaults_of_bytes_are_lossy_text() -> None:
    found = described("tables-described/json", "d7")
    assert (found["bi"]["default"], found["bl"]["default"]) == ("\ufffd\0\0", '\0\ufffd"')
    assert described("defaults/json", "df")["b"]["default"] == "ab\0\0"
    assert next(images(rows("defaults/json", "df")[0]))["b"] == "YWIAAA=="


def test_17_defaults_of_timestamps_are_in_utc() -> None:
    assert described("defaults/json", "df")["ts"]["default"] == "2020-01-01 00:00:00.000001"
    value = next(images(rows("defaults/json", "df")[0]))["ts"]
    assert value == {"location": "Asia/Kolkata", "value": "2020-01-01 05:30:00.000001"}


# ---- indexes


def test_18_names_of_primary_keys() -> None:
    for one, table in schemas():
        primary = [index for index in table["indexes"] if index["primary"]]
        assert len(primary) < 2
        for index in primary:
            assert index["unique"]
            assert index["name"] in ("primary", "PRIMARY")
            assert index["name"] == "PRIMARY" or index is table["indexes"][-1]
            if table is one.value.get("tableSchema") and one.event["pk_is_handle"]:
                assert index["name"] == "primary"
    found = next(one for one in of("tables-described/json") if names(one) == "d1").value["tableSchema"]
    assert [index["name"] for index in found["indexes"]] == ["uk", "PRIMARY", "kp", "un", "ke"]


@pytest.mark.parametrize("producer", ["tiflow", "ticdc"])
def test_19_a_unique_key_that_serves_as_primary(producer: str) -> None:
    for table, own, serving in (("k_uk", "uk_ab", ["a", "b"]), ("k_prefix", "a", ["a"])):
        found = next(one for one in of("keys/json", producer) if names(one) == table).value["tableSchema"]["indexes"]
        by_name = {index["name"]: index for index in found}
        assert by_name["primary"]["columns"] == by_name[own]["columns"] == serving
        assert (by_name["primary"]["primary"], by_name[own]["primary"]) == (True, False)
    truth = [column for column in rows("keys/json", "k_uk")[0].event["columns"] if column["is_pk"]]
    assert truth == []


def test_20_nullable_of_an_index_may_be_wrong() -> None:
    wrong = set()
    for one, table in schemas():
        nullable = {column["name"]: column["nullable"] for column in table["columns"]}
        for index in table["indexes"]:
            if index["nullable"] != any(nullable[name] for name in index["columns"]):
                wrong.add((one.producer, one.scenario, one.event["n"], one.value["type"], index["name"]))
    assert wrong == {("tiflow", "ddl-kinds", 9, "BOOTSTRAP", "ub")}


# ---- versions


def test_21_versions_and_times() -> None:
    last: dict[tuple[Path, str, str], int] = {}
    for one in said():
        value = one.value
        if "tableSchema" in value:
            table = value["tableSchema"]
            assert value["type"] == "BOOTSTRAP" or table["version"] < value["commitTs"]
            last[one.stream, table["schema"], table["table"]] = table["version"]
            # a partition was exchanged: the other table changed as well, and only its version before is told
            assert one.event["ddl_type_name"] != "exchange partition" or "preTableSchema" in value
        elif value["type"] in ROWS:
            assert value["schemaVersion"] == last[one.stream, value["database"], value["table"]]


def test_22_what_keeps_the_version() -> None:
    same = {"rename table", "truncate table", "drop table", "drop view", "truncate partition"}
    seen = set()
    for one in said():
        if "preTableSchema" in one.value and one.event["ddl_type_name"] != "exchange partition":
            after, before = one.value["tableSchema"], one.value["preTableSchema"]
            seen.add(one.event["ddl_type_name"])
            if one.event["ddl_type_name"] in same:
                assert after["version"] == before["version"]
            else:
                assert after["version"] > before["version"]
    assert same < seen
    for one in changed("truncate table"):
        assert one.value["tableSchema"]["tableID"] > one.value["preTableSchema"]["tableID"]
    for one in changed("rename table"):
        after, before = one.value["tableSchema"], one.value["preTableSchema"]
        assert after["tableID"] == before["tableID"]
        assert (after["schema"], after["table"]) != (before["schema"], before["table"])
    for one in changed("drop table") + changed("truncate partition"):
        assert one.value["tableSchema"] == one.value["preTableSchema"]


def test_23_ids_of_partitions() -> None:
    partitions = 0
    for one in rows():
        if one.event["is_partition"]:
            assert one.value["tableID"] == one.event["physical_table_id"] != one.event["table_id"]
            partitions += 1
    assert partitions > 100
    for one in (*changed("alter table partition by"), *changed("alter table remove partitioning")):
        assert one.value["tableSchema"]["tableID"] != one.value["preTableSchema"]["tableID"]


def test_24_an_old_image_has_columns_that_were_added_later() -> None:
    one = next(one for one in rows("rows-checked/json", "ck2") if "late" in one.value.get("old", {}))
    assert one.value["type"] == "UPDATE"
    assert one.value["old"]["late"] == "5"

"""The numbered facts of FACTS.md about DDL."""

from __future__ import annotations

import re
from collections import defaultdict

import recorded

from debezium.recordings import STREAMS
from debezium.said import FACTS, changes, described, of, statements

COLUMN = "name jdbcType nativeType comment defaultValueExpression enumValues typeName typeExpression charsetName length"
COLUMN += " scale position optional autoIncremented generated"


def test_33_types_of_changes() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for one in statements():
        listed = one.payload["tableChanges"]
        found[listed[0]["type"] if listed else "none"].add(one.event["ddl_type_name"])
    table = re.findall(r"^\| (CREATE|ALTER|DROP|none) \| (.*) \|$", FACTS, re.MULTILINE)
    assert dict(found) == {name: set(names.split(", ")) for name, names in table}
    sent = {(one.stream, one.event["n"]) for one in statements()}
    silent = set()
    for stream in STREAMS:
        for number, event in recorded.stream_truth(stream).items():
            if event["kind"] == "ddl" and (stream, number) not in sent:
                silent.add(event["ddl_type_name"])
    assert silent == {
        "add foreign key", "drop foreign key", "alter table ttl", "alter table no_ttl", "alter table cache",
        "alter table nocache", "modify auto id cache", "rebase auto_random ID", "set tiflash replica",
    }  # fmt: skip


def test_34_changes_without_a_table() -> None:
    for one in statements():
        name, listed = one.event["ddl_type_name"], one.payload["tableChanges"]
        assert (listed == []) == (name == "truncate table" or "schema" in name.replace("multi-schema", ""))
        assert not listed or (listed[0]["table"] is None) == (name == "drop table")
        assert len(listed) < 2


def test_35_ids_of_changes() -> None:
    for one in statements():
        for change in one.payload["tableChanges"]:
            own = '"{schema}"."{table}"'.format(**one.event)
            if one.event["ddl_type_name"] == "rename table":
                before, _, after = change["id"].partition(",")
                assert after == own != before
            else:
                assert change["id"] == own
            source = one.payload["source"]
            assert (source["db"], source["table"]) == (one.event["schema"], one.event["table"])
    assert {one.producer for one in statements() if one.event["ddl_type_name"] == "exchange partition"} == {"tiflow"}
    assert any("\\\\" in change["id"] and '"o' in change["id"] for _, change in changes())


def test_36_members_of_changes() -> None:
    for one, change in changes():
        assert list(change) == ["type", "id", "table"]
        assert list(change["table"]) == ["defaultCharsetName", "primaryKeyColumnNames", "columns", "comment"]
        assert change["table"]["comment"] is None
        for column in change["table"]["columns"]:
            assert list(column) == COLUMN.split()
            assert column["nativeType"] is None
        if "schema" in one.value:
            table = one.value["schema"]["fields"][-1]["items"]["fields"][2]
            block = [part["field"] for part in table["fields"][2]["items"]["fields"]]
            assert sorted(block) == sorted(COLUMN.split()) != block


def test_37_primary_keys_of_changes() -> None:
    keys = {
        (one.producer, one.event["table"]): change["table"]["primaryKeyColumnNames"]
        for one, change in changes()
        if one.scenario == "keys"
    }
    for producer in ("tiflow", "ticdc"):
        assert keys[producer, "k_comp"] == ["b", "a"]
        assert keys[producer, "k_uk"] == ["a", "b"]
        assert keys[producer, "k_none"] == keys[producer, "k_uk_null"] == []


def test_38_columns_of_changes() -> None:
    marked = set()
    for one, change in changes():
        listed = change["table"]["columns"]
        assert [column["name"] for column in listed] == [column["name"] for column in one.event["columns"]]
        assert [column["position"] for column in listed] == list(range(1, len(listed) + 1))
        for column in listed:
            assert column["generated"] == column["autoIncremented"]
            if column["generated"]:
                marked.add((one.event["table"], column["name"]))
    assert {("d6", "k"), ("d6", "ts"), ("tc_default", "cur"), ("orders", "id")} <= marked
    assert not {("k_gen", "b"), ("k_gen", "c"), ("d6", "id")} & marked
    assert described("tables-described/default", "d1")["_V$_ke_0"]["typeName"] == "VAR_STRING"


def test_39_names_of_types() -> None:
    found = described("tables-described/default", "d5") | described("decimals/default", "decs")
    wanted = {
        "t2": "TINYINT UNSIGNED ZEROFILL",
        "dx": "DECIMAL",
        "y": "YEAR",
        "fu": "FLOAT UNSIGNED",
        "bi": "VARBINARY",
    }
    assert {name: found[name]["typeName"] for name in wanted} == wanted
    assert (found["dp"]["typeName"], found["dp"]["typeExpression"]) == ("DOUBLE UNSIGNED", "DOUBLE(9,2) UNSIGNED")
    for _, change in changes():
        for column in change["table"]["columns"]:
            bare, _, suffix = column["typeName"].partition(" ")
            brackets = column["typeExpression"].removeprefix(bare).removesuffix(suffix).strip()
            length, scale = column["length"], column["scale"]
            if bare == "DOUBLE" and scale is not None:
                assert brackets == f"({length},{scale})"
            elif bare in ("VECTOR", "VAR_STRING") and length is not None:
                assert brackets == f"({length})"
            else:
                assert brackets == ""


def test_40_lengths_of_changes() -> None:
    found = described("tables-described/default", "d5")
    wanted = {"dt": (None, None), "dt6": (6, None), "t0": (None, None), "t6": (6, None), "dx": (65, 30), "d0": (5, 0)}
    wanted |= {"f53": (7, 3), "dp": (9, 2), "e": (1, None), "s": (3, None), "b1": (None, None), "b64": (64, None)}
    wanted |= {"i5": (5, None), "t1": (1, None), "vmax": (16383, None), "tx": (None, None), "f": (None, None)}
    assert {name: (found[name]["length"], found[name]["scale"]) for name in wanted} == wanted
    untouched = set()
    for _, change in changes():
        for column in change["table"]["columns"]:
            if column["typeName"] in ("DATETIME", "TIMESTAMP", "TIME") and column["length"] == 0:
                untouched.add(change["type"])
    assert "ALTER" in untouched


def test_41_labels_of_changes() -> None:
    labels = {
        label
        for _, change in changes()
        for column in change["table"]["columns"]
        for label in column["enumValues"] or ()
    }
    assert {"'it's'", "'a\"b'", "'a\\b'", "''", "'c,d'"} <= labels
    assert all(label[0] == label[-1] == "'" for label in labels)
    for _, change in changes():
        for column in change["table"]["columns"]:
            assert (column["enumValues"] is None) == (column["typeName"] not in ("ENUM", "SET"))


def test_42_defaults_of_changes() -> None:
    found = described("tables-described/default", "d7") | described("defaults/default", "df")
    wanted = {"bt": "100000000001", "b1": "0", "bi": "\ufffd\0\0", "y2": "69", "u": "18446744073709551615", "e2": "0"}
    assert {name: found[name]["defaultValueExpression"] for name in wanted} == wanted
    found = described("tables-described/default", "d6")
    assert {found[name]["defaultValueExpression"] for name in ("ts", "ts3", "dt")} == {"1970-01-01 00:00:00"}


def test_43_comments() -> None:
    stream = [change for one, change in changes() if one in of("ddl/default") and one.event["table"] == "orders"]
    comments = [{column["name"]: column["comment"] for column in change["table"]["columns"]}["id"] for change in stream]
    assert comments[0] is None
    assert set(comments[1:]) == {"the key"}


def test_44_databases() -> None:
    for one in statements():
        database = one.key["payload"]["databaseName"]
        assert database == one.payload["databaseName"] == one.payload["source"]["db"] == one.event["schema"]

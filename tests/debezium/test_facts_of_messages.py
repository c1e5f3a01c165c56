"""The numbered facts of FACTS.md about messages, keys and schema blocks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import recorded

from debezium.recordings import STREAMS, plain
from debezium.said import FACTS, field, fields, kind, of, rows, said

SOURCE = "version connector name ts_ms snapshot db table server_id gtid file pos row thread query commit_ts cluster_id"


def test_01_wrappers() -> None:
    for one in said():
        wrapper = ["payload"] if "debezium-disable-schema" in one.options else ["payload", "schema"]
        assert list(one.key) == list(one.value) == wrapper
        for parsed, data in ((one.key, one.raw_key), (one.value, one.raw)):
            text = data.decode()
            assert re.sub(r'"(?:[^"\\]|\\.)*"', "", text).count(" ") == 0
            assert json.loads(text) == parsed


def test_02_members_of_payloads() -> None:
    head = ["source", "ts_ms", "transaction", "op"]
    for one in said():
        match one.op:
            case "ddl":
                wanted = ["source", "ts_ms", "databaseName", "schemaName", "ddl", "tableChanges"]
            case "m":
                wanted = head
            case "d":
                wanted = [*head, "after", "before"]
                assert one.payload["after"] is None
            case _:
                wanted = [*head, "before", "after"]
                assert one.op == "u" or one.payload["before"] is None
        if one.op != "u" or "before" in one.payload:
            assert list(one.payload) == wanted


def test_03_members_of_source() -> None:
    with_start = 0
    for one in said():
        source = one.payload["source"]
        wanted = SOURCE.split()
        if "debezium-include-start-ts" in one.options and one.op in "cud":
            wanted.insert(-1, "start_ts")
            assert source["start_ts"] == one.event["start_ts"]
            with_start += 1
        assert list(source) == wanted
        constant: dict[str, Any] = {
            "version": "2.4.0.Final",
            "connector": "TiCDC",
            "name": "default",
            "snapshot": "false",
            "file": "",
        }
        constant |= {"server_id": 0, "gtid": None, "pos": 0, "row": 0, "thread": 0, "query": None}
        assert constant.items() <= source.items()
    assert with_start == 164


def test_04_times() -> None:
    for one in said():
        source = one.payload["source"]
        assert source["commit_ts"] == one.event["commit_ts"]
        assert source["ts_ms"] == source["commit_ts"] >> 18


def test_05_without_old_values() -> None:
    seen = set()
    for one in rows():
        without = not all(one.options.get(f"debezium{sign}output-old-value", True) for sign in "-.")
        assert ("before" in one.payload) == (not without or one.op != "u")
        assert one.op != "d" or one.payload["before"]
        if without:
            seen.add((one.producer, one.op))
    assert seen == {(producer, op) for producer in ("tiflow", "ticdc") for op in "cud"}


def test_06_operations() -> None:
    assert {one.op for one in said()} == {"c", "u", "d", "m", "ddl"}
    for stream in STREAMS:
        assert all(message.value for message in recorded.messages(stream))
    assert "bootstrap" not in {one.event["kind"] for one in said()}
    bootstraps = [e for stream in STREAMS for e in recorded.stream_truth(stream).values() if e["kind"] == "bootstrap"]
    assert bootstraps


def test_07_watermarks() -> None:
    for stream in STREAMS:
        happened = [event for event in recorded.stream_truth(stream).values() if event["kind"] == "watermark"]
        sent = [one for one in said() if one.stream == stream and one.op == "m"]
        extension = "enable-tidb-extension" in recorded.header(stream)["options"]
        assert len(sent) == (len(happened) if extension else 0)
        for one in sent:
            assert one.payload["source"]["db"] == one.payload["source"]["table"] == ""
            assert one.key["payload"] == {}


def test_08_compression_is_of_keys_too() -> None:
    checked = 0
    for stream in STREAMS:
        packed = "large-message-handle-compression" in recorded.header(stream)["options"]
        for message, key, value in plain(stream):
            assert (message.key != key) == (message.value != value) == packed
            checked += packed
    assert checked > 300


def test_09_escapes() -> None:
    escapes = set()
    raw = ""
    for one in said():
        text = one.raw.decode()
        raw += "".join(sign for sign in "<>&\u2028\u2029\x7f" if sign in text and sign not in raw)
        escapes |= set(re.findall(r"\\(?:u[0-9a-fA-F]{4}|.)", text.replace("\\\\", "")))
    assert sorted(raw) == sorted("<>&\u2028\u2029\x7f")
    controls = {f"\\u{code:04x}" for code in range(0x20)}
    assert escapes <= {'\\"', "\\n", "\\r", "\\t"} | controls
    assert {"\\u0000", "\\u0008", "\\u000c", "\\u001f"} <= escapes


# ---- keys


def test_10_columns_of_keys() -> None:
    for one in rows():
        keys = [column["name"] for column in one.event["columns"] if column["is_handle_key"]]
        assert list(one.key["payload"]) == keys
        image = one.payload["before"] if one.op == "d" else one.payload["after"]
        assert one.key["payload"] == {name: image[name] for name in keys}
    assert list(rows("keys/default", "k_comp")[0].key["payload"]) == ["a", "b"]  # primary key (b, a)
    assert list(rows("keys/default", "k_uk")[0].key["payload"]) == ["a", "b"]  # unique key
    assert not any(column["is_pk"] for column in rows("keys/default", "k_uk")[0].event["columns"])


def test_11_keys_of_tables_without() -> None:
    for name in ("k_none", "k_uk_null"):
        for producer in ("tiflow", "ticdc"):
            for one in rows("keys/default", name, producer):
                assert one.key["payload"] == {}
                assert one.key["schema"]["fields"] == []


def test_12_names_of_schemas() -> None:
    for one in rows():
        if "schema" in one.value:
            base = one.value["schema"]["name"].removesuffix(".Envelope")
            assert one.key["schema"]["name"] == f"{base}.Key"
            assert re.fullmatch(r"default\.[A-Za-z0-9_]+\.[A-Za-z0-9_.]+", base)
            assert (one.payload["source"]["db"], one.payload["source"]["table"]) == (
                one.event["schema"],
                one.event["table"],
            )
    assert rows("names/default", "😀🧪")[0].key["schema"]["name"] == "default.test.__.Key"
    odd = rows("hostile-texts/default", "t/able\n{}")[0]
    assert odd.key["schema"]["name"] == "default.h_o_s__t___.t_able___.Key"


# ---- schema blocks


def test_13_members_of_blocks() -> None:
    order = ["type", "optional", "name", "version", "fields"]
    inner = {"ddl": ["source", "ts_ms", "databaseName", "schemaName", "ddl", "tableChanges"]}
    inner |= {"m": ["source", "op", "ts_ms", "transaction"]}
    inner |= {op: ["before", "after", "source", "op", "ts_ms", "transaction"] for op in "cud"}
    for one in said():
        if "schema" in one.value:
            block, key = one.value["schema"], one.key["schema"]
            of_ddl = one.op == "ddl"
            assert list(block) == (["optional", "type", "version", "name", "fields"] if of_ddl else order)
            assert [column["field"] for column in block["fields"]] == inner[one.op]
            assert ("version" in key) == of_ddl


def test_14_columns_that_are_declared_and_never_sent() -> None:
    for one in rows():
        if "schema" in one.value:
            assert fields(one, "before") == fields(one, "after")
    names = {
        (producer, table): [column["field"] for column in fields(rows(name, table, producer)[0])]
        for producer, name, table in (
            ("tiflow", "keys/default", "k_gen"),
            ("ticdc", "keys/default", "k_gen"),
            ("tiflow", "tables-described/default", "d1"),
            ("tiflow", "tables-described/default", "d2"),
        )
    }
    assert names["tiflow", "k_gen"] == ["a", "c", "d", "e", "b"]
    assert names["ticdc", "k_gen"] == ["a", "b", "c", "d", "e", "b"]
    assert names["tiflow", "d1"] == ["b", "a", "c", "_V$_ke_0"]
    assert names["tiflow", "d2"] == ["id", "v2", "v1", "v3"]
    assert all("b" not in (one.payload["after"] or one.payload["before"]) for one in rows("keys/default", "k_gen"))


def test_15_what_source_declares() -> None:
    base = ["version", "connector", "name", "ts_ms", "snapshot", "db", "sequence", *SOURCE.split()[6:14]]
    for one in said():
        if "schema" in one.value:
            (block,) = (part for part in one.value["schema"]["fields"] if part["field"] == "source")
            wanted = list(base)
            if one.producer == "ticdc" and "enable-tidb-extension" in one.options:
                wanted += ["commit_ts", "cluster_id"]
            if "debezium-include-start-ts" in one.options and one.op in "cud":
                wanted += ["start_ts"]
            assert [part["field"] for part in block["fields"]] == wanted
            assert "sequence" not in one.payload["source"]


def test_16_members_of_fields() -> None:
    order = ("tidb_type", "type", "optional", "name", "version", "parameters", "field", "default")
    for one in rows():
        if "schema" in one.value:
            nullable = {column["name"]: column["nullable"] for column in one.event["columns"]}
            for column in fields(one) + one.key["schema"]["fields"]:
                assert list(column) == [name for name in order if name in column]
                assert ("tidb_type" in column) == ("enable-tidb-extension" in one.options)
                assert column["optional"] == nullable.get(column["field"], column["optional"])


def test_17_connect_types() -> None:
    found = set()
    for one in rows():
        if "schema" in one.value and "enable-tidb-extension" in one.options:
            for column in fields(one):
                found.add((column["tidb_type"], column["type"], column.get("name", "")))
                assert ("version" in column) == ("name" in column and column["tidb_type"] != "vector")
    listed = re.findall(r"^\| ([a-z_, ]+) \| ([a-z0-9]+) \|(?: ([A-Za-z0-9.]+))? \|$", FACTS, re.MULTILINE)
    assert found == {(bare, connect, name) for bares, connect, name in listed[1:] for bare in bares.split(", ")}
    assert field("decimals/default", "decs", "f72")["type"] == "double"
    assert field("decimals/default", "decs", "f")["type"] == "float"


def test_18_labels() -> None:
    def allowed(name: str, table: str, column: str) -> Any:
        return field(name, table, column)["parameters"]["allowed"]

    assert allowed("enum-set-json-vector/default", "esj", "e") == 'a,b,c\\,d,e"f,'
    assert allowed("hostile-texts/default", "ht", "e") == "a'b,a\"b,a\\b,<>&,中,x y,a;b"
    assert allowed("hostile-texts/default", "ht", "s") == "a'b,a\"b,a\\b,<>&,中"


def test_19_defaults_in_blocks() -> None:
    wanted: dict[str, Any] = {"bi": "\ufffd\0\0", "bl": '\0\ufffd"', "e2": "0", "s": "", "y": 2000, "y2": 2069}
    wanted |= {"big": 9223372036854776000, "dc": 1e-30, "f": 1e20, "b1": False, "b64": "//////////8=", "bo": 0}
    wanted |= {"t": 3020399000000, "h": "中"}
    for column, default in wanted.items():
        assert field("tables-described/default", "d7", column)["default"] == default
    for column in ("m", "d", "ts"):
        assert "default" not in field("tables-described/default", "d7", column)
    assert field("types-checked/default", "tc_default", "u")["default"] == 18446744073709552000
    assert field("tables-described/default", "d6", "u")["default"] == "uuid()"
    assert "default" not in field("tables-described/default", "d6", "r")
    # every other default of the table is there
    for one in rows():
        if "schema" in one.value:
            by_name = {column["field"]: column for column in fields(one)}
            for column in one.event["columns"]:
                if column["name"] in by_name:
                    text = str((column["default"] or {}).get("text", ""))
                    now = kind(column) == "timestamp" and column["nullable"] and text == "CURRENT_TIMESTAMP"
                    omitted = text.startswith("0000-00-00") or text == "rand()" or column["default"] is None or now
                    assert ("default" in by_name[column["name"]]) == (not omitted)


def test_20_defaults_of_times_in_blocks() -> None:
    assert field("tables-described/default", "d6", "dt")["default"] == 0
    assert field("tables-described/default", "d6", "ts")["default"] == "1970-01-01T00:00:00Z"
    assert field("defaults/default", "df", "ts")["default"] == "2020-01-01T00:00:00.000001Z"


def test_every_fact_has_a_test_and_every_stream_is_there() -> None:
    numbered = [int(found) for found in re.findall(r"^([0-9]+)\. ", FACTS, re.MULTILINE)]
    files = sorted(Path(__file__).parent.glob("test_facts_of_*.py"))
    text = "\n".join(file.read_text("utf-8") for file in files)
    tests = [int(found) for found in re.findall(r"^def test_([0-9]+)_", text, re.MULTILINE)]
    assert numbered == sorted(tests) == list(range(1, len(tests) + 1))
    for named in re.findall(r"`([a-z-]+/default)`", FACTS):
        assert of(named)
    assert {kind(column) for one in rows() for column in one.event["columns"]} >= {"vector", "json", "bit", "set"}

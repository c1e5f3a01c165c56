"""Messages of no protocol or of several: one sentence with what they look like and what to do, on the command line and
in Python; readable ones are returned.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import events, tidewire

import tidewire as package
from tidewire.reading.files.streams import InputError
from tidewire.reading.table_reader import MixedWarning

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
CONNECTORS = {
    "postgresql": "PostgreSQL",
    "sqlserver": "SQL Server",
    "oracle": "Oracle",
    "mongodb": "MongoDB",
    "db2": "Db2",
}


def canal(number: int) -> str:
    return json.dumps(
        {
            "id": 0, "database": "shop", "table": "orders", "pkNames": ["id"], "isDdl": False, "type": "INSERT",
            "es": 1, "ts": 2, "sql": "", "sqlType": {"id": 4}, "mysqlType": {"id": "int"},
            "data": [{"id": str(number)}], "old": None,
        }
    )  # fmt: skip


def lines(one: Callable[[int], str]) -> bytes:
    return "".join(f"{one(number)}\n" for number in range(5)).encode()


def debezium(connector: str) -> Callable[[int], dict[str, Any]]:
    source = {"version": "3", "connector": connector, "name": "n", "ts_ms": 1, "db": "shop", "schema": "public"}

    def one(number: int) -> dict[str, Any]:
        return {"before": None, "after": {"id": number}, "source": {**source, "table": "orders"}, "op": "c", "ts_ms": 5}

    return one


def foreign() -> list[Any]:
    """Files, and how the sentence about them begins."""
    found: dict[str, tuple[bytes, str]] = {}
    for connector, name in CONNECTORS.items():
        one = debezium(connector)
        wanted = f"Debezium's {name} connector is not supported: of Debezium's own messages those of the MySQL and "
        found[connector] = (lines(lambda number, one=one: json.dumps(one(number))), wanted)  # type: ignore[misc]
        blocks = lines(lambda number, one=one: json.dumps({"schema": {}, "payload": one(number)}))  # type: ignore[misc]
        found[f"{connector} with blocks"] = (blocks, wanted)
    maxwell = {"database": "shop", "table": "orders", "type": "insert", "ts": 1767323058, "xid": 5, "commit": True}
    found["maxwell"] = (
        lines(lambda number: json.dumps({**maxwell, "data": {"id": number}})),
        "the messages look like Maxwell's JSON, which is not supported",
    )
    unwrapped = "the messages look like rows without an envelope (members id, name"
    found["unwrapped"] = (lines(lambda number: json.dumps({"id": number, "name": "ann"})), unwrapped)
    row = {"name": "ann", "__op": "c", "__table": "orders", "__deleted": "false"}
    found["unwrapped with marks"] = (lines(lambda number: json.dumps({"id": number, **row})), unwrapped)
    keyed = lines(lambda number: f'{{"id":{number}}}\t{{"id":{number},"name":"ann"}}')
    found["unwrapped with keys"] = (keyed, unwrapped)
    csv = "the messages look like CSV, and like none of the protocols: the first line begins with "
    found["csv"] = (b"id,name,amount\n1,ann,5.50\n2,bob,6\n", f"{csv}'id,name,amount'")
    found["csv of Excel"] = (b'id;"name"\r\n1;"ann; the first"\r\n', f"{csv}'id;\"name\"'")
    for name, wide in (("UTF-16", "utf-16"), ("UTF-16LE", "utf-16-le"), ("UTF-16BE", "utf-16-be")):
        text = lines(canal).decode().encode(wide)
        found[wide] = (
            text,
            "the messages are text in UTF-16, in which no protocol is: convert the file first, such as "
            f"iconv -f {name} -t UTF-8 FILE > NEW",
        )
    for sign in (":", ",", "|", " => ", ";"):
        wanted = f"the lines have {sign!r} between key and value, where a tab is expected: leave key.separator"
        found[f"separator {sign}"] = (lines(lambda number, sign=sign: f"null{sign}{canal(number)}"), wanted)  # type: ignore[misc]
        key = lines(lambda number, sign=sign: f'{{"id":{number}}}{sign}{canal(number)}')  # type: ignore[misc]
        found[f"separator {sign} behind keys"] = (key, wanted)
    found["html"] = (b"<!DOCTYPE html>\n<html></html>\n", "the messages look like a page of HTML or XML")
    none = "the messages look like none of the protocols: the first "
    found["log"] = (b"2026-11-01 12:00:00 INFO starting\n" * 5, f"{none}line begins with '2026-11-01 12:00:00 INFO")
    noise = random.Random(3).randbytes(5000)
    found["random"] = (noise, f"{none}one begins with the bytes {noise.lstrip()[:8].hex(' ')}")
    return [pytest.param(*one, id=name) for name, one in found.items()]


@pytest.mark.parametrize(("content", "sentence"), foreign())
def test_what_it_looks_like_is_said_first(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    to = ["--table", "shop.orders", "--to", "parquet", "--out", tmp_path / "out.parquet"]
    for command in (["decode"], ["check"], ["dissect"], ["decode", *to]):
        done = tidewire(command[0], path, *command[1:])
        assert (done.exit_code, done.stdout) == (2, ""), command
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"tidewire: {sentence}"), command
        assert "protocol=" not in line
        assert line.isprintable()
        assert len(line) < 300
    shown = tidewire("detect", path)
    assert shown.exit_code == 1
    assert shown.stderr.startswith(f"tidewire: {sentence}")
    with pytest.raises(InputError) as caught:
        package.read_table(path, "shop.orders")
    assert str(caught.value).startswith(sentence)
    assert "craft" not in str(caught.value)


@pytest.mark.parametrize("connector", CONNECTORS)
def test_a_connector_that_is_not_supported_is_so_by_name_too(connector: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(lines(lambda number: json.dumps(debezium(connector)(number))))
    done = tidewire("decode", "-p", "debezium", path)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"source/connector: {connector!r} is not supported: it is none of " in done.stderr.splitlines()[0]


def messages(name: str) -> list[str]:
    return gzip.open(EXAMPLES / f"{name}_topic.jsonl.gz", "rt").readlines()


MIXED: dict[str, tuple[Callable[[], list[str]], str, str]] = {
    "one after the other": (
        lambda: messages("canal_json")[:152] + messages("craft"),
        "lines 1-152 canal-json, 153-255 craft",
        "canal-json",
    ),
    "and back": (
        lambda: messages("craft")[:50] + messages("canal_json")[:20] + messages("craft")[50:60],
        "lines 1-50 craft, 51-70 canal-json, 71-80 craft",
        "craft",
    ),
    "in turn": (
        lambda: (
            [one for pair in zip(messages("craft")[:9], messages("simple")[:9], strict=True) for one in pair]
            + messages("craft")[9:12]
        ),
        "lines 1 craft, 2 simple, 3 craft, 4 simple, and so on, 15 more times",
        "craft",
    ),
}


@pytest.mark.parametrize("case", MIXED)
def test_two_protocols_are_told_apart_and_one_is_read(case: str, tmp_path: Path) -> None:
    make, places, best = MIXED[case]
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(make()))
    done = tidewire("decode", path)
    assert done.exit_code == 1
    said = done.stderr.splitlines()[0]
    assert said.startswith(f"tidewire: the messages are of 2 protocols: {path}: {places}. They are read as {best} ")
    other = said.rpartition(" -p ")[2]
    (bad,) = done.stderr.splitlines()[1:]
    assert re.fullmatch(
        rf"tidewire: \d+ messages of {other}, the first {path}:\d+, could not be decoded as {best}: read them with "
        rf"-p {other}",
        bad,
    )
    shown = tidewire("detect", path)
    assert f"the messages are of 2 protocols: {path}: {places}. Read them once for each, with " in shown.stderr
    named = tidewire("decode", "-p", best, path)
    assert events(done) == events(named)
    assert events(done)
    again = tidewire("decode", "-p", other, path)
    assert {one["message"] for one in events(done)}.isdisjoint(one["message"] for one in events(again))
    assert events(again)


def test_each_of_several_files_is_named(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text("".join(messages("canal_json")[:9]))
    other.write_text("".join(messages("craft")[:5] + messages("canal_json")[:2]))
    for command in ("decode", "check", "detect"):
        said = tidewire(command, one, other).stderr
        assert f"{one}: lines 1-9 canal-json, {other}: lines 1-5 craft, 6-7 canal-json. " in said, command


@pytest.mark.parametrize("command", ["decode", "check", "transcode"])
def test_messages_of_another_protocol_beside_a_named_one_are_one_sentence(command: str, tmp_path: Path) -> None:
    """Those that are damaged have theirs, in the same batch and in others."""
    path, kept = tmp_path / "mixed.jsonl", tmp_path / "kept.jsonl"
    damaged = json.dumps({"key": None, "value": base64.b64encode(b'{"id":').decode()}) + "\n"
    path.write_text("".join([*messages("canal_json"), damaged, *(messages("craft") * 12), damaged]))
    target = ["debezium"] if command == "transcode" else []
    done = tidewire(command, "canal-json" if command == "transcode" else "-p", *(target or ["canal-json"]), path)
    craft = [line for line in done.stderr.splitlines() if "of craft" in line]
    assert len(craft) == 1
    assert craft[0].startswith(f"tidewire: 1,236 messages of craft, the first {path}:154, could not be ")
    assert done.stderr.count("canal-json message: ") + done.stderr.count("canal-json id: ") == 2
    assert "2 messages could not be " in done.stderr
    if command == "decode":
        assert tidewire(command, "-p", "canal-json", path, "--errors", kept).exit_code == 1
        assert len(kept.read_text().splitlines()) == 1238


def test_in_python_and_in_files_of_rows_one_of_them_is_read_too(tmp_path: Path) -> None:
    path, out = tmp_path / "mixed.jsonl", tmp_path / "out.parquet"
    path.write_text("".join(messages("craft") + messages("canal_json")[:20]))
    with pytest.warns(MixedWarning, match=r"lines 1-103 craft, 104-123 canal-json\. .* with protocol=canal-json$"):
        found = package.read_table(path, "test.k_comp")
    alone = package.read_table(EXAMPLES / "craft_topic.jsonl.gz", "test.k_comp", "craft")
    assert found.num_rows == alone.num_rows + 20
    assert found["_change_type"].null_count == 20
    done = tidewire("decode", path, "--table", "test.k_comp", "--to", "parquet", "--out", out)
    assert done.exit_code == 1
    assert "read them once more with -p canal-json" in done.stderr.splitlines()[0]
    assert "protocol=" not in done.stderr
    assert out.exists()


@pytest.mark.parametrize("name", ["avro", "debezium_avro"])
def test_records_without_their_registry_say_what_they_need(name: str, tmp_path: Path) -> None:
    """A registry that is not there is said first; no protocol has to be named for it."""
    path, other = EXAMPLES / f"{name}_topic.jsonl.gz", tmp_path / "none.json"
    for command in (["decode"], ["check"], ["schema", "table"], ["decode", "--table", "a.b", "--to", "parquet"]):
        done = tidewire(*command, path)
        line = done.stderr.splitlines()[0]
        assert done.exit_code == 2
        assert " need the schemas of a registry: -o schema-registry=URL, or the path of a file" in line, command
        assert ("avro or debezium-avro" in line) == (name == "debezium_avro")
        assert "-p " not in done.stderr
    with pytest.raises(InputError, match=r"need the schemas of a registry: -o schema-registry=URL.* \(in Python"):
        package.read_table(path, "shop.orders")
    line = tidewire("decode", path, "-o", f"schema-registry={other}").stderr.splitlines()[0]
    assert line.startswith("tidewire: the schemas of the messages are missing: schema ")
    assert f"({other}): No such file" in line


@pytest.mark.parametrize(("name", "other"), [("avro", "debezium-avro"), ("debezium-avro", "avro")])
def test_records_read_as_another_protocol_with_their_registry_say_which_one(name: str, other: str) -> None:
    path = EXAMPLES / f"{name.replace('-', '_')}_topic.jsonl.gz"
    registry = ["-o", f"schema-registry={path.parent / path.name.replace('.jsonl.gz', '.registry.json')}"]
    for command in ("decode", "check"):
        done = tidewire(command, "-p", other, path, *registry)
        assert done.exit_code == 1
        assert f"they look like {name}: give {name} in place of {other}" in done.stderr, command
        assert "b'" not in done.stderr
    assert events(tidewire("decode", "-p", name, path, *registry))


def test_keys_and_values_that_a_console_printed_say_that_lines_spoil_them(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    found = [json.loads(one) for one in messages("open_protocol")[:40]]
    path.write_bytes(b"".join(b"%s\t%s\n" % tuple(base64.b64decode(one[m]) for m in ("key", "value")) for one in found))
    done = tidewire("decode", path)
    assert done.exit_code == 2
    assert done.stderr.startswith("tidewire: these are keys and values of open-protocol in lines of text, and text ")
    assert "dump it as bytes (docs/dumps.md)" in done.stderr


def test_two_protocols_that_may_be_are_not_one_to_name(tmp_path: Path) -> None:
    path = tmp_path / "file.hex"
    path.write_text(f"{(bytes(4) + bytes([7]) + bytes([2]) * 5).hex()}\n" * 3)
    assert "the messages are avro or debezium-avro, and need" in tidewire("decode", path).stderr

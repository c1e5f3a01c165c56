"""Codecs generated from YAML for invented protocols behave as their specs say."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from whole_copy import compile_package, copy_package

from tidewire.generator.__main__ import main

from .test_printing import SPEC, WORDS

pytestmark = pytest.mark.whole

RUN = Path(__file__).parent / "run_printed.py"
RUN_JSON = Path(__file__).parent / "run_printed_json.py"
RUN_DESCRIBED = Path(__file__).parent / "run_printed_described.py"
RUN_CONNECT = Path(__file__).parent / "run_printed_connect.py"
RUN_REGISTERED = Path(__file__).parent / "run_printed_registered.py"
RUN_ENVELOPE = Path(__file__).parent / "run_printed_envelope.py"
RUN_FRAMES = Path(__file__).parent / "run_printed_frames.py"
RUN_UNTYPED = Path(__file__).parent / "run_printed_untyped.py"


@cache
def output(directory: Path, *arguments: str, script: Path = RUN, compiled: Path | None = None) -> str:
    """What run_printed.py prints; interpreted, because what was just printed is not compiled.

    `compiled`: a folder with the whole package, in which it was.
    """
    chosen = {"TIDEWIRE_PURE": "1"} if compiled is None else {"TIDEWIRE_PURE": "", "PYTHONPATH": str(compiled)}
    done = subprocess.run(
        [sys.executable, str(script), str(directory), *arguments],
        env={**os.environ, **chosen},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def run(directory: Path, *arguments: str, script: Path = RUN, compiled: Path | None = None) -> Any:
    """The same as data; what ran once is not run again."""
    return json.loads(output(directory, *arguments, script=script, compiled=compiled))


@pytest.fixture(scope="module")
def every_word(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory with the codecs that use every word."""
    out = tmp_path_factory.mktemp("printed")
    assert main(["--spec", str(WORDS), "--shared", str(SPEC), "--out", str(out)]) == 0
    return out


@pytest.mark.parametrize(
    ("name", "partition", "ddl", "events"),
    [("every_word", "-9", "ddl", [1, 4, 4, 1, 1]), ("other_word", "", "", [1, 3, 3, 3])],
)
def test_protocols_with_every_word_round_trip(
    every_word: Path, name: str, partition: str, ddl: str, events: list[int]
) -> None:
    found = run(every_word, "round-trip", name, partition, ddl)
    assert found["events"] == events
    assert found["equal"]
    assert found["again"]
    assert found["batch"]
    assert found["accepted"] == 0
    assert found["refused"] == found["truncations"]
    assert found["trouble"] == []
    assert found["dissected"] == found["sizes"], "the dissector accounts for every byte"


def test_the_json_protocol_with_every_word_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_JSON)
    for way, messages in (("plain", 6), ("second", 6), ("lines", 3), ("squeezed", 6)):
        assert found[way] == {
            "messages": messages,
            "equal": True,
            "again": True,
            "batch": True,
            "accepted": 0,
            "trouble": [],
        }, way
    assert found["changed"] == [{"id": "-3", "t": "tä<3", "d": None}, "bigint(20) unsigned"]
    assert found["spoiled"] == [
        # constants are written, and not looked at by a reader
        ["version", "accepted", ""],
        ["whole", "accepted", ""],
        ["<sign>", "accepted", ""],
        ["op", "missing", "op"],
        ["more", "unnamed", "envelope"],
        ["after", "missing", "after"],
        ["was", "kind", "was"],
        ["after.0.id", "value", "after/0/id"],
        ["after.0.n", "outside", "after/0/n"],
        ["after.0.b", "value", "after/0/b"],
        ["head.commit", "outside", "head/commit"],
        ["head.commit", "kind", "head/commit"],
        ["head.Table", "kind", "head/Table"],
        ["head.where.stored", "kind", "head/where/stored"],
        ["columns.declared.id", "kind", "columns/declared/id"],
        ["after", "rows", "after"],
    ]


def test_the_json_protocol_with_every_word_has_keys_by_class(every_word: Path) -> None:
    found = run(every_word, script=RUN_JSON)
    key = r'{"kind":"\u003crow\u003e","whose":{"base":"s","table":"t"}'
    row, other = (key + rf',"\u003cid\u003e":{number}}}' for number in (7, 8))
    assert found["keyed"] == [[key + "}", 1], ['{"at":40}', 1], *[[key + "}", 1]] * 3, [None, 1]]
    assert found["keyed lines"] == [[key + "}", 1], [key + "}", 3]]
    assert found["keyed lines by more"] == [[row, 1], [row, 1], [other, 1], [row, 1]]


def test_the_json_protocol_with_every_word_of_descriptions_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_DESCRIBED)
    right = {"again": True, "batch": True, "equal": True, "accepted": 0, "trouble": []}
    rows = {
        "left": '"after":{"at":{"location":"Asia/Shanghai"',
        "right": '"after":{"z":"ä<","id":"4294967295","b":"/wA="',
    }
    for producer, row in rows.items():
        values = found[producer].pop("values")
        assert found[producer] == right, producer
        assert [json.loads(value)["what"] for value in values] == ["is", "add", "change", "take", "ERASE"]
        shape = '{"names":{"database":"s","table":"t","id":5},"edition":9,'
        assert values[0].startswith('{"what":"is","at":0,"is":' + shape)
        assert row in values[1]
    code, text = found["undescribed"]
    assert code == "undescribed_table"
    assert text.startswith("every-described-word edition: the table `s`.`t` is not described in version 9")


def test_the_records_with_every_word_round_trip(every_word: Path) -> None:
    """The same events in another encoding, whose records and fields stand in no order that another protocol has."""
    found = run(every_word, script=RUN_DESCRIBED)
    right = {"again": True, "batch": True, "equal": True, "sums": [7, 7, 7], "accepted": 0, "trouble": []}
    branches = {"left": "0265" + "04" + "0232", "right": "0265" + "0e" + "04"}
    """The ENUM: its name, the branch, and 2 as a text or a number."""
    for producer, written in branches.items():
        one = found[f"{producer} records"]
        values, shown = one.pop("values"), one.pop("shown")
        assert one == right, producer
        # a Note that is Changed, with checksums 0 and 7, added to `t` of `s`, version 9, no row before, and five
        # columns
        assert values[1].startswith("000404" + "02000e" + "02" + "0274" + "0273" + "12" + "00" + "020a")
        assert written in values[1]
        assert [path for path, *_ in shown if path.startswith("after/at")] == [
            "after/at",  # the branch of a union
            "after/at",
            "after/at/zone",
            "after/at/text",
        ]


def test_the_protocol_of_envelopes_with_every_word_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_CONNECT)
    for way, source in (("left", None), ("right", None), ("bare", "described")):
        assert found[way]["again"], way
        assert found[way]["kinds"] == ["insert", "update", "delete", "ddl", "watermark"]
        assert found[way]["rows"] == [[True, False], [True, True], [False, True], [False, False], [False, False]], way
        assert found[way]["types_from"] == [source, source, source, None, None]
        assert (found[way]["accepted"], found[way]["trouble"]) == (0, [])
    assert found["bare"]["keys"] == [
        f'{{"payload":{key}}}'
        for key in ('{"id":-1}',) * 2 + ('{"id":1}', '{"where":"s","more":{"committed":13}}', "{}")
    ]
    insert, update, delete, statement, mark = found["bare"]["values"]
    head = '"at":10,"by":{"hand":"left"},"who":"me & co","where":"s","whose":"t 1"'
    row = '"id":-1,"z":"ä<","b":"/wA=","flag":true,"flags":"vAo=","e":"b,c","day":18263,"at":1577934245678'
    assert insert.startswith(f'{{"payload":{{"what":"+",{head},"was":null,"is":{{{row},"then":1577934245678901')
    assert '"was":{"id":1,"z":null' in update
    assert delete.index('"is":null') < delete.index('"was":{')
    change = '[{"how":"DROP","names":"\\"s\\".\\"t 1\\"","shape":null}]'
    assert statement.endswith(f'"whose":"t 1","onceMore":"s","said":"drop table t","changedTables":{change}}}}}')
    assert mark == '{"payload":{"what":"=","at":14,"by":{"hand":"left"},"who":"me & co","where":""}}'
    left, right = (json.loads(found[way]["values"][0])["schema"] for way in ("left", "right"))
    assert left["name"] == "me___co/s/t_1"
    rest = ["by", "who", "where", "whose", "is", "was", "what"]
    assert [one["field"] for one in left["fields"]] == ["at", *rest]
    assert [one["field"] for one in right["fields"]] == ["at", "nothingAtAll", "never", *rest]
    was = left["fields"][-2]
    assert (was["name"], was["version"], was["parameters"]) == ("Row", 3, {"of": "before"})
    fields = was["fields"]
    assert fields[0] == {
        "native": "bigint unsigned",
        "type": "int64",
        "optional": False,
        "field": "id",
        "default": 7,
    }
    assert [one.get("parameters") for one in fields if "parameters" in one] == [{"width": "12"}, {"labels": "a,b\\,c"}]
    code, text = found["undescribed"]
    assert code == "undescribed_table"
    assert text.startswith("every-connect-word value at: the table `s`.`t 1` is not described")


def test_the_protocol_of_registered_records_with_every_word_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_REGISTERED)
    for way, kinds in (
        ("less", ["insert", "delete", "ddl", "watermark"]),
        ("left", ["insert", "update", "delete", "ddl", "watermark"]),
        ("right", ["insert", "delete", "watermark"]),
    ):
        one = found[way]
        assert one["kinds"] == kinds
        assert (one["rows"], one["again"], one["batch"], one["accepted"]) == (True, True, True, 0), way
        assert one["subjects"] == ["of.t_s1_t_1.keys", "of.t_s1_t_1"]
        assert one["named"] == [["s1", "t_1"]] * (len(one["named"]) - 1) + [["s1", "t_1" if way == "right" else None]]
        assert one["facts"][0] == [3, False, "where"]
        assert one["keys"][:2] == ["000000000101", "000000000101" if way == "left" else "000000000102"]
    less, left, right = (found[way] for way in ("less", "left", "right"))
    assert less["times"] == [None, None, 13, 14]
    assert less["values"][1] is None, "the key alone tells a row that is gone"
    assert left["times"] == [10, 11, 12, 13, 14]
    assert left["sums"][:3] == [[7, None], [7, None], [None, 2**32 - 1]]
    # a number of a schema, what happened, and the columns in the order of their ids, the first of which has a default
    assert left["values"][0].startswith("0000000002" + "0a6164646564" + "0001" + "02feff07")
    assert bytes.fromhex(left["values"][3]) == b'\7{"where":"s1","what":"drop table t","number":4,"at":13}'
    assert left["values"][4] == "09" + "000000000000000e"
    assert right["values"][1] == "03" + "000000000000000c"
    assert b"18446744073709551615" in bytes.fromhex(right["values"][0])
    names = ["n", "s", "d", "flags", "e", "m", "z", "b", "id", "f", "y"]
    said = ["_was", "at", "atMs", "place", "sum", "version", "less", "seen"]
    key, value = left["texts"]
    assert [one["name"] for one in value["fields"]] == ["did", *names, *said]
    fields = {one["name"]: one for one in value["fields"]}
    assert fields["n"]["type"] == [{"type": "long", "more": {"native": "BIG COUNT"}}, "null"]
    assert fields["flags"]["type"][1]["more"] == {"native": "BITS", "wide": "12"}
    assert fields["e"]["type"][1]["more"] == {"native": "LABEL", "those": "a,b\\,c"}
    assert fields["_was"]["type"][1]["name"] == "t_1_was"
    assert (key["namespace"], key["name"], value["name"]) == ("words.s1", "t_1", "t_1")
    assert found["refused"] == [
        "every-registered-word event 0: insert needs commit_ts",
        "every-registered-word event 0: no registry is known; set schema-registry to the URL of the registry, or to "
        "the path of a file with its schemas",
    ]


def test_the_protocol_of_envelopes_that_are_records_with_every_word_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_ENVELOPE)
    kinds = ["insert", "update", "delete", "ddl", "watermark"]
    rows = [[True, False], [True, True], [False, True], [False, False], [False, False]]
    without = [rows[0], [True, False], *rows[2:]]
    for way, read, source, place in (("left", rows, None, "where"), ("right", without, None, None)):
        one = found[way]
        assert (one["kinds"], one["rows"]) == (kinds, read), way
        assert one["facts"] == [[source, place]] * 3 + [[None, None]] * 2
        assert one["named"] == [["s 1", "t 1"]] * 4
        assert one["times"] == [10, 11, 12, 13, 14]
    assert (found["bare"]["kinds"], found["bare"]["rows"]) == (kinds[:2], rows[:2]), "rows that are gone are not sent"
    assert found["bare"]["facts"] == [["described", None]] * 2, "the schema says no types, and the description does"
    for way in ("left", "right", "bare"):
        one = found[way]
        assert (one["again"], one["batch"], one["accepted"], one["trouble"]) == (True, True, 0, []), way
        assert one["subjects"][:2] == ["of.t.s_1.t_1.keys", "of.t.s_1.t_1"]
    left, bare = found["left"], found["bare"]
    assert left["subjects"][2:] == [f"me___co.{one}" for one in ("statement.Tag", "statement", "mark.Tag", "mark")]
    # what happened, who, a constant, nothing, where, whose and when
    head = b"\x0aadded" + b"\x0eme & co" + b'\x10a "note"' + b"\0" + b"\6s 1" + b"\6t 1" + b"\x14"
    assert bytes.fromhex(left["values"][0]).startswith(b"\0\0\0\0\2" + head + b"\2")
    # a record that can be null, with -3, a place and who; the edition
    assert bytes.fromhex(left["values"][0]).endswith(b"\0" + b"\2" + b"\5" + b"\x0awhere" + b"\x0eme & co" + b"\x0e")
    assert bytes.fromhex(bare["values"][0]).endswith(b"\0" + b"\2" + b"\5")
    assert left["keys"][2] == "0000000001" + "0202"
    key, value = left["texts"][:2]
    assert (key["name"], value["name"], value["namespace"]) == ("Tag_t_1", "t_1Note", "me___co.s_1")
    assert value["connect.version"] == 3
    assert [one["name"] for one in value["fields"]] == ["did", "origin", "is", "was", "extra", "edition"]
    assert [one["name"] for one in bare["texts"][1]["fields"]] == ["did", "origin", "is", "was", "extra"]
    fields = {one["name"]: one for one in value["fields"]}
    assert fields["was"]["type"] == ["null", "me___co.s_1.t_1"], "a record is defined once"
    assert fields["origin"]["type"]["fields"][2]["type"] == ["null", "long"]
    columns = {one["name"]: one for one in fields["is"]["type"][1]["fields"]}
    types = {name: one["type"][1] for name, one in columns.items()}
    assert columns["id"]["native"] == "bigint unsigned"
    assert types["small"] == {"type": "int", "connect.type": "int8"}
    assert types["flag"] == "boolean"
    assert types["flags"] == {"type": "bytes", "connect.name": "words.Flags", "more": {"width": "12"}}
    assert types["e"]["more"] == {"labels": "a,b\\,c"}
    assert types["then"]["connect.name"] == "words.Micros"


ALONE = """
import importlib, json, sys, tidewire
tidewire.__path__.insert(0, sys.argv[1])
from tidewire.events import Column, RowChange
from tidewire.messages.registry import MemorySchemas
codec = importlib.import_module("tidewire.smallest")
columns = [Column("a", 8, 0), Column("b", 8, 192)]
rows = [
    RowChange("insert", None, "s", "t", new={"a": 1, "b": 2**64 - 1}, columns=columns),
    RowChange("delete", None, "s", "t", old={"a": 1, "b": None}, columns=columns),
]
schemas = MemorySchemas()
messages = codec.encode(rows, schemas=schemas)
read = [event for one in messages for event in codec.decode(one.value, one.key, schemas=schemas)]
print(json.dumps([
    [(one.key.hex(), one.value.hex()) for one in messages],
    [(one.kind, one.new and one.new["b"], one.old and one.old["a"]) for one in read],
    len(list(codec.decode(None, messages[0].key, schemas=schemas))),
]))
"""


def test_records_alone_are_a_protocol(tmp_path: Path) -> None:
    """No value but records, and all columns in keys."""
    spec, out, script = tmp_path / "spec", tmp_path / "printed", tmp_path / "alone.py"
    spec.mkdir()
    script.write_text(ALONE, encoding="utf-8")
    shutil.copy(Path(__file__).parent / "smallest_registered.yaml", spec / "smallest.yaml")
    assert main(["--spec", str(spec), "--shared", str(SPEC), "--out", str(out)]) == 0
    messages, read, tombstone = run(out, script=script)
    assert messages == [
        ["0000000001" + "020201", "0000000002" + "020201" + "0263"],
        ["0000000001" + "0200", "0000000002" + "0200" + "0264"],
    ]
    assert read == [["insert", 2**64 - 1, None], ["delete", None, 1]]
    assert tombstone == 0


@pytest.fixture(scope="module")
def compiled_words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package with the codecs that use every word, compiled: what is the same here is not compiled again."""
    home = tmp_path_factory.mktemp("compiled")
    copy_package(home)
    for path in WORDS.glob("*.yaml"):
        shutil.copy(path, home / "spec")
    assert main(["--spec", str(home / "spec"), "--out", str(home / "generated/tidewire")]) == 0
    return compile_package(home)


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        (RUN, ("round-trip", "every_word", "-9", "ddl")),
        (RUN, ("round-trip", "other_word", "", "")),
        (RUN_JSON, ()),
        (RUN_FRAMES, ()),
        (RUN_DESCRIBED, ()),
        (RUN_CONNECT, ()),
        (RUN_REGISTERED, ()),
        (RUN_ENVELOPE, ()),
        (RUN_UNTYPED, ()),
    ],
    ids=[
        *("every_word", "other_word", "every-json-word", "every-frames-word", "every-described-word"),
        *("every-connect-word", "every-registered-word", "every-envelope-word", "every-untyped-word"),
    ],
)
def test_what_is_compiled_does_what_is_interpreted(
    every_word: Path, compiled_words: Path, tmp_path: Path, script: Path, arguments: tuple[str, ...]
) -> None:
    found = run(tmp_path, *arguments, script=script, compiled=compiled_words)
    expected = run(every_word, *arguments, script=script)
    assert (found.pop("compiled"), expected.pop("compiled")) == (True, False)
    assert found == expected


def test_the_protocol_of_frames_with_every_word_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_FRAMES)
    right = {"equal": True, "again": True, "batch": True, "accepted": 0, "trouble": []}
    for way, messages in (("plain", [1, 3, 1, 1]), ("second", [1, 3, 1, 1]), ("squeezed", [1, 3, 1, 1])):
        assert found[way] == {"messages": messages, **right}, way
    assert found["alone"] == {"messages": [1] * 6, **right}
    key, value = found["shown"]
    assert key == (
        r'{"\u003csort\u003e":40,"commit":30,"sentMillis":1767323045678,"database":"s","Table":"u","key":"aw==",'
        r'"place":"where","version":4,"name":"a\"b\u003c/\u003e"}'
    )
    assert value.startswith(r'{"was":{"id":{"bits":11,"code":3,"key":true,"%":-3},"b":{"bits":65,"code":15,"%":"/wA="}')
    key, value = found["shown second"]
    assert key.startswith(r'{"version":4,"name":"a\"b</>","<sort>":40,"commit":30')
    changed = r'{"was":{"a":{"bits":64,"code":15,"%":null},"id":{"bits":11,"code":3,"key":true,"%":-3}},"is ":{"a":'
    assert value.startswith(changed), "columns by their names, of the old row those that changed"
    assert found["spoiled"] == [
        ["magic", "const", "key", "magic"],
        ["sort", "enum", "key", "0/<sort>"],
        ["unknown", "unnamed", "key", "0"],
        ["kind", "missing", "value", "0/was"],
        ["type", "kind", "value", "0/is /id/code"],
        ["no type", "missing", "value", "0/is /id/code"],
        ["number", "syntax", "value", "0/is /id/%"],
        ["range", "outside", "value", "0/is /n/%"],
        ["base64", "value", "value", "0/is /b/%"],
        ["quotes", "value", "value", "0/is /z/%"],
        ["length", "truncated", "value", "0"],
    ]


def test_the_protocol_without_types_with_every_word_round_trips(every_word: Path) -> None:
    found = run(every_word, script=RUN_UNTYPED)
    for producer in ("old", "new"):
        one = found[producer]
        assert (one["again"], one["trouble"]) == (True, []), producer
        assert one["times"] == [[5, -1000], [5, 2000], [5, 2000], [-7, None], [1, None], [1, None]]
        assert [json.loads(value)["op"] for value in one["values"]] == ["put", "set", "cut", "mark", "make", "drop"]
        row, statement = '{"id":1}', '{"at":0,"is_statement":true,"whose":"t"}'
        assert one["keys"] == [row, row, row, None, statement, statement]
        assert one["shown"] == [
            ["id", "value", 1, ""],
            ["at", "integer", 0, "1970-01-01 00:00:00.000 UTC. When it was."],
            ["is_statement", "bool", True, ""],
            ["whose", "text", "t", ""],
        ]
        assert '"was":{"id":1},"sums":{"now":1,"then":2}' in one["values"][2]
        assert '"sent":1000,"base":"s","whose":"t","was":{"columns":[]},' in one["values"][4]
        assert '"was":{"base":"s","name":"t","nothing":null,"columns":[{"name":"id","type":"int"}]}' in one["values"][5]
    # 0 and -0 differ as the new producer compares them
    assert ['"was":{}' in found["old"]["values"][1], '"was":{"f":0}' in found["new"]["values"][1]] == [True, True]
    assert found["read"] == [9, "0102", True, 1, 1000]
    assert found["refused"] == "sent_ms is -9223372036854775 to 9223372036854775"


def test_every_spec_of_words_is_run() -> None:
    """A third one would be printed, and nobody would see what it does."""
    run_here = {"every_word", "other_word", "every-frames-word", "every-json-word", "every-described-word"}
    run_here |= {"every-connect-word", "every-registered-word", "every-envelope-word", "every-untyped-word"}
    assert {path.stem for path in WORDS.glob("*.yaml")} == run_here


SMALL = """
import json, sys, tidewire
tidewire.__path__.insert(0, sys.argv[1])
from tidewire import small
from tidewire.events import Column, RowChange, Watermark
columns = [Column("id", 3, 0, "int")]
events = [
    RowChange("insert", 1, "d", "t", new={"id": 7}, columns=columns),
    Watermark(2),
    RowChange("update", 3, "d", "t", {"id": 8}, {"id": 7}, columns=columns),
    RowChange("delete", 4, "d", "t", old={"id": None}, columns=columns),
]
values = [message.value for message in small.encode(events)]
again = list(small.decode_batch(values)) == events
print(json.dumps([again, *(value.decode() for value in values)]))
"""


def test_the_example_of_the_reference_writes_what_the_page_says(tmp_path: Path) -> None:
    """A value that is one object, with nothing gathered; each message is read back."""
    page = (SPEC / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```yaml\n(protocol: small\n.*?)```", page, flags=re.DOTALL)
    said = re.search(r"Its insert is `(.*?)`, its watermark `(.*?)`", page)
    assert said is not None
    spec, out, script = tmp_path / "spec", tmp_path / "printed", tmp_path / "small.py"
    spec.mkdir()
    (spec / "small.yaml").write_text(example, encoding="utf-8")
    script.write_text(SMALL, encoding="utf-8")
    assert main(["--spec", str(spec), "--shared", str(SPEC), "--out", str(out)]) == 0
    again, insert, watermark, update, delete = run(out, script=script)
    assert again
    assert [insert, watermark] == list(said.groups())
    assert '"new":[{"id":"8"}],"old":[{"id":"7"}]' in update
    assert delete.endswith('"old":[{"id":null}]}')

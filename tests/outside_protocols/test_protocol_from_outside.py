"""A protocol that nobody planned for is a YAML file: Maxwell, as classic TiCDC once wrote it.

It is added to a copy of the package, which is printed, compiled, and run both ways with events of recorded streams.
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import recorded
from whole_copy import compile_package, copy_package, print_package, run_python

pytestmark = pytest.mark.whole

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the package and the protocol, printed and compiled."""
    home = tmp_path_factory.mktemp("protocols")
    copy_package(home)
    shutil.copy(HERE / "spec" / "maxwell.yaml", home / "spec")
    print_package(home)
    compile_package(home)
    return home


def streams() -> Iterator[str]:
    """Recorded streams of Simple with all scenarios, written by classic TiCDC without options."""
    for path in recorded.streams("simple"):
        if path.name == "simple.json.jsonl" and path.parts[-3] == "tiflow":
            yield str(path)


def run(package: Path, pure: str, *arguments: str) -> Any:
    """What a script, or a command of ours, says there: JSON, or lines of it."""
    said = run_python(package, *arguments, path=package / "build" / "joined", given={"TIDEWIRE_PURE": pure})
    found = [json.loads(line) for line in said.splitlines()]
    return found[0] if len(found) == 1 else found


def test_a_protocol_from_outside_is_printed_compiled_and_run(package: Path) -> None:
    script = (str(HERE / "run_maxwell.py"), *streams())
    found = run(package, "", *script)
    interpreted = run(package, "1", *script)
    assert (found.pop("compiled"), interpreted.pop("compiled")) == (True, False)
    assert found == interpreted
    # every event is read as it was, written again with the same bytes, and dissected
    read = {"RowChange": 633, "Ddl": 207, "again": 840, "keys": 840}
    assert found["carried"]["counts"] == {**read, "trouble": 0, "batch": 0}
    assert {reason.partition(":")[0]: number for reason, number in found["carried"]["refused"].items()} == {
        "Watermark": 34,
        "Bootstrap": 19,
        "Ddl": 26,
    }
    assert found["cut"] == 0
    insert, update, delete, create, alter, drop = found["messages"]
    names = '"database":"s","table":"t"'
    assert insert == f'{{{names},"type":"insert","ts":1600000001,"data":{{"id":1,"n":"ä\\u003c"}}}}'
    assert update.endswith('"data":{"id":1,"n":null},"old":{"n":"ä\\u003c"}}')
    assert delete == f'{{{names},"type":"delete","ts":-1,"old":{{"id":1,"n":null}}}}'
    none = '{"database":"","table":"","columns":null,"primary-key":null}'
    table = f'{{{names},"columns":[{{"type":"int","name":"id"}}],"primary-key":null}}'
    said = '"ts":104857600,"sql":"create table t (id int)"'
    assert create == f'{{"type":"table-create",{names},"old":{none},"def":{table},{said}}}'
    assert alter.startswith(f'{{"type":"table-alter",{names},"old":{table},"def":{table},')
    assert drop.startswith(f'{{"type":"database-drop","database":"s","table":"","old":{none},"def":{none},')
    for refused in found["refusals"][:2]:
        assert refused.startswith("no text of `type` stands for statements of its type: there are table-create, ")
    assert found["refusals"][2:] == ["Maxwell cannot carry a watermark event", "Maxwell cannot carry a bootstrap event"]
    assert found["spoiled"] == [
        ["outside", "ts"],
        ["kind", "ts"],
        ["kind", "ts"],
        ["outside", "ts"],  # below 0, and a TSO
        ["missing", "old/database"],  # a row where a description belongs, in front of and behind the type
        ["missing", "old/database"],
        ["rows", "sql"],
        ["rows", "data"],
        ["rows", "data"],
        ["unnamed", "type"],
    ]
    assert found["documented"] == [
        ["delete", 7000, {"id": "1", "n": None}],
        [1477053308000, -1, True, "utf8mb4", [[], ["a", "b"], []]],
        ["insert", {"id": "1"}],
    ]
    assert found["typed"][:2] == ["int32", "string"]
    assert found["shown"] == [
        ["old", "object", "The table before the statement."],
        ["old/database", "text", "The database."],
        ["old/table", "text", "Its name."],
    ]
    row, statement = '{"database":"s","table":"t","pk":{"id":1}}', '{"database":"s","table":"t"}'
    keyed = found["keyed"]
    assert keyed["keys"] == [row, row, row, statement, statement, '{"database":"s","table":""}']
    assert (keyed["batch"], keyed["typed"]) == (True, "int")
    assert keyed["without"] == '{"database":"s","table":"t","pk":{}}'
    assert keyed["shown"] == [
        ["key", "database", "text", "s", "The database."],
        ["key", "table", "text", "t", "The table."],
        ["key", "pk", "row", None, "The columns that identify the row."],
        ["key", "pk/id", "value", 1, ""],
    ]
    # what is no such key is shown as it stands, and costs no event
    assert keyed["strange"] == [
        [1, "database", "text", "The database."],
        [16, "pk.id", "json", "Not described."],
        [26, "", "json", "Not described."],
    ]
    assert (keyed["lost"], keyed["broken"]) == ([], [["value", "trouble"]])


def test_the_command_line_writes_its_keys_and_shows_them(package: Path, tmp_path: Path) -> None:
    events, sent = tmp_path / "events.jsonl", tmp_path / "sent.jsonl"
    ddl = {"op": "ddl", "table": "s.t", "commit_ts": 400 << 18, "ddl_type": 4, "query": "drop table t"}
    events.write_text(json.dumps(ddl) + "\n", encoding="utf-8")
    (message,) = [run(package, "", "-m", "tidewire.cli", "encode", "maxwell", str(events))]
    key = b'{"database":"s","table":"t"}'
    assert base64.b64decode(message["key"]) == key
    sent.write_text(json.dumps(message) + "\n", encoding="utf-8")
    assert run(package, "", "-m", "tidewire.cli", "decode", "maxwell", str(sent))["query"] == "drop table t"
    spans = run(package, "", "-m", "tidewire.cli", "dissect", "maxwell", str(sent), "--json")
    assert [one["path"] for one in spans if one["part"] == "key"] == ["database", "table"]


def test_spark_writes_its_keys_and_reads_it_without(package: Path) -> None:
    found = run(package, "", str(HERE / "run_maxwell_spark.py"))
    assert found["with"] == found["without"] == [["insert", 1, "ä"], ["delete", 2, None]]
    keys = ['{"database":"s","table":"t","pk":{"id":1}}', '{"database":"s","table":"t","pk":{"id":2}}']
    assert found["written"] == [*keys, '{"database":"s","table":"t"}']
    assert found["same"]


def test_its_page_says_what_its_keys_are(package: Path) -> None:
    page = (package / "docs" / "maxwell.md").read_text(encoding="utf-8")
    of_row, of_statement = "[`key_of_row`](#key_of_row)", "[`key_of_statement`](#key_of_statement)"
    assert f"its key is of `row` events {of_row} and of `ddl` events {of_statement}." in page
    assert "### `key_columns`" in page

"""A protocol that nobody planned for is a YAML file: Maxwell, as classic TiCDC once wrote it.

It is added to a copy of the package, which is printed, compiled, and run both ways with events of recorded streams.
"""

from __future__ import annotations

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


def run(package: Path, pure: str) -> Any:
    """What run_maxwell.py says."""
    given = {"TIDEWIRE_PURE": pure}
    return json.loads(
        run_python(package, str(HERE / "run_maxwell.py"), *streams(), path=package / "build" / "joined", given=given)
    )


def test_a_protocol_from_outside_is_printed_compiled_and_run(package: Path) -> None:
    found = run(package, "")
    interpreted = run(package, "1")
    assert (found.pop("compiled"), interpreted.pop("compiled")) == (True, False)
    assert found == interpreted
    # every event is read as it was, written again with the same bytes, and dissected
    assert found["carried"]["counts"] == {"RowChange": 633, "Ddl": 207, "again": 840, "trouble": 0, "batch": 0}
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

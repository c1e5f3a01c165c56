"""A container from outside is a folder: nothing else is touched.

`overlay/` is laid over a copy of the package: a plug-in for fields of text with a character between them, which brings
what its printed code calls, a protocol, and what is wrong in specs. The protocol is printed and compiled there and does
what every protocol does.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from whole_copy import ROOT, run_python

pytestmark = pytest.mark.whole

HERE = Path(__file__).resolve().parent
OVERLAY = HERE / "overlay"
RUN = HERE / "run_ledger.py"


def run(package: Path, pure: str) -> Any:
    """What run_ledger.py says."""
    return json.loads(run_python(package, str(RUN), path=package / "build" / "joined", given={"TIDEWIRE_PURE": pure}))


@pytest.fixture(scope="module")
def found(package: Path) -> Any:
    """The same of the compiled modules."""
    return run(package, "")


def test_nothing_is_laid_over_what_is_there() -> None:
    files = [path.relative_to(OVERLAY) for path in OVERLAY.rglob("*") if path.is_file()]
    assert files
    assert [path for path in files if (ROOT / path).exists()] == []


def test_rows_round_trip(found: Any) -> None:
    assert found["compiled"]
    assert found["messages"][1] == (
        "U\ts\tt\t2\t-id:3:11=03\t-n:8:196=ffffffffffffffffff01\t-t:15:64=74c3a4\t-b:15:65=ff00\t-f:5:1=000000000000f83f"
        "\t-d:246:1=31322e3334\t+id:3:11=05\t+n:8:196=ffffffffffffffffff01\t+t:15:64=74c3a4\t+b:15:65=ff00"
        "\t+f:5:1=000000000000f83f\t+d:246:1=\\N"
    )
    assert found["equal"]
    assert found["batch"]
    assert found["again"]


def test_interpreted_modules_do_the_same(package: Path, found: Any) -> None:
    assert run(package, "1") == {**found, "compiled": False}


def test_the_dissector_shows_every_field(found: Any) -> None:
    assert found["dissected"][:5] == [
        [0, 1, "op", "U"],
        [2, 3, "schema", "s"],
        [4, 5, "table", "t"],
        [6, 7, "ts", "2"],
        [8, 19, "columns/0", "-id:3:11=03"],
    ]
    assert len(found["dissected"]) == 4 + 12


def test_a_damaged_line_is_an_error_with_field_and_offset(found: Any) -> None:
    """And costs its neighbours nothing."""
    assert found["damaged"] == [
        ["X\ts\tt\t1\t+a:3:0=02", "unnamed", "op", 0],
        ["", "unnamed", "op", 0],
        ["I", "truncated", "schema", 1],
        ["I\ts\t\t1\t+a:3:0=02", "missing", "table", 4],
        ["I\ts\tt\tone\t+a:3:0=02", "syntax", "ts", 6],
        ["I\ts\tt\t18446744073709551616\t+a:3:0=02", "outside", "ts", 6],
        ["I\ts\tt\t1", "missing", "columns", 7],
        ["I\ts\tt\t1\t-a:3:0=02", "missing", "columns", 8],
        ["I\ts\tt\t1\t+a:3:0=02\t-a:3:0=02", "trailing", "columns", 18],
        ["I\ts\tt\t1\t+a:3=02", "syntax", "columns", 8],
        ["I\ts\tt\t1\t+a:99:0=02", "enum", "columns", 11],
        ["I\ts\tt\t1\t+a:3:0=2", "value", "columns", 15],
        ["I\ts\tt\t1\t+a:3:0=0g", "syntax", "columns", 16],
        ["I\ts\tt\t1\t+a:3:0=02\t+b:3:0=80", "value", "columns", 25],
        ["I\ts\tt\t1\t+a:15:64=ff", "utf8", "columns", 17],
    ]
    assert found["neighbours"]


def test_events_that_it_cannot_carry_are_refused(found: Any) -> None:
    assert found["refused"] == "ledger event 1: Ledger of rows cannot carry a watermark event"


def test_whatever_lists_protocols_knows_it(found: Any) -> None:
    assert found["detected"] == ["ledger", "sure"]
    assert found["transcoded"]
    assert "ledger" in found["protocols"]
    assert found["decoded"]["table"] == "s.t"
    assert "columns/0" in found["shown"]
    assert found["schema"] == "op string, schema string, table string, ts string, columns array<string>"


def test_its_page_lists_the_fields_of_a_message(package: Path) -> None:
    """Though the plug-in says nothing of pages."""
    page = (package / "docs" / "ledger.md").read_text(encoding="utf-8")
    for name, kind in (("op", "string"), ("ts", "string"), ("columns[]", "string")):
        assert f"| `{name}` | {kind} | " in page
    assert "(ledger.md)" in (package / "docs" / "README.md").read_text(encoding="utf-8")


def test_what_is_tested_of_every_plug_in_holds_for_it(package: Path) -> None:
    """Bad specs of each of its passes, words that are all used, nothing that asks which plug-in it is."""
    tests = package / "tests"
    for name in ("spec_bad", "spec_every_word"):
        shutil.copytree(ROOT / "tests" / name, tests / name, dirs_exist_ok=True)
    shutil.copytree(OVERLAY / "tests", tests, dirs_exist_ok=True)
    for spec in (OVERLAY / "spec").glob("*.yaml"):
        shutil.copy(spec, tests / "spec_every_word")
    for name in ("bad_specs.py", "words_of_schemas.py", "test_spec_problems.py", "test_architecture.py"):
        shutil.copy(ROOT / "tests" / name, tests)
    chosen = "separated or tagged or container or same_mistake or word_is_used or knows_no or asks or stay_within"
    run_python(
        package,
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests", "-k", chosen),
        path=package / "build" / "joined",
    )

"""A container of tagged fields, as protobuf has them, is one folder, and read before it has an encoder or a dissector.

Messages are written by hand (`parcels.py`) from the events of recordings.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import recorded
from whole_copy import ROOT, compile_package, print_package, run_python

pytestmark = pytest.mark.whole

HERE = Path(__file__).resolve().parent
OVERLAY = HERE / "overlay"
FOLDER = OVERLAY / "generator" / "tidewire" / "generator" / "tagged"


def run(package: Path, script: str, pure: str = "", *arguments: str) -> Any:
    """What a script says."""
    where = os.pathsep.join([str(package / "build" / "joined"), str(ROOT / "tests")])
    given = {"TIDEWIRE_PURE": pure, "PYTHONPATH": where}
    return json.loads(run_python(package, str(HERE / script), *arguments, given=given))


def truths() -> list[str]:
    """The files of recorded events."""
    found = {path.with_name("events.jsonl") for path in recorded.streams("craft") if path.parts[-3] == "tiflow"}
    return sorted(map(str, found))


@pytest.fixture(scope="module")
def found(package: Path) -> Any:
    """What the compiled modules do."""
    return run(package, "run_parcel.py", "", *truths())


@pytest.fixture(scope="module")
def forgetful(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, but the decoder leaves null what has to be -1."""
    home = tmp_path_factory.mktemp("forgetful") / "package"
    shutil.copytree(package, home, symlinks=True, ignore=shutil.ignore_patterns("joined", "__pycache__"))
    template = home / FOLDER.relative_to(OVERLAY) / "templates" / "decoder.py.j2"
    text = template.read_text(encoding="utf-8")
    template.write_text(text.replace("put_int({{ image.layout }}, row, -1)", "put_null({{ image.layout }}, row)"))
    print_package(home)
    compile_package(home)
    return home


def test_it_is_one_folder() -> None:
    """Nothing else in the overlay is code, and the main house does not know it."""
    code = {path.relative_to(OVERLAY) for path in OVERLAY.rglob("*") if path.suffix in (".py", ".pxd", ".j2")}
    assert {path.parent.parts[:4] for path in code} == {
        ("generator", "tidewire", "generator", name) for name in ("tagged", "separated")
    }
    files = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file())
    assert [one for one in files if "__pycache__" not in one] == [
        *("__init__.py", "model.py", "passes/__init__.py", "passes/context.py", "passes/links.py"),
        *("passes/structure.py", "plugin.py", "printing.py", "runtime/__init__.py", "runtime/reader.pxd"),
        *("runtime/reader.py", "templates/decoder.pxd.j2", "templates/decoder.py.j2", "words/tagged.schema.json"),
    ]
    named = re.compile(r"\b(tagged|TaggedReader|parcel)\b")
    house = [path for folder in ("generator", "runtime", "messages", "reading", "spark", "cli", "spec") for path in
             (ROOT / folder).rglob("*") if path.suffix in (".py", ".pxd", ".j2", ".yaml", ".json")]
    assert len(house) > 500
    assert [path for path in house if named.search(path.read_text(encoding="utf-8"))] == []


def test_every_recorded_event_is_read(found: Any) -> None:
    assert found["compiled"]
    assert found["events"] == {"ddl": 233, "insert": 347, "update": 127, "delete": 159, "watermark": 34}
    assert found["wrong"] == 0
    assert found["single"]
    assert found["transcoded"] == sum(found["events"].values())
    assert all(found["typed"])


def test_interpreted_modules_read_the_same(package: Path, found: Any) -> None:
    assert run(package, "run_parcel.py", "1", *truths()) == {**found, "compiled": False}


def test_damage_is_an_error_with_field_and_offset_and_costs_no_neighbour(found: Any) -> None:
    assert found["damaged"] == {
        "nothing": ["missing", "what", 0],
        "cut in a tag": ["truncated", "what", 1],
        "cut in a number": ["range", "after", 18],
        "cut in a column": ["range", "after", 18],
        "another wire": ["kind", "what", 0],
        "no such wire": ["kind", "what", 0],
        "no such field": ["enum", "event", 30],
        "no such field of a column": ["enum", "after", 30],
        "twice": ["duplicate", "schema", 30],
        "no such kind": ["missing", "committed", 2],
        "no table": ["missing", "table", 27],
        "no columns": ["missing", "after", 17],
        "no time": ["missing", "committed", 2],
        "an image too many": ["syntax", "before", 33],
        "rows of a statement": ["syntax", "after", 27],
        "no name": ["missing", "after/name", 21],
        "no type": ["missing", "after/type", 23],
        "a type too big": ["range", "after/type", 24],
        "an unknown type": ["enum", "after", 28],
        "one name twice": ["duplicate", "after", 43],
        "no digits": ["value", "after/value", 29],
        "too many digits": ["value", "after/value", 29],
        "no text": ["utf8", "after/value", 26],
        "a statement type too big": ["range", "action", 12],
    }
    assert found["neighbours"] == 2


def test_it_has_an_option_and_a_chapter_of_its_own(package: Path, found: Any) -> None:
    assert found["skipped"] == [1, 1]
    page = (package / "docs" / "parcel.md").read_text(encoding="utf-8")
    assert "skip-unlisted" in page
    schema = json.loads((package / "spec" / "spec.schema.json").read_text(encoding="utf-8"))
    assert schema["$defs"]["protocol"]["properties"]["unlisted"]["$ref"] == "#/$defs/protocol/$defs/dashed"


def test_what_it_lacks_is_said(package: Path, found: Any) -> None:
    only_read = "parcel: messages of this protocol are only read: it has no encoder"
    assert {found[name] for name in ("encode", "encoder", "transcode")} == {f"UnsupportedError: {only_read}"}
    unseen = "parcel: no message of this protocol is shown field by field: it has no dissector"
    assert found["dissect"] == f"UnsupportedError: {unseen}"
    assert found["shown"] == [2, f"tidewire: {unseen}\n"]
    assert found["written"] == [2, f"tidewire: {only_read}\n"]
    assert "✓ ready, read only" in found["protocols"][1]
    page = (package / "docs" / "parcel.md").read_text(encoding="utf-8")
    assert "Its messages are only read: there is no encoder.\n\nIts messages are not shown field by field" in page
    assert not (package / "generated" / "tidewire" / "parcel" / "encoder.py").exists()


def test_commands_work_as_for_every_protocol(found: Any) -> None:
    assert found["detected"] == [
        *("parcel", "sure"),
        "producer and options stay unknown: the protocol has no encoder to compare messages with",
    ]
    status, line = found["decode"]
    assert status == 0
    assert json.loads(line)["op"] == "ddl"
    assert found["lines"] == sum(found["events"].values())
    status, report = found["conform"]
    assert status == 0
    assert "parcel has no encoder: its messages are only decoded" in report
    assert f"✓ {found['lines']} messages of {len(truths())} streams agree" in report
    assert "after     array<binary>" in found["schema"][1]


def test_spark_reads_it(package: Path) -> None:
    found = run(package, "run_parcel_spark.py")
    assert [one[0] for one in found["events"]] == ["ddl", "insert", "update", "delete"]
    assert found["rows"] == [
        ["insert", 1, "ä"],
        ["update_preimage", 1, None],
        ["update_postimage", 1, "ä"],
        ["delete", 1, None],
    ]


@pytest.mark.parametrize("pure", ["", "1"])
def test_a_decoder_that_leaves_a_layout_null_is_refused_wherever_events_are_read(forgetful: Path, pure: str) -> None:
    """Spark would take null for a layout: a statement became an update, and `conform` said that all was well."""
    found = run(forgetful, "run_forgetful.py", pure)
    error = (
        "parcel new_layout: event 0 of the batch has null there: its decoder has to put a number, -1 where an event "
        "has no such row image (offset 0)"
    )
    assert found == {"compiled": not pure, "batch": error, "single": error, "conform": found["conform"]}
    assert error.removeprefix("parcel ") in " ".join(found["conform"].split())

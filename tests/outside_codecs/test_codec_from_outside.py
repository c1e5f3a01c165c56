"""A codec of values is a class in the runtime and a line in primitives.yaml: nothing else has to know of it.

Three that nobody planned for are added to a copy of the package, which is printed, compiled, and run both ways.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from whole_copy import compile_package, copy_package, print_package, run_python

pytestmark = pytest.mark.whole

HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the package, the codecs, and two protocols that use them, printed and compiled."""
    home = tmp_path_factory.mktemp("codecs")
    copy_package(home)
    shutil.copytree(HERE / "overlay", home, dirs_exist_ok=True)
    primitives = home / "spec" / "primitives.yaml"
    lines = (HERE / "codecs.yaml").read_text(encoding="utf-8")
    primitives.write_text(primitives.read_text(encoding="utf-8") + lines, encoding="utf-8")
    print_package(home)
    compile_package(home)
    return home


def run(package: Path, pure: str) -> Any:
    """What run_outside.py says."""
    script = str(HERE / "run_outside.py")
    return json.loads(run_python(package, script, path=package / "build" / "joined", given={"TIDEWIRE_PURE": pure}))


def test_codecs_from_outside_are_printed_compiled_and_run(package: Path) -> None:
    found = run(package, "")
    interpreted = run(package, "1")
    assert (found.pop("compiled"), interpreted.pop("compiled")) == (True, False)
    assert found == interpreted
    same = {"equal": True, "again": True, "batch": True}
    assert found["binary"] == {**same, "shown": ["Days", "0001-01-01"]}
    assert found["json"] == {**same, "shown": ["value", 0]}
    assert '"data":[{"id":"1","born":0,"face":"89504e4700","died":null,"name":"tä"}]' in found["text"]
    assert found["refused_json"] == [
        # field, offset in the message, size of the value, what lies there
        ["data/0/face", 165, 1, b'8","died'.hex()],
        ["data/0/face", 165, 2, b'8g","die'.hex()],
        ["data/0/face", 165, 3, '8ä","di'.encode().hex()],
        ["events", 1],
        ["data/0/face", 164, 2, b'12,"died'.hex()],
        ["data/0/born", 149, 7, b"-719163,".hex()],
        ["data/0/born", 149, 20, b"99999999".hex()],
        ["data/0/born", 149, 3, b'1e3,"fac'.hex()],
        ["data/0/born", 150, 1, b'1","face'.hex()],
    ]
    assert found["refused_binary"] == [
        ["events", 1],
        ["bodies/0/groups/0/columns/value", 60, 1, "8089504e470074c3"],
    ]
    assert found["unwritten"] == 2 * [
        [2, "born", "year 0 is out of range"],
        [2, "born", "Invalid isoformat string: 'x'"],
    ]

"""Compiled and interpreted JSON protocols give the same values, errors, error numbers and bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import pytest

import tidewire.runtime

TESTS = Path(__file__).parents[1]


def lines(module: str, path: Path, pure: bool) -> tuple[str, list[str]]:
    """The mode a process says that it ran in, and its outcomes."""
    environment = {name: value for name, value in os.environ.items() if name != "TIDEWIRE_PURE"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, [environment.get("PYTHONPATH")])])
    if pure:
        environment["TIDEWIRE_PURE"] = "1"
    command = [sys.executable, "-m", module, str(path)]
    done = subprocess.run(command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    mode, *found = path.read_text("utf-8", "surrogateescape").split("\n")
    return mode, found


@pytest.mark.parametrize(
    ("module", "own"), [("canal_json.modes", ("unnamed",)), ("open_protocol.modes", ("enum", "const", "trailing"))]
)
def test_compiled_and_interpreted_are_equal(module: str, own: tuple[str, ...], tmp_path: Path) -> None:
    """Some thousand messages; errors of every usual kind among them."""
    mode, expected = lines(module, tmp_path / "pure", pure=True)
    assert mode == "pure: TIDEWIRE_PURE=1 is set"
    other_mode, found = lines(module, tmp_path / "as built", pure=False)
    assert other_mode == tidewire.runtime.compiled_reason or not tidewire.runtime.compiled
    for number, (a, b) in enumerate(zip_longest(expected, found)):
        assert a == b, f"line {number}"
    text = "\n".join(expected)
    for code in ("truncated", "syntax", "kind", "value", "outside", "utf8", "missing", "duplicate", *own):
        assert f"'code': '{code}'" in text

"""Compiled and interpreted give the same: values, absent and null, errors with their numbers, and bytes.

One process of each mode works through the same messages. Where nothing is compiled both are interpreted, and only
that decoding does not depend on chance is shown; the session's first line says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path

import tidewire.runtime

TESTS = Path(__file__).parents[1]


def lines(path: Path, pure: bool) -> tuple[str, list[str]]:
    """The mode a process says that it ran in, and its outcomes."""
    environment = {name: value for name, value in os.environ.items() if name != "TIDEWIRE_PURE"}
    environment["PYTHONPATH"] = os.pathsep.join([str(TESTS), *filter(None, [environment.get("PYTHONPATH")])])
    if pure:
        environment["TIDEWIRE_PURE"] = "1"
    command = [sys.executable, "-m", "craft.outcomes", str(path)]
    done = subprocess.run(command, cwd=TESTS.parent, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    mode, *found = path.read_text("utf-8").split("\n")
    return mode, found


def test_compiled_and_interpreted_are_equal(tmp_path: Path) -> None:
    """Some thousand messages, good and spoiled; hundreds of errors of every usual kind among them."""
    mode, expected = lines(tmp_path / "pure", pure=True)
    assert mode == "pure: TIDEWIRE_PURE=1 is set"
    other_mode, found = lines(tmp_path / "as built", pure=False)
    if tidewire.runtime.compiled:
        assert other_mode == "compiled"
    for number, (a, b) in enumerate(zip_longest(expected, found)):
        assert a == b, f"line {number}"
    text = "\n".join(expected)
    assert text.count("'code': '") > 1000
    for code in (
        "truncated",
        "range",
        "const",
        "trailing",
        "utf8",
        "overflow",
        "term",
        "duplicate",
        "enum",
        "missing",
        "value",
    ):
        assert f"'code': '{code}'" in text
    assert text.count("'reason': ") > 5

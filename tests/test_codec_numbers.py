"""The numbers of the codecs stand twice, for Python and for C; both say the same."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tidewire.runtime import codecs
from tidewire.runtime.json import codecs as json_codecs

RUNTIME = Path(__file__).resolve().parent.parent / "runtime"


@pytest.mark.parametrize(("folder", "module"), [(RUNTIME, codecs), (RUNTIME / "json", json_codecs)])
def test_numbers_for_c_are_those_for_python(folder: Path, module: ModuleType) -> None:
    text = (folder / "codec_numbers.pxd").read_text()
    declared = {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", text, re.MULTILINE)}
    assert declared == {name: value for name, value in vars(module).items() if name in declared}
    assert declared.keys() >= {"NOTHING", "TEXT"}

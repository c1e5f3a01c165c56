"""Numbers that stand twice, for Python and for C, are the same."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tidewire.runtime import storage
from tidewire.runtime.json import codecs

RUNTIME = Path(__file__).resolve().parent.parent / "runtime"


@pytest.mark.parametrize(
    ("file", "module", "first"),
    [("storage_numbers.pxd", storage, "NOTHING"), ("json/codec_numbers.pxd", codecs, "INT_TEXT")],
)
def test_numbers_for_c_are_those_for_python(file: str, module: ModuleType, first: str) -> None:
    text = (RUNTIME / file).read_text()
    for_c = {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", text, re.MULTILINE)}
    names = re.findall(r"^(\w+): Final = \d+$", Path(str(module.__file__)).read_text(), re.MULTILINE)
    assert first in names
    assert for_c == {name: getattr(module, name) for name in names}

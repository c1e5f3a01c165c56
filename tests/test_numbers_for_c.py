"""Numbers that stand twice, for Python and for C, are the same."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType

import pytest

from tidewire.runtime import storage
from tidewire.runtime.json import characters, codecs

RUNTIME = Path(__file__).resolve().parent.parent / "runtime"


@pytest.mark.parametrize(
    ("file", "module", "first"),
    [
        ("storage_numbers.pxd", storage, "NOTHING"),
        ("json/codec_numbers.pxd", codecs, "INT_TEXT"),
        ("json/character_numbers.pxd", characters, "QUOTE"),
    ],
)
def test_numbers_for_c_are_those_for_python(file: str, module: ModuleType, first: str) -> None:
    text = (RUNTIME / file).read_text()
    for_c = {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", text, re.MULTILINE)}
    names = re.findall(r"^(\w+): Final = \d+$", Path(str(module.__file__)).read_text(), re.MULTILINE)
    assert first in names
    assert for_c == {name: getattr(module, name) for name in names}


@pytest.mark.parametrize("path", sorted(RUNTIME.rglob("*.pxd")), ids=lambda path: path.relative_to(RUNTIME).as_posix())
def test_numbers_with_a_type_for_c_are_declared(path: Path) -> None:
    """One not declared beside its module is an object of Python's, looked up by its name wherever it is used."""
    module = path.with_suffix(".py")
    if module.exists():
        typed = re.findall(r"^(\w+): cython\.\w+ =", module.read_text(), re.MULTILINE)
        declared = re.findall(r"\w+", " ".join(re.findall(r"^cdef (?!class)[^(\n]*$", path.read_text(), re.MULTILINE)))
        assert set(typed) <= set(declared)

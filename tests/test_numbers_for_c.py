"""Numbers that stand twice, for Python and for C, are the same."""

from __future__ import annotations

import ast
import importlib
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tidewire.events import EVENT_SCHEMA
from tidewire.runtime.arrow import storage
from tidewire.runtime.checksums import ways
from tidewire.runtime.json import characters, inlined
from tidewire.runtime.record import branches, fields
from tidewire.runtime.registered import steps

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "runtime"
DECLARED = sorted(path for folder in ("runtime", "reading", "spark") for path in (ROOT / folder).rglob("*.pxd"))
NAMES = sorted((ROOT / "generated").rglob("name_numbers.pxd"))


@pytest.mark.parametrize(
    ("file", "module", "first"),
    [
        ("json/inlined_numbers.pxd", inlined, "INT_TEXT"),
        ("arrow/storage_numbers.pxd", storage, "NOTHING"),
        ("json/character_numbers.pxd", characters, "QUOTE"),
        ("checksums/way_numbers.pxd", ways, "NUMBER"),
        ("record/branch_numbers.pxd", branches, "NULL_VALUE"),
        ("record/field_numbers.pxd", fields, "INT_FIELD"),
        ("registered/step_numbers.pxd", steps, "INNER"),
    ],
)
def test_numbers_for_c_are_those_for_python(file: str, module: ModuleType, first: str) -> None:
    text = (RUNTIME / file).read_text()
    for_c = {name: int(value) for name, value in re.findall(r"^    (\w+) = (\d+)$", text, re.MULTILINE)}
    names = re.findall(r"^(\w+): Final = \d+$", Path(str(module.__file__)).read_text(), re.MULTILINE)
    assert first in names
    assert for_c == {name: getattr(module, name) for name in names}


@pytest.mark.parametrize("path", DECLARED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_numbers_with_a_type_for_c_are_declared(path: Path) -> None:
    """One not declared beside its module is an object of Python's, looked up by its name wherever it is used."""
    module = path.with_suffix(".py")
    if module.exists():
        typed = re.findall(r"^(\w+): cython\.\w+ =", module.read_text(), re.MULTILINE)
        declared = re.findall(r"\w+", " ".join(re.findall(r"^cdef (?!class)[^(\n]*$", path.read_text(), re.MULTILINE)))
        assert set(typed) <= set(declared)


def numbers(module: Path) -> Iterator[tuple[str, str]]:
    """The names that a module gives to numbers, in their order, and the numbers."""
    values = runpy.run_path(str(module))
    for node in ast.parse(module.read_text()).body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for name in (one for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)):
            if isinstance(values[name.id], int):
                yield name.id, str(values[name.id])


@pytest.mark.parametrize("pxd", NAMES, ids=lambda path: str(path.parent.name))
def test_printed_names_for_c_are_those_for_python(pxd: Path) -> None:
    for_c = re.findall(r"^    (\w+) = (-?\d+)$", pxd.read_text(), re.MULTILINE)
    assert for_c == list(numbers(pxd.with_name("names.py")))
    assert len(dict(for_c)) == len(for_c) > 10


@pytest.mark.parametrize("pxd", NAMES, ids=lambda path: str(path.parent.name))
def test_compiled_modules_have_every_name_that_they_use_from_c(pxd: Path) -> None:
    """A name that the .py imports and the .pxd does not is looked up in a dict each time that it is used."""
    for module in pxd.parent.glob("*coder.py"):
        declared = module.with_suffix(".pxd").read_text()
        (imports,) = re.findall(r"^if not cython.compiled:.*\n((?:    .*\n)+)", module.read_text(), re.MULTILINE)
        names = set(re.findall(r"\b[A-Z][A-Z_0-9]*\b", imports))
        assert names
        assert names == {name for name in names if re.search(rf"\b{name}\b", declared.split("cdef", 1)[0])}


def test_columns_of_decoder_and_encoder_have_one_numbering() -> None:
    for pxd in NAMES:
        module = "tidewire" if pxd.parent.name == "generated" else f"tidewire.{pxd.parent.name}"
        names = vars(importlib.import_module(f"{module}.names"))
        if "EVENT_COLUMNS" in names:
            assert [names[column.upper()] for column in names["EVENT_COLUMNS"]] == list(
                range(len(names["EVENT_COLUMNS"]))
            )
            places = [EVENT_SCHEMA.names.index(column) for column in names["EVENT_COLUMNS"]]
            assert names["EVENT_POSITIONS"] == tuple(places[: len(names["EVENT_POSITIONS"])])
        else:
            assert [names[column.upper()] for column in EVENT_SCHEMA.names] == list(range(len(EVENT_SCHEMA)))

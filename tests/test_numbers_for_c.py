"""Numbers that stand twice, for Python and for C, are the same."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from tidewire.events import EVENT_SCHEMA

ROOT = Path(__file__).resolve().parent.parent
RUNTIME = ROOT / "runtime/tidewire/runtime"
FOLDERS = ("runtime", "messages", "reading", "spark")
DECLARED = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.pxd"))
NAMES = sorted((ROOT / "generated/tidewire").rglob("names.py"))


@pytest.mark.parametrize("path", DECLARED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_numbers_with_a_type_for_c_are_declared(path: Path) -> None:
    """One not declared beside its module is an object of Python's, looked up by its name wherever it is used."""
    module = path.with_suffix(".py")
    if module.exists():
        typed = re.findall(r"^(\w+): cython\.\w+ =", module.read_text(), re.MULTILINE)
        declared = re.findall(r"\w+", " ".join(re.findall(r"^cdef (?!class)[^(\n]*$", path.read_text(), re.MULTILINE)))
        assert set(typed) <= set(declared)


def test_columns_of_decoder_and_encoder_have_one_numbering() -> None:
    for path in NAMES:
        module = "tidewire" if path.parent.name == "tidewire" else f"tidewire.{path.parent.name}"
        names = vars(importlib.import_module(f"{module}.names"))
        if "EVENT_COLUMNS" in names:
            assert [names[column.upper()] for column in names["EVENT_COLUMNS"]] == list(
                range(len(names["EVENT_COLUMNS"]))
            )
            places = [EVENT_SCHEMA.names.index(column) for column in names["EVENT_COLUMNS"]]
            assert names["EVENT_POSITIONS"] == tuple(places[: len(names["EVENT_POSITIONS"])])
        else:
            assert [names[column.upper()] for column in EVENT_SCHEMA.names] == list(range(len(EVENT_SCHEMA)))

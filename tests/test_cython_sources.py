"""The copies that Cython gets: what another module has for C is cimported, and nothing else changes."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tidewire.runtime import switch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from cython_sources import CythonSources, numbers  # noqa: E402

FILES = {
    "text.py": "class Text: ...\ndef passed(text, at): ...\ndef shown(text): ...\n",
    "text.pxd": "cdef class Text:\n    cdef int at\ncdef Py_ssize_t passed(str text, Py_ssize_t at) except -1\n",
    "codes.py": "from typing import Final\nQUOTE: Final = 34\nBELOW: Final = -1\nNAMES: Final = {QUOTE: 'a quote'}\n",
    "names.py": "(\n    MESSAGE, KIND,\n) = range(2)\n",
    "plain_puts.py": "def put(columns, c): ...\n",
    "puts.pxd": "cdef inline int put(object columns, int c):\n    return 0\n",
    "cursor.pxd": "cdef enum:\n    OPEN = 1\ncdef class Reader:\n    cdef int at\n",
    "cursor.py": """from __future__ import annotations

from tidewire.runtime import cython, codes
from tidewire.runtime import codes as numbered
from tidewire.runtime.codes import (
    NAMES,
    QUOTE as quote,
)
from tidewire.runtime.names import MESSAGE
from tidewire.runtime.plain_puts import put
from tidewire.runtime.text import Text, passed, shown

OPEN = 1

class Reader:
    def read(self) -> cython.int:
        return numbered.QUOTE + len(codes.NAMES)
""",
}
COPY = """from __future__ import annotations

import cython; from tidewire.runtime import codes
from cython.cimports.tidewire.runtime import codes as numbered
from tidewire.runtime.codes import NAMES; from cython.cimports.tidewire.runtime.codes import QUOTE as quote



from cython.cimports.tidewire.runtime.names import MESSAGE
from cython.cimports.tidewire.runtime.puts import put
from tidewire.runtime.text import Text, shown; from cython.cimports.tidewire.runtime.text import passed



class Reader:
"""


@pytest.fixture
def toy(tmp_path: Path) -> Any:
    folders = {}
    for package in switch.PACKAGES:
        folder = tmp_path / package
        folder.mkdir()
        folders[package] = str(folder)
    for name, text in FILES.items():
        (tmp_path / "tidewire.runtime" / name).write_text(text)
    return CythonSources(switch, folders)


def test_what_others_have_for_c_is_cimported(toy: Any) -> None:
    copy = toy.copy("tidewire.runtime.cursor")
    assert copy.startswith(COPY)
    assert len(copy.splitlines()) == len(FILES["cursor.py"].splitlines())


def test_numbers_of_interpreted_modules_are_constants_of_c(toy: Any) -> None:
    assert toy.modules == ["tidewire.runtime.cursor", "tidewire.runtime.text"]
    assert toy.made == {
        "tidewire/runtime/codes.pxd": "cdef enum:\n    QUOTE = 34\n    BELOW = -1\n",
        "tidewire/runtime/names.pxd": "cdef enum:\n    MESSAGE = 0\n    KIND = 1\n",
    }


def test_a_module_depends_on_all_from_which_it_has_something_of_c(toy: Any) -> None:
    files = ("codes.py", "cursor.pxd", "cursor.py", "names.py", "puts.pxd", "text.pxd")
    assert toy.depends("tidewire.runtime.cursor") == [f"tidewire/runtime/{name}" for name in files]


def test_copies_are_written_once_and_those_of_gone_sources_removed(toy: Any, tmp_path: Path) -> None:
    folder = tmp_path / "copies"
    toy.write(folder)
    written = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.p*"))
    assert "tidewire/runtime/cursor.py" in written
    assert "tidewire/runtime/codes.py" not in written
    (folder / "tidewire/runtime/gone.py").write_text("")
    before = (folder / "tidewire/runtime/cursor.py").stat().st_mtime_ns
    toy.write(folder)
    assert sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.p*")) == written
    assert (folder / "tidewire/runtime/cursor.py").stat().st_mtime_ns == before


def test_every_number_that_printed_code_uses_is_one_of_c() -> None:
    """A name that is imported as an object is looked up in a dict each time that it is used."""
    found = CythonSources(switch, switch.folders())
    modules = [one for one in found.modules if one.endswith(("coder", "tidewire.events"))]
    assert len(modules) > 15
    imported = re.compile(r"(?:^|; )from tidewire\.(?:\w+\.)?names import (.+?)(?:; |$)", re.MULTILINE)
    for module in modules:
        for names in imported.findall(found.copy(module)):
            assert re.findall(r"\w+", names) == [one for one in re.findall(r"\w+", names) if one.startswith("EVENT_")]


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("A: Final = 1\nB: Final = x\nC = 3\n", {"A": 1}),
        ("(A, B) = range(2)\n(C,) = range(1)\n(D, E) = f()\n", {"A": 0, "B": 1, "C": 0}),
        ("    A: Final = 1\n", {}),
    ],
)
def test_numbers(text: str, known: dict[str, int]) -> None:
    assert numbers(text) == known

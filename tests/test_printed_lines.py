"""What printed code looks like, whatever its spec: names instead of numbers, and no line that is too long."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tidewire.generator.folding import WIDTH, folded

ROOT = Path(__file__).resolve().parent.parent
PRINTED = [
    path
    for folder in (ROOT / "generated/tidewire", ROOT / "tests" / "printing" / "golden")
    for path in sorted(folder.rglob("*"))
    if path.is_file() and "__pycache__" not in path.parts
]
NUMBERED = re.compile(
    r"(?:put_\w+|null_at|int_at|uint_at|value|truth|text|binary|same_number)\((?:self\.events, )?\d"
    r"|\b(?:kind|code|self\.case) (?:[=!]=|>=) \d"
    r"|flags & \d"
)


@pytest.mark.parametrize("path", PRINTED, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_printed_line_is_longer_than_the_width(path: Path) -> None:
    long = [f"{at}: {line}" for at, line in enumerate(path.read_text().split("\n"), 1) if len(line) > WIDTH]
    assert not long


@pytest.mark.parametrize("path", PRINTED, ids=lambda path: "/".join(path.parts[-2:]))
def test_columns_kinds_flags_and_cases_have_names(path: Path) -> None:
    numbered = [f"{at}: {line}" for at, line in enumerate(path.read_text().split("\n"), 1) if NUMBERED.search(line)]
    assert not numbered


WORDS = ", ".join(f"word_number_{n}" for n in range(12))
LONG = {
    "call": f"found = look({WORDS})",
    "keywords": f"found = look(1, **more, {', '.join(f'word_number_{n}=look(1)' for n in range(12))})",
    "star": f"found = look({', '.join(f'look({n}, word)' for n in range(12))}, *word)",
    "subscript": f"found = table[{WORDS}]",
    "one in brackets": f"found = table[look({WORDS})]",
    "conditions": f"if {' and '.join(f'word_number_{n} == {n}' for n in range(12))}:\n    pass",
    "alternatives": f"while look({' or '.join(f'word_number_{n}' for n in range(12))}):\n    pass",
    "choice": f"found = look({'word' * 20} if {'what' * 20} else {'none' * 10})",
    "assigned condition": f"found = {' or '.join(f'word_number_{n}' for n in range(12))}",
    "comprehension": f"found = [look(word_number_1, two) for word in {'words' * 15} if word in look({'no' * 10})]",
    "imports": f"from somewhere import {WORDS}",
    "comment": f"found = look(1)  # {WORDS}",
    "text": f"raise ValueError('{'a text of words, ' * 12}')",
    "bytes": f"found = look(b'{'{1:2},' * 30}')",
    "template": f"raise ValueError(f'{{look(1)!r}} {'a text of words, ' * 9}{{found}} and {{found!r:>10}}')",
    "quotes in it": f"found = look('# no comment ( [ \\' {'x, ' * 50}', \"it's\")",
    "docstring": f'def look():\n    """Says {"words " * 40}."""',
    "argument": f'def f():\n    """Says.\n\n    Args:\n        one: {"words " * 30}\n            and.\n    """',
    "one tuple": f"found = (look({WORDS}),)",
    "dict": "found = {" + ", ".join(f"'key {n}': look({n})" for n in range(12)) + "}",
}


@pytest.mark.parametrize("code", LONG.values(), ids=LONG.keys())
def test_long_lines_are_folded_and_mean_the_same(code: str) -> None:
    nested = "def outer():\n" + "\n".join(f"    {line}" for line in code.split("\n"))
    for text in (code, nested):
        assert max(map(len, text.split("\n"))) > WIDTH
        made = folded(text)
        assert max(len(line) for line in made.split("\n") if not line.lstrip().startswith("#")) <= WIDTH
        ast.parse(made)
        assert folded(made) == made


@pytest.mark.parametrize("code", ["found = '''" + "words " * 40 + "'''", "x" * 130, "# " + "words " * 40])
def test_what_cannot_be_folded_stays(code: str) -> None:
    assert folded(code) == code


def test_short_lines_stay_as_they_are() -> None:
    text = (ROOT / "tests" / "test_printed_lines.py").read_text()
    assert folded(text).count("\n") >= text.count("\n")
    assert folded("found = look(1,\n  2)\n") == "found = look(1,\n  2)\n"

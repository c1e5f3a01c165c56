"""Who makes the text of printed code: planners compose nodes, the printer writes them out, templates place the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

ROOT = Path(__file__).resolve().parent.parent
GENERATOR = ROOT / "generator/tidewire/generator"
PLUGINS = sorted(path.parent for path in GENERATOR.glob("*/plugin.py"))
TEMPLATES = sorted(GENERATOR.rglob("*.j2"))

CODE = re.compile(r"\b(self|events|cython)\.\w|\b[a-z_]+\.\w+\(|^\s*(if|for|while|def) .*:$|^\s*return |^\w+ = ")
"""Text that is Python, or a piece of it."""
SEARCHERS = {
    "bundle.py": "writes patterns of the schema as editors match them",
    "folding.py": "folds lines that are printed already",
    "load.py": "tells numbers from other words of YAML",
    "meta.py": "matches words of specs with the patterns of their schema",
    "pages/markdown.py": "finds what texts have that would be markup",
    "pages/word_tables.py": "finds the places of tables in a page",
    "plan/constants.py": "makes names of texts",
    "texts.py": "looks whether texts can be printed as they are",
}
"""The modules of the generator that match texts with regular expressions, and what for."""
MODULES = {"events", "messages", "mysql", "names", "runtime"}
"""Names of modules, by which imports are put in order."""


def texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The literals in code, with their lines; a value in a text is a name. Docstrings are none: they are for people."""
    inside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            yield node.lineno, "".join(str(one.value) if isinstance(one, ast.Constant) else "x" for one in node.values)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.lineno, node.value


def composed(text: str) -> list[str]:
    """The literals of a module that are Python, with their lines."""
    return [f"{line}: {found!r}" for line, found in texts(ast.parse(text)) if CODE.search(found)]


def planners() -> list[Path]:
    """What plans printed code: the modules of plug-ins and those that they share, without the checks of specs."""
    found = [*(GENERATOR / "plan").glob("*.py"), *(path for folder in PLUGINS for path in folder.glob("*.py"))]
    return sorted(found)


def test_planners_compose_no_text_of_python() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{one}" for path in planners() for one in composed(path.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text", ['f"self.{name}(row)"', '"self.events.int_at"', 'f"r.count({field})"', 'f"{a} = " "x = "', '"if k == 0:"']
)
def test_text_of_python_is_found(text: str) -> None:
    assert composed(f"value = {text}")


def test_planned_code_is_not_searched_as_text() -> None:
    found = [
        path.relative_to(GENERATOR).as_posix()
        for path in GENERATOR.rglob("*.py")
        if re.search(r"^(import re|from re import)\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert sorted(found) == sorted(SEARCHERS)


def decisions(text: str) -> Iterator[str]:
    """Where a template compares something with texts: it decides by the name of something. Two names are no better."""
    for node in jinja2.Environment(extensions=["jinja2.ext.do"]).parse(text).find_all((nodes.Compare, nodes.Test)):
        constants = {one.value for one in node.find_all(nodes.Const)}
        texts = {one for one in constants if isinstance(one, str)}
        names = isinstance(node, nodes.Compare) and all(
            isinstance(one, nodes.Getattr) and one.attr.endswith("name") for one in (node.expr, node.ops[0].expr)
        )
        if texts - MODULES or names:
            yield f"{node.lineno}: {', '.join(sorted(texts)) or 'names'}"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(GENERATOR).as_posix())
def test_templates_decide_by_no_name(path: Path) -> None:
    """What depends on a kind, a field, a primitive or a codec is planned."""
    assert list(decisions(path.read_text(encoding="utf-8"))) == []


def test_a_decision_by_name_is_found() -> None:
    assert list(decisions('{% if one.kind == "text" %}x{% endif %}')) == ["1: text"]
    assert list(decisions('{{ "put_uint" if "uint" == one.type else "put_int" }}')) == ["1: uint"]
    assert list(decisions('{% if one.kind in ("text", "bytes") %}x{% endif %}')) == ["1: bytes, text"]
    assert list(decisions('{% if one.kind is eq("text") %}x{% endif %}')) == ["1: text"]
    assert list(decisions("{% for one in fields if one.name != plan.name %}x{% endfor %}")) == ["1: names"]
    assert list(decisions('{% if "events" < plan.module < "runtime" %}x{% endif %}')) == []
    assert list(decisions("{% if loop.first or one.limit is none or one.count == 1 %}x{% endif %}")) == []

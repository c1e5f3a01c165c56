"""Renders plans with templates, which contain no decisions.

Templates get a plan and the filters of `texts`, which are required for every text of a spec. Long lines are folded
afterwards and no other formatter runs, so output is the same everywhere; every Python file is compiled to check that it
parses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from symtable import SymbolTable, symtable

import jinja2

from .facts import TSO_SHIFT
from .folders import HERE
from .folding import folded
from .syntax.nodes import Expression
from .syntax.printer import body_text, declaration_text, expression_text, method_text
from .texts import Code, checked, comment, lines, literal, prose
from .texts import code as plain_code


@cache
def environment() -> jinja2.Environment:
    """Jinja2 over the shared templates and, by their paths in this package, those of plug-ins.

    Undefined names are errors, blocks leave no blank lines.
    """
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader([HERE / "templates", HERE]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # templates are code: autoescape only marks the output of macros and blocks as such
        autoescape=True,
        finalize=checked,
        extensions=["jinja2.ext.do"],
    )
    made.globals["TSO_SHIFT"] = TSO_SHIFT
    made.filters["py"] = literal
    made.filters["code"] = _code
    made.filters["body"] = body_text
    made.filters["method"] = method_text
    made.filters["declaration"] = declaration_text
    made.filters["lines"] = lines
    made.filters["prose"] = prose
    made.filters["comment"] = comment
    return made


def _code(value: Expression | str) -> Code:
    return expression_text(value) if isinstance(value, Expression) else plain_code(value)


def render_named(
    template: str, plan: object, names: Mapping[str, Sequence[str]], ends: Sequence[str] = (".py", ".pxd")
) -> dict[str, str]:
    """Prints a module and its declarations for a plan; returns texts by file ending.

    Args:
        template: name without ending.
        plan: the plan for all of the files.
        names: names by module; the printed module imports those that it uses.
        ends: endings of the files to print.
    """
    text = environment().get_template(f"{template}.py.j2").render(plan=plan, constants=())
    used = _names(symtable(text, template, "exec"))
    found = [(module, [name for name in every if name in used]) for module, every in names.items()]
    constants = [one for one in found if one[1]]
    return {end: render(f"{template}{end}.j2", plan, constants) for end in ends}


def _names(scope: SymbolTable) -> set[str]:
    """The names in a scope and all nested scopes."""
    return set(scope.get_identifiers()).union(*map(_names, scope.get_children()))


def render(template: str, plan: object, constants: Sequence[tuple[str, Sequence[str]]] = ()) -> str:
    """Renders a template.

    Args:
        template: name of its file.
        plan: the plan to print.
        constants: names to import, by module.

    Raises:
        SyntaxError: the result is Python and does not parse, because of an error in the template.
    """
    text = environment().get_template(template).render(plan=plan, constants=constants)
    if template.endswith(".md.j2"):
        return text  # a paragraph is one line: viewers wrap it
    python = template.endswith(".py.j2")
    text = folded(text, python)
    if python:
        compile(text, template.removesuffix(".j2"), "exec", dont_inherit=True)
    return text

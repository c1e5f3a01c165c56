"""Plans to text: the templates print what the plans say and decide nothing.

Templates get a plan and two filters: `py`, a value as a Python literal, and `prose`, a text wrapped for a docstring
or a
comment. No formatter runs afterwards, so output is the same everywhere; every Python file is compiled to see that
it parses.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import jinja2

WIDTH = 118
"""Columns of the printed text."""


def literal(value: object) -> str:
    """A value as a Python literal, strings in double quotes."""
    if isinstance(value, str):
        text = repr(str(value))
        if text.startswith("'") and '"' not in text:
            text = '"' + text[1:-1].replace("\\'", "'") + '"'
        return text
    if isinstance(value, tuple):
        inner = ", ".join(literal(one) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(one)}" for key, one in value.items()) + "}"
    return repr(value)


def prose(text: str, indent: int = 0, prefix: str = "") -> str:
    """A text wrapped to the width, lines after the first indented; the first line has its place already."""
    escaped = " ".join(str(text).split()).replace("\\", "\\\\").replace('"""', "'''")
    lines = textwrap.wrap(
        escaped, WIDTH - indent - len(prefix) - 6, break_long_words=False, break_on_hyphens=False
    ) or [""]
    return ("\n" + " " * indent + prefix).join(lines)


def environment() -> jinja2.Environment:
    """Jinja2 over the templates of this package: undefined names are errors, blocks leave no blank lines."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        extensions=["jinja2.ext.do"],
    )
    made.filters["py"] = literal
    made.filters["prose"] = prose
    return made


def render(template: str, plan: object) -> str:
    """The text that a template prints for a plan.

    Raises:
        SyntaxError: it is Python and does not parse, a defect of the template.
    """
    text = environment().get_template(template).render(plan=plan)
    if template.endswith(".py.j2"):
        compile(text, template.removesuffix(".j2"), "exec", dont_inherit=True)
    return text

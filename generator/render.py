"""Plans to text: the templates print what the plans say and decide nothing.

Templates get a plan and the filters of `texts`, without which no text of a spec is printed. No formatter runs
afterwards, so output is the same everywhere; every Python file is compiled to see that it parses.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from .facts import TSO_SHIFT
from .texts import checked, code, comment, lines, literal, prose


@cache
def environment() -> jinja2.Environment:
    """Jinja2 over the templates of this package: undefined names are errors, blocks leave no blank lines."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # templates are code: what autoescape adds is that the output of macros and blocks is known as such
        autoescape=True,
        finalize=checked,
        extensions=["jinja2.ext.do"],
    )
    made.globals["TSO_SHIFT"] = TSO_SHIFT
    made.filters["py"] = literal
    made.filters["code"] = code
    made.filters["lines"] = lines
    made.filters["prose"] = prose
    made.filters["comment"] = comment
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

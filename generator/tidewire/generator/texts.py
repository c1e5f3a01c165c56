"""Converts texts of a spec for printed code; templates can print them in no other way.

A template prints with `{{ … }}`, and all output passes `checked`, which accepts code from planners (`Code`), numbers
and single words. Any other text is an error, so a text must go through one of these filters:

- `literal`: a Python literal
- `lines`: adjacent string literals, one per line, which Python joins
- `prose`: text inside a docstring, wrapped
- `comment`: text after a `#`, on one line
- `code`: an expression that a plan composed of words. If it contains quotes, the plan marks it as `Code`, and texts of
  the spec in it went through `literal`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

import jinja2
from markupsafe import Markup

from .problems import visible

Code = Markup
"""Text that is code already."""
WIDTH = 118
"""Columns of the printed text."""

_WORDS = re.compile(r"[A-Za-z0-9_.,: -]*")
_EXPRESSION = re.compile(r"[A-Za-z0-9_.,: |&()\[\]<>=!+*-]*")
# escapes what would end the docstring
_ENDING = re.compile(r'"{3,}|"+\Z')


def code(text: str) -> Code:
    """An expression or a statement composed by a plan; it may contain quotes only if the plan marked it as code.

    Raises:
        TypeError: it contains characters that are not allowed.
    """
    if isinstance(text, Code):
        return text
    if _EXPRESSION.fullmatch(text):
        return Code(text)
    raise TypeError(f"{text!r} is no plain expression: texts in it go through `literal`, then it is marked with Code")


def literal(value: object) -> Code:
    """A value as a Python literal; strings are in double quotes unless they contain some."""
    return Code(_literal(value))


def _literal(value: object) -> str:
    if isinstance(value, str):
        text = repr(str(value))
        if text.startswith("'") and '"' not in text:
            text = '"' + text[1:-1].replace("\\'", "'") + '"'
        return text
    if isinstance(value, tuple):
        inner = ", ".join(_literal(one) for one in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_literal(key)}: {_literal(one)}" for key, one in value.items()) + "}"
    return repr(value)


def prose(text: str, indent: int = 0) -> Code:
    """A text for the inside of a docstring with double quotes, wrapped to the maximum width; lines after the first are
    indented.

    White space of any kind becomes one space; all other characters are preserved or escaped.
    """
    escaped = visible(_one_line(text).replace("\\", "\\\\"))
    escaped = _ENDING.sub(lambda quotes: quotes[0].replace('"', '\\"'), escaped)
    return Code(("\n" + " " * indent).join(_wrapped(escaped, indent)))


def comment(text: str) -> Code:
    """A text for a comment: one line."""
    return Code(visible(_one_line(text)))


def lines(text: str, indent: int) -> Code:
    """A text as string literals in double quotes, one a line, the lines after the first indented."""
    inner = [visible(line.replace("\\", "\\\\").replace('"', '\\"')) for line in _wrapped(_one_line(text), indent)]
    return Code((' "\n' + " " * indent + '"').join(inner).join('""'))


def _one_line(text: str) -> str:
    return " ".join(str(text).split())


def _wrapped(text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, WIDTH - indent - 6, break_long_words=False, break_on_hyphens=False) or [""]


def checked(value: object) -> object:
    """The output for a value that templates may print unfiltered.

    Raises:
        TypeError: it is a text that did not pass a filter.
    """
    if isinstance(value, Code | int | jinja2.Undefined):
        return value
    if isinstance(value, str) and _WORDS.fullmatch(value):
        return Code(value)
    raise TypeError(f"a template prints {value!r} as it is: use py, lines, prose, comment or code")

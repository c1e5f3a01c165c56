"""Converts texts of a spec for printed code: the only ways in which they get there.

A template prints with `{{ … }}`, and all that is printed passes `checked`. It accepts code made here (`Code`), numbers
and single words. Any other text stops the generator, so that a template which does not say how a text is meant prints
nothing://- `literal`: as a Python literal
- `lines`: a long text as adjacent literals, one a line, which Python joins
- `prose`: inside of a docstring, wrapped
- `comment`: after a `#`, on one line
- `code`: an expression that a plan composed of words. If it has quotes, the plan marks it as `Code`, and texts of the
  spec in it went through `literal`.
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
# what would end a docstring
_ENDING = re.compile(r'"{3,}|"+\Z')


def code(text: str) -> Code:
    """An expression or a statement that a plan composed; with quotes only when the plan marked it as code.

    Raises:
        TypeError: it has characters that such code does not have.
    """
    if isinstance(text, Code):
        return text
    if _EXPRESSION.fullmatch(text):
        return Code(text)
    raise TypeError(f"{text!r} is no plain expression: texts in it go through `literal`, then it is marked with Code")


def literal(value: object) -> Code:
    """A value as a Python literal, strings in double quotes where they have none themselves."""
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
    """A text for the inside of a docstring in double quotes, wrapped to the width, lines after the first indented.

    White space of any kind is one space; everything else can be read back. The first line is indented already.
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
    """What a template prints, when it may be printed as it is.

    Raises:
        TypeError: it is a text, and nothing says what it is to become.
    """
    if isinstance(value, Code | int | jinja2.Undefined):
        return value
    if isinstance(value, str) and _WORDS.fullmatch(value):
        return Code(value)
    raise TypeError(f"a template prints {value!r} as it is: use py, lines, prose, comment or code")

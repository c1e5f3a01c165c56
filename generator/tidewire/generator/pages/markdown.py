"""Escapes texts of a spec for Markdown pages.

All text of a page is made here. `text` and `mono` take texts of a spec, `say` puts them into the generator's sentences.
The results are single lines, fit for table cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..problems import visible
from ..texts import Code

Markdown = Code
"""Text that is Markdown already."""
EMPTY = Markdown("")
_SPECIAL = re.compile(r"[\\`*\[\]<>|~$&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
"""Characters with a meaning in Markdown anywhere; underscores within names have none."""
_FIRST = re.compile(r"[-+#=]|\d+[.)]")
"""Characters with a meaning in Markdown at the beginning of a line."""
_NOT_IN_SPANS = re.compile(r"[`|\\]|^ | $")
"""What a code span in a table cell cannot contain."""


def text(said: str) -> Markdown:
    """A text of a spec, in one line."""
    line = _SPECIAL.sub(r"\\\g<0>", visible(" ".join(str(said).split())))
    first = _FIRST.match(line)
    return Markdown(line if first is None else line[: first.end() - 1] + "\\" + line[first.end() - 1 :])


def mono(said: object) -> Markdown:
    """A name or a value, as code."""
    inside = visible(str(said))
    if not inside or _NOT_IN_SPANS.search(inside):
        return Markdown("<code>" + _SPECIAL.sub(r"\\\g<0>", inside).replace(" ", "&nbsp;") + "</code>")
    return Markdown(f"`{inside}`")


def say(form: str, *given: object) -> Markdown:
    """A sentence of the generator in Markdown; texts of a spec, or Markdown, replace `{}`."""
    return Markdown(form.format(*(one if isinstance(one, Markdown) else text(str(one)) for one in given)))


def series(items: Iterable[object], last: str = "and") -> Markdown:
    """Markdown, or texts of a spec, as a list in a sentence: `a, b and c`."""
    shown = [str(one if isinstance(one, Markdown) else text(str(one))) for one in items]
    if len(shown) < 2:
        return Markdown("".join(shown))
    return Markdown(f"{', '.join(shown[:-1])} {last} {shown[-1]}")


def names(items: Iterable[object], last: str = "and") -> Markdown:
    """Names as a list in a sentence, each as code."""
    return series((mono(one) for one in items), last)


def together(*sentences: Markdown | str) -> Markdown:
    """Sentences joined by spaces; empty ones are dropped."""
    return Markdown(" ".join(str(one) for one in sentences if one))


def sentence(said: str) -> Markdown:
    """A text of a spec as a sentence, with a full stop added if it has none."""
    shown = text(said)
    return Markdown(f"{shown}." if shown and shown[-1] not in ".!?" else shown)


def link(part: str, heading: str = "") -> Markdown:
    """A link to the part with this name on the same page.

    Args:
        heading: the words before the name in its heading.
    """
    anchor = re.sub(r"[^a-z0-9_-]", "", f"{heading} {part}".strip().lower().replace(" ", "-"))
    return Markdown(f"[{mono(part)}](#{anchor})")

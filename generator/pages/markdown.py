"""Texts of a spec on pages: Markdown that shows them as they are.

Whatever a page says goes through here. `text` and `mono` take texts of a spec, `say` puts them into sentences of ours.
What they give is one line, so that it can stand in a cell of a table.
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
"""What means something in Markdown wherever it stands; underscores in names do not."""
_FIRST = re.compile(r"[-+#=]|\d+[.)]")
"""What means something at the beginning of a line."""
_NOT_IN_SPANS = re.compile(r"[`|\\]|^ | $")
"""What the inside of a code span in a cell cannot be."""


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
    """A sentence of ours in Markdown, with texts of a spec, or Markdown, in the places of `{}`."""
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
    """Sentences behind one another; those that are empty are left out."""
    return Markdown(" ".join(str(one) for one in sentences if one))


def sentence(said: str) -> Markdown:
    """A text of a spec as a sentence: with a full stop behind it, where it has none."""
    shown = text(said)
    return Markdown(f"{shown}." if shown and shown[-1] not in ".!?" else shown)


def link(part: str, heading: str = "") -> Markdown:
    """A link to the part of that name on the same page, with its name as the text.

    Args:
        part: its name.
        heading: the words of ours that stand before the name in its heading.
    """
    anchor = re.sub(r"[^a-z0-9_-]", "", f"{heading} {part}".strip().lower().replace(" ", "-"))
    return Markdown(f"[{mono(part)}](#{anchor})")

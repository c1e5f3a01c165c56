"""Folds long lines of printed code at brackets, so that no line exceeds `WIDTH` where code can be folded.

Texts are folded after printing, so that templates need not consider the length of names. Folding must not change the
meaning: for Python the syntax trees before and after are compared.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator

WIDTH = 120
"""The most columns of a line."""

_OPENING, _CLOSING = "([{", ")]}"
_STRING = re.compile(r"(?<!\w)[bBfFrRuU]{0,2}(\"\"\"|'''|\"|')")
_STRING_OR_COMMENT = re.compile(f"{_STRING.pattern}|#")
_ENDS = {quote: re.compile(rf"(?:[^\\]|\\.)*?{quote}") for quote in ('"', "'", '"""', "'''")}
"""By quotes, the rest of a string in a line."""
_STATEMENT = re.compile(r"(\s*)(if|elif|while|return|assert)\b (.*?)(:?)\Z", re.DOTALL)
_ASSIGNMENT = re.compile(r"(\s*)([\w.]+(?:: [\w.]+)? =) (.*?)()\Z", re.DOTALL)
_NAMED = re.compile(r"\s*\w+( \([\w ,.]*\))?: ")
_WORD = re.compile(r"[\w.-]+,?|b?\"[^\"\\]{0,60}\",?")
"""An item of which many are put into one line: a name, a number, a short text."""
_IMPORT = re.compile(r"(\s*from [\w.]+ c?import )([\w, ]+)\Z")


def folded(text: str, python: bool = True) -> str:
    """The text of a printed file with its long lines folded.

    Args:
        text: the file.
        python: whether it is Python; otherwise Cython declarations.

    Raises:
        ValueError: folding changed the meaning of the text, a defect of this module.
    """
    found: list[str] = []
    quoted = ""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line, at = lines[at], at + 1
        outside = not quoted
        quoted = _quotes(line, quoted)
        if outside and not quoted and not line.lstrip().startswith('"""'):
            found += _fold(line)
            continue
        while quoted and len(line) > WIDTH and _goes_on(line, lines[at]):
            quoted = _quotes(lines[at], quoted)
            line, at = f"{line} {lines[at].strip()}", at + 1
        found += _wrapped(line)
    made = "\n".join(found)
    if python and made != text and not _Comparison(made, text).same():
        raise ValueError("folding changed the meaning of printed code")
    return made


class _Comparison:
    """Compares two Python texts by meaning."""

    def __init__(self, one: str, other: str) -> None:
        self.texts = one, other
        self.lines = one.split("\n"), other.split("\n")

    def same(self) -> bool:
        """Whether they are equal apart from layout; docstrings are compared by words."""
        one, other = map(ast.parse, self.texts)
        return self._same(one, other)

    def _same(self, one: object, other: object) -> bool:
        kind = type(one)
        if kind is not type(other):
            return False
        if isinstance(one, list) and isinstance(other, list):
            return len(one) == len(other) and all(map(self._same, one, other))
        if isinstance(one, ast.AST):
            if isinstance(one, ast.stmt) and isinstance(other, ast.stmt) and self._unchanged(one, other):
                return True
            said, meant = _docstring(one), _docstring(other)
            if said is not None and meant is not None:
                return said.split() == meant.split()
            return all(self._same(getattr(one, name, None), getattr(other, name, None)) for name in one._fields)
        return one == other

    def _unchanged(self, one: ast.stmt, other: ast.stmt) -> bool:
        """Whether both consist of the same lines: most statements are not folded, and a statement has its own lines."""
        made, text = self.lines
        return made[one.lineno - 1 : one.end_lineno] == text[other.lineno - 1 : other.end_lineno]


def _docstring(node: object) -> str | None:
    """The text of a statement that is only a string; otherwise None."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return node.value.value
    return None


def _goes_on(line: str, other: str) -> bool:
    """Whether a docstring line ends within a paragraph that the other line continues."""
    indent = len(other) - len(other.lstrip())
    own = len(line) - len(line.lstrip())
    return other.strip() not in ("", '"""') and indent in (own, own + 4) and not _NAMED.match(other)


def _wrapped(line: str) -> list[str]:
    """The lines of a wrapped docstring line; after an argument's name they are indented."""
    if len(line) <= WIDTH:
        return [line]
    space = line[: len(line) - len(line.lstrip())]
    more = f"{space}    " if _NAMED.match(line) else space
    return textwrap.wrap(line, WIDTH, subsequent_indent=more, break_long_words=False, break_on_hyphens=False)


def _quotes(line: str, quoted: str) -> str:
    """The triple quotes that are open at the end of the line, given those open at its start."""
    at = 0
    if quoted:
        ended = _ENDS[quoted].match(line)
        if ended is None:
            return quoted
        at = ended.end()
    for start, end in _strings(line, at):
        if end < 0:
            return line[start:].lstrip("bBfFrRuU")[:3]
    return ""


def _strings(line: str, at: int = 0) -> Iterator[tuple[int, int]]:
    """Start and end of each string literal in a line; the end is -1 if it continues in the next line."""
    while (found := _STRING_OR_COMMENT.search(line, at)) and found[1]:
        ended = _ENDS[found[1]].match(line, found.end())
        if ended is None:
            yield found.start(), -1
            return
        at = ended.end()
        yield found.start(), at


def _code(line: str) -> Iterator[tuple[int, str]]:
    """Position and character of the code in a line, without strings and comments."""
    inside = dict(_strings(line))
    at = 0
    while at < len(line) and line[at] != "#":
        if at in inside:
            at = inside[at]
            continue
        yield at, line[at]
        at += 1


def _pairs(line: str) -> list[tuple[int, int]]:
    """The outermost pairs of brackets within the line."""
    found, opened = [], []
    for at, one in _code(line):
        if one in _OPENING:
            opened.append(at)
        elif one in _CLOSING and opened:
            start = opened.pop()
            if not opened:
                found.append((start, at))
    return found


def _top(line: str, separator: str) -> list[int]:
    """The positions of the separator outside of brackets and strings."""
    depth, found = 0, []
    for at, one in _code(line):
        depth += (one in _OPENING) - (one in _CLOSING)
        if not depth and line.startswith(separator, at):
            found.append(at)
    return found


def _parts(line: str, cuts: list[int], before: int) -> list[str]:
    """The line cut at these positions; `before` characters at each cut stay with the part before it."""
    ends = [at + before for at in cuts]
    return [line[start:end].strip() for start, end in zip([0, *ends], [*ends, len(line)], strict=True)]


def _fold(line: str) -> list[str]:
    """A line folded to several."""
    if len(line) <= WIDTH:
        return [line]
    space = line[: len(line) - len(line.lstrip())]
    comment = next((at for at in range(len(line)) if line[at] == "#" and not _inside(line, at)), -1)
    if comment >= 0:
        own = line[:comment].rstrip()
        return [line] if not own else [f"{space}{line[comment:]}", *_fold(own)]
    imported = _IMPORT.match(line)
    if imported:
        return [f"{imported[1]}(", *_filled(imported[2], f"{space}    "), f"{space})"]
    statement = _STATEMENT.match(line) or _ASSIGNMENT.match(line)
    if statement and any(_top(statement[3], word) for word in (" and ", " or ")):
        body = _operands(statement[3], f"{space}    ")
        return [f"{space}{statement[2]} (", *body, f"{space}){statement[4]}"]
    pairs = [(start, end) for start, end in _pairs(line) if end - start > 2]
    if not pairs:
        return _string(line, space)
    start, end = max(pairs, key=lambda pair: pair[1] - pair[0])
    inner = line[start + 1 : end].strip()
    return [line[: start + 1], *_body(inner, f"{space}    ", line[start] != "["), f"{space}{line[end:]}"]


def _inside(line: str, at: int) -> bool:
    """Whether the position is in a string."""
    return any(start <= at < end for start, end in _strings(line))


def _body(inner: str, space: str, plain: bool) -> list[str]:
    """The lines of the contents of brackets."""
    whole = f"{space}{inner}"
    if len(whole) <= WIDTH:
        return [whole]
    commas = _top(inner, ",")
    loops = _top(inner, " for ")
    if loops and not [at for at in commas if at < loops[0]]:
        return [folded for part in _parts(inner, loops[:1] + _top(inner, " if "), 0) for folded in _fold(space + part)]
    if not commas:
        return _operands(inner, space)
    parts = [part for part in _parts(inner, commas, 1) if part]
    if all(_WORD.fullmatch(part) for part in parts) and len(parts) > 6:
        return _filled(inner, space)
    if plain and not parts[-1].endswith(","):
        parts[-1] += "" if parts[-1].startswith("*") else ","
    return [folded for part in parts for folded in _fold(space + part)]


def _operands(text: str, space: str) -> list[str]:
    """An expression, cut before its operators."""
    for word in (" or ", " and ", " if "):
        cuts = _top(text, word)
        if cuts:
            cuts = sorted(cuts + (_top(text, " else ") if word == " if " else []))
            return [folded for part in _parts(text, cuts, 0) for folded in _fold(space + part)]
    return _fold(space + text)


def _filled(text: str, space: str) -> list[str]:
    """Comma-separated items, as many in a line as fit."""
    found = [space]
    for part in _parts(text, _top(text, ","), 1):
        if len(found[-1]) + len(part) + 1 > WIDTH and found[-1] != space:
            found.append(space)
        found[-1] += part if found[-1] == space else f" {part}"
    return [line for line in found if line.strip()]


def _string(line: str, space: str) -> list[str]:
    """A line without brackets: its longest string is cut between words; Python joins the pieces."""
    literals = [(start, end) for start, end in _strings(line) if end > 0]
    if not literals or space == "":
        return [line]
    start, end = max(literals, key=lambda one: one[1] - one[0])
    opening = _STRING.match(line, start)
    assert opening is not None
    prefix, quote = line[start : opening.end()], opening[1]
    inner = line[opening.end() : end - len(quote)]
    pieces = [""]
    room = WIDTH - len(space) - len(prefix) - len(quote) - len(line) + end
    first = room - (start - len(space))
    for word in (
        re.findall(r"(?:\{[^{}]*\}|[^ ,{}]|\{\{|\}\})*(?:,? |,|\Z)", inner)
        if "f" in prefix.lower()
        else re.findall(r"[^ ,]*,? ?", inner)
    ):
        if pieces[-1] and len(pieces[-1]) + len(word) > (first if len(pieces) == 1 else room):
            pieces.append("")
        pieces[-1] += word
    if "".join(pieces) != inner or len(pieces) == 1:
        return [line]
    made = [f"{prefix}{piece}{quote}" for piece in pieces]
    return [line[:start] + made[0], *(space + piece for piece in made[1:-1]), space + made[-1] + line[end:]]

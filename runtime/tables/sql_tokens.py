"""SQL text as tokens, by sqlglot, and a cursor over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, ClassVar, NamedTuple, NoReturn

from tidewire.runtime.column_types import unquoted_text
from tidewire.runtime.errors import SqlError

_SHOWN = 60
_WORD = re.compile(r"[\w$]*[^\W\d]+[\w$]*")
_PLACE = re.compile(r"(\d+):\d+")
QUOTES = r"""
    '(?:[^'\\]++|\\.|'')*+(?:'|\\?\Z) | "(?:[^"\\]++|\\.|"")*+(?:"|\\?\Z) | `(?:[^`]++|``)*+(?:`|\Z)"""
"""Quotes with what is in them."""
COMMENTS = r"/\*(?!!|T!).*?(?:\*/|\Z) | --(?=\s|\Z)[^\n]* | \#[^\n]*"
"""Comments that are not executed."""
_PIECE = re.compile(
    rf"""
    (?P<text>{QUOTES})
    | (?P<mark>/\*(?:!(?:\d{{5,6}})? | T!(?:\[[^\]\s]*\])?) | \*/)
    | (?P<comment>{COMMENTS})
    """,
    re.VERBOSE | re.DOTALL,
)
"""Quotes with what is in them; the marks of comments that are executed; other comments. What has no end ends with the
text.
"""


class Token(NamedTuple):
    """A word, a sign, a name, a value.

    Attributes:
        kind: sqlglot's name of it.
        text: without quotes.
        start: where it begins in the whole text.
        end: where it ends.
        comments: those beside it.
    """

    kind: str
    text: str
    start: int
    end: int
    comments: tuple[str, ...]


class Clause:
    """Tokens of a statement, read from the first to the last.

    Attributes:
        text: the whole text that they are of.
        tokens: all of them.
        at: the next one.
    """

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0

    @property
    def ended(self) -> bool:
        """Whether all tokens were read."""
        return self.at >= len(self.tokens)

    def kind(self, ahead: int = 0) -> str:
        """sqlglot's name of the kind of a token; empty behind the last one."""
        at = self.at + ahead
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def word(self, ahead: int = 0) -> str:
        """A token that is a word without quotes, or a sign, in upper case; else empty."""
        at = self.at + ahead
        if at >= len(self.tokens) or self.tokens[at].kind in _NO_WORDS:
            return ""
        return self.tokens[at].text.upper()

    def next(self) -> Token:
        """Reads a token."""
        if self.ended:
            self.fail("the statement ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def accept(self, *words: str) -> bool:
        """Reads these words if they are the next ones."""
        for ahead, one in enumerate(words):
            if self.word(ahead) != one:
                return False
        self.at += len(words)
        return True

    def expect(self, *words: str) -> None:
        """Reads these words.

        Raises:
            SqlError: others are next.
        """
        if not self.accept(*words):
            self.fail(f"{' '.join(words)} is expected")

    def name(self) -> str:
        """Reads a name, in backticks, in double quotes (with ANSI_QUOTES they are of names), or without.

        Raises:
            SqlError: there is none.
        """
        if self.kind() == "STRING" and self.text[self.tokens[self.at].start] == '"':
            token = self.next()
            return self.text[token.start + 1 : token.end - 1].replace('""', '"')
        if self.kind() != "IDENTIFIER" and not _WORD.fullmatch(self.word()):
            self.fail("a name is expected")
        return self.next().text

    def string(self) -> str:
        """Reads a text in quotes.

        Raises:
            SqlError: there is none.
        """
        if self.kind() != "STRING":
            self.fail("a text in quotes is expected")
        return self.next().text

    def inside(self) -> tuple[str, Clause]:
        """Reads parentheses with what is in them: the text as it stands there, and its tokens.

        Raises:
            SqlError: there are none, or they do not end.
        """
        opened = self.at
        self.expect("(")
        depth = 1
        while depth:
            if self.ended:
                self.at = opened
                self.fail("these parentheses do not end")
            word = self.word()
            depth += {"(": 1, ")": -1}.get(word, 0)
            self.at += 1
        first, last = self.tokens[opened], self.tokens[self.at - 1]
        return self.text[first.end : last.start].strip(), Clause(self.text, self.tokens[opened + 1 : self.at - 1])

    def parts(self) -> Iterator[Clause]:
        """What stands between the commas that are in no parentheses."""
        start, depth = self.at, 0
        for at in range(self.at, len(self.tokens)):
            self.at = at
            word = self.word()
            depth += {"(": 1, ")": -1}.get(word, 0)
            if word == "," and not depth:
                yield Clause(self.text, self.tokens[start:at])
                start = at + 1
        self.at = len(self.tokens)
        yield Clause(self.text, self.tokens[start:])

    def comments(self) -> str:
        """All comments beside its tokens."""
        return " ".join(comment for token in self.tokens for comment in token.comments)

    def source(self, start: int) -> str:
        """The text from the token of that number to the last one that was read."""
        return self.text[self.tokens[start].start : self.tokens[self.at - 1].end]

    def fail(self, detail: str) -> NoReturn:
        """Raises the error of the next token."""
        if not self.tokens:
            raise SqlError(1 + self.text.count("\n"), "", detail)
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        found = self.text[token.start : token.start + _SHOWN + 1].partition("\n")[0]
        line = 1 + self.text.count("\n", 0, token.start)
        raise SqlError(line, found if len(found) <= _SHOWN else f"{found[:_SHOWN]}…", detail)


LITERALS = ("NUMBER", "HEX_STRING", "BIT_STRING", "NATIONAL_STRING", "INTRODUCER")
"""sqlglot's kinds of tokens that are values, but texts."""
_NO_WORDS = frozenset(("STRING", "IDENTIFIER", *LITERALS))


def executed(text: str) -> str:
    """A text as TiDB executes it: with blanks for comments, and for the marks alone around those that are executed:
    ``/*! … */``, ``/*!80000 … */``, ``/*T! … */`` and ``/*T![feature] … */``. All else stays at its place, and a
    comment that has no end stays, too.
    """
    if "/*" not in text and "--" not in text and "#" not in text:
        return text
    opened: int | None = None
    pieces: list[str] = []
    at = 0
    for found in _PIECE.finditer(text):
        mark = found.lastgroup == "mark"
        if found.lastgroup == "text" or (found[0] == "*/" and opened is None):
            continue
        if found[0].startswith("/*") and not mark and (not found[0].endswith("*/") or len(found[0]) < 4):
            break  # it has no end
        pieces += (text[at : found.start()], " " * len(found[0]))
        at = found.end()
        if mark:
            opened = None if found[0] == "*/" else len(pieces) - 1
    if opened is not None:
        pieces[opened] = "/*".ljust(len(pieces[opened]))
    return "".join((*pieces, text[at:]))


@cache
def _tokenizer() -> tuple[Callable[[str], list[Any]], type[Exception]]:
    """sqlglot's tokenizer for MySQL, and the error that it raises."""
    # takes a tenth of a second, which only those wait for who read SQL
    from sqlglot.dialects.mysql import MySQL
    from sqlglot.errors import TokenError

    class Tokenizer(MySQL.Tokenizer):
        """MySQL's, without statements that are one token from their first word to the semicolon (RENAME)."""

        COMMANDS: ClassVar[set[Any]] = set()

    def tokenize(text: str) -> list[Any]:
        return Tokenizer(dialect=MySQL()).tokenize(text)

    return tokenize, TokenError


def statements(text: str) -> Iterator[Clause]:
    """The statements of a text.

    Raises:
        SqlError: it has a quote or a comment without end.
    """
    tokenize, errors = _tokenizer()
    try:
        tokens = [token for one in tokenize(text) for token in _words(text, one)]
    except errors as error:
        place = _PLACE.search(str(error.__cause__))
        # of a comment without an end nothing says where it began
        line = int(place[1]) if place else 1 + text.count("\n", 0, max(text.rfind("/*"), 0))
        found = text.split("\n")[line - 1]
        raise SqlError(line, found[:_SHOWN], "a quote or a comment has no end") from None
    start = 0
    for at, token in enumerate(tokens):
        if token.kind == "SEMICOLON":
            if at > start:
                yield Clause(text, tokens[start:at])
            start = at + 1
    if start < len(tokens):
        yield Clause(text, tokens[start:])


def _words(whole: str, token: Any) -> Iterator[Token]:
    """A token of sqlglot, which has one for words that stand together (PRIMARY KEY), word by word. Escapes in texts are
    MySQL's, of which the versions of sqlglot know more or fewer.
    """
    kind, text, comments = token.token_type.name, str(token.text), tuple(token.comments)
    if kind == "STRING" and whole[token.start : token.start + 1] in ("'", '"'):
        text = unquoted_text(whole[token.start : token.end + 1])
    elif kind == "STRING":
        kind = "VAR"
    words = text.split() if kind not in ("STRING", "IDENTIFIER", *LITERALS) else []
    if len(words) < 2:
        yield Token(kind, text, token.start, token.end + 1, comments)
        return
    for at, word in enumerate(words, 1):
        yield Token("VAR", word, token.start, token.end + 1, comments if at == len(words) else ())

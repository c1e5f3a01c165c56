"""Tokenizes SQL with sqlglot, and reads the tokens with a cursor."""

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
"""Matches a quoted text or name."""
COMMENTS = r"/\*(?!!|T!).*?(?:\*/|\Z) | --(?=\s|\Z)[^\n]* | \#[^\n]*"
"""Matches a comment that is not executed."""
_PIECE = re.compile(
    rf"""
    (?P<text>{QUOTES})
    | (?P<mark>/\*(?:!(?:\d{{5,6}})? | T!(?:\[[^\]\s]*\])?) | \*/)
    | (?P<comment>{COMMENTS})
    """,
    re.VERBOSE | re.DOTALL,
)
"""Matches a quoted text or name; a mark of executed comments; another comment. Unterminated ones end with the text."""


class Token(NamedTuple):
    """A word, a sign, a name, or a value.

    Attributes:
        kind: sqlglot's name of the token type.
        text: text without quotes.
        start: start offset in the whole text.
        end: end offset in the whole text.
        comments: adjacent comments.
    """

    kind: str
    text: str
    start: int
    end: int
    comments: tuple[str, ...]


class Clause:
    """A cursor over the tokens of a statement.

    Attributes:
        text: the whole text that contains the statement.
        tokens: tokens of the statement.
        at: index of the next token.
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
        """sqlglot's token type of a token ahead; empty after the last one."""
        at = self.at + ahead
        return self.tokens[at].kind if at < len(self.tokens) else ""

    def word(self, ahead: int = 0) -> str:
        """A token ahead in upper case, if it is an unquoted word or a sign; else empty."""
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
        """Reads these words if they are next; returns whether they were."""
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
        """Reads a name: in backticks, in double quotes (names with ANSI_QUOTES), or unquoted.

        Raises:
            SqlError: there is no name.
        """
        if self.kind() == "STRING" and self.text[self.tokens[self.at].start] == '"':
            token = self.next()
            return self.text[token.start + 1 : token.end - 1].replace('""', '"')
        if self.kind() != "IDENTIFIER" and not _WORD.fullmatch(self.word()):
            self.fail("a name is expected")
        return self.next().text

    def string(self) -> str:
        """Reads a quoted text.

        Raises:
            SqlError: there is none.
        """
        if self.kind() != "STRING":
            self.fail("a text in quotes is expected")
        return self.next().text

    def inside(self) -> tuple[str, Clause]:
        """Reads parentheses with their content; returns the content's source text and a cursor over it.

        Raises:
            SqlError: there are none, or they are not closed.
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
        """Cursors over the parts between commas; commas inside parentheses do not count."""
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
        """All comments of its tokens."""
        return " ".join(comment for token in self.tokens for comment in token.comments)

    def source(self, start: int) -> str:
        """The source text from token `start` to the last one read."""
        return self.text[self.tokens[start].start : self.tokens[self.at - 1].end]

    def fail(self, detail: str) -> NoReturn:
        """Raises an error at the next token."""
        if not self.tokens:
            raise SqlError(1 + self.text.count("\n"), "", detail)
        token = self.tokens[min(self.at, len(self.tokens) - 1)]
        found = self.text[token.start : token.start + _SHOWN + 1].partition("\n")[0]
        line = 1 + self.text.count("\n", 0, token.start)
        raise SqlError(line, found if len(found) <= _SHOWN else f"{found[:_SHOWN]}…", detail)


LITERALS = ("NUMBER", "HEX_STRING", "BIT_STRING", "NATIONAL_STRING", "INTRODUCER")
"""sqlglot's types of tokens that are values, other than texts."""
_NO_WORDS = frozenset(("STRING", "IDENTIFIER", *LITERALS))


def executed(text: str) -> str:
    """The text as TiDB executes it: comments are replaced by blanks, and of executed comments only their marks:
    ``/*! … */``, ``/*!80000 … */``, ``/*T! … */`` and ``/*T![feature] … */``. Offsets do not change, and an
    unterminated comment is kept.
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
            break  # it is not terminated
        pieces += (text[at : found.start()], " " * len(found[0]))
        at = found.end()
        if mark:
            opened = None if found[0] == "*/" else len(pieces) - 1
    if opened is not None:
        pieces[opened] = "/*".ljust(len(pieces[opened]))
    return "".join((*pieces, text[at:]))


@cache
def _tokenizer() -> tuple[Callable[[str], list[Any]], type[Exception]]:
    """sqlglot's tokenizer for MySQL, and the exception that it raises."""
    # imported on first use, because it takes a tenth of a second
    from sqlglot.dialects.mysql import MySQL
    from sqlglot.errors import TokenError

    class Tokenizer(MySQL.Tokenizer):
        """MySQL's tokenizer, without the statements that it makes one token from the first word to the semicolon
        (RENAME).
        """

        COMMANDS: ClassVar[set[Any]] = set()

    def tokenize(text: str) -> list[Any]:
        return Tokenizer(dialect=MySQL()).tokenize(text)

    return tokenize, TokenError


def statements(text: str) -> Iterator[Clause]:
    """The statements of a text.

    Raises:
        SqlError: a quote or a comment is not terminated.
    """
    tokenize, errors = _tokenizer()
    try:
        tokens = [token for one in tokenize(text) for token in _words(text, one)]
    except errors as error:
        place = _PLACE.search(str(error.__cause__))
        # for an unterminated comment the error has no position
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
    """Splits a token of sqlglot that has several words (PRIMARY KEY). Escapes in texts are resolved as in MySQL,
    because versions of sqlglot differ in them.
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

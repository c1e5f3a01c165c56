"""Statements of SQL with damage."""

from __future__ import annotations

from random import Random

SIGNS = ["'", '"', "`", "(", ")", ",", ";", "/*", "*/", "--", "#", "\\", "=", ".", "-", "$", "%", "\0", " ", "😀"]
WORDS = ["default", "null", "key", "as", "enum(", "unsigned", "comment", "collate", "charset", "check", "references"]
VALUES = ["x'a'", "x'zz'", "b'12'", "0x", "1e999", "decimal(99999999999)", "partition", "like", "rename", "_utf8'x'"]
PIECES = [*SIGNS, *(f" {word} " for word in (*WORDS, *VALUES))]
"""What damages a statement."""


def damaged(random: Random, text: str) -> str:
    """A text with some pieces put in or in place of others."""
    for _ in range(random.randint(0, 3)):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(PIECES) + text[at + random.choice((0, 0, 1, 12)) :]
    return text

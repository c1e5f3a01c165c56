"""JSON texts and constants in a spec.

- `absent` and `empty` are JSON, or `omit`; `absent` is null or of the member's type, `empty` is null or without
  elements. An object that stands for no description can have content.
- A constant fits the member's type: integers have 64 bits.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ...model import Word
from ...problems import Problem, problem, quoted
from ..member_types import BASE64, BOOL, INTEGER, TEXT, UNSIGNED
from ..model import OMIT, ByProducer, DescriptionMember, Member, ObjectMember, Scalar
from .context import NUMBERS, JsonContext

PYTHON = {
    INTEGER: int,
    UNSIGNED: int,
    TEXT: str,
    BASE64: str,
    BOOL: bool,
    "list": list,
    "by_column": dict,
    "part": dict,
}
"""The Python type of a member's JSON value."""
EXAMPLES = {INTEGER: "0", UNSIGNED: "0", TEXT: '""', BASE64: '""', BOOL: "false", "list": "[]"}
"""An example of a member's JSON value, for remedies; members that are not listed are objects."""


def check(context: JsonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    for _, member in context.protocol.walk_all():
        for absent in member.absent_by.values() or ([] if member.absent is None else [member.absent]):
            found += _literal(member, absent, "absent")
        for nothing in member.nothing:
            found += _literal(member, nothing, "absent")
        if member.nothing and member.absent != OMIT:
            text = "what stands for nothing is left out"
            remedy = "Say omit, and JSON that a reader takes for nothing behind it."
            found.append(problem(member.at("absent"), text, remedy))
        if isinstance(member, ByProducer):
            for literal in dict.fromkeys(member.empty.values()):
                found += _literal(member, literal, "empty")
        elif isinstance(member, Scalar) and member.const is not None:
            found += _constant(member, member.const)
    return found


def _literal(member: Member, literal: Word, word: str) -> Iterator[Problem]:
    if literal == OMIT:
        return
    example = EXAMPLES.get(member.type, "{}")
    legal = f"Legal are null, omit and JSON such as {example}."
    try:
        value: Any = json.loads(literal, parse_constant=_no_number)
    except (ValueError, RecursionError):
        text = f"{quoted(literal)} is no JSON"
        yield problem(literal.location, text, f"{legal} Text is quoted twice: '\"...\"'.")
        return
    if value is None:
        return
    if type(value) is not PYTHON[member.type]:
        yield problem(literal.location, f"{quoted(literal)} is no {member.type}", legal)
    elif isinstance(member, ObjectMember) and not isinstance(member, DescriptionMember):
        text = "an object that nothing is said in has no members that a reader would take"
        yield problem(literal.location, text, "Say null or omit.")
    elif isinstance(value, list | dict) and value and not isinstance(member, DescriptionMember):
        yield problem(literal.location, f"{word}: says what stands for nothing, {quoted(literal)} has content", legal)
    elif member.type in NUMBERS and isinstance(value, int):
        yield from _number(member, value, word)


def _no_number(text: str) -> float:
    """Refuses NaN and Infinity, which Python's parser accepts and JSON does not have."""
    raise ValueError(text)


def _number(member: Member, value: int, word: str) -> Iterator[Problem]:
    low, high = NUMBERS[member.type]
    if not low <= value <= high:
        yield problem(member.at(word), f"{value} is no {member.type}", f"It goes from {low} to {high}.")


def _constant(member: Scalar, value: int | bool | str) -> Iterator[Problem]:
    if member.type in NUMBERS and isinstance(value, int):
        yield from _number(member, value, "const")

"""Problems of a spec: what is wrong, where, and what to do about it.

A problem is data. Loading, validation and every pass return problems; they are reported together, sorted, once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a spec.

    `file` is the directory's and the file's name (`spec/events.yaml`), whatever the working directory. `line` counts
    from 1. `path` is the dotted YAML path; a list element appears with its `id` if it has one, otherwise with its
    index.
    """

    file: str
    line: int
    path: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.path}" if self.path else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One problem: a sentence without a full stop (`text`) and the remedy (may be empty)."""

    file: str
    line: int
    path: str
    text: str
    remedy: str = ""

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}  {self.path}: " if self.path else f"{self.file}:{self.line}  "
        remedy = f" {self.remedy}" if self.remedy else ""
        return visible(f"{where}{self.text}.{remedy}")


def problem(location: Location, text: str, remedy: str = "") -> Problem:
    """A problem at a location."""
    return Problem(location.file, location.line, location.path, text, remedy)


def report(problems: Iterable[Problem]) -> str:
    """The report: one line per problem, sorted by file, line, path and text, none twice; it ends with a newline."""
    return "".join(f"{one}\n" for one in sorted(set(problems)))


def visible(text: str) -> str:
    """A text on one line, with invisible characters (controls, direction marks) as escapes."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


def quoted(name: object) -> str:
    """A name as reports print it."""
    return f'"{name}"'


def listed(names: Iterable[str]) -> str:
    """Names for a sentence, in the order given: `a, b, c`, or `(none)`."""
    return ", ".join(names) or "(none)"


def did_you_mean(name: str, legal: Iterable[str], what: str) -> str:
    """The remedy for an unknown name: the closest legal one, or the list of all. `what`: their kind, in the plural."""
    names = list(legal)
    if not names:
        return "There are none."
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    if close:
        return f"Did you mean {quoted(close[0])}?"
    if len(names) > 12:
        return f"There are {len(names)} {what}, none of a similar name."
    return f"Legal {what}: {listed(names)}."


def unknown(location: Location, what: str, name: str, legal: Iterable[str], plural: str = "") -> Problem:
    """The problem of an unknown name, with the closest legal one. `plural`: the plural of `what`; empty: with an s."""
    return problem(location, f"unknown {what} {quoted(name)}", did_you_mean(name, legal, plural or f"{what}s"))

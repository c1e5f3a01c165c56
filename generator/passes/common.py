"""What a pass over a protocol of any wire is given."""

from __future__ import annotations

import keyword
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..model import Protocol, Spec, Word
from ..problems import Problem, problem, quoted, unknown


@dataclass(frozen=True)
class OptionUse:
    """A word that names an option."""

    name: Word
    by: str
    """The word, as reports say it."""
    type: str
    """The type that the option needs for it."""


@dataclass(frozen=True)
class CommonContext(ABC):
    """One protocol and the spec that it is part of."""

    spec: Spec
    protocol: Protocol

    @abstractmethod
    def carried(self) -> list[str]:
        """The classes of events that the protocol carries, in the order of its cases."""

    @abstractmethod
    def option_uses(self) -> Iterator[OptionUse]:
        """Where the wire's own words name options."""


def named(name: Word | None, what: str, legal: object, plural: str = "") -> Iterator[Problem]:
    """A problem when the name is there and is not one of the legal ones."""
    names = [str(one) for one in legal] if hasattr(legal, "__iter__") else []
    if name is not None and name not in names:
        yield unknown(name.place, what, name, names, plural)


def keywords(names: Sequence[Word]) -> Iterator[Problem]:
    """The names that are Python keywords."""
    for name in names:
        if keyword.iskeyword(name):
            yield problem(name.place, f"{quoted(name)} is a Python keyword", f"Take another name, such as {name}_.")

"""What a pass over any protocol is given."""

from __future__ import annotations

import keyword
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..meaning import CarriedCase, Meaning, Remedies
from ..model import Protocol, Spec, ValueTable, Word
from ..problems import Location, Problem, listed, problem, quoted, unknown


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
    """One protocol and the spec that it is part of.

    What it means is for the passes after those that make sure that names refer to something and that the parts of the
    layout hold together.
    """

    spec: Spec
    protocol: Protocol

    remedies: ClassVar[Remedies]
    """How mistakes of meaning are mended in the words of the containers."""
    wire: ClassVar[str]
    """The wire of primitives.yaml whose codecs write values."""
    overwrites: ClassVar[bool] = False
    """Whether values lie in bytes that others can overwrite."""
    named_objects: ClassVar[bool] = False
    """Whether rows are objects by the names of their columns, so that a name can be lost."""
    partial_images: ClassVar[bool] = False
    """Whether a row image can lack columns of the other one."""

    keyed_rows: ClassVar[bool] = False
    """Whether the key alone tells some rows, so that a message of one without a key says nothing."""
    registers: ClassVar[bool] = False
    """Whether the schemas of messages are registered."""
    untimed_rows: ClassVar[bool] = False
    """Whether messages of rows can say nothing of when they were committed."""

    @property
    def other_protocols(self) -> tuple[str, ...]:
        """Those whose words its own are made of."""
        said = self.protocol.schema_types
        return () if said is None or said.like is None else (str(said.like),)

    @property
    def refused_types(self) -> tuple[Word, ...] | None:
        """The column types that no message has, where every other one is written; None: some may not be."""
        return None

    @property
    @abstractmethod
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        """The events that there are messages for, case by case."""

    @property
    @abstractmethod
    def meaning(self) -> Meaning:
        """What the protocol means."""

    def wire_of(self, table: ValueTable) -> str:
        """The wire whose codecs a value table names."""
        return self.wire

    def carried(self) -> list[str]:
        """The classes of events that the protocol carries, in the order of its cases."""
        return list(dict.fromkeys(str(one.cls.key) for one in self.carried_cases))

    @abstractmethod
    def option_uses(self) -> Iterator[OptionUse]:
        """Where the words of the containers name options."""


def named(name: Word | None, what: str, legal: object, plural: str = "") -> Iterator[Problem]:
    """A problem when the name is there and is not one of the legal ones."""
    names = [str(one) for one in legal] if hasattr(legal, "__iter__") else []
    if name is not None and name not in names:
        yield unknown(name.location, what, name, names, plural)


def named_codec(spec: Spec, codec: Word, wire: str) -> Iterator[Problem]:
    """A problem when a codec of values is not there, or is for another wire."""
    legal = {key: one for key, one in spec.primitives.codecs.items() if one.wire in (None, wire)}
    other = spec.primitives.codecs.get(codec)
    if other is not None and codec not in legal:
        text = f"the codec {quoted(codec)} is for wire: {other.wire}, values are written in {wire} here"
        yield problem(codec.location, text, f"Codecs for {wire} are {listed(legal)}.")
    else:
        yield from named(codec, "codec", legal)


def by_producer(protocol: Protocol, said: Iterable[Word], location: Location) -> Iterator[Problem]:
    """What is said by producer is said of every one, and of no other."""
    names = tuple(said)
    for name in names:
        yield from named(name, "producer", protocol.producers)
    silent = [one for one in protocol.producers if one not in names]
    if silent:
        yield problem(
            location, f"nothing is said of the producer {listed(silent)}", "Say it for each, or once for all."
        )


def keywords(names: Sequence[Word]) -> Iterator[Problem]:
    """The names that are Python keywords."""
    for name in names:
        if keyword.iskeyword(name):
            yield problem(name.location, f"{quoted(name)} is a Python keyword", f"Take another name, such as {name}_.")

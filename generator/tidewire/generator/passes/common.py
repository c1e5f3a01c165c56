"""The context of a pass over any protocol."""

from __future__ import annotations

import keyword
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..meaning import CarriedCase, Meaning, Remedies
from ..model import Protocol, Spec, ValueTable, Word
from ..problems import Location, Problem, did_you_mean, listed, problem, quoted, unknown


@dataclass(frozen=True)
class OptionUse:
    """A word that names an option."""

    name: Word
    by: str
    """The word, for reports."""
    type: str
    """The type that the option must have."""


@dataclass(frozen=True)
class CommonContext(ABC):
    """One protocol and its spec.

    The meaning may be used by passes after those that check names and layout.
    """

    spec: Spec
    protocol: Protocol

    remedies: ClassVar[Remedies]
    """Texts of remedies for problems of meaning, with the words for it in this plug-in's containers."""
    wire: ClassVar[str]
    """The wire in primitives.yaml whose codecs write values."""
    overwrites: ClassVar[bool] = False
    """Whether values are in bytes that others can overwrite."""
    named_objects: ClassVar[bool] = False
    """Whether rows are objects by column name, so that a name can be lost."""
    partial_images: ClassVar[bool] = False
    """Whether a row image can lack columns of the other one."""

    keyed_rows: ClassVar[bool] = False
    """Whether some rows are identified by the key alone, so that a message without a key has no row."""
    registers: ClassVar[bool] = False
    """Whether the schemas of messages are registered."""
    unflagged_columns: ClassVar[bool] = False
    """Whether messages may say nothing of a column's flags."""
    untimed_rows: ClassVar[bool] = False
    """Whether messages of rows may lack the commit time."""

    @property
    def other_protocols(self) -> tuple[str, ...]:
        """The protocols whose chapters this one uses."""
        said = self.protocol.schema_types
        return () if said is None or said.like is None else (str(said.like),)

    @property
    def refused_types(self) -> tuple[Word, ...] | None:
        """The column types whose values no message contains, if messages contain the values of all other types; None if
        other values may be missing, too.
        """
        return None

    @property
    @abstractmethod
    def carried_cases(self) -> tuple[CarriedCase, ...]:
        """The events with messages, case by case."""

    @property
    @abstractmethod
    def meaning(self) -> Meaning:
        """The meaning of the protocol."""

    def wire_of(self, table: ValueTable) -> str:
        """The wire whose codecs a value table names."""
        return self.wire

    def carried(self) -> list[str]:
        """The classes of events that the protocol carries, in the order of its cases."""
        return list(dict.fromkeys(str(one.cls.key) for one in self.carried_cases))

    @abstractmethod
    def option_uses(self) -> Iterator[OptionUse]:
        """The words of the containers that name options."""


def named(name: Word | None, what: str, legal: object, plural: str = "") -> Iterator[Problem]:
    """Reports a name that is given but not in `legal`: unknown `what`."""
    names = [str(one) for one in legal] if hasattr(legal, "__iter__") else []
    if name is not None and name not in names:
        yield unknown(name.location, what, name, names, plural)


def one_of_such(name: Word | None, what: str, legal: Iterable[str], plural: str) -> Iterator[Problem]:
    """Like `named`, if the name may exist but lack the property that `what` states: it is "no" `what`."""
    names = [str(one) for one in legal]
    if name is not None and name not in names:
        yield problem(name.location, f"{quoted(name)} is no {what}", did_you_mean(name, names, plural))


def named_codec(spec: Spec, codec: Word, wire: str) -> Iterator[Problem]:
    """Reports a codec that does not exist, or is for another wire."""
    legal = {key: one for key, one in spec.primitives.codecs.items() if one.is_for(wire)}
    other = spec.primitives.codecs.get(codec)
    if other is not None and codec not in legal:
        text = f"the codec {quoted(codec)} is for wire: {listed(other.wires)}, values are written in {wire} here"
        yield problem(codec.location, text, f"Codecs for {wire} are {listed(legal)}.")
    else:
        yield from named(codec, "codec", legal)


def by_producer(protocol: Protocol, said: Iterable[Word], location: Location) -> Iterator[Problem]:
    """Problems unless the keys are exactly the protocol's producers."""
    names = tuple(said)
    for name in names:
        yield from named(name, "producer", protocol.producers)
    silent = [one for one in protocol.producers if one not in names]
    if silent:
        yield problem(
            location, f"nothing is said of the producer {listed(silent)}", "Say it for each, or once for all."
        )


def keywords(names: Sequence[Word]) -> Iterator[Problem]:
    """Problems of names that are Python keywords."""
    for name in names:
        if keyword.iskeyword(name):
            yield problem(name.location, f"{quoted(name)} is a Python keyword", f"Take another name, such as {name}_.")

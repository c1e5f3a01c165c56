"""What an encoder's module consists of: its functions, their steps and its checks, as the template prints them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..plan.events import EventColumn


@dataclass(frozen=True)
class Raw:
    """JSON that is the same in every such message."""

    json: bytes


@dataclass(frozen=True)
class Call:
    """A line that writes something."""

    text: str


@dataclass(frozen=True)
class If:
    """Steps that are taken under a condition, or others."""

    condition: str
    steps: Steps
    otherwise: Steps = ()

    @property
    def alone(self) -> str:
        """The condition, when nothing is done where it does not hold."""
        return "" if self.otherwise else self.condition


Step: TypeAlias = Raw | Call | If
Steps: TypeAlias = tuple[Step, ...]


@dataclass(frozen=True)
class WriteMessage:
    """Writes the messages of a kind of events."""

    name: str
    kind: str
    code: str
    about: str
    images: tuple[tuple[str, str, str, str], ...]
    """Name of each row image, the columns with its layout and row, and the expression for the columns that are kept."""
    main: str
    """The image whose columns the message describes; empty without one."""
    named: bool
    """Whether it says which table the event is of."""
    when: str | None
    """The option without which there is no message."""
    steps: Steps


@dataclass(frozen=True)
class WriteObject:
    """Writes an object that is the same in the messages of all kinds of a class."""

    name: str
    about: str
    named: bool
    """Whether it says which table the event is of."""
    parameters: tuple[tuple[str, str, str], ...]
    """What it takes besides sink and event: names, annotations and C types."""
    steps: Steps


@dataclass(frozen=True)
class CheckedKind:
    """What an event of a kind has to have."""

    name: str
    code: str
    carried: bool
    images: tuple[tuple[str, str, str, bool], ...]
    """Name of each row image, the columns with its layout and row, whether it has to be there (else it must not)."""
    named: tuple[tuple[str, int], ...]
    """schema and table, where they have to be there, each with its bit."""
    needed: tuple[tuple[str, str, str], ...]
    """What has to be there: the condition under which it is missing, and its name."""
    classes: tuple[str, str, bool] | None
    """The columns with the DDL type and the class of a statement; whether the class has to be a known one."""
    class_names: tuple[str, ...]
    """The fields that can say the class of a statement."""
    ranges: tuple[tuple[str, str, int, int], ...]
    """Name and column of a number, and its range."""


@dataclass(frozen=True)
class PlannedMember:
    """A member of rows that is spelled once for all rows of a table."""

    name: str
    annotation: str
    construction: tuple[str, ...]
    """The lines of the expression that makes it."""


@dataclass(frozen=True)
class PlannedEmpty:
    """What is written for a member of rows without columns, by producer."""

    name: str
    by_producer: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class PlannedLines:
    """Which rows share a value."""

    terminator: str
    kinds: tuple[tuple[str, str], ...]
    same: tuple[str, ...]
    """The columns in which they agree."""
    by: tuple[str, ...]
    apart: tuple[tuple[str, tuple[str, ...]], ...]
    """Columns in which they agree besides as a producer writes."""


@dataclass(frozen=True)
class JsonEncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    html: bool
    options: tuple[tuple[str, str, str], ...]
    """Field, annotation and C type of each option that the encoder takes."""
    values: str | None
    """The value table that row images are written with."""
    untold: tuple[int, ...]
    """The codes of the types that stand for one that was not told, whose values are not written."""
    columns: tuple[EventColumn, ...]
    """The columns of events that are read, with places of their own."""
    kinds: tuple[CheckedKind, ...]
    messages: tuple[WriteMessage, ...]
    shared: tuple[WriteObject, ...]
    members: tuple[PlannedMember, ...]
    full: tuple[str, str] | None
    """The option with which types are declared in full: its name and its field."""
    declared: bool
    """Whether messages say declared types."""
    takes: str
    """The function that takes a declared type apart, as a reader does."""
    named_flags: str
    """The flags whose columns messages name."""
    mapped: bool
    """Whether they say other names of types."""
    empties: tuple[PlannedEmpty, ...]
    ways: tuple[tuple[str, str], ...]
    """The flags of columns that are kept alone, each with its constant; way 0 keeps all columns."""
    absent: tuple[str, str]
    """What is written for no schema and for no table."""
    commit: tuple[str, str] | None
    """The columns with the commit ts and with its physical part."""
    sent: str | None
    """The column that says when a message was sent."""
    classes: tuple[str, ...]
    """The classes of statements."""
    lines: PlannedLines | None

    @property
    def at(self) -> dict[str, str]:
        """The constant of every column that is read."""
        return {one.name: one.constant for one in self.columns}

    @property
    def images(self) -> bool:
        """Whether messages have row images."""
        return self.values is not None

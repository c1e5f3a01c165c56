"""What an encoder's module consists of: its functions and its checks, as the template prints them."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import DDL_CLASS
from ..plan.events import EventColumn
from ..syntax.nodes import Body, Expression, Method, Name
from .model import Spelled


@dataclass(frozen=True)
class WriteMessage:
    """Writes the messages of a kind of events."""

    code: Expression
    """The kind."""
    when: str | None
    """The option without which there is no message."""
    method: Method

    @property
    def kind_is(self) -> Expression:
        """Whether the event is of the kind."""
        return Name("kind").equals(self.code)


@dataclass(frozen=True)
class PlannedMember:
    """A member of rows that is spelled once for all rows of a table."""

    name: str
    annotation: str
    construction: Expression


@dataclass(frozen=True)
class PlannedEmpty:
    """What is written for a member of rows without columns, by producer."""

    name: str
    by_producer: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class PlannedWay:
    """Which columns of a row image are written."""

    name: Expression
    """The constant of its number."""
    flag: Expression
    """The flag that the columns have; 0: all are written."""
    about: str


@dataclass(frozen=True)
class PlannedLines:
    """Which rows share a value."""

    terminator: str
    gathered: Expression
    """Whether `kind` is one of the kinds of rows."""
    by: tuple[str, ...]
    together: Body
    """Whether `event` and `other` agree."""


@dataclass(frozen=True)
class JsonEncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    spelling: Spelled
    options: tuple[tuple[str, str, str], ...]
    """Field, annotation and C type of each option that the encoder takes."""
    values: str | None
    """The value table that row images are written with."""
    columns: tuple[EventColumn, ...]
    """The columns of events that are read, with places of their own."""
    checks: Body
    messages: tuple[WriteMessage, ...]
    shared: tuple[Method, ...]
    """Write an object that is the same in the messages of all kinds of a class."""
    has_message: Body
    write_message: Body
    members: tuple[PlannedMember, ...]
    full: tuple[str, str] | None
    """The option with which types are declared in full: its name and its field."""
    declared: bool
    """Whether messages say declared types."""
    takes: str
    """The function that takes a declared type apart, as a reader does."""
    named_flags: Expression
    """The flags whose columns messages name."""
    mapped: bool
    """Whether they say other names of types."""
    empties: tuple[PlannedEmpty, ...]
    ways: tuple[PlannedWay, ...]
    absent: tuple[bytes, bytes]
    """What is written for no schema and for no table."""
    commit: tuple[Expression, Expression] | None
    """The columns with the commit ts and with its physical part."""
    sent: Expression | None
    """The column that says when a message was sent."""
    classes: tuple[str, ...]
    """The classes of statements."""
    class_field: str
    """The field that says one; empty where there is none."""
    lines: PlannedLines | None

    @property
    def at(self) -> dict[str, str]:
        """The constant of every column that is read."""
        return {one.name: one.constant for one in self.columns}

    @property
    def images(self) -> bool:
        """Whether messages have row images."""
        return self.values is not None

    @property
    def of_mysql(self) -> tuple[str, ...]:
        """What it takes from the module of MySQL's types."""
        classes = (DDL_CLASS,) if self.classes else ()
        declared = (self.takes, "type_text") if self.declared else ()
        return tuple(sorted((*classes, *declared, *(("mapped",) if self.mapped else ()))))

"""What an encoder's module consists of: its functions and its checks, as the template prints them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..facts import DDL_CLASS
from ..plan.events import EventColumn
from ..syntax.nodes import Expression, Method, Name
from .spelling_model import Spelled


@dataclass(frozen=True)
class WriteMessage:
    """Writes the messages of a kind of events."""

    code: Expression
    """The kind."""
    when: str | None
    """The option without which there is no message."""
    cls: str
    """The class of the kind."""
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
    example: str
    """The method that writes the messages of the first kind."""
    columns: tuple[EventColumn, ...]
    """The columns of events that are read, with places of their own."""
    looking: tuple[Method, ...]
    """What looks at events before they are written."""
    writing: tuple[Method, ...]
    """What writes messages: all, those of a kind, and objects that are the same in those of all kinds of a class."""
    members: tuple[PlannedMember, ...]
    full_option: str | None
    """The option with which types are declared in full."""
    full: Expression
    """Whether they are."""
    takes: str
    """The function that takes a declared type apart, as a reader does."""
    named_flags: Expression
    """The flags of a column, of those whose columns messages name."""
    empties: tuple[PlannedEmpty, ...]
    flags: Expression
    """The flag of the columns that are written in each way."""
    absent: tuple[bytes, bytes]
    """What is written for no schema and for no table."""
    classes: tuple[str, ...]
    """The classes of statements."""
    terminator: str | None
    """The option that says what stands behind every object of a value."""

    sorted: tuple[str, ...]
    """The producers that write the columns of a row in the order of the bytes of their names."""
    sorting: Expression
    """Whether this one does."""
    part: str
    """The constant of the part that describes a table; empty where messages describe none."""
    enveloped: bool = False
    """Whether messages are in Kafka Connect's envelopes."""
    unless: str = ""
    """The option with which they have no block."""
    value_blocks: tuple[tuple[str, Expression], ...] = ()
    """The text of the blocks of values, by class of events."""
    key_blocks: tuple[tuple[str, Expression], ...] = ()
    """The same of keys."""
    changes: Expression | None = None
    """What is said of changes of tables."""
    unsent: Mapping[str, str] = field(default_factory=dict)
    """By producer, where blocks have the columns of a table that rows do not have."""
    nulls: Mapping[str, str] = field(default_factory=dict)
    """By producer, as what NULL in a column with a default is written."""

    @property
    def from_decoder(self) -> tuple[str, ...]:
        """What it takes from the decoder's module."""
        return tuple(one for one in (self.part, self.values or "") if one)

    @property
    def base(self) -> str:
        """The class that the encoder is one of."""
        if self.enveloped:
            return "ConnectEncoder"
        return "DescribedEncoder" if self.part else "ObjectEncoder"

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
        types = (self.takes, "type_text", "mapped") if self.members else ()
        types = ("ddl_type_of", "declared", "type_text") if self.enveloped else types
        return tuple(sorted((*classes, *types)))

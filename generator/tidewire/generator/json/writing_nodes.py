"""The plan of an encoder's module: its methods and checks, for the template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..facts import DDL_CLASS
from ..plan.events import EventColumn
from ..syntax.nodes import Expression, Method, Name, uses
from .member_types import THOUSANDTH
from .spelling_model import Spelled
from .statement_texts import TELLS_TYPE


@dataclass(frozen=True)
class WriteMessage:
    """The method that writes the messages of a kind of event."""

    code: Expression
    """The constant for the kind."""
    when: str | None
    """The option without which there is no message."""
    cls: str
    """The class of the kind."""
    method: Method

    @property
    def kind_is(self) -> Expression:
        """The condition that the event is of this kind."""
        return Name("kind").equals(self.code)


@dataclass(frozen=True)
class PlannedMember:
    """A row member whose JSON is prepared once for all rows of a table."""

    name: str
    annotation: str
    construction: Expression


@dataclass(frozen=True)
class PlannedEmpty:
    """What is written for a row member without columns, by producer."""

    name: str
    by_producer: tuple[tuple[str, bytes], ...]


@dataclass(frozen=True)
class JsonEncoderPlan:
    """The plan of an encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    spelling: Spelled
    options: tuple[tuple[str, str, str], ...]
    """The encoder's options: attribute, annotation and C type of each."""
    values: str | None
    """The value table that encodes row images."""
    example: str
    """The method for the first kind, for examples in docstrings."""
    columns: tuple[EventColumn, ...]
    """The event columns that the encoder reads, renumbered."""
    looking: tuple[Method, ...]
    """The methods that check events before they are written."""
    writing: tuple[Method, ...]
    """The methods that write messages: any message, those of one kind, and objects shared by all kinds of a class."""
    members: tuple[PlannedMember, ...]
    full_option: str | None
    """The option with which types are written in full."""
    full: Expression
    """The expression for whether types are written in full."""
    takes: str
    """The function that parses a declared type as a reader does."""
    named_flags: Expression
    """The flags of the columns that messages list by name."""
    empties: tuple[PlannedEmpty, ...]
    flags: Expression
    """For each choice of columns, the flag of the columns that are written."""
    absent: tuple[bytes, bytes]
    """What is written for a missing schema and a missing table name."""
    classes: tuple[str, ...]
    """The classes of statements."""
    terminator: str | None
    """The option with the text after every object of a value."""

    sorted: tuple[str, ...]
    """The producers that write the columns of a row sorted by the bytes of their names."""
    sorting: Expression
    """The expression for whether this producer sorts them."""
    part: str
    """The constant of the part that describes a table; empty if messages have no descriptions."""
    enveloped: bool = False
    """Whether messages are in Kafka Connect's envelopes."""
    keyed: bool = False
    """Whether messages have keys."""
    unless: str = ""
    """The option with which schema blocks are omitted."""
    value_blocks: tuple[tuple[str, Expression], ...] = ()
    """The text of the schema blocks of values, by class of events."""
    key_blocks: tuple[tuple[str, Expression], ...] = ()
    """The text of the schema blocks of keys, by class of events."""
    changes: Expression | None = None
    """The construction of what is said of table changes."""
    mapping: str = ""
    """The mapping that gives the types of changed columns their numbers."""
    unsent: Mapping[str, str] = field(default_factory=dict)
    """By producer, where schema blocks list table columns that rows do not have."""
    nulls: Mapping[str, str] = field(default_factory=dict)
    """By producer, how NULL in a column with a default is written."""

    @property
    def from_decoder(self) -> tuple[str, ...]:
        """The names that it imports from the decoder's module."""
        return tuple(one for one in (self.part, self.values or "") if one)

    @property
    def base(self) -> str:
        """The base class of the encoder."""
        return "ConnectEncoder" if self.enveloped else "ObjectEncoder"

    @property
    def at(self) -> dict[str, str]:
        """The constant of every column that the encoder reads, by name."""
        return {one.name: one.constant for one in self.columns}

    @property
    def thousandth(self) -> bool:
        """Whether it converts units of time."""
        return uses(THOUSANDTH, *self.looking, *self.writing)

    @property
    def images(self) -> bool:
        """Whether messages have row images."""
        return self.values is not None

    @property
    def of_mysql(self) -> tuple[str, ...]:
        """The names that it imports from the module of MySQL types."""
        classes = (DDL_CLASS,) if self.classes else ()
        types = (self.takes, "type_text", "mapped") if self.members else ()
        types = (TELLS_TYPE, "declared", "type_text") if self.enveloped else types
        if not self.enveloped and uses(TELLS_TYPE, *self.looking):
            types = (*types, TELLS_TYPE)
        return tuple(sorted((*classes, *types)))

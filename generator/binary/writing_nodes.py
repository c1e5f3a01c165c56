"""What an encoder's module consists of: its functions and checks, as the template prints them."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan.events import EventColumn
from . import operations as op


@dataclass(frozen=True)
class WriteFunction:
    """Writes a part."""

    name: str
    title: str
    about: str
    parameters: tuple[tuple[str, str, str], ...]
    operations: op.Operations

    @property
    def uses_start(self) -> bool:
        """Whether it measures something."""
        return any(isinstance(one, op.WriteEvents | op.WriteImages | op.Start) for one in self.operations)

    @property
    def uses_k(self) -> bool:
        """Whether it goes through the events."""
        return self.chunks or any(isinstance(one, op.WriteEvents) for one in self.operations)

    @property
    def chunks(self) -> bool:
        """Whether it writes chunks with a value of each event."""
        return any(isinstance(one, op.WriteChunk | op.WriteTextChunk) for one in self.operations)


@dataclass(frozen=True)
class WriteTerms:
    """Writes a dictionary."""

    name: str
    about: str
    section: str
    omit: bool
    count: str


@dataclass(frozen=True)
class WrittenRow:
    """A row of the tables."""

    attribute: str
    repeated: bool
    fixed: int
    """How many numbers it has, when they are named; else 0."""


@dataclass(frozen=True)
class WriteTables:
    """Writes the tables of numbers."""

    name: str
    about: str
    count: str
    chunk: str
    rows: tuple[WrittenRow, ...]

    @property
    def method(self) -> str:
        return op.chunk_method(self.chunk)

    @property
    def writer(self) -> str:
        """The sink's method that writes a count."""
        return "byte" if self.count == "u8" else self.count

    @property
    def repeats(self) -> bool:
        return any(row.repeated for row in self.rows)


@dataclass(frozen=True)
class WrittenCase:
    """The events of one code of the wire."""

    code: str
    kinds: tuple[str, ...]
    function: str | None


@dataclass(frozen=True)
class CheckedField:
    """A field that the wire carries, and what the wire can say of it."""

    name: str
    position: str
    unsigned: bool
    nullable: bool
    absent: int | None
    """The number that stands for null, so that it cannot stand for itself."""
    range: tuple[int, int] | None
    """The range of the wire, where it is narrower than the field's."""


@dataclass(frozen=True)
class CheckedKind:
    """What an event of a kind has to have."""

    name: str
    code: str
    carried: bool
    images: tuple[tuple[str, str, str, bool], ...]
    """Name of each row image, the columns with its layout and row, whether it has to be there (else it must not)."""
    fields: tuple[CheckedField, ...]
    named: tuple[str, ...]


@dataclass(frozen=True)
class PlannedKeep:
    """An option that keeps some columns of a row image only."""

    option: str
    name: str
    kind: str
    kind_name: str
    layout: str
    image: str
    flag: str
    flag_name: str


@dataclass(frozen=True)
class PlannedBatching:
    """Which events share a message."""

    about: str
    kinds: tuple[str, ...]
    count: str | None
    bytes: str | None
    after: bool
    weights: dict[str, int]


@dataclass(frozen=True)
class WriteImageColumns(op.Operation):
    """The description of a row image's columns, and its values."""

    chunks: tuple[tuple[str, str], ...]
    """Method of the sink and attribute of the images, for each chunk of the description."""
    names_terms: str | None
    sink: str


@dataclass(frozen=True)
class EncoderPlan:
    """An encoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    values: tuple[str, ...]
    value_table: str
    options: tuple[tuple[str, str], ...]
    """Field and annotation of each option."""
    numbers: tuple[str, ...]
    sinks: tuple[str, ...]
    dictionaries: tuple[str, ...]
    names_terms: str | None
    root: WriteFunction
    functions: tuple[WriteFunction, ...]
    terms: tuple[WriteTerms, ...]
    tables: WriteTables | None
    body: str
    cases: tuple[WrittenCase, ...]
    checks: tuple[CheckedKind, ...]
    common: tuple[CheckedField, ...]
    """What all events have."""
    keeps: tuple[PlannedKeep, ...]
    batching: PlannedBatching | None
    images: tuple[tuple[str, str], ...]
    """The columns with layout and row of each image, in the order of writing."""
    table_terms: tuple[str | None, str | None]
    """The dictionaries that number the names of schemas and of tables."""
    at: dict[str, str]
    """The constant of each column of events."""
    event_columns: tuple[EventColumn, ...]
    times: tuple[str, ...]
    type_limit: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns of events that are read."""
        return tuple(str(one.name) for one in self.event_columns)

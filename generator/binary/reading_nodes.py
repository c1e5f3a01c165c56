"""What a decoder's module consists of: its functions and tables, as the template prints them."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan.events import EventColumn
from ..plan.values import PlannedValues
from . import operations as op
from .names import FieldName


@dataclass(frozen=True)
class SectionsFunction:
    """Reads a part of sections."""

    name: str
    title: str
    about: str
    parameters: tuple[tuple[str, str, str], ...]
    """Name, annotation and C type of each parameter after the cursor."""
    operations: op.Operations
    result: str
    """What it returns: 0, or the bit of a row image."""

    @property
    def uses_offset(self) -> bool:
        return any(one.uses_offset for one in self.operations)


@dataclass(frozen=True)
class ColumnsFunction:
    """Reads a part of chunks."""

    name: str
    about: str
    operations: op.Operations

    @property
    def uses_offset(self) -> bool:
        return any(one.uses_offset for one in self.operations)


@dataclass(frozen=True)
class TermsFunction:
    """Reads a dictionary."""

    name: str
    about: str
    section: str
    omit: bool
    sized: bool
    """Whether its extent is known before it is read."""
    count: str
    field: str


@dataclass(frozen=True)
class PlannedRow:
    """A row of the tables."""

    id: str
    attribute: str
    field: str
    names: tuple[str, ...]
    repeated: bool
    events: bool
    """Whether it has a number for each event, so that none is too few."""


@dataclass(frozen=True)
class TablesFunction:
    """Reads the tables of numbers."""

    name: str
    about: str
    count: str
    chunk: str
    rows: tuple[PlannedRow, ...]

    @property
    def method(self) -> str:
        return op.chunk_method(self.chunk)

    @property
    def uses_offset(self) -> bool:
        return any(not one.repeated for one in self.rows)


@dataclass(frozen=True)
class HeaderField:
    """What all events have, and the column that takes it."""

    column: EventColumn
    attribute: str
    kind: str  # int | uint | term | text
    absent: int | None
    terms: str | None
    field: str


@dataclass(frozen=True)
class PlannedCase:
    """The events of one code."""

    member: str
    code: str
    kind: str | None
    """The kind of the events; None where it follows from the row images."""
    function: str | None
    arguments: str
    nulls: tuple[str, ...]
    """The columns that such an event does not have."""
    named: tuple[tuple[str, str], ...]
    """schema, table: which of them such an event has to have, and the field that says it."""


@dataclass(frozen=True)
class PlannedImage:
    """A side of a row change."""

    name: str
    code: str
    bit: str
    layout: str
    row: str


@dataclass(frozen=True)
class BodyFunction:
    """Reads what the type of an event says."""

    name: str
    about: str
    switch: str
    switch_field: str
    fields: tuple[HeaderField, ...]
    route: op.Route
    cases: tuple[PlannedCase, ...]
    images: tuple[PlannedImage, ...]
    places: tuple[str, ...]
    """The columns that say where row images are."""
    at: dict[str, str]
    """The constant of each column of events."""


@dataclass(frozen=True)
class DescribeFunction:
    """Takes apart the description of the columns of a row image."""

    name: str
    operations: op.Operations
    parts: dict[str, str]
    name_terms: str | None
    type_field: str
    undefined: bool
    """Whether there are types that have no values here."""
    name_field: str
    values: str

    @property
    def uses_offset(self) -> bool:
        return any(one.uses_offset for one in self.operations)


@dataclass(frozen=True)
class DecoderPlan:
    """A decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    fields: tuple[FieldName, ...]
    indexes: tuple[str, ...]
    values: tuple[PlannedValues, ...]
    numbers: tuple[str, ...]
    dictionaries: tuple[str, ...]
    root: SectionsFunction
    sections: tuple[SectionsFunction, ...]
    columns: tuple[ColumnsFunction, ...]
    terms: tuple[TermsFunction, ...]
    tables: TablesFunction | None
    body: BodyFunction
    describe: DescribeFunction | None
    event_columns: tuple[EventColumn, ...]
    meanings: tuple[str, ...]
    """The functions that a dissector needs to say what numbers mean."""
    text_chunks: tuple[str, ...]
    """Those of the numbers that are the ends of texts."""

    @property
    def repeated(self) -> tuple[str, ...]:
        """Those of the numbers that are a row that repeats."""
        return () if self.tables is None else tuple(row.attribute for row in self.tables.rows if row.repeated)


@dataclass(frozen=True)
class ReadImage(op.Operation):
    """The columns of a row image."""

    count_variable: str
    function: str
    sizes: str
    field: str
    id: str
    part: str


@dataclass(frozen=True)
class PlaceImage(op.Operation):
    """Tells the event where its row image is, once it is known which one it is."""

    kind_variable: str
    kind_field: str
    images: tuple[PlannedImage, ...]

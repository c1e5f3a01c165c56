"""What the modules that read messages consist of: the parts of a message, and how each is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..plan.events import EventColumn
from ..plan.values import PlannedValues
from ..syntax.nodes import Expression, Method, Name, Parameter
from . import operations as op
from .names import FieldName


@dataclass(frozen=True)
class SectionsFunction:
    """Reads a part of sections."""

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    """After the cursor."""
    operations: op.Operations
    image: bool = False
    """Whether the part is a row image, whose bit the decoder's function returns."""


@dataclass(frozen=True)
class ColumnsFunction:
    """Reads a part of chunks."""

    name: str
    about: str
    operations: op.Operations


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
    field: Name


@dataclass(frozen=True)
class PlannedRow:
    """A row of the tables."""

    id: str
    attribute: str
    field: Name
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


@dataclass(frozen=True)
class HeaderField:
    """What all events have, and the column that takes it."""

    column: EventColumn
    attribute: str
    absent: int | None
    terms: str | None
    field: Name


@dataclass(frozen=True)
class PlannedCase:
    """The events of one code."""

    code: Expression
    kind: Name | None
    """The kind of the events; None where it follows from the row images."""
    function: str | None
    nulls: tuple[Expression, ...]
    """The columns that such an event does not have."""
    named: tuple[tuple[str, Name], ...]
    """schema, table: which of them such an event has to have, and the field that says it."""


@dataclass(frozen=True)
class BodyFunction:
    """Reads what the type of an event says."""

    name: str
    about: str
    switch: str
    switch_field: Name
    fields: tuple[HeaderField, ...]
    route: op.Route
    cases: tuple[PlannedCase, ...]
    image_columns: tuple[Expression, ...]
    """The columns that say where row images are."""
    at: Mapping[str, Expression]
    """The constant of each column of events."""


@dataclass(frozen=True)
class DescribeFunction:
    """Takes apart the description of the columns of a row image."""

    name: str
    operations: op.Operations
    parts: dict[str, str]
    name_terms: str | None
    type_field: Name
    undefined: bool
    """Whether there are types that have no values here."""
    name_field: Name
    values: str


@dataclass(frozen=True)
class ReadParts:
    """The parts of a message and how they are read."""

    root: SectionsFunction
    sections: tuple[SectionsFunction, ...]
    columns: tuple[ColumnsFunction, ...]
    terms: tuple[TermsFunction, ...]
    tables: TablesFunction | None
    body: BodyFunction
    describe: DescribeFunction | None

    @property
    def repeated(self) -> tuple[str, ...]:
        """The attributes of the rows that repeat."""
        return () if self.tables is None else tuple(row.attribute for row in self.tables.rows if row.repeated)


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
    modules: tuple[str, ...]
    """Of the runtime's codecs, below the folder of the wire."""
    numbers: tuple[str, ...]
    dictionaries: tuple[str, ...]
    route: op.Route
    undefined: Expression | None
    """When the code `switch.u64[k]` of an event is none, where repeated tables are checked against the codes."""
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class DissectorAttribute:
    """An attribute of a dissector, its annotation if it needs one, and what it is before anything is read."""

    name: str
    annotation: str | None
    first: Expression


@dataclass(frozen=True)
class DissectorPlan:
    """A dissector's module."""

    source: str
    module: str
    title: str
    values: str
    """The value table that says how values are written; empty: there are none."""
    kept: tuple[DissectorAttribute, ...]
    meanings: tuple[str, ...]
    """The functions of runtime/wire/spans.py that say what numbers mean."""
    methods: tuple[Method, ...]

"""The plans of the modules that read messages: the parts of a message, and how each is read."""

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
    """The parameters after the cursor."""
    operations: op.Operations
    image: bool = False
    """Whether the part is a row image; the decoder's function then returns its bit."""


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
    """Whether its length is known before it is read."""
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
    """Whether it has a number for each event, so that zero numbers are too few."""


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
    """A field that all events have, and its column."""

    column: EventColumn
    attribute: str
    absent: int | None
    terms: str | None
    field: Name


@dataclass(frozen=True)
class PlannedCase:
    """The events with one code of the switch."""

    code: Expression
    kind: Name | None
    """The kind of the events; None if it follows from the row images."""
    function: str | None
    nulls: tuple[Expression, ...]
    """The columns that events of this case lack."""
    named: tuple[tuple[str, Name], ...]
    """The names (schema, table) that events of this case must have, each with its field."""


@dataclass(frozen=True)
class BodyFunction:
    """Reads the body of an event by its type."""

    name: str
    about: str
    switch: str
    switch_field: Name
    fields: tuple[HeaderField, ...]
    route: op.Route
    cases: tuple[PlannedCase, ...]
    image_columns: tuple[Expression, ...]
    """The columns with layout and row of row images."""
    at: Mapping[str, Expression]
    """The constant of each event column."""


@dataclass(frozen=True)
class DescribeFunction:
    """Parses the description of a row image's columns."""

    name: str
    operations: op.Operations
    parts: dict[str, str]
    name_terms: str | None
    type_field: Name
    undefined: bool
    """Whether some types are not supported in this protocol's values."""
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
        """The attributes of the repeated rows."""
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
    """The modules of runtime codecs, relative to the folder of the wire."""
    numbers: tuple[str, ...]
    dictionaries: tuple[str, ...]
    route: op.Route
    undefined: Expression | None
    """The condition that the code `switch.u64[k]` of an event is undefined, if repeated tables are checked against the
    codes.
    """
    methods: tuple[Method, ...]


@dataclass(frozen=True)
class DissectorAttribute:
    """An attribute of a dissector with its annotation, if any, and its initial value."""

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
    """The value table; empty if there is none."""
    kept: tuple[DissectorAttribute, ...]
    meanings: tuple[str, ...]
    """The functions of tidewire.runtime.dissecting.spans that render numbers."""
    methods: tuple[Method, ...]

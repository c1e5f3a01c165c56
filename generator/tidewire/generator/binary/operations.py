"""The steps of reading a message.

A decoder and a dissector take the same steps in the same order; `decoder_steps` and `dissector_steps` define what each
of them does at a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..syntax.nodes import Expression, Name


@dataclass(frozen=True)
class Operation:
    """One step. `field` is the constant of the field that its error names."""


# ---- where things are


@dataclass(frozen=True)
class Bounds(Operation):
    """Stores where a part starts and ends."""


@dataclass(frozen=True)
class Select(Operation):
    """Restricts reading to a part."""

    start: Expression
    stop: Expression


@dataclass(frozen=True)
class LocateSized(Operation):
    """Computes the end of a part of known size."""

    id: str
    end: Name
    start: Expression
    size: Expression
    limit: Expression
    field: Name


@dataclass(frozen=True)
class LocateRepeated(Operation):
    """Computes the end of several parts of known sizes."""

    id: str
    end: Name
    start: Expression
    sizes: str
    limit: Expression
    field: Name
    of_event: bool
    """Whether every event has its own sizes."""


@dataclass(frozen=True)
class LocateBefore(Operation):
    """Computes the start of a part of known size from its end."""

    id: str
    start: Name
    stop: Expression
    size: Expression
    field: Name


@dataclass(frozen=True)
class Mark(Operation):
    """Stores the current position: after what was read from the front, or before what was read from the back."""

    name: Name
    back: bool


@dataclass(frozen=True)
class Meet(Operation):
    """Checks that what was read from the front ends where what was read from the back starts."""

    front: Expression
    back: Expression
    field: Name


@dataclass(frozen=True)
class Consumed(Operation):
    """Checks that no bytes are left."""

    field: Name


# ---- values


@dataclass(frozen=True)
class ReadInteger(Operation):
    """Reads an integer, and stores it in a variable if a later step needs it."""

    primitive: str
    field: Name
    id: str
    variable: Name
    const: int | None
    max: int | None
    members: tuple[Expression, ...]
    counts: bool
    """Whether it is the size or count of a later section."""
    back: bool
    column: Expression | None
    """The event column that it fills."""
    unsigned: bool
    about: str
    names: tuple[tuple[int, str], ...]
    """The names of its values, for display."""
    means: str | None
    """How it is displayed: tso, ddl_type."""


@dataclass(frozen=True)
class ReadBytes(Operation):
    """Reads a text or bytes, for an event column or for comparison with a constant."""

    field: Name
    id: str
    const: bytes | None
    column: Expression | None
    own: str | None
    """schema or table, if it is the name of the event's table; otherwise None."""
    about: str


@dataclass(frozen=True)
class ReadFloat(Operation):
    """Reads a float that must equal a constant."""

    field: Name
    id: str
    const: float
    about: str


@dataclass(frozen=True)
class ReadPart(Operation):
    """Reads a part with its own function."""

    function: str
    id: str
    part: str
    about: str
    arguments: tuple[Expression, ...] = ()
    """Further arguments of a decoder's function, after the cursor."""
    count: Expression | None = None
    """The number of elements if it has been read, as an argument of a dissector's function."""


@dataclass(frozen=True)
class ReadEvents(Operation):
    """Reads the body of each event."""

    function: str
    sizes: str
    start: Expression | None
    """Where the first body begins; None: at the current position."""
    limit: Expression | None
    """Where they end; None: at the end of the part."""
    id: str
    field: Name
    part: str
    about: str


@dataclass(frozen=True)
class Route:
    """How the table of an event is found."""

    terms: str | None
    """The dictionary that has schema and table names, if there is one."""
    schema: Expression
    table: Expression
    """Positions in that dictionary, or texts."""
    names_terms: str | None
    """The dictionary that has the column names."""
    late: bool
    """Whether schema or table are only in the body of the event."""

    @property
    def unnamed(self) -> bool:
        """Whether no dictionary has any of the names."""
        return self.terms is None and self.names_terms is None


@dataclass(frozen=True)
class ReadRepeated(Operation):
    """Reads the repetitions of a part."""

    function: str
    sizes: str
    id: str
    field: Name
    part: str
    about: str


@dataclass(frozen=True)
class ReadImages(ReadRepeated):
    """Reads the row images of an event."""

    kinds: tuple[tuple[Expression, Name], ...]
    """For the bits of the images present, the kind of the event."""
    kind_column: Expression
    route: Route


@dataclass(frozen=True)
class CheckRepeated(Operation):
    """Checks that there are as many repeated tables as events that need one."""

    row: str
    switch: str
    code: Expression
    field: Name
    switch_field: Name


@dataclass(frozen=True)
class ReadChunk(Operation):
    """Reads a chunk with this many elements."""

    chunk: str
    attribute: str
    field: Name
    id: str
    count: Expression
    max: int | None
    members: tuple[Expression, ...]
    terms: str | None
    absent: int | None
    about: str
    names: tuple[tuple[int, str], ...]
    means: str | None
    """How the numbers are displayed: tso, ddl_type, column_type, column_flags."""

    @property
    def texts(self) -> bool:
        return chunk_method(self.chunk) == "strings"


def chunk_method(chunk: str) -> str:
    """The runtime method that reads or writes a chunk."""
    return "strings" if chunk in ("string", "bytes") else f"{chunk}s"


@dataclass(frozen=True)
class PlannedImage:
    """One row image of a row change."""

    name: str
    code: Expression
    """Its code on the wire."""
    bit: Expression
    layout: Expression
    row: Expression
    """The event columns with its layout and row."""


@dataclass(frozen=True)
class ReadImage(Operation):
    """Reads the columns of a row image."""

    count: Name
    function: str
    sizes: str
    field: Name
    id: str
    part: str


@dataclass(frozen=True)
class PlaceImage(Operation):
    """Stores the position of a row image in the event, once it is known which image it is."""

    kind: Name
    kind_field: Name
    images: tuple[PlannedImage, ...]


Operations: TypeAlias = tuple[Operation, ...]

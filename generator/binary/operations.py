"""What a reader of a message does, step by step.

A decoder and a dissector take the same steps in the same order; `decoder_steps` and `dissector_steps` say what each of
them does at a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..syntax.nodes import Expression, Name


@dataclass(frozen=True)
class Operation:
    """One step. Its `field` is the constant of the field that an error names."""


# ---- where things are


@dataclass(frozen=True)
class Bounds(Operation):
    """Keeps where a part starts and ends."""


@dataclass(frozen=True)
class Select(Operation):
    """Looks at a part."""

    start: Expression
    stop: Expression


@dataclass(frozen=True)
class LocateSized(Operation):
    """Where a part of a known size ends."""

    id: str
    end: Name
    start: Expression
    size: Expression
    limit: Expression
    field: Name


@dataclass(frozen=True)
class LocateRepeated(Operation):
    """Where parts of known sizes end."""

    id: str
    end: Name
    start: Expression
    sizes: str
    limit: Expression
    field: Name
    of_event: bool
    """Whether every event has sizes of its own."""


@dataclass(frozen=True)
class LocateBefore(Operation):
    """Where a part of a known size that ends here starts."""

    id: str
    start: Name
    stop: Expression
    size: Expression
    field: Name


@dataclass(frozen=True)
class Mark(Operation):
    """Keeps where reading stands: at the end of what was read from the front, or before what was read from the back."""

    name: Name
    back: bool


@dataclass(frozen=True)
class Meet(Operation):
    """What was read from the front has to end where what was read from the back starts."""

    front: Expression
    back: Expression
    field: Name


@dataclass(frozen=True)
class Consumed(Operation):
    """Nothing may be left over."""

    field: Name


# ---- values


@dataclass(frozen=True)
class ReadInteger(Operation):
    """An integer, kept in a variable where something needs it."""

    primitive: str
    field: Name
    id: str
    variable: Name
    const: int | None
    max: int | None
    members: tuple[Expression, ...]
    counts: bool
    """Whether it is a size or count of what comes after it."""
    back: bool
    column: Expression | None
    """The event's column that takes it."""
    unsigned: bool
    about: str
    names: tuple[tuple[int, str], ...]
    """Names of its values, for people."""
    means: str | None
    """How people read the number: tso, ddl_type."""


@dataclass(frozen=True)
class ReadBytes(Operation):
    """A text or bytes, for an event's column or to be compared with a constant."""

    field: Name
    id: str
    const: bytes | None
    column: Expression | None
    own: str | None
    """schema or table, when it is the name of the event's table."""
    about: str


@dataclass(frozen=True)
class ReadFloat(Operation):
    """A float that has to be a constant."""

    field: Name
    id: str
    const: float
    about: str


@dataclass(frozen=True)
class ReadPart(Operation):
    """Reads a part with a function of its own."""

    function: str
    id: str
    part: str
    about: str
    arguments: tuple[Expression, ...] = ()
    """What a decoder's function takes after the cursor."""
    count: Expression | None = None
    """How many elements it has, where it is told; a dissector's function takes it after the bytes."""


@dataclass(frozen=True)
class ReadEvents(Operation):
    """Reads the body of each event."""

    function: str
    sizes: str
    start: Expression | None
    """Where the first begins; None: where reading stands."""
    limit: Expression | None
    """Where they end; None: with the part."""
    id: str
    field: Name
    part: str
    about: str


@dataclass(frozen=True)
class Route:
    """How an event finds its table."""

    terms: str | None
    """The dictionary that has both names, if one has."""
    schema: Expression
    table: Expression
    """Positions in that dictionary, or texts."""
    names_terms: str | None
    """The dictionary that has the columns' names."""
    late: bool
    """Whether the body of the event says the schema or the table."""

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
    """Bits of the images that are there -> kind of the event."""
    kind_column: Expression
    route: Route


@dataclass(frozen=True)
class CheckRepeated(Operation):
    """There are as many repeated tables as events that have one, for all events or none."""

    row: str
    switch: str
    code: Expression
    field: Name
    switch_field: Name


@dataclass(frozen=True)
class ReadChunk(Operation):
    """A chunk of as many elements as there are."""

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
    """How people read the numbers: tso, ddl_type, column_type, column_flags."""

    @property
    def texts(self) -> bool:
        return chunk_method(self.chunk) == "strings"


def chunk_method(chunk: str) -> str:
    """The runtime's method that reads or writes a chunk."""
    return "strings" if chunk in ("string", "bytes") else f"{chunk}s"


@dataclass(frozen=True)
class PlannedImage:
    """A side of a row change."""

    name: str
    code: Expression
    """What its kind is on the wire."""
    bit: Expression
    layout: Expression
    row: Expression
    """The columns of events that say where it is."""


@dataclass(frozen=True)
class ReadImage(Operation):
    """The columns of a row image."""

    count: Name
    function: str
    sizes: str
    field: Name
    id: str
    part: str


@dataclass(frozen=True)
class PlaceImage(Operation):
    """Tells the event where its row image is, once it is known which one it is."""

    kind: Name
    kind_field: Name
    images: tuple[PlannedImage, ...]


Operations: TypeAlias = tuple[Operation, ...]

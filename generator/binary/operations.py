"""What the functions of a codec do, step by step: the nodes that the templates of the same names print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True)
class Operation:
    """One step. Its template is the macro with the name of its class."""

    @property
    def kind(self) -> str:
        return type(self).__name__

    @property
    def uses_offset(self) -> bool:
        """Whether it keeps the offset of what it reads for an error."""
        return False


# ---- reading: where things are


@dataclass(frozen=True)
class Bounds(Operation):
    """Keeps where the window starts and ends."""


@dataclass(frozen=True)
class Select(Operation):
    """Looks at a part."""

    start: str
    stop: str


@dataclass(frozen=True)
class LocateSized(Operation):
    """Where a part of a known size ends."""

    end: str
    start: str
    size: str
    limit: str
    field: str


@dataclass(frozen=True)
class LocateRepeated(Operation):
    """Where parts of known sizes end."""

    end: str
    start: str
    sizes: str
    limit: str
    field: str
    of_event: bool
    """Whether every event has sizes of its own."""


@dataclass(frozen=True)
class LocateBefore(Operation):
    """Where a part of a known size that ends here starts."""

    start: str
    stop: str
    size: str
    field: str


@dataclass(frozen=True)
class Mark(Operation):
    """Keeps where reading stands: at the end of what was read from the front, or before what was read from the back."""

    name: str
    back: bool


@dataclass(frozen=True)
class Meet(Operation):
    """What was read from the front has to end where what was read from the back starts."""

    front: str
    back: str
    field: str


@dataclass(frozen=True)
class Consumed(Operation):
    """Nothing may be left over."""

    field: str


# ---- reading: values


@dataclass(frozen=True)
class ReadInteger(Operation):
    """An integer, kept in a variable where something needs it."""

    primitive: str
    field: str
    id: str
    variable: str | None
    const: int | None
    max: int | None
    members: tuple[str, ...]
    counts: bool
    """Whether it is a size or count of what comes after it."""
    back: bool
    position: str | None
    """The event's column that takes it."""
    unsigned: bool
    about: str
    names: tuple[tuple[int, str], ...]
    """Names of its values, for people."""
    means: str | None
    """How people read the number: tso, ddl_type."""

    @property
    def uses_offset(self) -> bool:
        checked = self.const is not None or self.max is not None or bool(self.members)
        return checked or (self.counts and not self.back and self.primitive != "uvarint")


@dataclass(frozen=True)
class ReadBytes(Operation):
    """A text or bytes, for an event's column or to be compared with a constant."""

    primitive: str
    field: str
    id: str
    const: bytes | None
    position: str | None
    own: str | None
    """schema or table, when it is the name of the event's table."""
    about: str

    @property
    def uses_offset(self) -> bool:
        return True


@dataclass(frozen=True)
class ReadFloat(Operation):
    """A float that has to be a constant."""

    field: str
    id: str
    const: float
    about: str


@dataclass(frozen=True)
class Call(Operation):
    """Reads a part with a function of its own."""

    function: str
    arguments: str
    id: str
    part: str
    about: str
    count: str | None = None
    """How many elements it has, where it is told."""


@dataclass(frozen=True)
class ReadEvents(Operation):
    """Reads the body of each event."""

    function: str
    sizes: str
    start: str
    limit: str
    index: str
    field: str
    part: str
    about: str


@dataclass(frozen=True)
class Route:
    """How an event finds its table."""

    terms: str | None
    """The dictionary that has both names, if one has."""
    schema: str
    table: str
    """Expressions: positions in that dictionary, or texts."""
    names_terms: str | None
    """The dictionary that has the columns' names."""
    late: bool
    """Whether the body of the event says the schema or the table."""

    @property
    def unnamed(self) -> bool:
        """Whether no dictionary has any of the names."""
        return self.terms is None and self.names_terms is None


@dataclass(frozen=True)
class ReadImages(Operation):
    """Reads the row images of an event."""

    function: str
    sizes: str
    index: str
    field: str
    kinds: tuple[tuple[str, str], ...]
    """Bits of the images that are there -> kind of the event."""
    kind_position: str
    part: str
    about: str
    route: Route


@dataclass(frozen=True)
class ReadRepeated(Operation):
    """Reads the repetitions of a part."""

    function: str
    sizes: str
    index: str
    field: str
    part: str
    about: str


@dataclass(frozen=True)
class CheckRepeated(Operation):
    """There are as many repeated tables as events that have one, for all events or none."""

    row: str
    switch: str
    code: str
    events: str
    field: str
    switch_field: str


@dataclass(frozen=True)
class ReadChunk(Operation):
    """A chunk of as many elements as there are."""

    chunk: str
    attribute: str
    field: str
    id: str
    count: str
    max: int | None
    members: tuple[str, ...]
    terms: str | None
    absent: int | None
    about: str
    names: tuple[tuple[int, str], ...]
    means: str | None
    """How people read the numbers: tso, ddl_type, column_type, column_flags."""

    @property
    def uses_offset(self) -> bool:
        return self.terms is not None or self.max is not None or bool(self.members)

    @property
    def method(self) -> str:
        return chunk_method(self.chunk)


def chunk_method(chunk: str) -> str:
    """The runtime's method that reads or writes a chunk."""
    return "strings" if chunk in ("string", "bytes") else f"{chunk}s"


# ---- writing


@dataclass(frozen=True)
class WriteInteger(Operation):
    """An integer."""

    primitive: str
    id: str
    value: str
    sink: str


@dataclass(frozen=True)
class WriteBytes(Operation):
    """A text or bytes: of the event's column, or a constant."""

    id: str
    value: str
    sink: str


@dataclass(frozen=True)
class WriteFloat(Operation):
    """A float."""

    id: str
    value: str
    sink: str


@dataclass(frozen=True)
class WritePart(Operation):
    """A part, with a function of its own."""

    id: str
    function: str
    arguments: str


@dataclass(frozen=True)
class Start(Operation):
    """Keeps where a part starts that is measured."""

    sink: str


@dataclass(frozen=True)
class Measure(Operation):
    """Takes the size of what was written since."""

    size: str
    """The statement's left side that takes it."""
    sink: str


@dataclass(frozen=True)
class WriteEvents(Operation):
    """The body of each event, measured."""

    id: str
    function: str
    sizes: str
    sink: str


@dataclass(frozen=True)
class WriteImages(Operation):
    """The row images of an event, measured, in the order of the spec."""

    id: str
    function: str
    sizes: str
    sink: str
    images: tuple[tuple[str, str, str, str], ...]
    """Name, code on the wire, and the event's columns with layout and row."""


@dataclass(frozen=True)
class WriteChunk(Operation):
    """A chunk: a value of each event."""

    id: str
    chunk: str
    value: str
    signed: bool
    sink: str
    null_position: str | None
    absent: int | None


@dataclass(frozen=True)
class WriteTextChunk(Operation):
    """A chunk of texts: a name of each event's table."""

    id: str
    chunk: str
    texts: str
    sink: str


@dataclass(frozen=True)
class Spare(Operation):
    """Empties a spare sink, for a part that is written before its turn because its size is."""

    sink: str


@dataclass(frozen=True)
class Append(Operation):
    """Puts what a spare sink has in its place."""

    id: str
    spare: str
    sink: str


Operations: TypeAlias = tuple[Operation, ...]

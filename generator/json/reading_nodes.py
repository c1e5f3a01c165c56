"""What the templates of a JSON protocol's decoder and dissector print."""

from __future__ import annotations

from dataclasses import dataclass

from ..plan.events import EventColumn
from ..plan.values import PlannedValues


@dataclass(frozen=True)
class ReadMember:
    """A member of an object, by its number there."""

    number: int
    name: str
    kind: str
    """text, integer, uinteger, boolean, names, declared, mapped, rows, object, believed: a reader looks whether it says
    false; or passed: it does not care."""
    attribute: str
    field: str
    """The constant of its place in FIELDS."""
    about: str
    identifies: bool = False
    """Whether it tells what the message is, and of which table."""
    describes: bool = False
    """Whether it tells what the columns are."""
    outlines: bool = False
    """Whether it tells what columns there are, where their types are not told."""
    limits: tuple[int, int] | None = None
    """What a number has to be between, where its 64 bits are more."""
    which: int = 0
    """Its number among those that are of names, rows, or mapped."""
    column_field: str = ""
    """The constant of the field of a column in it."""
    function: str = ""
    """What reads an object."""
    at_once: bool = True
    """Whether it can be read before the message's end: it is in the root."""
    whole: bool = True
    """Of rows: whether they are more than what an update's other image completes."""
    means: str = ""
    """What its value is, for the dissector: tso, or nothing."""

    @property
    def shape(self) -> str:
        """What the dissector calls it."""
        return {"declared": "columns", "mapped": "mapping", "passed": "json", "believed": "json"}.get(
            self.kind, self.kind
        )

    @property
    def storage(self) -> str | None:
        """What a number or truth value is kept in."""
        return {"integer": "long long", "uinteger": "unsigned long long", "boolean": "bint"}.get(self.kind)

    @property
    def part(self) -> bool:
        """Whether it is kept by its place in the message."""
        return self.kind in ("text", "names", "declared", "rows", "believed") or self.outlines


@dataclass(frozen=True)
class ReadObject:
    """A function that reads an object."""

    name: str
    function: str
    attribute: str
    field: str
    first: str
    """The constant of its first member's field."""
    members: tuple[ReadMember, ...]
    skip_unknown: bool
    about: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members)

    @property
    def has_images(self) -> bool:
        """Whether some member is a row image by itself."""
        return any(one.kind == "image" for one in self.members)

    @property
    def read(self) -> tuple[ReadMember, ...]:
        """The members that a reader takes."""
        return tuple(one for one in self.members if one.kind != "passed")

    @property
    def passed(self) -> str:
        """The names of the others."""
        return ", ".join(one.name for one in self.members if one.kind == "passed")


@dataclass(frozen=True)
class ReadImage:
    """A row image of a case, and the member that has it."""

    image: str
    member: ReadMember


@dataclass(frozen=True)
class ReadCase:
    """What the switch can say."""

    number: str
    """The constant of its number."""
    text: str
    kind: str
    code: str
    """The constant of the kind of its events."""
    function: str
    images: tuple[ReadImage, ...]
    skip: bool


@dataclass(frozen=True)
class Put:
    """How a column of the events is filled: the first branch whose condition holds."""

    name: str
    branches: tuple[tuple[str, str], ...]
    otherwise: str

    @property
    def fails(self) -> bool:
        """Whether it can find trouble."""
        return not all(line.startswith("self.events.") for line in self.statements)

    @property
    def statements(self) -> tuple[str, ...]:
        """The lines that fill it."""
        return (*(line for _, line in self.branches), self.otherwise)

    @property
    def lines(self) -> tuple[str, ...]:
        """These, and the conditions."""
        return (*(condition for condition, _ in self.branches), *self.statements)


@dataclass(frozen=True)
class SharedPuts:
    """A function that fills columns of the events alike for several classes."""

    function: str
    about: str
    parameters: tuple[tuple[str, str, str], ...]
    """Names, annotations and C types of what it takes."""
    puts: tuple[Put, ...]

    @property
    def call(self) -> str:
        """The line that calls it."""
        return f"self.{self.function}({', '.join(name for name, _, _ in self.parameters)})"


@dataclass(frozen=True)
class PutEvent:
    """A function that makes the events of a class."""

    function: str
    about: str
    images: tuple[str, ...]
    needed: tuple[tuple[str, str], ...]
    """What a table has to have (schema, name), and the field of it."""
    required: tuple[tuple[str, str], ...]
    """When other members that have to be there are missing, and their fields."""
    puts: tuple[Put | SharedPuts, ...]
    believed: tuple[ReadMember, ...] = ()
    """Members that say false when the message is none of these."""


@dataclass(frozen=True)
class JsonDecoderPlan:
    """A decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    fields: tuple[str, ...]
    constants: tuple[str, ...]
    values: tuple[PlannedValues, ...]
    codecs: tuple[str, ...]
    root: ReadObject
    objects: tuple[ReadObject, ...]
    """The root first."""
    switch: ReadMember
    schema: ReadMember | None
    table: ReadMember | None
    names: tuple[ReadMember, ...]
    named_flags: tuple[int, ...]
    declared: ReadMember | None
    untold: int | None
    """The code of the type of columns whose type is not told; None: every column's type has to be."""
    rows: tuple[ReadMember, ...]
    mapped: int
    cases: tuple[ReadCase, ...]
    texts: tuple[str, ...]
    """All texts of the switch: those of the cases, then those of the rest."""
    rest: ReadCase | None
    rest_names: str
    any_rest: bool
    """Whether the rest is whatever text there is."""
    events: tuple[PutEvent, ...]
    shared: tuple[SharedPuts, ...]
    event_columns: tuple[EventColumn, ...]
    framed: bool
    unknown: int
    """How many members of the root tell what the message is, and of which table."""
    undescribed: int
    """How many tell what its columns are."""

    @property
    def errors(self) -> tuple[str, ...]:
        """The kinds of trouble that the module names."""
        strict = any(not one.skip_unknown for one in self.objects)
        found = ["MISSING"]
        found += ["COUNT"] if any(len(one.images) > 1 for one in self.events) else []
        found += [] if self.framed else ["TRAILING"]
        found += ["UNNAMED"] if strict else []
        found += ["ROWS"] if self.rows and any(one.believed for one in self.events) else []
        return tuple(sorted(found))

    @property
    def outlining(self) -> tuple[ReadMember, ...]:
        """The members that tell what columns there are, where their types are not told."""
        return tuple(one for one in self.root.members if one.outlines)

    @property
    def meant(self) -> bool:
        """Whether some number means a time."""
        return any(one.means in ("tso", "physical", "sent") for held in self.objects for one in held.members)

    @property
    def told_cases(self) -> tuple[ReadCase, ...]:
        return tuple(case for case in self.cases if not case.skip)

    def images(self, case: ReadCase) -> tuple[ReadMember | None, ...]:
        """For each image that the case's class of events can have, the member that has it."""
        event = next(one for one in self.events if one.function == case.function)
        held = {one.image: one.member for one in case.images}
        return tuple(held.get(image) for image in event.images)

    @property
    def with_images(self) -> tuple[ReadCase, ...]:
        return tuple(case for case in self.cases if case.images)

    def reading(self, member: ReadMember) -> tuple[ReadCase, ...]:
        """The cases that have a row image in the member."""
        return tuple(case for case in self.cases if any(one.member is member for one in case.images))

    @property
    def identifying(self) -> str:
        return ", ".join(one.name for one in self.root.members if one.identifies)

    @property
    def describing(self) -> str:
        return ", ".join(one.name for one in self.root.members if one.describes)

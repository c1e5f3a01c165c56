"""The plans that the templates of JSON decoders and dissectors print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Protocol
from ..plan.values import PlannedValues
from ..syntax.nodes import NONE, Expression, Items, Literal, Method, Name, own, uses, walk
from .member_types import THOUSANDTH

OPENING = "PrefixCache"
"""The cache of the previous message's prefix (tidewire.runtime.json.prefix_cache)."""
PASSED, LEAST_PASSED = "PassedMembers", 3
"""The cache of skipped members (tidewire.runtime.json.skip_cache), and the fewest members for which it is used."""
STATING = {"describe", "find_table", "named_by", "outlined", "skip_as_last"}
"""The functions of tidewire.runtime.json.stated_tables that printed code calls."""
SKIPPING = {
    "Begins",
    "ByName",
    "ListOf",
    "Skipped",
    "pass_over",
    "pass_over_one_of",
    "refuse_statement",
    "says_nothing",
}
"""The names that check messages without events (tidewire.runtime.json.skipped)."""
TIMES = ("tso", "physical", "sent")
"""The meanings of numbers that are times."""


def texts(said: Iterable[str]) -> Items:
    """Texts as a tuple."""
    return Items(tuple(map(Literal, said)))


@dataclass(frozen=True)
class KeptAttribute:
    """An attribute of a decoder that stores what was read."""

    name: str
    c: str
    """Its C type in compiled code."""
    first: Expression | None = None
    """Its initial value."""


@dataclass(frozen=True)
class ReadMember:
    """A member of an object; members are numbered in order."""

    number: int
    name: str
    kind: str
    """text, integer, uinteger, boolean, names, declared, mapped, rows, object, description; believed: only checked for
    false; passed: skipped; shared: one of several of this name.
    """
    attribute: str
    field: str
    """The constant of its index in FIELDS."""
    about: str
    identifies: bool = False
    """Whether it identifies the kind of the message or its table."""
    describes: bool = False
    """Whether it describes the columns of rows."""
    outlines: bool = False
    """Whether it lists the columns of rows whose types are not given."""
    limits: tuple[int, int] | None = None
    """The least and greatest number; None if all of 64 bits are allowed."""
    which: int = 0
    """Its number among the members of its kind: names, rows, or mapped."""
    column_field: str = ""
    """The constant of the field of a column inside it."""
    function: str = ""
    """The method that reads an object."""
    at_once: bool = True
    """Whether it can be read when it arrives: it is in the root."""
    single: bool = False
    """For rows: whether it is one row rather than an array."""
    omitted: bool = False
    """For a single row: whether a partial row without columns is omitted."""
    misses: bool = False
    """For rows: whether an event with another image may lack this one."""
    whole: bool = True
    """Whether they are the first image of some kind of event, which has all columns; an update's other image may lack
    some.
    """
    means: str = ""
    """The meaning of its value for the dissector: tso, or empty."""
    unit: str = ""
    """What a number counts that is milliseconds of the event: seconds or microseconds; empty: them."""
    accepts: tuple[str, ...] | None = None
    """The texts that are accepted, besides null and empty, of a member without information; None: any."""

    functions: tuple[str, ...] = ()
    """Of a member that shares its name: the methods that make the events that have it."""
    choices: tuple[ReadMember, ...] = ()
    """The members that have this name."""
    shape_by: Expression = NONE
    """The entry for the dissector of several members of one name."""

    @property
    def shape(self) -> str:
        """Its kind in the dissector."""
        shapes = {"declared": "columns", "mapped": "mapping", "description": "object", "passed": "json"}
        if self.kind == "rows" and self.single:
            return "row"
        if self.kind == "description" and not self.function:
            return "json"
        return "json" if self.kind == "believed" else shapes.get(self.kind, self.kind)

    @property
    def dissected(self) -> Expression:
        """The entry for the dissector (tidewire.runtime.dissecting.shapes)."""
        if self.choices:
            return self.shape_by
        given: list[Expression] = [Literal(self.shape), Literal(self.about)]
        meaning = Name("MEANINGS").at(Literal(self.unit or self.means)) if self.means in TIMES else None
        held = {"object": Name(f"NAMES_OF_{self.function[5:].upper()}"), "image": Name("COLUMN")}.get(self.kind)
        if self.kind == "description" and self.function:
            held = Name(f"MEMBERS_OF_{self.function.upper()}")
        if held is not None:
            given += [meaning or NONE, held]
        elif meaning is not None:
            given.append(meaning)
        return Name("Shape")(*given)

    @property
    def storage(self) -> str | None:
        """The C type that stores a number or boolean; None for other kinds."""
        return {"integer": "long long", "uinteger": "unsigned long long", "boolean": "bint"}.get(self.kind)

    @property
    def each(self) -> tuple[ReadMember, ...]:
        """It, and the members that have its name, of those that are read."""
        return (self, *(one for one in self.choices if one.kind != "passed"))

    @property
    def kept(self) -> tuple[KeptAttribute, ...]:
        """The decoder's attributes for this member."""
        found = [kept for one in self.each[1:] for kept in one.kept]
        if self.part:
            found.append(KeptAttribute(self.attribute, "Part", Name("Part")()))
        if self.storage is not None or self.kind == "object":
            found.append(KeptAttribute(f"has_{self.attribute}", "bint"))
        if self.storage is not None:
            found.append(KeptAttribute(self.attribute, self.storage))
        if self.kind == "image":
            found.append(KeptAttribute(self.attribute, "ColumnObjects", Name("ColumnObjects")(Name("column"))))
        if self.kind == "rows":
            found.append(KeptAttribute(f"reads_{self.attribute}", "bint"))
            found.append(KeptAttribute(f"rows_in_{self.attribute}", "Rows", Name("Rows")()))
        return tuple(found)

    @property
    def part(self) -> bool:
        """Whether it is stored as start and end in the message."""
        return self.kind in ("text", "names", "declared", "rows", "description", "believed", "shared") or self.outlines


@dataclass(frozen=True)
class ReadObject:
    """A method that reads an object."""

    name: str
    function: str
    attribute: str
    field: str
    first: str
    """The constant of the first member's field."""
    members: tuple[ReadMember, ...]
    skip_unknown: bool
    about: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.members)

    @property
    def kept(self) -> tuple[KeptAttribute, ...]:
        """The decoder's attributes for this object: the names of its members, and what was read of each."""
        names = Name("Names")(Items(tuple(map(Literal, self.names))))
        found = [KeptAttribute(self.attribute, "Names", names)]
        if self.passes_alike:
            told = [Name("Accepted")(one.number, Name(one.field), texts(one.accepts or ())) for one in self.accepting]
            passed = Name(PASSED)(own(self.attribute), *([Items(tuple(told))] if told else []))
            found.append(KeptAttribute(self.runs, PASSED, passed))
        return (*found, *(kept for one in self.read for kept in one.kept))

    @property
    def runs(self) -> str:
        """The attribute with the cache of the members skipped in the previous message."""
        return self.attribute.replace("names_of", "passed_in", 1)

    @property
    def passes_alike(self) -> bool:
        """Whether enough members are skipped that consecutive ones are compared with those of the previous message and
        skipped together.
        """
        passed = len(self.members) - len(self.read)
        return self.skip_unknown and (passed >= LEAST_PASSED or bool(self.accepting))

    @property
    def accepting(self) -> tuple[ReadMember, ...]:
        """The members whose text must be one of a given list."""
        return tuple(one for one in self.members if one.accepts is not None)

    @property
    def read(self) -> tuple[ReadMember, ...]:
        """The members that are read."""
        return tuple(one for one in self.members if one.kind != "passed")

    @property
    def passed(self) -> str:
        """The names of the skipped members."""
        return ", ".join(one.name for one in self.members if one.kind == "passed")


@dataclass(frozen=True)
class ReadCase:
    """A case of the message."""

    number: str
    """The constant of its number."""
    code: str
    """The constant for the kind of its events."""
    function: str
    """The method that makes the events."""
    images: tuple[ReadMember | None, ...]
    """For each image that the event class can have, the member that holds it, or None."""
    skip: tuple[str, ...] = ()
    """The constants with what a skipped message may contain."""
    has: ReadMember | None = None
    """For a message without the switch: the member by which it is recognized."""
    switched: bool = True
    """Whether messages of this case have the switch."""
    states: bool = False
    """Whether its events have a statement."""


@dataclass(frozen=True)
class PlannedPart:
    """A described part as an object or a record, as data for the runtime."""

    name: str
    """The name of the constant."""
    about: str
    construction: Expression
    members_name: str = ""
    """The name of the constant with the members of an object, for the dissector."""
    members: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class ReadingMode:
    """An option that selects how values are read."""

    name: str
    field: str
    """The name of the decoder's argument."""
    default: str
    about: str
    names_table: bool
    """Whether its value is the name of a table, not a choice."""


def reading_modes(protocol: Protocol) -> tuple[ReadingMode, ...]:
    """The reading options of a protocol."""
    options = (protocol.options[name] for name in protocol.read_modes)
    return tuple(
        ReadingMode(str(one.name), one.python_name, str(one.default), one.about, one.name == protocol.unnamed)
        for one in options
    )


@dataclass(frozen=True)
class JsonDecoderPlan:
    """The plan of a decoder's module."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    fields: tuple[str, ...]
    constants: tuple[str, ...]
    values: tuple[PlannedValues, ...]
    modules: tuple[str, ...]
    """The modules of runtime codecs, relative to the folder of the wire."""
    errors: tuple[str, ...]
    """The kinds of errors that the module uses."""
    root: ReadObject
    objects: tuple[ReadObject, ...]
    """All objects, the root first."""
    kept: tuple[KeptAttribute, ...]
    """The decoder's attributes for what was read of a message."""
    switch: ReadMember
    tables: Expression
    """The construction of the object that finds a message's table."""
    undeclared: int | None
    """The code of the undeclared column type; None: every column must have a type."""
    rows: tuple[ReadMember, ...]
    cases: tuple[ReadCase, ...]
    texts: tuple[str, ...]
    """All texts of the switch: those of the cases, then those of the rest."""
    rest: ReadCase | None
    rest_names: str
    methods: tuple[Method, ...]
    """The methods that read a message and make its events."""
    framed: bool
    parts: tuple[PlannedPart, ...]
    """The described parts, inner ones first."""
    skipped: tuple[tuple[str, Expression], ...]
    """By name of the constant, what messages without events may contain."""
    described: str
    """The name of the part that describes a table; empty if messages describe their own columns."""
    version: str
    """The path of the member with the version of the description."""
    enveloped: bool = False
    """Whether messages are in Kafka Connect's envelopes."""
    arguments: tuple[ReadingMode, ...] = ()
    """The options that only decoders have."""
    envelope_fields: tuple[str, ...] = ()
    """The constants for the fields of key, payload and schema block."""
    key_members: tuple[tuple[str, Expression], ...] = ()
    """By name, the dissector's entries for key members that are not rows."""
    key_shapes: tuple[tuple[str, Expression], ...] = ()
    """By name of the constant, the dissector's entry for what a key is, where no reader looks at keys."""
    keys: tuple[tuple[str, str], ...] = ()
    """By constant of a kind of event, that of its key."""
    images: tuple[str, ...] = ()
    """The members of an envelope's payload that are rows."""
    untyped: bool = False
    """Whether nothing tells the types of columns."""
    known_by: str | None = None
    """The event field that records how column types became known."""

    @property
    def modes(self) -> tuple[ReadingMode, ...]:
        """The options that select how values are read."""
        return tuple(one for one in self.arguments if not one.names_table)

    @property
    def names_tables(self) -> bool:
        """Whether an option names a table."""
        return len(self.modes) < len(self.arguments)

    @property
    def skipping(self) -> tuple[str, ...]:
        """The names that the module imports from tidewire.runtime.json.skipped."""
        nodes = walk(*self.methods, *(skipped for _, skipped in self.skipped))
        return tuple(sorted({one.id for one in nodes if isinstance(one, Name)} & SKIPPING))

    @property
    def stating(self) -> tuple[str, ...]:
        """The names that the module imports from tidewire.runtime.json.stated_tables."""
        return tuple(sorted({one.id for one in walk(*self.methods) if isinstance(one, Name)} & STATING))

    @property
    def thousandth(self) -> bool:
        """Whether it converts units of time."""
        return uses(THOUSANDTH, *self.methods)

    @property
    def passes_alike(self) -> bool:
        """Whether members of some object are skipped together."""
        return any(one.c == PASSED for one in self.kept)

    @property
    def accepts(self) -> bool:
        """Whether some member accepts only listed texts."""
        return any(held.accepting for held in self.objects)

    @property
    def opens(self) -> bool:
        """Whether the decoder has a prefix cache."""
        return any(one.c == OPENING for one in self.kept)

    @property
    def stores(self) -> bool:
        """Whether rows are read with table descriptions from a store."""
        return self.stored and not self.untyped

    @property
    def stored(self) -> bool:
        """Whether messages can describe tables."""
        return self.enveloped or bool(self.described)

    @property
    def base(self) -> str:
        """The base class of the decoder."""
        if self.enveloped:
            return "ConnectDecoder"
        return "DescribedDecoder" if self.described else "MessageDecoder"

    @property
    def meant(self) -> bool:
        """Whether some number is a time."""
        members = (each for held in self.objects for one in held.members for each in one.each)
        in_keys = {one.id for one in walk(*(shape for _, shape in self.key_shapes)) if isinstance(one, Name)}
        return "MEANINGS" in in_keys or any(one.means in TIMES for one in members)

"""What the templates of a JSON protocol's decoder and dissector print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import Protocol
from ..plan.values import PlannedValues
from ..syntax.nodes import NONE, Expression, Items, Literal, Method, Name, own, walk

OPENING = "PrefixCache"
"""What messages begin with that are like the one before (runtime/json/prefix_cache.py)."""
PASSED, LEAST_PASSED = "PassedMembers", 3
"""What passes members together that say nothing (runtime/json/skip_cache.py), and how many there are at least."""
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
"""What looks through messages without events (runtime/json/skipped.py)."""
TIMES = ("tso", "physical", "sent")
"""What numbers mean that are times."""


def texts(said: Iterable[str]) -> Items:
    """Texts as a tuple."""
    return Items(tuple(map(Literal, said)))


@dataclass(frozen=True)
class KeptAttribute:
    """An attribute of a decoder, in which it keeps what it reads."""

    name: str
    c: str
    """Its type in compiled code."""
    first: Expression | None = None
    """What it is before anything is read."""


@dataclass(frozen=True)
class ReadMember:
    """A member of an object, by its number there."""

    number: int
    name: str
    kind: str
    """text, integer, uinteger, boolean, names, declared, mapped, rows, object, description, believed: a reader looks
    whether it says false; or passed: it does not care."""
    attribute: str
    field: str
    """The constant of its position in FIELDS."""
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
    single: bool = False
    """Of rows: whether it is one row, without an array around it."""
    omitted: bool = False
    """Of a single row: whether one without columns is left out, where it is a part."""
    misses: bool = False
    """Of rows: whether an event that has another image may lack this one."""
    whole: bool = True
    """Of rows: whether they are more than what an update's other image completes."""
    means: str = ""
    """What its value is, for the dissector: tso, or nothing."""
    accepts: tuple[str, ...] | None = None
    """What a text can be that says nothing of the event, beside null and empty; None: anything."""

    @property
    def shape(self) -> str:
        """What the dissector calls it."""
        shapes = {"declared": "columns", "mapped": "mapping", "description": "object", "passed": "json"}
        if self.kind == "rows" and self.single:
            return "row"
        if self.kind == "description" and not self.function:
            return "json"
        return "json" if self.kind == "believed" else shapes.get(self.kind, self.kind)

    @property
    def dissected(self) -> Expression:
        """What the dissector knows of it: runtime/json/trace.py."""
        given: list[Expression] = [Literal(self.shape), Literal(self.about)]
        meaning = Name("MEANINGS").at(Literal(self.means)) if self.means in TIMES else None
        held = {"object": Name(f"NAMES_OF_{self.function[5:].upper()}"), "image": Name("COLUMN")}.get(self.kind)
        if self.kind == "description" and self.function:
            held = Name(f"MEMBERS_OF_{self.function.upper()}")
        if held is not None:
            given += [meaning or NONE, held]
        elif meaning is not None:
            given.append(meaning)
        return Name("Expected")(*given)

    @property
    def storage(self) -> str | None:
        """What a number or truth value is kept in."""
        return {"integer": "long long", "uinteger": "unsigned long long", "boolean": "bint"}.get(self.kind)

    @property
    def kept(self) -> tuple[KeptAttribute, ...]:
        """What a decoder keeps of it."""
        found = []
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
        """Whether it is kept by its offset in the message."""
        return self.kind in ("text", "names", "declared", "rows", "description", "believed") or self.outlines


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
    def kept(self) -> tuple[KeptAttribute, ...]:
        """What a decoder keeps of it: the names of its members, and what it finds of them."""
        names = Name("Names")(Items(tuple(map(Literal, self.names))))
        found = [KeptAttribute(self.attribute, "Names", names)]
        if self.passes_alike:
            told = [Name("Accepted")(one.number, Name(one.field), texts(one.accepts or ())) for one in self.accepting]
            passed = Name(PASSED)(own(self.attribute), *([Items(tuple(told))] if told else []))
            found.append(KeptAttribute(self.runs, PASSED, passed))
        return (*found, *(kept for one in self.read for kept in one.kept))

    @property
    def runs(self) -> str:
        """The attribute with the members that were passed in the message before."""
        return self.attribute.replace("names_of", "passed_in", 1)

    @property
    def passes_alike(self) -> bool:
        """Whether so many members say nothing that they are passed together, where they are as before."""
        passed = len(self.members) - len(self.read)
        return self.skip_unknown and (passed >= LEAST_PASSED or bool(self.accepting))

    @property
    def accepting(self) -> tuple[ReadMember, ...]:
        """The members that are passed where they have one of some texts."""
        return tuple(one for one in self.members if one.accepts is not None)

    @property
    def read(self) -> tuple[ReadMember, ...]:
        """The members that a reader takes."""
        return tuple(one for one in self.members if one.kind != "passed")

    @property
    def passed(self) -> str:
        """The names of the others."""
        return ", ".join(one.name for one in self.members if one.kind == "passed")


@dataclass(frozen=True)
class ReadCase:
    """What the switch can say."""

    number: str
    """The constant of its number."""
    code: str
    """The constant of the kind of its events."""
    function: str
    """What makes them."""
    images: tuple[ReadMember | None, ...]
    """For each image that its class of events can have, the member that has it."""
    skip: tuple[str, ...] = ()
    """The constants of what a message may have that is skipped."""
    has: ReadMember | None = None
    """Of a message without the switch: the member that it has."""
    switched: bool = True
    """Whether messages have the switch."""
    states: bool = False
    """Whether its events have a statement."""


@dataclass(frozen=True)
class PlannedPart:
    """A part that describes something, as the runtime's data."""

    name: str
    """Of the constant."""
    about: str
    construction: Expression
    members_name: str
    """Of the constant with its members, for the dissector."""
    members: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class ReadingMode:
    """An option that chooses how values are read."""

    name: str
    field: str
    """The argument of the decoder."""
    default: str
    about: str
    names_table: bool
    """Whether it names a table, and no way of writing."""


def reading_modes(protocol: Protocol) -> tuple[ReadingMode, ...]:
    """Those of a protocol."""
    options = (protocol.options[name] for name in protocol.read_modes)
    return tuple(
        ReadingMode(str(one.name), one.python_name, str(one.default), one.about, one.name == protocol.unnamed)
        for one in options
    )


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
    modules: tuple[str, ...]
    """Of the runtime's codecs, below the folder of the wire."""
    errors: tuple[str, ...]
    """The kinds of trouble that the module names."""
    root: ReadObject
    objects: tuple[ReadObject, ...]
    """The root first."""
    kept: tuple[KeptAttribute, ...]
    """What the decoder keeps of a message."""
    switch: ReadMember
    tables: Expression
    """What finds the table that a message is of."""
    undeclared: int | None
    """The code of the type of columns whose type is not told; None: every column's type has to be."""
    rows: tuple[ReadMember, ...]
    cases: tuple[ReadCase, ...]
    texts: tuple[str, ...]
    """All texts of the switch: those of the cases, then those of the rest."""
    rest: ReadCase | None
    rest_names: str
    methods: tuple[Method, ...]
    """What reads a message and makes events of it."""
    framed: bool
    parts: tuple[PlannedPart, ...]
    """The parts that describe something, inner ones first."""
    skipped: tuple[tuple[str, Expression], ...]
    """What messages without events may have, with the name of its constant."""
    described: str
    """The name of the one that describes a table; empty where rows say what their columns are."""
    version: str
    """The path of the member with the version of the description by which rows are read."""
    enveloped: bool = False
    """Whether messages are in Kafka Connect's envelopes."""
    arguments: tuple[ReadingMode, ...] = ()
    """The options that only decoders have."""
    envelope_fields: tuple[str, ...] = ()
    """The constants of the fields of key, payload and block."""
    key_members: tuple[tuple[str, Expression], ...] = ()
    """What the dissector knows of the members of keys that are not rows."""
    images: tuple[str, ...] = ()
    """The members of an envelope's payload that are rows."""
    known_by: str | None = None
    """The field of events that says by what the types of columns are known."""

    @property
    def modes(self) -> tuple[ReadingMode, ...]:
        """The options that choose how values are read."""
        return tuple(one for one in self.arguments if not one.names_table)

    @property
    def names_tables(self) -> bool:
        """Whether an option names a table."""
        return len(self.modes) < len(self.arguments)

    @property
    def skipping(self) -> tuple[str, ...]:
        """What the module uses of runtime/json/skipped.py."""
        nodes = walk(*self.methods, *(skipped for _, skipped in self.skipped))
        return tuple(sorted({one.id for one in nodes if isinstance(one, Name)} & SKIPPING))

    @property
    def passes_alike(self) -> bool:
        """Whether members of some object are passed together."""
        return any(one.c == PASSED for one in self.kept)

    @property
    def accepts(self) -> bool:
        """Whether some text is looked at that says nothing of the event."""
        return any(held.accepting for held in self.objects)

    @property
    def opens(self) -> bool:
        """Whether messages may begin as the one before."""
        return any(one.c == OPENING for one in self.kept)

    @property
    def stored(self) -> bool:
        """Whether rows can be read by descriptions of their tables that a store has."""
        return self.enveloped or bool(self.described)

    @property
    def base(self) -> str:
        """The class that the decoder is one of."""
        if self.enveloped:
            return "ConnectDecoder"
        return "DescribedDecoder" if self.described else "MessageDecoder"

    @property
    def meant(self) -> bool:
        """Whether some number means a time."""
        return any(one.means in ("tso", "physical", "sent") for held in self.objects for one in held.members)

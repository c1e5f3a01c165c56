"""The plan of the neutral events: classes, kinds, and the columns of an event batch."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import DDL_TYPE, DESCRIPTION, POSITIONAL, STATEMENT, TABLE_AFTER
from ..model import COMMIT_TIMES, KIND_FIELD, EventClass, Events
from ..syntax.nodes import Expression, Name, named, own
from .constants import column_constants, kind_constants

COLUMN_TYPES = {
    "uint8": "int64",
    "int32": "int64",
    "int64": "int64",
    "uint64": "uint64",
    "bool": "bool",
    "text": "text",
    "bytes": "bytes",
    "description": "description",
}
"""How field types are stored in an event batch: numbers in 64 bits, booleans as 0 and 1, table descriptions as
indexes.
"""
STORAGE = {"int64": "INT", "uint64": "UINT", "bool": "INT", "text": "TEXT", "bytes": "BYTES", "description": "INT"}
"""By field type as above, the storage of the column (tidewire.runtime.arrow.storage)."""
ARROW = {
    "int64": "int64",
    "uint64": "uint64",
    "bool": "int64",
    "text": "utf8",
    "bytes": "binary",
    "description": "int64",
}
"""By field type as above, the Arrow type of the column, by its name in pyarrow."""
ANNOTATIONS = {
    "int64": "int",
    "uint64": "int",
    "bool": "bool",
    "text": "str",
    "bytes": "bytes",
    "description": "DescribedTable",
}
NAMED = ("schema", "table")
"""The names of an event's table, which a batch stores once for all events of the table."""
ESSENTIAL = ("tso", DDL_TYPE, STATEMENT)
"""The meanings of fields that may be absent, but must be passed explicitly (None) to an event's constructor; so must
the names of the table.
"""
READERS = {"int64": "int_at", "uint64": "uint_at"}


@dataclass(frozen=True)
class EventColumn:
    """A column of a batch of events."""

    name: str
    type: str  # int64 | uint64 | bool | text | bytes | description
    position: int
    """Its position among the columns present: all, or those that a protocol carries."""
    position_of_all: int
    """Its position among all columns."""
    optional: bool
    about: str
    constant: str
    """Its name in printed code."""

    @property
    def storage(self) -> str:
        return STORAGE[self.type]

    @property
    def arrow(self) -> str:
        return ARROW[self.type]

    @property
    def variable(self) -> bool:
        """Whether its values have variable width."""
        return self.type in ("text", "bytes")

    def value(self, row: str) -> Expression:
        """The expression for its Python value in a row."""
        if self.type == "bool":
            return own("truth")(named(self.constant), Name(row))
        if self.type == DESCRIPTION:
            return own("description")(named(self.constant), Name(row))
        reader = "value" if self.optional else READERS.get(self.type, "value")
        return own("source").call(reader, named(self.constant), Name(row))


@dataclass(frozen=True)
class ClassField:
    """A field of an event class: in the constructor, the docstring and the comparison."""

    name: str
    annotation: str
    optional: bool
    about: str
    identity: bool
    default: bool
    """Whether it may be omitted from the constructor."""
    named: bool
    """Whether it is keyword-only."""
    column: EventColumn | None
    """The column with its value; None for the names of the table, which a batch stores once for all its events."""

    @property
    def attribute(self) -> str:
        """The attribute that stores it."""
        return "own_kind" if self.name == KIND_FIELD else self.name

    @property
    def value(self) -> Expression:
        """The expression for its Python value when an event is made."""
        if self.column is None:
            return Name(self.name)
        if self.name == KIND_FIELD:
            return Name("KIND_NAMES").at(Name("kind"))
        return self.column.value("k")


@dataclass(frozen=True)
class PlannedClass:
    """An event class."""

    name: str
    key: str
    about: str
    fields: tuple[ClassField, ...]
    images: tuple[tuple[str, EventColumn, EventColumn], ...]
    """Each row image: its name, and the columns with its layout and row."""
    columns: bool
    inherited: str
    """The attributes that all event classes have."""
    kinds: tuple[tuple[str, str], ...]
    """Names of its kinds, and their constants."""
    described: str
    """The field that describes the table, and so the columns of an event without its own; empty if there is none."""

    @property
    def slots(self) -> tuple[tuple[str, str], ...]:
        """The attributes that only this class has: C types and names."""
        names = [field.attribute for field in self.fields if field.name != self.inherited]
        found = [("object", name) for name in (*names, *self.sides)]
        return (*found, ("tuple", self.columns_attribute)) if self.columns_attribute else tuple(found)

    @property
    def columns_attribute(self) -> str:
        """The attribute with the columns; in events with rows those that were passed. Empty if there are none."""
        if self.images:
            return "given_columns"
        return "columns" if self.columns else ""

    @property
    def positional(self) -> tuple[ClassField, ...]:
        """The positional fields that may be omitted."""
        return tuple(field for field in self.fields if field.default and not field.named)

    @property
    def named(self) -> tuple[ClassField, ...]:
        """The keyword-only fields."""
        return tuple(field for field in self.fields if field.named)

    @property
    def extras(self) -> tuple[str, ...]:
        """The names of the keyword-only fields."""
        return tuple(str(field.name) for field in self.named)

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of its row images."""
        return tuple(name for name, _, _ in self.images)

    @property
    def given(self) -> tuple[str, ...]:
        """The positional arguments, in order."""
        first = [str(field.name) for field in self.fields if not field.default]
        columns = ("columns",) if self.images or self.columns else ()
        return (*first, *self.sides, *(str(field.name) for field in self.positional), *columns)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes by which events are compared."""
        names = [str(field.name) for field in self.fields if field.identity]
        names += self.sides
        return tuple(names + (["columns"] if self.columns else []))

    @property
    def own_kind(self) -> bool:
        """Whether the class has several kinds, so that each event stores its own."""
        return len(self.kinds) > 1


@dataclass(frozen=True)
class EventsPlan:
    """The module of the events."""

    source: str
    commit: tuple[str, str]
    """The fields with the commit time: the TSO, and the milliseconds that may replace it."""
    about: str
    roles: tuple[tuple[str, str], ...]
    """The meanings of fields, with the fields' names."""
    kinds: tuple[tuple[str, int, str], ...]
    columns: tuple[EventColumn, ...]
    classes: tuple[PlannedClass, ...]
    storages: tuple[tuple[str, str, str, str], ...]

    @property
    def named(self) -> tuple[str, ...]:
        """The columns of keyword-only fields."""
        found = {field.column for one in self.classes for field in one.named if field.column is not None}
        return tuple(one.constant for one in sorted(found, key=lambda one: one.position_of_all))

    @property
    def describes(self) -> bool:
        """Whether events have descriptions of tables."""
        return any(one.type == DESCRIPTION for one in self.columns)

    @property
    def described(self) -> bool:
        """Whether some events take their columns from a description."""
        return any(one.columns and one.described for one in self.classes)

    @property
    def kind(self) -> EventColumn:
        """The column of the events' kinds."""
        return self._column(KIND_FIELD)

    @property
    def table(self) -> EventColumn:
        """The column with the events' tables, as numbers."""
        return self._column("table")

    @property
    def layout(self) -> EventColumn:
        """The column with the layout of an event without rows."""
        return self._column("new_layout")

    def _column(self, name: str) -> EventColumn:
        return next(one for one in self.columns if one.name == name)


def event_columns(events: Events) -> tuple[EventColumn, ...]:
    """The columns of an event batch: the fields, schema and table as one number, and the row images."""
    rows = [("message", "int64", True, "Index of the message that the event came in.")]
    for field in events.fields.values():
        if field.name == "schema":
            continue
        if field.name == "table":
            rows.append(
                ("table", "int64", False, "Index of the event's schema and table among the tables of the batch.")
            )
            continue
        rows.append((field.name, COLUMN_TYPES[field.type], field.optional, field.about))
    images = dict.fromkeys(image for one in events.classes.values() for image in one.images)
    for image in images:
        rows.append(
            (f"{image}_layout", "int64", False, f"Index of the layout of the {image} row image, -1 without one.")
        )
        rows.append((f"{image}_row", "int64", False, f"The {image} row image's row in that layout, -1 without one."))
    constants = column_constants(events, [name for name, _, _, _ in rows])
    return tuple(
        EventColumn(name, kind, at, at, optional, about, constants[name])
        for at, (name, kind, optional, about) in enumerate(rows)
    )


def events_plan(events: Events, source: str) -> EventsPlan:
    """The plan of the events' module."""
    columns = event_columns(events)
    by_name = {one.name: one for one in columns}
    constants = kind_constants(events)
    whole, physical = ["" if name is None else str(name) for name in map(events.meaning, COMMIT_TIMES)]

    def planned(one: EventClass) -> PlannedClass:
        fields = []
        for name in one.fields:
            field = events.fields[name]
            kind = COLUMN_TYPES[field.type]
            essential = name in NAMED or field.means in ESSENTIAL
            annotation = "str" if name == KIND_FIELD else ANNOTATIONS[kind]
            fields.append(
                ClassField(
                    name=name,
                    annotation=f"Given[{annotation}]" if field.optional else annotation,
                    optional=field.optional,
                    identity=field.identity,
                    about=field.about,
                    default=field.optional and not essential,
                    named=field.optional and not essential and field.means not in POSITIONAL,
                    column=None if name in NAMED else by_name[name],
                )
            )
        return PlannedClass(
            name=one.name,
            key=one.key,
            about=one.about,
            fields=tuple(fields),
            images=tuple((str(image), by_name[f"{image}_layout"], by_name[f"{image}_row"]) for image in one.images),
            columns=one.columns,
            inherited=whole,
            described=next((str(name) for name in one.fields if events.fields[name].means == TABLE_AFTER), ""),
            kinds=tuple((str(name), constants[name]) for name, kind in events.kinds.items() if kind.cls == one.key),
        )

    return EventsPlan(
        source=source,
        commit=(whole, physical),
        about=events.about,
        roles=tuple((field.means, str(field.name)) for field in events.fields.values() if field.means is not None),
        kinds=tuple((str(one.name), one.code, one.about) for one in events.kinds.values()),
        columns=columns,
        classes=tuple(planned(one) for one in events.classes.values()),
        storages=tuple((str(one.name), one.arrow, one.python, one.about) for one in events.values.values()),
    )

"""The plan of the decoder, the files of the codec, and the Spark type of a message."""

from __future__ import annotations

from dataclasses import dataclass

from tidewire.generator.codec_files import codec_files
from tidewire.generator.meaning import images_of
from tidewire.generator.model import COMMIT_TIMES, FIELD_RANGES, Spec
from tidewire.generator.plan.carried import carried_columns
from tidewire.generator.plan.constants import constant, kind_constants
from tidewire.generator.plan.events import EventColumn
from tidewire.generator.plan.facade import WireFacts, facade_plan
from tidewire.generator.plan.names import protocol_names
from tidewire.generator.plan.signs import Signs
from tidewire.generator.plan.spark_types import PlannedField, plain
from tidewire.generator.plan.values import PlannedValues, codec_modules, planned_values

from .model import Field, TaggedProtocol
from .passes.context import TaggedContext

WIRES = {"uvarint": 0, "fixed64": 1, "bytes": 2}
"""The numbers that stand for wire types in messages."""
SPARK = {"uvarint": "bigint", "fixed64": "bigint", "bytes": "binary"}


@dataclass(frozen=True)
class PlannedTag:
    """A field; with a `put`, it carries the event field of the column, which is at most so big; 0: as any number is."""

    constant: str
    id: str
    number: int
    wire: int
    repeated: bool
    put: str
    column: EventColumn | None
    most: int
    needed: bool = False
    """Whether every message has it."""


@dataclass(frozen=True)
class PlannedImage:
    """A row image: its field, and the columns of events for layout and row."""

    constant: str
    layout: str
    row: str


@dataclass(frozen=True)
class TaggedPlan:
    """A decoder."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    name: str
    fields: tuple[PlannedTag, ...]
    column: tuple[PlannedTag, ...]
    switch: str
    names: dict[str, str | None]
    """The fields with the names of schema and table."""
    facts: tuple[int, ...]
    """Where name, type, flags and value are among the fields of a column."""
    images: dict[str, PlannedImage]
    cases: tuple[tuple[int, str, tuple[str, ...], bool], ...]
    """Number, kind and images of each, and whether its events need a table."""
    values: PlannedValues
    modules: tuple[str, ...]
    at: dict[str, str]
    unlisted: str | None


def codec(context: TaggedContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    columns = carried_columns(spec.events, context.meaning.fields(spec))
    names = protocol_names(spec, protocol.file, protocol.title, columns, len(columns), ())
    facade = facade_plan(spec, protocol, context.meaning, WireFacts(text=False, signs=Signs()))
    plan = _plan(context, module, {one.name: one for one in columns})
    return codec_files(spec, module, "tagged", names=names, facade=facade, decoder=plan)


def _plan(context: TaggedContext, module: str, columns: dict[str, EventColumn]) -> TaggedPlan:
    spec, protocol = context.spec, context.protocol
    events, kinds = spec.events, kind_constants(spec.events)
    fields = {one.id: _tag(spec, one, columns) for one in protocol.fields}
    said = {str(one.event): fields[one.id].constant for one in protocol.fields if one.event is not None}
    images = {
        str(one.image): PlannedImage(
            fields[one.id].constant, columns[f"{one.image}_layout"].constant, columns[f"{one.image}_row"].constant
        )
        for one in protocol.fields
        if one.image is not None
    }
    facts = [str(one.column) for one in protocol.column]
    values = planned_values(spec, protocol.values[str(context.meaning.values[0])])
    cases = []
    for case in protocol.cases:
        kind = events.kinds[case.kind]
        held, needs = tuple(map(str, images_of(spec, kind))), "table" in events.classes[kind.cls].needs
        cases.append((case.number, kinds[case.kind], held, needs))
    return TaggedPlan(
        protocol.file,
        str(protocol.name),
        module,
        protocol.title,
        protocol.about,
        str(protocol.root),
        tuple(fields.values()),
        tuple(_tag(spec, one, columns) for one in protocol.column),
        next(fields[one.id].constant for one in protocol.fields if one.switch),
        {name: said.get(name) for name in ("schema", "table")},
        tuple(facts.index(fact) for fact in ("name", "type", "flags", "value")),
        images,
        tuple(cases),
        values,
        codec_modules([values]),
        {one.name: one.constant for one in columns.values()},
        None if protocol.unlisted is None else protocol.unlisted.replace("-", "_"),
    )


def _tag(spec: Spec, one: Field, columns: dict[str, EventColumn]) -> PlannedTag:
    column = None if one.event in ("schema", "table") else columns.get(str(one.event))
    put, most, needed = "", 0, one.switch
    if column is not None:
        field = spec.events.fields[str(one.event)]
        needed = field.means in COMMIT_TIMES
        limits = field.range or FIELD_RANGES[field.type]
        put = "bytes" if limits is None else "uint" if column.storage == "UINT" else "int"
        most = 0 if limits is None or put == "uint" else limits[1]
    name = constant(f"field_{one.id}") if one.column is None else constant(f"column_{one.id}")
    return PlannedTag(name, str(one.id), one.number, WIRES[one.wire], one.image is not None, put, column, most, needed)


def message(spec: Spec, protocol: TaggedProtocol) -> tuple[PlannedField, ...]:
    """The Spark type: columns as they stand in bytes."""
    return tuple(
        plain(str(one.id), SPARK[one.wire], one.about, arrays=int(one.image is not None)) for one in protocol.fields
    )

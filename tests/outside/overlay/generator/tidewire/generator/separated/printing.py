"""The plan of the codec, the files that it is printed to, and the Spark type of a message."""

from __future__ import annotations

from dataclasses import dataclass

from tidewire.generator.codec_files import codec_files
from tidewire.generator.model import FIELD_RANGES, Spec
from tidewire.generator.plan.carried import carried_columns
from tidewire.generator.plan.constants import constant, kind_constants
from tidewire.generator.plan.events import EventColumn
from tidewire.generator.plan.facade import WireFacts, facade_plan
from tidewire.generator.plan.names import protocol_names
from tidewire.generator.plan.signs import Signs
from tidewire.generator.plan.spark_types import PlannedField, plain
from tidewire.generator.plan.values import PlannedValues, codec_modules, planned_values

from .model import LineProtocol
from .passes.context import LineContext


@dataclass(frozen=True)
class PlannedLineField:
    """A field: `kind` is switch, schema, table, text, number or columns."""

    id: str
    constant: str
    kind: str
    about: str
    column: EventColumn | None
    most: int


@dataclass(frozen=True)
class PlannedLineCase:
    """What happened: a kind of event, with the mark and the columns of each image; images that it has not are told."""

    text: bytes
    kind: str
    name: str
    images: tuple[tuple[str, int, str, str], ...]
    """Name and mark of each, and the columns for its layout and row."""
    lacking: tuple[tuple[str, str, str], ...]
    """Name of each, and the same columns."""


@dataclass(frozen=True)
class LinePlan:
    """A codec."""

    source: str
    protocol: str
    module: str
    title: str
    about: str
    separator: int
    fields: tuple[PlannedLineField, ...]
    cases: tuple[PlannedLineCase, ...]
    values: PlannedValues
    modules: tuple[str, ...]
    at: dict[str, str]


def codec(context: LineContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    columns = carried_columns(spec.events, context.meaning.fields(spec))
    names = protocol_names(spec, protocol.file, protocol.title, columns, len(columns), ())
    plan = _plan(context, module, columns)
    facade = facade_plan(spec, protocol, context.meaning, WireFacts(text=True, signs=Signs()))
    return codec_files(
        spec, module, "separated", names=names, facade=facade, decoder=plan, encoder=plan, dissector=plan
    )


def _plan(context: LineContext, module: str, columns: tuple[EventColumn, ...]) -> LinePlan:
    spec, protocol = context.spec, context.protocol
    by_name = {one.name: one for one in columns}
    kinds = kind_constants(spec.events)
    fields = []
    for one in protocol.fields:
        kind = "switch" if one.switch else "columns" if one.event is None else str(one.event)
        whole = None if one.event is None else FIELD_RANGES[spec.events.fields[one.event].type]
        if kind in by_name and kind != "table":
            kind = "text" if whole is None else "number"
        column = by_name.get(str(one.event))
        fields.append(
            PlannedLineField(
                str(one.id), constant(f"line_{one.id}"), kind, one.about, column, 0 if whole is None else whole[1]
            )
        )
    cases = []
    for case in protocol.cases:
        every = spec.events.classes[spec.events.kinds[case.event].cls].images
        image_columns = {
            image: (by_name[f"{image}_layout"].constant, by_name[f"{image}_row"].constant) for image in every
        }
        has = tuple((str(image), ord(mark), *image_columns[image]) for image, mark in case.images.items())
        lacks = tuple((str(image), *image_columns[image]) for image in every if image not in case.images)
        cases.append(PlannedLineCase(case.text.encode(), kinds[case.event], str(case.event), has, lacks))
    values = planned_values(spec, protocol.values[str(protocol.fields[-1].values)])
    return LinePlan(
        protocol.file,
        str(protocol.name),
        module,
        protocol.title,
        protocol.about,
        protocol.separator,
        tuple(fields),
        tuple(cases),
        values,
        codec_modules([values]),
        {one.name: one.constant for one in columns},
    )


def message(spec: Spec, protocol: LineProtocol) -> tuple[PlannedField, ...]:
    """The Spark type: fields as they stand, columns as an array of texts."""
    return tuple(plain(str(one.id), "string", one.about, arrays=int(one.values is not None)) for one in protocol.fields)

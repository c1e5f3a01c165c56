"""The plans of the modules that read messages: decoder and dissector."""

from __future__ import annotations

from collections.abc import Sequence

from ..plan.values import codec_modules, planned_values
from ..syntax.nodes import List, Method, Name, uses
from .decoder_methods import decoder_methods, undefined_code
from .dissector_methods import dissector_methods
from .reading import ReadPlanner
from .reading_nodes import DecoderPlan, DissectorAttribute, DissectorPlan, ReadParts


def decoder_plan(planner: ReadPlanner, parts: ReadParts, module: str) -> DecoderPlan:
    """The plan of the decoder, from the planned parts."""
    protocol = planner.protocol
    values = tuple(planned_values(planner.spec, table) for table in protocol.values.values())
    return DecoderPlan(
        source=protocol.file,
        protocol=protocol.name,
        module=module,
        title=protocol.title,
        about=protocol.about,
        fields=tuple(planner.names.fields),
        indexes=tuple(dict.fromkeys(planner.names.repeated)),
        values=values,
        modules=codec_modules(values),
        numbers=tuple(dict.fromkeys(planner.numbers)),
        dictionaries=tuple(dict.fromkeys(planner.dictionaries)),
        route=parts.body.route,
        undefined=None if parts.tables is None else undefined_code(parts.body),
        methods=decoder_methods(parts),
    )


def dissector_plan(planner: ReadPlanner, parts: ReadParts, module: str) -> DissectorPlan:
    """The plan of the dissector, from the planned parts."""
    dictionaries = tuple(dict.fromkeys(planner.dictionaries))
    methods = dissector_methods(parts, dictionaries)
    return DissectorPlan(
        source=planner.protocol.file,
        module=module,
        title=planner.protocol.title,
        values="" if parts.describe is None else parts.describe.values,
        kept=(*_numbers(planner, parts), *(DissectorAttribute(name, "list[str]", List()) for name in dictionaries)),
        meanings=_used(("flagged", "milliseconds", "named", "tso"), methods),
        methods=methods,
    )


def _numbers(planner: ReadPlanner, parts: ReadParts) -> list[DissectorAttribute]:
    """The attributes in which a dissector stores the numbers that it reads."""
    found = []
    for name in dict.fromkeys(planner.numbers):
        if name in parts.repeated:
            found.append(DissectorAttribute(name, "list[Traced]", List()))
        elif name in planner.text_chunks:
            found.append(DissectorAttribute(name, "list[str]", List()))
        elif not name.endswith("_ends"):
            found.append(DissectorAttribute(name, None, Name("Traced")()))
    return found


def _used(names: Sequence[str], methods: Sequence[Method]) -> tuple[str, ...]:
    return tuple(name for name in names if uses(name, *methods))

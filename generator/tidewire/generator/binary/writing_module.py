"""The plan of the module that writes messages."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import KIND_FIELD
from ..plan.options import wire_options
from ..plan.ways import ColumnsWay, kept_flags, planned_ways
from ..syntax.calls import int_at
from ..syntax.nodes import (
    INT,
    Declare,
    Items,
    Method,
    Name,
    Parameter,
    Return,
    Statement,
    all_of,
    assign,
    object_type,
    own,
    when,
)
from .names import local
from .resolve import Binding
from .sink_calls import ONE_EVENT
from .writing import WritePlanner
from .writing_nodes import EncoderPlan, WrittenCase
from .written_batches import batch_methods
from .written_checks import WrittenChecks

TIMES = {"physical": "with_commit_ms", "sent": "with_sent_ms"}
"""For each meaning of a time field, the runtime function that adds the time to every event."""


def encoder_plan(planner: WritePlanner, module: str) -> EncoderPlan:
    """The plan of the encoder."""
    protocol, images = planner.protocol, planner.images
    methods = planner.methods()
    parts = {} if images is None else images.parts
    name, value, kind = (parts.get(one) for one in ("name", "value", "type"))
    batching = protocol.batching
    checks = WrittenChecks(planner.spec, planner.resolved, planner.by_name, planner.at, planner.kind_names)
    ways = planned_ways(planner.spec, protocol, planner.names.module)
    numbered = {
        "schema": _terms_of(planner, "schema"),
        "table": _terms_of(planner, "table"),
        "column": None if name is None or name.intern is None else local(name.intern),
    }
    meant = {one.event.means for one in planner.resolved.bindings}
    return EncoderPlan(
        source=protocol.file,
        protocol=protocol.name,
        module=module,
        title=protocol.title,
        about=protocol.about,
        value_table="" if value is None else str(value.values),
        options=tuple(
            (local(one.python_name), *(("bool", "bint") if one.type == "bool" else ("int", "Py_ssize_t")))
            for one in wire_options(protocol)
        ),
        numbers=tuple(dict.fromkeys(planner.numbers)),
        sinks=tuple(dict.fromkeys(planner.sinks)),
        dictionaries=tuple(dict.fromkeys(planner.dictionaries)),
        terms=tuple((f"{of}_terms", terms) for of, terms in numbered.items() if terms is not None),
        cases=tuple(
            WrittenCase(planner.code(member), _kinds_of(planner, use.cls.key))
            for member, use in planner.resolved.cases.items()
        ),
        flags=Items(tuple(one.flag for one in ways)),
        looking=(checks.method(), *(() if images is None else (_images_of(planner, ways),))),
        most_bytes=None if batching is None or batching.bytes is None else local(batching.bytes.replace("-", "_")),
        batches=batch_methods(batching, _gathered(planner), planner.at, planner.image_order()),
        times=tuple(function for means, function in TIMES.items() if means in meant),
        type_limit=255 if kind is None or kind.max is None else kind.max,
        methods=methods,
    )


def _terms_of(planner: WritePlanner, name: str) -> str | None:
    """The dictionary that numbers the names in a field of all events."""
    bound: dict[str, Binding] = {one.event.name: one for one in planner.resolved.bindings if one.case is None}
    binding = bound.get(name)
    if binding is None or binding.field is None or binding.field.intern is None:
        return None
    return local(binding.field.intern)


def _kinds_of(planner: WritePlanner, cls: str) -> tuple[Name, ...]:
    """The constants of the kinds of a class of events."""
    return tuple(planner.kind_names[name] for name, kind in planner.spec.events.kinds.items() if kind.cls == cls)


def _gathered(planner: WritePlanner) -> tuple[Name, ...]:
    """The kinds of events that share messages."""
    batching = planner.protocol.batching
    if batching is None:
        return ()
    case = planner.resolved.cases.get(batching.gather)
    return _kinds_of(planner, batching.gather if case is None else case.cls.key)


def _images_of(planner: WritePlanner, ways: Sequence[ColumnsWay]) -> Method:
    """The method that returns a row image of an event, with the columns that the options keep."""
    side, way, images = Name("side"), Name("way"), Name("images")
    by_flag = dict(zip(kept_flags(planner.protocol), ways[1:], strict=True))
    found: list[Statement] = [Declare(way.id, INT, ways[0].name)]
    for option in planner.protocol.options.values():
        keep = option.keep
        if keep is None:
            continue
        assert keep.flagged is not None, "a pass refuses what is kept by value"
        kind = planner.kind_names[planner.spec.events.kinds[keep.event].name]
        kept = all_of(
            own(local(option.python_name)),
            side.equals(planner.at[f"{keep.image}_layout"]),
            int_at(planner.at[KIND_FIELD]).equals(kind),
        )
        found += when(kept, (assign(way.id, by_flag[keep.flagged].name),))
    prepared = own("prepare")(int_at(side), way)
    type = object_type("WrittenImages")
    about = "A row image of an event, which is there; side is the column that holds its layout."
    parameters = (*ONE_EVENT, Parameter(side.id, INT))
    return Method("images_of", parameters, type, (about,), (*found, Declare(images.id, type, prepared), Return(images)))

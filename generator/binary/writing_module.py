"""The plan of the module that writes messages."""

from __future__ import annotations

from ..model import Keep
from ..plan.names import flag_constants
from ..plan.options import wire_options
from ..syntax.nodes import NONE, Name, named, own
from .names import local
from .resolve import Binding
from .writing import WritePlanner
from .writing_nodes import EncoderPlan, PlannedKeep, WrittenCase
from .written_batches import batch_methods
from .written_checks import WrittenChecks

TIMES = {"physical": "with_commit_ms", "sent": "with_sent_ms"}
"""What a field means that is a time, and the function of the runtime that gives it to every event."""


def encoder_plan(planner: WritePlanner, module: str) -> EncoderPlan:
    """The plan of the encoder."""
    protocol, images = planner.protocol, planner.images
    methods = planner.methods()
    parts = {} if images is None else images.parts
    name, value, kind = (parts.get(one) for one in ("name", "value", "type"))
    batching = protocol.batching
    checks = WrittenChecks(planner.spec, planner.resolved, planner.by_name, planner.at, planner.kind_names)
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
        names_terms=NONE if name is None or name.intern is None else own(local(name.intern)),
        cases=tuple(
            WrittenCase(planner.code(member), _kinds_of(planner, use.cls.key))
            for member, use in planner.resolved.cases.items()
        ),
        checks=checks.body(),
        keeps=tuple(
            _keep(planner, local(one.python_name), one.keep)
            for one in protocol.options.values()
            if one.keep is not None
        ),
        most_bytes=None if batching is None or batching.bytes is None else local(batching.bytes.replace("-", "_")),
        batches=batch_methods(batching, _gathered(planner), planner.at, planner.image_order()),
        table_terms=(_terms_of(planner, "schema"), _terms_of(planner, "table")),
        at=planner.at,
        times=tuple(function for means, function in TIMES.items() if means in meant),
        type_limit=255 if kind is None or kind.max is None else kind.max,
        methods=methods,
    )


def _terms_of(planner: WritePlanner, name: str) -> str | None:
    """The dictionary that numbers the names that all events have in a field."""
    bound: dict[str, Binding] = {one.event.name: one for one in planner.resolved.bindings if one.case is None}
    binding = bound.get(name)
    if binding is None or binding.field is None or binding.field.intern is None:
        return None
    return local(binding.field.intern)


def _kinds_of(planner: WritePlanner, cls: str) -> tuple[Name, ...]:
    """The constants of the kinds of a class of events."""
    return tuple(planner.kind_names[name] for name, kind in planner.spec.events.kinds.items() if kind.cls == cls)


def _gathered(planner: WritePlanner) -> tuple[Name, ...]:
    """The kinds of the events that share messages."""
    batching = planner.protocol.batching
    if batching is None:
        return ()
    case = planner.resolved.cases.get(batching.gather)
    return _kinds_of(planner, batching.gather if case is None else case.cls.key)


def _keep(planner: WritePlanner, option: str, keep: Keep) -> PlannedKeep:
    assert keep.flagged is not None, "a pass refuses what is kept by value"
    flag = planner.spec.mysql_types.flags[keep.flagged]
    return PlannedKeep(
        option=option,
        kind=planner.kind_names[planner.spec.events.kinds[keep.event].name],
        layout=planner.at[f"{keep.image}_layout"],
        flag=named(flag_constants(planner.spec)[flag.name]),
    )

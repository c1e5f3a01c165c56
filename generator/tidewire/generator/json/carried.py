"""The event columns that the codec of a JSON protocol uses, and the names of its cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..facts import DDL_CLASS, DDL_TYPE
from ..model import Spec
from ..plan.carried import carried_columns
from ..plan.constants import constant
from ..plan.events import EventColumn, event_columns
from ..plan.names import Group, NamesPlan, protocol_names
from ..plan.ways import names_of_ways
from .model import ChangesMember, JsonProtocol, Scalar


def codec_columns(spec: Spec, protocol: JsonProtocol, carried: Sequence[str]) -> tuple[tuple[EventColumn, ...], int]:
    """The columns of an event batch that a protocol's codec uses, numbered alike for decoder and encoder.

    Args:
        carried: the event fields that messages of the protocol carry.

    Returns:
        The columns, and how many of them the decoder fills. Those come first; the rest are only read by the encoder.
    """
    filled = carried_columns(spec.events, carried)
    names, wanted = {one.name for one in filled}, _read(spec, protocol, carried)
    read = [one for one in event_columns(spec.events) if one.name in wanted and one.name not in names]
    return tuple(replace(one, position=at) for at, one in enumerate([*filled, *read])), len(filled)


def _read(spec: Spec, protocol: JsonProtocol, carried: Iterable[str]) -> set[str]:
    """The event fields that an encoder reads: those that messages carry, and those that its cases depend on."""
    fields = spec.events.fields
    wanted = {str(name) for name in carried}
    rest = protocol.message.rest
    number = spec.events.meaning(DDL_TYPE)
    classed = rest is not None and fields[rest.names].means == DDL_CLASS
    told = any(case.actions and not case.reads for case in protocol.message.all_cases)
    changes = any(isinstance(one, ChangesMember) for _, one in protocol.walk())
    if (classed or told or changes) and number is not None:
        wanted.add(str(number))
    if any(fields[name].means in ("tso", "physical") for name in wanted):
        wanted |= {str(one.name) for one in fields.values() if one.means in ("tso", "physical")}
    scalars = (one for _, one in protocol.walk() if isinstance(one, Scalar))
    wanted |= {str(one.instead) for one in scalars if one.instead is not None}
    if protocol.batching is not None:
        wanted |= set(map(str, protocol.batching.gathered_by))
    return wanted


def names_plan(spec: Spec, protocol: JsonProtocol, columns: Sequence[EventColumn], filled: int) -> NamesPlan:
    """The plan of the module of names of a JSON protocol."""
    texts = [constant(f"case_{case.text}") for case in protocol.message.cases.values()]
    switch = protocol.switch.id
    missing = [
        constant(f"case_without_{switch}" if case.has is None else f"case_with_{case.has}")
        for case in protocol.message.missing
    ]
    cases = [(name, number) for number, name in enumerate([*texts, *(missing or ["CASE_OTHER"])])]
    about = "What a message is, by its switch; what is none of the first is told by its text."
    groups = [Group(about, tuple(cases)), names_of_ways(protocol)]
    return protocol_names(spec, protocol.file, protocol.title, columns, filled, groups)

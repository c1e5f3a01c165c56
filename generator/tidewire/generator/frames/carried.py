"""The event columns that the codec of a protocol of frames uses, and the numbers of its cases."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Spec
from ..plan.constants import constant
from ..plan.events import EventColumn
from ..plan.names import Group, NamesPlan, protocol_names
from ..plan.ways import names_of_ways
from .model import FramesProtocol


def names_plan(spec: Spec, protocol: FramesProtocol, columns: Sequence[EventColumn], filled: int) -> NamesPlan:
    """The plan of the module of names; `filled`: how many of the columns the decoder fills."""
    cases = tuple((constant(f"case_{case.cls}"), int(case.text)) for case in protocol.cases)
    groups = [Group("What an event is, by the number in its key.", cases), names_of_ways(protocol)]
    return protocol_names(spec, protocol.file, protocol.title, columns, filled, groups)

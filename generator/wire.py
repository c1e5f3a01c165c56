"""What a wire is: a plug-in that brings its words, its own checks and its printing.

`wires.WIRES` is the registry; whoever needs something of a protocol's wire asks `wires.wire_of`, and never which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from .load import Node
from .model import Protocol, Spec
from .passes.common import CommonContext
from .plan.spark_types import PlannedField
from .problems import Problem

P = TypeVar("P", bound=Protocol)
C = TypeVar("C", bound=CommonContext)


@dataclass(frozen=True)
class Wire(Generic[P, C]):
    """A wire. Its words are a JSON Schema of their own in `spec/meta/`."""

    name: str
    build: Callable[[Node, str], P]
    """The model of a protocol's file, which is named by the second argument in reports."""
    context: Callable[[Spec, P], C]
    """What passes over a protocol are given."""
    passes: Mapping[int, tuple[Callable[[C], list[Problem]], ...]]
    """Those over the wire's own words, by stage of `passes.STAGES`."""
    codec: Callable[[C, str], dict[str, str]]
    """The files of the codec of a protocol that has no problems, by their paths below generated/. The second argument
    is the module's name."""
    message: Callable[[Spec, P], tuple[PlannedField, ...]]
    """The Spark type of a message as it lies on the wire."""
    shared: tuple[Callable[[Spec], list[Problem]], ...] = ()
    """Passes over what the wire needs of the shared files."""

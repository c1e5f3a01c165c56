"""What a plug-in is: it reads and prints the protocols whose values are certain containers.

It brings the containers, its own checks and its printing. It is a folder in this one: `plugin.py` has the `PLUGIN`,
`words/` a JSON Schema for each container, `templates/` what it prints with. `plugins.PLUGINS` is the registry; whoever
needs something that only a plug-in knows asks `plugins.plugin_of`, and never which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from .load import YamlNode
from .model import Protocol, Spec
from .pages.parts import PagePart
from .passes.common import CommonContext
from .plan.spark_types import PlannedField
from .problems import Problem

P = TypeVar("P", bound=Protocol)
C = TypeVar("C", bound=CommonContext)


@dataclass(frozen=True, kw_only=True)
class Plugin(Generic[P, C]):
    """A plug-in."""

    name: str
    containers: tuple[str, ...]
    """What the parts of its protocols can be."""
    roots: Mapping[str, Mapping[str, bool]]
    """The containers that a value can be, each with those words of a protocol that not every plug-in reads (dotted,
    such as `batching.count`): true where the word is needed."""
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The words that it reads of containers which several plug-ins have, by what has them: `object`, its `member`, the
    member's `by_column` and `list`, the `case` of a choice; of a part that describes something (`described`) a member
    is `told`, and its list `told_list`. Of others it reads all."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Those that it needs, where others do without."""
    keyed: tuple[str, ...] = ()
    """The roots whose messages have keys."""
    inside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By root the other containers that the parts of such a message can be; where it is not said, all."""
    build: Callable[[YamlNode, str], P]
    """The model of a protocol's file, which is named by the second argument in reports."""
    context: Callable[[Spec, P], C]
    """What passes over a protocol are given."""
    passes: Mapping[int, tuple[Callable[[C], list[Problem]], ...]]
    """Those over the words of its containers, by stage of `passes.STAGES`."""
    codec: Callable[[C, str], dict[str, str]]
    """The files of the codec of a protocol that has no problems, by their paths below generated/. The second argument
    is the module's name."""
    message: Callable[[Spec, P], tuple[PlannedField, ...]]
    """The Spark type of a message as it lies on the wire."""
    page: Callable[[Spec, P], tuple[PagePart, ...]] | None = None
    """The parts of a message, in the order of the wire, for the protocol's page. None: the page lists the fields of the
    Spark type of a message."""

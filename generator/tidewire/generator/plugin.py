"""The interface of plug-ins. A plug-in parses and prints the protocols whose messages have certain containers.

It is a subfolder of `generator/` with its own model, checks and printing: `plugin.py` defines `PLUGIN`, `words/` has a
JSON Schema for each container, `templates/` the templates. `plugins.PLUGINS` lists all. Code that needs facts from a
plug-in gets it from `plugins.plugin_of` and does not depend on which one it is.
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
    """The containers that parts of its protocols can be."""
    roots: Mapping[str, Mapping[str, bool]]
    """The containers that a message's value can be. For each: the words of a protocol that only some plug-ins support
    (with dots, such as `batching.count`), and whether the word is required.
    """
    reads: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The supported words of containers that several plug-ins share, by container: `object`, its `member`, the member's
    `by_column` and `list`, the `case` of a choice; in a part that describes a table (`described`), `told` for a member
    and `told_list` for its list; `changes` for a list of a member with an event. All words are supported in
    containers that are not listed.
    """
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The words that are required here, but optional in other plug-ins, by container."""
    keyed: tuple[str, ...] = ()
    """The roots whose messages have a key that is the same part in all of them."""
    keyed_by_class: tuple[str, ...] = ()
    """The roots whose messages can have a key, a part for each class of events."""
    inside: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By root: the other containers that the parts of such a message can be; all of them if the root is not listed."""
    build: Callable[[YamlNode, str], P]
    """Builds the model of a protocol from its parsed file; the second argument is the file's name for reports."""
    derive: Callable[[Spec, P], P] | None = None
    """Adds to a model what follows from the shared files and from other protocols; the spec may have problems."""
    context: Callable[[Spec, P], C]
    """Creates the context of the passes over a protocol."""
    passes: Mapping[int, tuple[Callable[[C], list[Problem]], ...]]
    """The passes over the words of its containers, by stage in `passes.STAGES`."""
    codec: Callable[[C, str], dict[str, str]]
    """Prints the codec of a valid protocol: the text of its files by path below generated/. The second argument is the
    module's name.
    """
    message: Callable[[Spec, P], tuple[PlannedField, ...]]
    """The Spark type of an encoded message."""
    page: Callable[[Spec, P], tuple[PagePart, ...]] | None = None
    """The parts of a message for the protocol's page, in wire order. None: the page lists the fields of the Spark type.
    """

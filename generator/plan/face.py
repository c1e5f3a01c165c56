"""The plan of a protocol's face: its options, and what it says of itself; and of the package that lists the
protocols.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..model import BinaryProtocol, Protocol, Spec
from ..resolve import Resolved
from .events import carried_fields

ALL_FLAGS = -1
"""A struct of row images has the flags of every column, whatever bits they are."""


@dataclass(frozen=True)
class PlannedOption:
    """An option of the encoder."""

    name: str
    type: str
    default: int | bool | str
    about: str
    range: tuple[int, int] | None
    choices: tuple[str, ...]

    @property
    def field(self) -> str:
        return self.name.replace("-", "_")

    @property
    def annotation(self) -> str:
        return {"int": "int", "bool": "bool", "choice": "str", "text": "str"}[self.type]


@dataclass(frozen=True)
class PlannedDefect:
    """A known defect of producers."""

    name: str
    producers: tuple[str, ...]
    types: tuple[int, ...]
    excuses: bool
    about: str


@dataclass(frozen=True)
class FacePlan:
    """A protocol's module."""

    source: str
    name: str
    module: str
    title: str
    about: str
    sources: tuple[tuple[str, str], ...]
    producers: tuple[str, ...]
    carries: tuple[str, ...]
    """The fields of events that it says."""
    carried_flags: int
    """The column flags that it says of every column, as bits."""
    options: tuple[PlannedOption, ...]
    defects: tuple[PlannedDefect, ...]


@dataclass(frozen=True)
class ListedProtocol:
    """A protocol as the package lists it."""

    name: str
    module: str
    title: str
    state: str
    producers: tuple[str, ...]


@dataclass(frozen=True)
class PackagePlan:
    """The package."""

    protocols: tuple[ListedProtocol, ...]


def producer_option(protocol: Protocol) -> PlannedOption:
    """The option that chooses whose bytes are written; the first producer of the spec is the default."""
    names = tuple(protocol.producers)
    return PlannedOption("producer", "choice", names[0], "Whose bytes are written.", None, names)


def face_plan(spec: Spec, resolved: Resolved) -> FacePlan:
    """The plan of a protocol's face."""
    protocol = resolved.protocol
    options = [
        PlannedOption(
            str(one.name), str(one.type), one.default, one.about, one.range, tuple(str(name) for name in one.choices)
        )
        for one in protocol.options.values()
    ]
    return FacePlan(
        source=protocol.file,
        name=protocol.name,
        module=module_name(protocol),
        title=protocol.title,
        about=protocol.about,
        sources=tuple(protocol.sources.items()),
        producers=tuple(protocol.producers),
        carries=carried_fields(spec.events, resolved),
        carried_flags=ALL_FLAGS,
        options=(*options, producer_option(protocol)),
        defects=tuple(
            PlannedDefect(
                one.name,
                tuple(str(name) for name in one.producers),
                tuple(spec.mysql_types.types[name].code for name in one.types),
                one.excuses,
                one.about,
            )
            for one in protocol.defects.values()
        ),
    )


def module_name(protocol: Protocol) -> str:
    """The protocol's name as a Python module has it."""
    return protocol.name.replace("-", "_")


def package_plan(spec: Spec) -> PackagePlan:
    """The plan of the package: the protocols with a spec, then those that are planned."""
    ready = [
        ListedProtocol(one.name, module_name(one), one.title, "ready", tuple(one.producers))
        for one in spec.protocols.values()
        if isinstance(one, BinaryProtocol)
    ]
    planned = [
        ListedProtocol(name, module_name_of(name), title, "planned", ()) for name, title in spec.events.planned.items()
    ]
    return PackagePlan(tuple(ready + planned))


def module_name_of(name: str) -> str:
    """A name as a Python module has it."""
    return name.replace("-", "_")

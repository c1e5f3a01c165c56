"""Options of a protocol's facade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model import Option, Protocol, Spec


@dataclass(frozen=True)
class PlannedKeep:
    """The columns that remain in a row image with an option: those with the flag; without a flag, those that changed.
    """

    event: str
    image: str
    flag: int


@dataclass(frozen=True)
class PlannedOption:
    """An option."""

    name: str
    type: str
    default: int | bool | str
    about: str
    range: tuple[int, int] | None = None
    choices: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    implies: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    choice_needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    producers: tuple[str, ...] = ()
    keeps: PlannedKeep | None = None
    shows: str = ""
    escapes: bool = False
    ignored: bool = False
    secret: bool = False
    """Whether it may contain a password."""

    @property
    def python_name(self) -> str:
        return python_name(self.name)

    @property
    def annotation(self) -> str:
        return {"int": "int", "bool": "bool", "choice": "str", "text": "str"}[self.type]


REGISTRY_OPTIONS = (
    "REGISTRY_USER",
    "REGISTRY_PASSWORD",
    "REGISTRY_TOKEN",
    "REGISTRY_CA_FILE",
    "REGISTRY_CERTIFICATE",
    "REGISTRY_KEY",
)
"""The options for access to a schema registry."""


@dataclass(frozen=True)
class SharedOption:
    """An option that the runtime defines for many protocols."""

    constant: str
    annotation: str
    implies: tuple[str, ...] = ()
    """Options of the protocol that are true when this one is set."""

    @property
    def python_name(self) -> str:
        return ("schema_" if self.constant in REGISTRY_OPTIONS else "") + self.constant.lower()


def producer_option(protocol: Protocol) -> PlannedOption:
    """The option that selects the producer to imitate; the first producer of the spec is the default."""
    names = tuple(protocol.producers)
    return PlannedOption("producer", "choice", names[0], "Whose bytes are written.", choices=names)


def planned_option(spec: Spec, option: Option, shows: str, escapes: bool, secret: bool) -> PlannedOption:
    """The plan of an option of the spec; for `shows`, `escapes` and `secret` see `OptionSpec`."""
    keep = option.keep
    keeps = None
    if keep is not None:
        flag = 0 if keep.flagged is None else spec.mysql_types.flags[keep.flagged].bit
        keeps = PlannedKeep(str(keep.event), str(keep.image), flag)
    return PlannedOption(
        str(option.name),
        str(option.type),
        option.default,
        option.about,
        option.range,
        tuple(map(str, option.choices)),
        {str(alias): str(choice) for alias, choice in option.aliases.items()},
        tuple(map(str, option.implies)),
        tuple(map(str, option.needs)),
        {str(choice): tuple(map(str, names)) for choice, names in option.choice_needs.items()},
        tuple(map(str, option.producers)),
        keeps,
        shows,
        escapes,
        option.ignored,
        secret,
    )


def python_name(name: str) -> str:
    """The Python name of an option."""
    return str(name).replace("-", "_")

"""The modules of names in printed code: kinds of events, columns of events, flags of columns, cases of messages.

Compiled code gets them as constants of a `cdef enum`, interpreted code from a module. The columns of the package and
those of a protocol have the same names but different numbers, since a protocol's batches lack columns that it does not
carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Spec
from .constants import RESERVED, apart, constant, kind_constants
from .events import EventColumn, event_columns


@dataclass(frozen=True)
class Group:
    """Named numbers of one sort."""

    about: str
    numbers: tuple[tuple[str, int], ...]

    @property
    def fitting(self) -> tuple[tuple[str, int], ...]:
        """The numbers that get a name."""
        return tuple(one for one in self.numbers if fits(one[1]))

    @property
    def positions(self) -> tuple[str, ...]:
        """The names, if their numbers are 0, 1, 2, ...; otherwise empty."""
        names = tuple(name for name, _ in self.fitting)
        return names if [number for _, number in self.fitting] == list(range(len(names))) else ()


@dataclass(frozen=True)
class NamesPlan:
    """A module of names, and the declarations of the same names for compiled code."""

    source: str
    title: str
    groups: tuple[Group, ...]
    columns: tuple[EventColumn, ...] = ()
    """The columns of events that a codec fills or reads."""
    filled: int = 0
    """How many of these columns the decoder fills; they come first."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for group in self.groups for name, _ in group.fitting)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(str(one.name) for one in self.columns)

    @property
    def positions_of_all(self) -> tuple[int, ...]:
        """The positions, among all columns, of those that the decoder fills."""
        return tuple(one.position_of_all for one in self.columns[: self.filled])

    @property
    def storages(self) -> tuple[str, ...]:
        return tuple(sorted({one.storage for one in self.columns}))


def fits(number: int) -> bool:
    """Whether a number fits into a constant of a `cdef enum`, which is a C int; other numbers get no name."""
    return -(2**31) <= number < 2**31


def flag_constants(spec: Spec) -> dict[str, str]:
    """The constant of each column flag, or its number."""
    flags = spec.mysql_types.flags
    columns = {one.constant for one in event_columns(spec.events)}
    taken = RESERVED | set(kind_constants(spec.events).values()) | columns
    names = zip(map(str, flags), apart(map(constant, flags), "FLAG", taken), strict=True)
    return {flag: name if fits(flags[flag].bit) else str(flags[flag].bit) for flag, name in names}


def common_names(spec: Spec) -> NamesPlan:
    """The names that all protocols share, and all event columns."""
    kinds, flags = kind_constants(spec.events), flag_constants(spec)
    bits = spec.mysql_types.flags
    return NamesPlan(
        source=f"{spec.events.location.file} and {spec.mysql_types.location.file}",
        title="events and columns",
        groups=(
            Group("Kinds of events.", tuple((kinds[name], one.code) for name, one in spec.events.kinds.items())),
            Group("Flags of columns, each a bit.", tuple((flags[name], one.bit) for name, one in bits.items())),
            Group(
                "Columns of a batch of events.",
                tuple((one.constant, one.position_of_all) for one in event_columns(spec.events)),
            ),
        ),
    )


def protocol_names(
    spec: Spec, source: str, title: str, columns: Sequence[EventColumn], filled: int, cases: Sequence[Group]
) -> NamesPlan:
    """The names of a protocol: the event columns that its codec uses, and the cases of its messages.

    Args:
        filled: number of columns that the decoder fills.
        cases: numbered cases of its messages; their names are made unique here.
    """
    used = names_of_all(spec)
    groups = [Group("Columns of a batch of events.", tuple((one.constant, one.position) for one in columns))]
    for group in cases:
        names = apart((name for name, _ in group.numbers), "CASE", used)
        groups.append(Group(group.about, tuple(zip(names, (number for _, number in group.numbers), strict=True))))
        used |= set(names)
    return NamesPlan(source, title, tuple(groups), tuple(columns), filled)


def shared_names(spec: Spec) -> tuple[str, ...]:
    """The names of kinds and flags, which the codecs of all protocols have."""
    return tuple(name for group in common_names(spec).groups[:2] for name, _ in group.numbers)


def names_of_all(spec: Spec) -> frozenset[str]:
    """Reserved names, which no field or case of a message can have: those of kinds, columns, flags, and printed code.
    """
    return RESERVED | set(common_names(spec).names)

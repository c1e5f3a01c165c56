"""The plan of a value table. The runtime's name of each codec is in primitives.yaml."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from ..model import ColumnType, Spec, ValueCase, ValueTable
from .names import flag_constants

NOTHING = "nothing"
"""The storage kind of types without values."""
_Pairs: TypeAlias = "tuple[tuple[str, str], ...]"


@dataclass(frozen=True)
class PlannedValueCase:
    """The codec of some column types."""

    codes: tuple[int, ...]
    """Codes of the types."""
    flagged: tuple[tuple[str, str], ...]
    """Flags with the codecs that replace the case's own."""
    codec: str
    names: str
    """Names of the types."""
    unflagged: str | None = None
    """The codec for messages without flags, if it is another one."""
    by_producer: tuple[tuple[str, str], ...] = ()
    """The producers that use another codec, with that codec."""

    @property
    def codecs(self) -> tuple[str, ...]:
        """All codecs, as module and constant."""
        others = (*self.flagged, *self.by_producer)
        return (self.codec, *(codec for _, codec in others), *([self.unflagged] if self.unflagged else []))


@dataclass(frozen=True)
class PlannedValues:
    """A table of codecs by column type."""

    name: str
    about: str
    cases: tuple[PlannedValueCase, ...]
    otherwise: str | None
    """The codec of types that are not in the spec; None: these are an error."""

    @property
    def differs(self) -> bool:
        """Whether producers use different codecs for some type."""
        return any(one.by_producer for one in self.cases)


def planned_values(spec: Spec, table: ValueTable) -> PlannedValues:
    """The plan of a value table, with type codes in place of names, and the runtime's names of codecs."""
    flags, types = flag_constants(spec), spec.mysql_types.types
    grouped: dict[tuple[_Pairs, str, str | None, _Pairs], list[ColumnType]] = {}
    for case in table.cases:
        for name in case.types:
            kind = types[name]
            plain = runtime_name(spec, case.codec, kind.storage)
            unflagged = None if case.unflagged is None else runtime_name(spec, case.unflagged, kind.storage)
            by = tuple((str(who), runtime_name(spec, one, kind.storage)) for who, one in case.by_producer.items())
            others = tuple(one for one in by if one[1] != plain)
            grouped.setdefault((_changed(spec, case, kind, flags), plain, unflagged, others), []).append(kind)
    cases = tuple(
        PlannedValueCase(
            tuple(sorted(kind.code for kind in kinds)),
            changed,
            plain,
            ", ".join(kind.name for kind in kinds),
            unflagged,
            others,
        )
        for (changed, plain, unflagged, others), kinds in grouped.items()
    )
    otherwise = None
    if table.unknown != "error":
        otherwise = next(
            path for one in spec.primitives.codecs.values() for kind, path in one.storage.items() if kind == NOTHING
        )
    return PlannedValues(str(table.name), table.about, cases, otherwise)


def _changed(spec: Spec, case: ValueCase, kind: ColumnType, flags: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """The flags that change the codec of a type, with that codec."""
    said = {str(flag): codec for flag, codec in case.flagged.items()}
    plain = runtime_name(spec, case.codec, kind.storage)
    found = []
    for flag in dict.fromkeys([*map(str, kind.flagged), *said]):
        written = runtime_name(spec, said.get(flag, case.codec), kind.storage_with(flag))
        if written != plain:
            found.append((flags[flag], written))
    return tuple(found)


def runtime_name(spec: Spec, codec: str, storage: str) -> str:
    """The runtime's name of a codec for values with this storage: module, point, constant. A codec that writes nothing
    has one name for all storages.
    """
    names = spec.primitives.codecs[codec].storage
    return next((path for kind, path in names.items() if kind == storage), next(iter(names.values())))


def codec_modules(tables: Iterable[PlannedValues]) -> tuple[str, ...]:
    """The modules of the runtime with the codecs of value tables."""
    named = [codec for table in tables for case in table.cases for codec in case.codecs]
    named += [table.otherwise for table in tables if table.otherwise is not None]
    return tuple(sorted({codec.partition(".")[0] for codec in named}))

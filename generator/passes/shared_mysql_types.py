"""mysql_types.yaml: column types, column flags and DDL types.

- Codes of column types and of DDL types are unique; flags are single bits, each another.
- Storage kinds are those of events.yaml; the flags in `flagged` exist.
- A range is for types stored as int or uint, fits 64 bits and begins before it ends.
- A mapping of two is [without, with] the one flag of `flagged`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import FIELD_RANGES, ColumnType, DdlType, Spec
from ..problems import Place, Problem, problem, quoted, unknown

_LIMITS = {"int": FIELD_RANGES["int64"], "uint": FIELD_RANGES["uint64"]}


def check(spec: Spec) -> list[Problem]:
    """The problems of this pass."""
    types = spec.mysql_types
    return [
        *_flags(spec),
        *_codes(types.types),
        *_codes(types.ddl_types),
        *(one for column in types.types.values() for one in _type(spec, column)),
    ]


def _flags(spec: Spec) -> Iterator[Problem]:
    seen: dict[int, str] = {}
    for flag in spec.mysql_types.flags.values():
        if flag.bit & (flag.bit - 1):
            yield problem(flag.at("bit"), f"{flag.bit} is not a single bit", "A flag is a power of two.")
        if flag.bit in seen:
            text = f"{quoted(seen[flag.bit])} and {quoted(flag.name)} are the bit {flag.bit}"
            yield problem(flag.at("bit"), text, "Give each its own.")
        seen.setdefault(flag.bit, flag.name)


def _codes(things: Mapping[str, ColumnType] | Mapping[str, DdlType]) -> Iterator[Problem]:
    seen: dict[int, str] = {}
    for name, thing in things.items():
        if thing.code in seen:
            text = f"{quoted(seen[thing.code])} and {quoted(name)} have the code {thing.code}"
            yield problem(thing.at("code"), text, "Give each its own.")
        seen.setdefault(thing.code, name)


def _type(spec: Spec, column: ColumnType) -> Iterator[Problem]:
    kinds = spec.events.values
    if column.storage not in kinds:
        yield unknown(column.storage.place, "storage kind", column.storage, kinds)
    yield from _range(column.at("range"), column.range, column.storage)
    for flag, variant in column.flagged.items():
        if flag not in spec.mysql_types.flags:
            yield unknown(variant.place, "flag", flag, spec.mysql_types.flags)
        if variant.storage is not None and variant.storage not in kinds:
            yield unknown(variant.storage.place, "storage kind", variant.storage, kinds)
        yield from _range(variant.at("range"), variant.range, column.storage_with(flag))
    for name, (plain, flagged) in column.mappings.items():
        if plain != flagged and len(column.flagged) != 1:
            text = f"the mapping {quoted(name)} depends on a flag, but the type has {len(column.flagged)} in flagged"
            yield problem(column.at("mappings"), text, "A mapping of two goes with one flag.")


def _range(place: Place, range_: tuple[int, int] | None, storage: str) -> Iterator[Problem]:
    if range_ is None:
        return
    limits = _LIMITS.get(storage)
    if limits is None:
        yield problem(place, f"range: is for int and uint, the type is stored as {storage}", "Remove it.")
    elif not limits[0] <= range_[0] <= range_[1] <= limits[1]:
        text = f"{range_[0]} to {range_[1]} is no range of {storage}"
        yield problem(place, text, f"It lies between {limits[0]} and {limits[1]}.")

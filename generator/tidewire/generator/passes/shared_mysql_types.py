"""mysql_types.yaml: column types, column flags and DDL types.

- Codes of column types and of DDL types are unique; flags are single, different bits.
- Storage kinds are those of events.yaml; the flags in `flagged` exist.
- A range is for types stored as int or uint, fits 64 bits and begins before it ends.
- A mapping with two names is [without, with] the one flag of `flagged`; `beyond` needs a type with a range and one
  flag.
- No two types, with or without a flag, have the same name in a declaration; synonyms are other names for a type's name.
  The words that a type omits are words of flags.
- Phrases after a type are different. At most one type stands for an unknown one; it is stored as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model import FIELD_RANGES, ColumnType, DdlType, Spec
from ..problems import Location, Problem, problem, quoted, unknown

_LIMITS = {"int": FIELD_RANGES["int64"], "uint": FIELD_RANGES["uint64"]}


def check(spec: Spec) -> list[Problem]:
    """The problems of this pass."""
    types = spec.mysql_types
    return [
        *_flags(spec),
        *_codes(types.types),
        *_codes(types.ddl_types),
        *(one for column in types.types.values() for one in _type(spec, column)),
        *_names(spec),
        *_synonyms(spec),
        *_phrases(spec),
        *_undeclared(spec),
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
        yield unknown(column.storage.location, "storage kind", column.storage, kinds)
    yield from _range(column.at("range"), column.range, column.storage)
    for flag, variant in column.flagged.items():
        if flag not in spec.mysql_types.flags:
            yield unknown(variant.location, "flag", flag, spec.mysql_types.flags)
        if variant.storage is not None and variant.storage not in kinds:
            yield unknown(variant.storage.location, "storage kind", variant.storage, kinds)
        yield from _range(variant.at("range"), variant.range, column.storage_with(flag))
    for name, mapping in column.mappings.items():
        if mapping.plain != mapping.flagged and len(column.flagged) != 1:
            text = f"the mapping {quoted(name)} depends on a flag, but the type has {len(column.flagged)} in flagged"
            yield problem(column.at("mappings"), text, "A mapping of two goes with one flag.")
        if mapping.beyond is not None and (len(column.flagged) != 1 or column.range is None):
            text = f"the mapping {quoted(name)} has a beyond, but nothing says beyond what"
            yield problem(column.at("mappings"), text, "It needs the range of the type and one flag in flagged.")


def _names(spec: Spec) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    words = [word for flag in spec.mysql_types.flags.values() for word in flag.sql]
    for name, column in spec.mysql_types.types.items():
        named = [(column.at("sql"), one) for one in column.sql]
        named += [(variant.at("sql"), one) for variant in column.flagged.values() for one in variant.sql]
        for location, one in named:
            if one in seen:
                text = f"{quoted(seen[one])} and {quoted(name)} are both declared as {quoted(one)}"
                yield problem(location, text, "Give each its own.")
            seen.setdefault(one, name)
        for word in column.omits:
            if word not in words:
                yield unknown(word.location, "word of a flag", word, words, "words of flags")


def _synonyms(spec: Spec) -> Iterator[Problem]:
    types = spec.mysql_types
    for name, text in types.synonyms.items():
        if types.declared(name) is not None:
            yield problem(name.location, f"{quoted(name)} is the name of a type", "Remove the synonym.")
        if types.declared(text) is None:
            said = f"{quoted(text)} is no type as it is declared"
            yield problem(text.location, said, "Say the name of a type, and behind it the word of a flag, if any.")


def _phrases(spec: Spec) -> Iterator[Problem]:
    seen: set[str] = set()
    words = [word for flag in spec.mysql_types.flags.values() for word in flag.sql]
    phrases = [one for flag in spec.mysql_types.flags.values() for one in flag.reads]
    for one in (*phrases, *spec.mysql_types.silent):
        if one in seen or one in words:
            yield problem(one.location, f"{quoted(one)} is there twice", "Keep one.")
        seen.add(one)


def _undeclared(spec: Spec) -> Iterator[Problem]:
    marked = [one for one in spec.mysql_types.types.values() if one.undeclared]
    for one in marked[1:]:
        text = f"{quoted(marked[0].name)} and {quoted(one.name)} both stand for a type that is not told"
        yield problem(one.at("undeclared"), text, "Keep one.")
    for one in marked[:1]:
        if one.storage != "text" or one.flagged:
            text = "a type that is not told has its values as they stand in the message"
            yield problem(one.at("undeclared"), text, "Say storage: text, and nothing under flagged.")


def _range(location: Location, range_: tuple[int, int] | None, storage: str) -> Iterator[Problem]:
    if range_ is None:
        return
    limits = _LIMITS.get(storage)
    if limits is None:
        yield problem(location, f"range: is for int and uint, the type is stored as {storage}", "Remove it.")
    elif not limits[0] <= range_[0] <= range_[1] <= limits[1]:
        text = f"{range_[0]} to {range_[1]} is no range of {storage}"
        yield problem(location, text, f"It lies between {limits[0]} and {limits[1]}.")

"""The plan of the module of column types, flags and DDL types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model import ColumnType, MysqlTypes


@dataclass(frozen=True)
class PlannedType:
    """A column type."""

    member: str
    code: int
    about: str
    storage: str
    spark: str
    flagged: tuple[tuple[str, str, str, str | None, int | None, int | None], ...]
    """For each flag that changes the type: its constant, storage, Spark type, TiDB's name and default length if they
    differ, maximum value.
    """
    names: tuple[str, ...]
    """The names that declare the type, TiDB's first."""
    flagged_names: tuple[tuple[str, tuple[str, ...]], ...]
    """The names that declare the type together with a flag, besides those in `flagged`: the flag's constant, and the
    names.
    """
    omits: tuple[str, ...]
    """Words that are not printed after the type."""
    fractions: bool
    """Whether a single number in parentheses is the number of fractional digits."""
    checksum: str | None
    """How values enter the checksum of a row, if not by their storage: `TypeFacts.checksum` lists the forms."""
    labels: str | None
    parameters: str | None
    """The numbers in parentheses: length | length_or_0 | both | both_or_0; None: only a number of fractional digits."""
    length: int | None
    """Length of a column declared without one."""
    limit: int | None
    """The maximum value without the flag, if larger values have another name in a mapping."""
    mappings: tuple[tuple[str, int | str, int | str, int | str | None], ...]
    """Kind of name; then the name without the flag, with the flag, and with the flag for values above `limit`."""


@dataclass(frozen=True)
class MysqlPlan:
    """The module of column types, flags and DDL types."""

    source: str
    about: str
    flags: tuple[tuple[str, int, str], ...]
    types: tuple[PlannedType, ...]
    words: tuple[tuple[str, str], ...]
    """Words that can follow a type, and the constant of the flag that each sets."""
    phrases: tuple[tuple[str | None, tuple[str, ...]], ...]
    """Words after a type that are parsed and never printed (~ stands for a name), by the constant of the flag that they
    set, if any.
    """
    undeclared: str | None
    """The member for an unknown type."""
    printed: tuple[tuple[str, str], ...]
    """Flags that are printed after a type: the flag's constant and its word."""
    ddl_types: tuple[tuple[int, str], ...]
    statements: tuple[tuple[str, tuple[tuple[int, tuple[str, ...]], ...]], ...]
    """Whether statements name one object, several or any number; then DDL types, each with the beginnings of its
    statements.
    """
    ddl_classes: tuple[tuple[str, tuple[int, ...]], ...]
    """DDL classes with the codes of their types, except the default class."""
    ddl_class: str
    """The default class."""

    @property
    def constants(self) -> tuple[str, ...]:
        """The flag constants that the module uses."""
        found = {variant[0] for one in self.types for variant in one.flagged}
        found |= {flag for one in self.types for flag, _ in one.flagged_names}
        found |= {flag for _, flag in self.words}
        found |= {flag for flag, _ in (*self.phrases, *self.printed) if flag is not None}
        return tuple(sorted(found))


def mysql_plan(types: MysqlTypes, source: str) -> MysqlPlan:
    """The plan, types and DDL types in the order of their codes."""
    named = _names(types)
    planned = [
        PlannedType(
            member=one.name.upper(),
            code=one.code,
            about=one.about or ", ".join(name.upper() for name in _said(one)),
            storage=one.storage,
            spark=one.spark,
            flagged=tuple(
                (
                    variant.flag.upper(),
                    variant.storage or one.storage,
                    variant.spark or one.spark,
                    str(variant.sql[0]) if variant.sql else None,
                    variant.length,
                    None if variant.range is None else variant.range[1],
                )
                for variant in one.flagged.values()
            ),
            names=named[one.code][None],
            flagged_names=tuple((flag, names) for flag, names in named[one.code].items() if flag is not None),
            omits=tuple(str(word) for word in one.omits),
            fractions=one.fractions,
            checksum=one.checksum,
            labels=one.labels,
            parameters=one.parameters,
            length=one.length,
            limit=None
            if one.range is None or all(said.beyond is None for said in one.mappings.values())
            else one.range[1],
            mappings=tuple((kind, said.plain, said.flagged, said.beyond) for kind, said in one.mappings.items()),
        )
        for one in types.types.values()
    ]
    return MysqlPlan(
        source=source,
        about=types.about,
        flags=tuple((one.name.upper(), one.bit, one.about) for one in types.flags.values()),
        types=tuple(sorted(planned, key=lambda one: one.code)),
        words=tuple((str(word), flag.name.upper()) for flag in types.flags.values() for word in flag.sql),
        phrases=_phrases(types),
        undeclared=None if types.undeclared is None else types.undeclared.name.upper(),
        printed=tuple((flag.name.upper(), str(flag.sql[0])) for flag in types.flags.values() if flag.sql),
        ddl_classes=_classes(types),
        ddl_class=types.ddl_class,
        ddl_types=tuple(sorted((one.code, one.title) for one in types.ddl_types.values())),
        statements=_statements(types),
    )


def _said(one: ColumnType) -> list[str]:
    """The names of a type, followed by those with a flag."""
    return [*one.sql, *(name for variant in one.flagged.values() for name in variant.sql)]


def _names(types: MysqlTypes) -> dict[int, dict[str | None, tuple[str, ...]]]:
    """The names of types, by type code and by the constant of the flag that they imply (None: no flag)."""
    found: dict[int, dict[str | None, tuple[str, ...]]] = {}

    def add(code: int, flag: str | None, names: Iterable[str]) -> None:
        own = found.setdefault(code, {None: ()})
        own[flag] = (*own.get(flag, ()), *(str(name) for name in names))

    for one in types.types.values():
        add(one.code, None, one.sql)
        for variant in one.flagged.values():
            if variant.sql[1:]:
                add(one.code, variant.flag.upper(), variant.sql[1:])
    for synonym, text in types.synonyms.items():
        known = types.declared(text)
        if known is not None:
            add(known[0].code, None if known[1] is None else known[1].upper(), (synonym,))
    return found


def _statements(types: MysqlTypes) -> tuple[tuple[str, tuple[tuple[int, tuple[str, ...]], ...]], ...]:
    found: dict[str, dict[int, tuple[str, ...]]] = {}
    for one in types.ddl_types.values():
        if one.statement:
            found.setdefault(str(one.lists), {})[one.code] = tuple(str(words) for words in one.statement)
    return tuple((lists, tuple(codes.items())) for lists, codes in found.items())


def _phrases(types: MysqlTypes) -> tuple[tuple[str | None, tuple[str, ...]], ...]:
    flagged = ((flag.name.upper(), tuple(str(phrase) for phrase in flag.reads)) for flag in types.flags.values())
    return (*((flag, phrases) for flag, phrases in flagged if phrases), (None, tuple(str(one) for one in types.silent)))


def _classes(types: MysqlTypes) -> tuple[tuple[str, tuple[int, ...]], ...]:
    found: dict[str, list[int]] = {}
    for one in types.ddl_types.values():
        if one.cls != types.ddl_class:
            found.setdefault(one.cls, []).append(one.code)
    return tuple((cls, tuple(sorted(codes))) for cls, codes in found.items())

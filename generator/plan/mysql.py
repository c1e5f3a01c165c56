"""The plan of the module of column types, flags and DDL types."""

from __future__ import annotations

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
    flagged: tuple[tuple[str, str, str], ...]
    """What a flag changes: the flag's member, storage, Spark type."""
    sql: str
    """TiDB's name of the type."""
    flagged_sql: tuple[tuple[str, str], ...]
    """The same with a flag: the flag's member, and the name."""
    omits: tuple[str, ...]
    """Words that are not printed behind it."""
    fractions: bool
    """Whether a single number in parentheses is the digits behind the point."""
    labels: bool
    telling: int
    """The flags that change what is stored."""
    beyond: int | None
    """The greatest value that the type has without its flag."""
    mappings: tuple[tuple[str, int | str, int | str, int | str | None], ...]
    """Kind of the name; the name without the flag, with the flag, with the flag above that value."""


@dataclass(frozen=True)
class MysqlPlan:
    """The module of column types, flags and DDL types."""

    source: str
    about: str
    flags: tuple[tuple[str, int, str], ...]
    types: tuple[PlannedType, ...]
    names: tuple[tuple[str, int, str | None], ...]
    """Every name of a type: the type's code, and the flag's member that the name implies."""
    words: tuple[tuple[str, str], ...]
    """The words behind a type, and the flag's member that each sets."""
    phrases: tuple[tuple[tuple[str, ...], str | None], ...]
    """Words behind a type that are read only, ~ for a name, and the flag's member that each sets, if any: those with
    the most words first."""
    untold: str | None
    """The member of the type that stands for one that is not told."""
    mapping_kinds: tuple[str, ...]
    """The kinds of names that there are."""
    printed: tuple[tuple[str, str], ...]
    """Flags that are printed behind a type: the flag's member and its word."""
    ddl_types: tuple[tuple[int, str], ...]
    statements: tuple[tuple[str, int, str], ...]
    """How statements begin, the DDL type, and whether they list one thing, several or any number."""
    ddl_classes: tuple[tuple[str, tuple[int, ...]], ...]
    """Class and codes, without the class of all others."""
    ddl_class: str
    """The class of all others."""


def mysql_plan(types: MysqlTypes, source: str) -> MysqlPlan:
    """The plan, types and DDL types in the order of their codes."""
    bits = {name: flag.bit for name, flag in types.flags.items()}
    planned = [
        PlannedType(
            member=one.name.upper(),
            code=one.code,
            about=one.about or ", ".join(name.upper() for name in _said(one)),
            storage=one.storage,
            spark=one.spark,
            flagged=tuple(
                (variant.flag.upper(), variant.storage or one.storage, variant.spark or one.spark)
                for variant in one.flagged.values()
            ),
            sql=one.sql[0],
            flagged_sql=tuple(
                (variant.flag.upper(), variant.sql[0]) for variant in one.flagged.values() if variant.sql
            ),
            omits=tuple(str(word) for word in one.omits),
            fractions=one.fractions,
            labels=one.labels,
            telling=sum(bits[flag] for flag in one.flagged),
            beyond=None if one.range is None or not one.flagged else one.range[1],
            mappings=tuple((kind, said.plain, said.flagged, said.beyond) for kind, said in one.mappings.items()),
        )
        for one in types.types.values()
    ]
    return MysqlPlan(
        source=source,
        about=types.about,
        flags=tuple((one.name.upper(), one.bit, one.about) for one in types.flags.values()),
        types=tuple(sorted(planned, key=lambda one: one.code)),
        names=tuple(sorted(_names(types))),
        words=tuple((str(word), flag.name.upper()) for flag in types.flags.values() for word in flag.sql),
        phrases=_phrases(types),
        untold=None if types.untold is None else types.untold.name.upper(),
        mapping_kinds=tuple(dict.fromkeys(kind for one in types.types.values() for kind in one.mappings)),
        printed=tuple((flag.name.upper(), str(flag.sql[0])) for flag in types.flags.values() if flag.sql),
        ddl_classes=_classes(types),
        ddl_class=types.ddl_class,
        ddl_types=tuple(sorted((one.code, one.title) for one in types.ddl_types.values())),
        statements=tuple(
            (str(words), one.code, one.lists) for one in types.ddl_types.values() for words in one.statement
        ),
    )


def _said(one: ColumnType) -> list[str]:
    """The names of a type, those with a flag behind."""
    return [*one.sql, *(name for variant in one.flagged.values() for name in variant.sql)]


def _names(types: MysqlTypes) -> list[tuple[str, int, str | None]]:
    found: list[tuple[str, int, str | None]] = []
    for one in types.types.values():
        found += [(str(name), one.code, None) for name in one.sql]
        for variant in one.flagged.values():
            found += [(str(name), one.code, variant.flag.upper()) for name in variant.sql]
    for synonym, text in types.synonyms.items():
        told = types.declared(text)
        if told is not None:
            found.append((str(synonym), told[0].code, None if told[1] is None else told[1].upper()))
    return found


def _phrases(types: MysqlTypes) -> tuple[tuple[tuple[str, ...], str | None], ...]:
    found: list[tuple[tuple[str, ...], str | None]] = [(tuple(phrase.split()), None) for phrase in types.silent]
    found += [(tuple(phrase.split()), flag.name.upper()) for flag in types.flags.values() for phrase in flag.reads]
    return tuple(sorted(found, key=lambda one: (-len(one[0]), "~" in one[0], one[0])))


def _classes(types: MysqlTypes) -> tuple[tuple[str, tuple[int, ...]], ...]:
    found: dict[str, list[int]] = {}
    for one in types.ddl_types.values():
        if one.cls != types.ddl_class:
            found.setdefault(one.cls, []).append(one.code)
    return tuple((cls, tuple(sorted(codes))) for cls, codes in found.items())

"""The plan of the module of column types, flags and DDL types."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import MysqlTypes


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


@dataclass(frozen=True)
class MysqlPlan:
    """The module of column types, flags and DDL types."""

    source: str
    about: str
    flags: tuple[tuple[str, int, str], ...]
    types: tuple[PlannedType, ...]
    ddl_types: tuple[tuple[int, str], ...]


def mysql_plan(types: MysqlTypes, source: str) -> MysqlPlan:
    """The plan, types and DDL types in the order of their codes."""
    planned = [
        PlannedType(
            member=one.name.upper(),
            code=one.code,
            about=one.about or ", ".join(name.upper() for name in one.sql),
            storage=one.storage,
            spark=one.spark,
            flagged=tuple(
                (variant.flag.upper(), variant.storage or one.storage, variant.spark or one.spark)
                for variant in one.flagged.values()
            ),
        )
        for one in types.types.values()
    ]
    return MysqlPlan(
        source=source,
        about=types.about,
        flags=tuple((one.name.upper(), one.bit, one.about) for one in types.flags.values()),
        types=tuple(sorted(planned, key=lambda one: one.code)),
        ddl_types=tuple(sorted((one.code, one.title) for one in types.ddl_types.values())),
    )

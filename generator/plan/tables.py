"""The plan of the module of table descriptions: the database's types and flags bound to the runtime's classes."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import DESCRIPTIONS, TABLE_AFTER, TABLE_ID
from ..model import COMMIT_TIMES, Spec


@dataclass(frozen=True)
class Describing:
    """The class of events that do nothing but describe a table."""

    name: str
    commit: str
    """The field that says when it was committed."""
    named: tuple[tuple[str, str], ...]
    """Fields that it has, and the attributes of a description that they are."""


@dataclass(frozen=True)
class TablesPlan:
    """The module of table descriptions."""

    source: str
    flags: tuple[str, ...]
    """The constants of column flags."""
    fields: tuple[str, ...]
    """The fields of events that describe tables, earlier versions first."""
    event: Describing | None
    """None where no class of events does nothing else."""

    @property
    def names(self) -> tuple[str, ...]:
        """What users take of the module."""
        store = ("TableStore",) if self.event else ()
        return ("ColumnDescription", "IndexDescription", "TableDescription", *store)


def tables_plan(spec: Spec) -> TablesPlan:
    """The plan."""
    types, events = spec.mysql_types, spec.events
    return TablesPlan(
        source=f"{events.location.file} and {types.location.file}",
        flags=tuple(name.upper() for name in types.flags),
        fields=tuple(str(name) for role in reversed(DESCRIPTIONS) if (name := events.meaning(role)) is not None),
        event=_describing(spec),
    )


def _describing(spec: Spec) -> Describing | None:
    events = spec.events
    after, table_id = events.meaning(TABLE_AFTER), events.meaning(TABLE_ID)
    for one in events.classes.values():
        if one.columns and after in one.fields:
            attributes = {"schema": "schema", "table": "table", str(table_id): "id"}
            named = [(str(name), attributes[name]) for name in one.fields if name in attributes]
            return Describing(str(one.name), str(events.meaning(COMMIT_TIMES[0])), (*named, (str(after), "")))
    return None

"""The plan of the module of table descriptions, which binds the database's types and flags to the runtime's classes."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import DESCRIPTIONS, TABLE_AFTER, TABLE_ID
from ..model import COMMIT_TIMES, Spec


@dataclass(frozen=True)
class Describing:
    """The event class whose only purpose is to describe a table."""

    name: str
    commit: str
    """The field with its commit time."""
    named: tuple[tuple[str, str], ...]
    """Event fields that equal attributes of the description: field and attribute."""


@dataclass(frozen=True)
class TablesPlan:
    """The module of table descriptions."""

    source: str
    flags: tuple[str, ...]
    """The constants of column flags."""
    fields: tuple[str, ...]
    """The fields of events that describe tables, earlier versions first."""
    event: Describing | None
    """None if there is no event class whose only purpose is to describe a table."""

    @property
    def names(self) -> tuple[str, ...]:
        """The public names of the module."""
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

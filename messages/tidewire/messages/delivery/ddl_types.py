"""DDL types and classes of statements, inferred if the target requires them and the events lack them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.batch.roles import DDL_CLASS, DDL_TYPE, STATEMENT, Roles


@dataclass(frozen=True, slots=True)
class EventFacts:
    """Facts about events and statements that hold for every protocol."""

    kinds: Mapping[str, int]
    """Codes of the kinds of events."""
    ddl_type_of: Callable[[str | None, str | None, Iterable[int]], int | None]
    """The DDL type for a statement and its class; None if they do not determine it."""
    ddl_class: Callable[[int], str]
    """The class of a DDL type."""
    ddl_titles: Mapping[int, str]
    """Titles of the DDL types."""
    flag_name: Callable[[int], str]
    """Name of a column flag."""
    roles: Roles
    """The names of fields by their meaning."""


def with_ddl_types(
    columns: EventColumns,
    target: Any,
    facts: EventFacts,
    classed_as: Callable[[str | None], Iterable[int]],
    derived: Counter[tuple[str, str]],
) -> tuple[EventColumns, dict[int, str]]:
    """Adds DDL types or classes to statements, as the target requires, and returns errors for statements whose type
    cannot be inferred. The target itself refuses statements without a class.

    Args:
        columns: the events.
        target: module of the protocol to write.
        facts: facts about events and statements.
        classed_as: returns the codes of DDL types that the producers of the events, unlike others, give a class.
        derived: counts of inferred values, by field and value.
    """
    roles = facts.roles
    name = roles[DDL_TYPE]
    if name not in target.CARRIES:
        return _with_ddl_classes(columns, target, facts, derived), {}
    events = columns.events
    open_ = pc.and_(
        pc.equal(events.column("kind"), constant(facts.kinds["ddl"], pa.int64())),
        pc.is_null(events.column(name)),
    )
    rows = pc.indices_nonzero(open_).to_pylist()
    if not rows:
        return columns, {}
    types, unknown = events.column(name).to_pylist(), {}
    for row in rows:
        query, cls = (events.column(roles[one])[row].as_py() for one in (STATEMENT, DDL_CLASS))
        found = facts.ddl_type_of(query, cls, classed_as(cls))
        if found is None and target.FACTS.blocks:
            continue  # its messages carry no DDL type: they describe the effect of a statement on tables
        if found is None:
            unknown[row] = f"which DDL type it has is not to be told: class {cls}, statement {(query or '')[:60]!r}"
        else:
            types[row] = found
            derived[name, facts.ddl_titles.get(found, str(found))] += 1
    return columns.with_columns({name: column_of(types, pa.int64())}), unknown


def _with_ddl_classes(
    columns: EventColumns, target: Any, facts: EventFacts, derived: Counter[tuple[str, str]]
) -> EventColumns:
    """Adds the classes of statements that can be inferred, if the target carries classes and the events neither class
    nor type.
    """
    roles, events = facts.roles, columns.events
    name = roles[DDL_CLASS]
    if name not in target.CARRIES:
        return columns
    of_statements = pc.equal(events.column("kind"), constant(facts.kinds["ddl"], pa.int64()))
    neither = pc.and_(pc.is_null(events.column(name)), pc.is_null(events.column(roles[DDL_TYPE])))
    classes: dict[int, str] = {}
    for row in pc.indices_nonzero(pc.and_(of_statements, neither)).to_pylist():
        found = facts.ddl_type_of(events.column(roles[STATEMENT])[row].as_py(), None, ())
        if found is not None:
            classes[row] = facts.ddl_class(found)
            derived[name, classes[row]] += 1
    if not classes:
        return columns
    known = events.column(name)
    return columns.with_columns(
        {name: column_of([classes.get(row, one) for row, one in enumerate(known.to_pylist())], known.type)}
    )

"""Value tables: the codec of a column's value, by type.

- Every column type of mysql_types.yaml is in exactly one case of every table.
- The codec supports the storage of the type, for a column without flags and with each flag that changes the storage or
  has a codec of its own in the case.
- So does the codec of columns whose flags are not said, where messages may lack flags. No other one is read only.
- A flag in a case has another codec than the case.
- Every table is used by some rows.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model import ColumnType, ValueCase, ValueTable, Word
from ..problems import Problem, listed, problem, quoted
from .common import CommonContext


def check(context: CommonContext) -> list[Problem]:
    """The problems of this pass."""
    found: list[Problem] = []
    for table in context.protocol.values.values():
        found += _table(context, table)
        if table.name not in context.meaning.values:
            text = f"no rows are written by the value table {quoted(table.name)}"
            found.append(problem(table.location, text, "Name it in values: of what holds them, or remove it."))
    return found


def _table(context: CommonContext, table: ValueTable) -> Iterator[Problem]:
    types = context.spec.mysql_types.types
    seen: dict[str, Word] = {}
    for case in table.cases:
        if case.unflagged is not None and not context.unflagged_columns:
            text = "every message says the flags of its columns, or what they follow from"
            yield problem(case.unflagged.location, text, "Remove unflagged:.")
        for flag, codec in case.flagged.items():
            if codec == case.codec and not case.by_producer:
                text = f"columns with the flag {quoted(flag)} have the codec {quoted(codec)} anyway"
                yield problem(codec.location, text, "Say another codec, or remove it.")
        for name in case.types:
            if name in seen:
                text = f"the column type {quoted(name)} has two cases, the first in line {seen[name].location.line}"
                yield problem(name.location, text, "Keep one.")
            seen.setdefault(name, name)
            yield from _fits(context, table, case, types[name], name)
    missing = [name for name in types if name not in seen]
    if missing:
        text = f"no case covers the column types {listed(missing)}"
        yield problem(table.at("cases"), text, "Every type of mysql_types.yaml has a case; nothing is a codec as well.")


def _fits(
    context: CommonContext, table: ValueTable, case: ValueCase, column: ColumnType, name: Word
) -> Iterator[Problem]:
    codecs = context.spec.primitives.codecs
    nothing = next((key for key, codec in codecs.items() if tuple(codec.storage) == ("nothing",)), None)
    for flag in (None, *dict.fromkeys([*column.flagged, *case.flagged])):
        storage = column.storage_with(flag)
        said = next((one for key, one in case.flagged.items() if key == flag), None)
        unflagged = (case.unflagged,) if flag is None and case.unflagged is not None else ()
        for codec in (said,) if said is not None else (case.codec, *case.by_producer.values(), *unflagged):
            if codecs[codec].reads and codec not in unflagged and name == case.types[0]:
                text = f"the codec {quoted(codec)} only reads, and values of {name} are written as well"
                yield problem(codec.location, text, "Use another one, or say it under unflagged:.")
            if codec == nothing or storage in codecs[codec].storage:
                continue
            when = f" when flagged {flag}" if flag is not None else ""
            carries = listed(codecs[codec].storage)
            wire = context.wire_of(table)
            here = (one for one in codecs.items() if one[1].is_for(wire) and not one[1].reads)
            fitting = [key for key, one in here if storage in one.storage]
            yield problem(
                codec.location if name == case.types[0] else name.location,
                f"values of {name} are stored as {storage}{when}, the codec {codec} carries {carries}",
                f"Use {listed(fitting)}{f', in flagged: {{{flag}: ...}}' if flag is not None else ''}.",
            )

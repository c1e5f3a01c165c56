"""Which columns of a row image enter its checksum, in which order and form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tidewire.messages.checksums.ways import DOUBLE, LOCAL, NONE, NUMBER, SINGLE, TEXT, VECTOR
from tidewire.runtime.arrow import storage
from tidewire.runtime.connect.blocks import adjusted
from tidewire.runtime.wire.excerpts import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.batch.table_parts import Column
    from tidewire.runtime.column_types import ColumnTypes
    from tidewire.runtime.tables.columns import ColumnDescription
    from tidewire.runtime.tables.description import DescribedTable

_BY_FACT: Final = {"single": SINGLE, "utc": LOCAL, "vector": VECTOR}
_BY_STORAGE: Final = {"int": NUMBER, "uint": NUMBER, "float": DOUBLE, "text": TEXT, "bytes": TEXT, "nothing": NONE}


class CheckPlan(NamedTuple):
    """The checksum plan for row images with the same columns."""

    chosen: tuple[int, ...] = ()
    """The positions of the columns in the checksum, in order."""
    ways: bytes = b""
    """For each chosen column, the form in which its values enter the checksum."""
    storages: tuple[int, ...] = ()
    """The storages of the chosen columns."""
    names: tuple[str, ...] = ()
    """The names of the chosen columns."""
    local: bool = False
    """Whether a chosen column has local times."""
    reason: str = ""
    """Why no checksum can be computed; empty if it can."""
    undescribed: bool = False
    """Whether none can be computed because the table has no description."""
    doubt: str = ""
    """Why a different checksum does not prove an error; empty if it does."""


def plan(description: DescribedTable, columns: Sequence[Column], storages: Sequence[int], by_id: bool) -> CheckPlan:
    """The checksum plan for row images.

    Args:
        storages: storage of each column (tidewire.runtime.arrow.storage).
        by_id: whether the producer uses the order of column ids; otherwise the table's order.
    """
    at = {column.name.lower(): position for position, column in enumerate(columns)}
    if len(at) != len(columns):
        return CheckPlan(reason="two columns of the row have one name")
    described, doubt = ordered(description, by_id)
    lacking = []
    chosen = []
    for one in described:
        position = at.pop(one.name.lower(), None)
        if position is not None:
            chosen.append(position)
        elif one.generated is None or one.stored:
            lacking.append(one.name)
    if at:
        return CheckPlan(reason=f"the table's description has no column {quoted(columns[min(at.values())].name)}")
    if lacking:
        named = ", ".join(map(quoted, lacking[:3])) + (" and others" if len(lacking) > 3 else "")
        doubt = f"the row has no {named}, which may be generated columns, or columns that were left out"
    return _planned(description.TYPES.types, columns, storages, chosen, doubt)


def _planned(
    types: ColumnTypes, columns: Sequence[Column], storages: Sequence[int], chosen: Sequence[int], doubt: str
) -> CheckPlan:
    """The plan for columns in an order."""
    ways = []
    for position in chosen:
        way = way_of(types, columns[position])
        held = storages[position]
        if way is None or not _fits(way, held):
            name = quoted(columns[position].name)
            return CheckPlan(reason=f"the type of the column {name}, as it came, is not one of TiDB's")
        ways.append(way)
    held_by = tuple(storages[position] for position in chosen)
    names = tuple(columns[position].name for position in chosen)
    return CheckPlan(tuple(chosen), bytes(ways), held_by, names, LOCAL in ways, doubt=doubt)


def plan_of_record(
    description: DescribedTable | None,
    types: ColumnTypes,
    columns: Sequence[Column],
    storages: Sequence[int],
    by_id: bool,
) -> CheckPlan:
    """The checksum plan for row images in records that contain all columns of the table.

    Args:
        description: description of their table; None: unknown.
        columns: columns of the images in the order of the record, which is that of column ids if rows have checksums.
        by_id: whether the producer uses the order of column ids; otherwise the table's order.
    """
    chosen = list(range(len(columns)))
    order = None if description is None else _ranks(description, by_id)
    names = [_name(column.name) for column in columns]
    doubt = ""
    if order is not None and all(name in order for name in names):
        chosen.sort(key=lambda position: order[names[position]])
    elif not by_id:
        doubt = "the table is not described, and its columns count in its order, but stand in that of their ids"
    return _planned(types, columns, storages, chosen, doubt)


def _ranks(description: DescribedTable, by_id: bool) -> dict[str, int] | None:
    """By name, the rank of a column in the checksum; None if the description does not determine it."""
    described = description.columns
    if not by_id:
        described = tuple(ordered(description, False)[0])
    elif all(one.id is not None for one in described):
        described = tuple(sorted(described, key=lambda one: one.id or 0))
    else:
        return None
    return {_name(one.name): rank for rank, one in enumerate(described)}


def _name(name: str) -> str:
    """A column's name in the form used in schemas, for look-ups."""
    return adjusted(name).lower()


def quoted(name: str) -> str:
    """A name for a sentence, shortened if it is long."""
    return f"`{shown(name.encode(errors='backslashreplace'))}`"


def ordered(description: DescribedTable, by_id: bool) -> tuple[Sequence[ColumnDescription], str]:
    """The columns of a table in checksum order, and why that order is in doubt; empty if it is certain.

    pingcap/tiflow sorts them by id (cdc/entry/mounter.go), also in its table descriptions
    (pkg/sink/codec/simple/message.go); pingcap/ticdc uses the table's order in both (pkg/common/event/checksum.go,
    pkg/sink/codec/simple/message.go).
    """
    columns = description.columns
    if by_id and all(one.id is not None for one in columns):
        return sorted(columns, key=lambda one: one.id or 0), ""
    if all(one.position is not None for one in columns):
        columns = tuple(sorted(columns, key=lambda one: one.position or 0))
    elif description.id is not None:
        return columns, ""  # the order of the producer's list
    if not by_id:
        return columns, ""
    return columns, "the table's description does not say the ids of the columns, which their order follows"


def way_of(types: ColumnTypes, column: Column) -> int | None:
    """The form in which a column enters the checksum; None for an undeclared type or one that TiDB lacks."""
    if column.type == types.undeclared_code:
        return None
    try:
        fact = types.facts(column.type).checksum
    except LookupError:
        return None
    return _BY_FACT.get(fact, _BY_STORAGE[types.storage(column.type, column.flags)])


def _fits(way: int, held: int) -> bool:
    """Whether a column of this storage can enter the checksum in this form."""
    if held == storage.NOTHING or way == NONE:
        return True
    if way == NUMBER:
        return held in (storage.INT, storage.UINT)
    return held == storage.FLOAT if way in (DOUBLE, SINGLE) else held >= storage.TEXT

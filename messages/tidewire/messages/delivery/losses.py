"""Compares events before encoding with the same events after decoding, to find what is lost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant, filled, with_column
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.batch.roles import DDL_CLASS, DDL_TYPE, PARTIAL, PHYSICAL, TSO, Roles, described
from tidewire.runtime.tables import DescribedTable
from tidewire.runtime.tso import TSO_SHIFT

_BOOKKEEPING = ("message", "kind", "table", "new_layout", "new_row", "old_layout", "old_row")
_SIDES = ("new", "old")
_TSO_BITS = constant(TSO_SHIFT, pa.uint64())


class Loss(NamedTuple):
    """A kind of loss."""

    what: str
    """kind, field, table, image, columns, flag, column or value."""
    name: str
    detail: str


def losses(
    given: EventColumns,
    again: EventColumns,
    messages: pa.RecordBatch,
    kinds: Mapping[int, str],
    ddl_class: Callable[[int], str],
    roles: Roles,
    flag_name: Callable[[int], str] = str,
) -> Counter[Loss]:
    """The losses, with the number of events concerned.

    Args:
        given: the events before encoding.
        again: the events decoded from the messages.
        messages: first_event and events of each message.
        kinds: names of the kinds of events.
        ddl_class: returns the class of a DDL type, which need not be carried separately.
        roles: event field names by role.
        flag_name: returns the name of a column flag.
    """
    found: Counter[Loss] = Counter()
    rows, own = _pairs(given, again, messages)
    names = given.events.column("kind").to_pylist()
    for row in set(range(given.num_events)).difference(rows):
        found[Loss("kind", kinds[names[row]], "has no message here")] += 1
    before, after = given.events.take(column_of(rows, pa.int64())), again.events.take(column_of(own, pa.int64()))
    known: dict[DescribedTable, int] = {}
    for name in described(roles):
        before = with_column(before, name, _numbers(given, before, name, known))
        after = with_column(after, name, _numbers(again, after, name, known))
    for pair, count in Counter(zip(*(b.column("kind").to_pylist() for b in (before, after)), strict=True)).items():
        if pair[0] != pair[1]:
            found[Loss("kind", kinds[pair[0]], f"is read as {kinds[pair[1]]}")] += count
    _fields(before, after, ddl_class, roles, found)
    for pair, count in Counter(zip(*(b.column("table").to_pylist() for b in (before, after)), strict=True)).items():
        if given.tables[pair[0]] != again.tables[pair[1]]:
            found[Loss("table", ".".join(name or "" for name in given.tables[pair[0]]), "has another name")] += count
    for side in _SIDES:
        _images(side, given.layouts, before, again.layouts, after, flag_name, found)
    return found


def _pairs(given: EventColumns, again: EventColumns, messages: pa.RecordBatch) -> tuple[list[int], list[int]]:
    """Pairs of rows: an event before encoding, and the same event after decoding."""
    first, count = messages.column("first_event").to_pylist(), messages.column("events").to_pylist()
    read: defaultdict[int, list[int]] = defaultdict(list)
    for row, message in enumerate(again.events.column("message").to_pylist()):
        read[message].append(row)
    rows: list[int] = []
    own: list[int] = []
    for message, at in enumerate(first):
        if len(read[message]) == count[message]:
            rows += range(at, at + count[message])
            own += read[message]
    return rows, own


def _numbers(columns: EventColumns, events: pa.RecordBatch, name: str, known: dict[DescribedTable, int]) -> pa.Array:
    """The table descriptions of events as numbers; equal descriptions have equal numbers.

    Args:
        columns: the batch with the descriptions.
        events: events of that batch.
        name: the column that refers to descriptions.
        known: numbers assigned so far; new ones are added.
    """
    numbers = [known.setdefault(one, len(known)) for one in columns.descriptions]
    return column_of(numbers, pa.int64()).take(events.column(name))


def _fields(
    before: pa.RecordBatch,
    after: pa.RecordBatch,
    ddl_class: Callable[[int], str],
    roles: Roles,
    found: Counter[Loss],
) -> None:
    for name in before.schema.names:
        if name in _BOOKKEEPING or before.column(name).null_count == before.num_rows:
            continue
        old, new = before.column(name), after.column(name)
        there = pc.is_valid(old)
        if name == roles[PARTIAL]:
            there = pc.and_(there, filled(pc.equal(old, constant(1, old.type)), False))
        if name == roles[PHYSICAL]:
            new = pc.coalesce(pc.shift_right(after.column(roles[TSO]), _TSO_BITS).cast(pa.int64()), new)
        if name == roles[DDL_CLASS]:
            types = after.column(roles[DDL_TYPE]).to_pylist()
            said = column_of([None if one is None else ddl_class(one) for one in types], pa.utf8())
            new = pc.coalesce(new, said)
        gone = pc.and_(there, pc.is_null(new))
        other = pc.and_(there, filled(pc.not_equal(old, new), False))
        for wrong, detail in ((gone, "is not carried"), (other, "is another one")):
            count = pc.sum(wrong).as_py() or 0
            if count:
                found[Loss("field", name, detail)] += count


def _images(
    side: str,
    given: Sequence[Layout],
    before: pa.RecordBatch,
    again: Sequence[Layout],
    after: pa.RecordBatch,
    flag_name: Callable[[int], str],
    found: Counter[Loss],
) -> None:
    """Row images of one side: layouts in pairs, and the rows that both have."""
    columns = [batch.column(f"{side}_{what}").to_pylist() for batch in (before, after) for what in ("layout", "row")]
    pairs: defaultdict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for layout, row, own_layout, own_row in zip(*columns, strict=True):
        if layout >= 0 and own_layout < 0:
            found[Loss("image", side, "is not carried")] += 1
        elif layout >= 0:
            pairs[layout, own_layout].append((row, own_row))
    for (layout, own), rows in pairs.items():
        for loss, count in _layouts(side, given[layout], again[own], rows, flag_name):
            found[loss] += count


def _layouts(
    side: str, given: Layout, again: Layout, rows: Sequence[tuple[int, int]], flag_name: Callable[[int], str]
) -> Iterator[tuple[Loss, int]]:
    """The losses of rows between two layouts."""
    positions = {column.name: at for at, column in enumerate(again.columns)}
    common = [(at, positions[column.name]) for at, column in enumerate(given.columns) if column.name in positions]
    if len(common) < len(given.columns):
        yield Loss("columns", side, "some are left out"), len(rows)
    if any(to > later for (_, to), (_, later) in pairwise(common)):
        yield Loss("columns", side, "are in another order"), len(rows)
    pairs = [(given.columns[at], again.columns[to]) for at, to in common]
    flags = 0
    for column, own in pairs:
        flags |= column.flags & ~own.flags
    for bit in range(flags.bit_length()):
        if flags >> bit & 1:
            yield Loss("flag", flag_name(1 << bit), "is not carried"), len(rows)
    for what in ("type", "mysql_type"):
        lost = [a.name for a, b in pairs if getattr(a, what, None) is not None and getattr(a, what) != getattr(b, what)]
        if lost:
            yield Loss("column", what, "is not carried"), len(rows)
    if any(row < 0 for row, _ in rows):
        return  # a layout without rows
    at, to = (column_of(part, pa.int64()) for part in zip(*rows, strict=True))
    for own_at, their_at in common:
        differ = _different(given.arrays[own_at].take(at), again.arrays[their_at].take(to))
        if differ:
            yield Loss("value", given.columns[own_at].name, "is another one"), differ


def _different(old: pa.Array, new: pa.Array) -> int:
    """How many values of two arrays differ; floats bit by bit, text as its bytes."""
    if pa.types.is_float64(old.type) and pa.types.is_float64(new.type):
        old, new = old.view(pa.int64()), new.view(pa.int64())
    elif old.type != new.type:
        if pa.types.is_null(old.type) or pa.types.is_null(new.type):
            return len(old) - min(old.null_count, new.null_count) if old.null_count != new.null_count else 0
        try:
            new = new.cast(old.type) if old.type == pa.binary() else new.cast(pa.binary())
            old = old.cast(pa.binary())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return len(old)
    if old.equals(new):
        return 0
    nulls = pc.xor(pc.is_null(old), pc.is_null(new))
    return int(pc.sum(pc.or_(nulls, filled(pc.not_equal(old, new), False))).as_py() or 0)

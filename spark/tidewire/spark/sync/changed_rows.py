"""The rows that a table's changes produce: new images of inserts and updates, keys of deletes, and for an update that
changed the key the old key as a delete.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import StructType

from tidewire.events import KINDS
from tidewire.reading.images import TableImages
from tidewire.reading.options import ReadOptions
from tidewire.reading.tables import dotted
from tidewire.reading.types import SchemaError, record_batch
from tidewire.reading.whole import KEY_ONLY, incomplete, part_of
from tidewire.runtime.arrow.literals import column_of, constant, filled
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.spark.arrow_types import arrow_schema
from tidewire.spark.sync.shapes import Scales, Shape, ShapeColumn, shape_of
from tidewire.spark.table_rows import RowsTask

_DELETE, _UPDATE = KINDS["delete"], KINDS["update"]
_PREIMAGE, _POSTIMAGE = 1, 2
"""The ranks of an update's images (`tidewire.reading.kernels.image_rows.RANKS`)."""
MOST_MAKERS = 4096
"""The most tables and shapes whose plans a task caches."""


class Failed(NamedTuple):
    """A row that is missing from a file because the table cannot hold it."""

    message: int
    reason: str
    key: str
    """The `key_text` of the row; empty if the key could not be read."""
    ts: int
    """The row's commit ts; 0 if it has none."""


class Changed(NamedTuple):
    """Rows of one shape."""

    shape: Shape
    rows: pa.RecordBatch
    """The columns of the shape, followed by `METADATA`."""
    failed: Sequence[Failed]


class Unmergeable(NamedTuple):
    """Rows that a MERGE cannot apply: their first commit ts, and what they lack."""

    ts: int
    lacks: str


NO_KEY = "its rows have no handle key (a primary key, or a unique key whose columns are all NOT NULL)"
NO_TS = "the message has no commit ts, by which changes are put in order"


def key_text(names: Sequence[str], values: Sequence[Any]) -> str:
    """The key of a row as one text, equal across files of all shapes; empty if a part of the key is null."""
    if not values or any(value is None for value in values):
        return ""
    ordered = sorted(zip((name.lower() for name in names), values, strict=True))
    return json.dumps([_text(value) for _, value in ordered], ensure_ascii=False, separators=(",", ":"))


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.hex()
    if hasattr(value, "as_tuple"):  # a decimal, without trailing zeros
        text = format(value, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text
    if hasattr(value, "tzinfo") and value.tzinfo is not None:
        return str(value.replace(tzinfo=None)) + "+00:00"
    return repr(value) if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class ShapedRows(RowsTask):
    """Rows of one shape: the columns are fixed."""

    def met(self, decoded: EventColumns, new: Sequence[Layout]) -> None:
        pass


@dataclass
class ChangedRows:
    """Makes rows from changes, in one task.

    Attributes:
        protocol: their protocol.
        options: how messages were decoded.
        fixed: the columns of all rows, those of an existing table; None: each row has its own.
        passed_over: lower-case names of columns that rows may have although `fixed` lacks them; they are ignored.
    """

    protocol: str
    options: ReadOptions
    fixed: StructType | None = None
    passed_over: frozenset[str] = frozenset()
    scales: Scales = field(default_factory=Scales)
    _makers: dict[Any, ShapedRows] = field(default_factory=dict)

    def of(
        self, table: tuple[str, str], number: int, changes: EventColumns, parts: bool = True, refused: str = ""
    ) -> list[Changed]:
        """The rows of one table, by shape.

        Args:
            table: schema and name.
            number: index of the table in `EventColumns.tables`.
            changes: of this table only (`by_table`).
            parts: whether rows may be partial.
            refused: why all rows fail; empty if it depends on each row.

        Raises:
            SchemaError: the rows do not fit a Spark table, or the existing table.
        """
        lacks = [layout.lacks for layout in changes.layouts]
        shapes = [self._shape(table, layout) for layout in changes.layouts]
        marked = incomplete(changes) if parts else None
        if marked is not None and pc.any(marked).as_py():
            changes = _unmarked(changes)
        else:
            marked = None
        made: dict[Shape, tuple[list[pa.RecordBatch], list[Failed]]] = {}

        def add(shape: Shape, part: EventColumns, columns: Sequence[ShapeColumn]) -> None:
            rows, failed = self._rows(table, number, part, shape, columns, refused)
            batches, all_failed = made.setdefault(shape, ([], []))
            batches.append(rows)
            all_failed += failed

        deleted = _is(changes, _DELETE)
        kept = pc.invert(deleted)
        upserts = _with_new(changes, kept)
        whole = None if marked is None else pc.invert(marked.filter(kept))
        for shape, numbers, part in _by_shape(upserts, shapes, "new_layout"):
            if whole is None:
                add(shape, _only(part(None), numbers), shape.columns)
                continue
            for one, lacking in ((part(whole), ""), (part(pc.invert(whole)), part_of_row(lacks, numbers))):
                if one.num_events:
                    add(shape._replace(lacks=lacking), _only(one, numbers), shape.columns)
        if upserts.num_events < changes.num_events:
            for shape, numbers, part in _by_shape(_with_old(changes, deleted), shapes, "old_layout"):
                columns = shape.keys or shape.columns
                gone = part(None)
                into = next((one for one in made if one == shape or _holds(one, made[one][0], shape, gone)), None)
                add(into or Shape(columns), _only(gone, numbers), columns)
        for shape, used, one in self._moved(table, number, changes, shapes):
            add(shape, _only(one, used), shape.keys)
        return [Changed(shape, _one(batches), failed) for shape, (batches, failed) in made.items()]

    def _shape(self, table: tuple[str, str], layout: Layout) -> Shape:
        """The shape of a layout's rows."""
        own = shape_of(table, layout, self.options, self.scales)
        if self.fixed is None:
            return own
        keys = {column.name.lower() for column in own.keys}
        there = {name.lower() for name in self.fixed.names}
        for column in own.columns:
            if column.name.lower() not in there | self.passed_over:
                raise SchemaError(not_there(dotted(table), column.name))
        return Shape(
            tuple(
                ShapeColumn(one.name, one.dataType.simpleString(), None, one.name.lower() in keys) for one in self.fixed
            )
        )

    def _moved(
        self, table: tuple[str, str], number: int, changes: EventColumns, shapes: Sequence[Shape]
    ) -> Iterator[tuple[Shape, Collection[int], EventColumns]]:
        """The old images, as deletes, of updates that changed the key, by the shape of the new image."""
        keyed = {column.name.lower() for shape in shapes for column in shape.keys}
        tell = [
            at
            for at, layout in enumerate(changes.layouts)
            if not keyed.isdisjoint(column.name.lower() for column in layout.columns)
        ]
        events = changes.events
        new, old = events.column("new_layout"), events.column("old_layout")
        asked = pc.and_(_is(changes, _UPDATE), pc.is_in(old, column_of(tell, old.type)))
        asked = pc.and_(asked, pc.greater_equal(new, constant(0, new.type)))
        if not tell or not pc.any(asked).as_py():
            return
        for shape, _, part in _by_shape(_kept(changes, asked), shapes, "new_layout"):
            if not shape.keys:
                continue
            updates = part(None)
            used = {*_used(updates, "new_layout"), *_used(updates, "old_layout")}
            images = TableImages(_only(updates, used), {number})
            keys = self._maker(table, shape.keys).convert_all(images.decoded, images)
            rank = images.metadata["_commit_rank"]
            before, after = (pc.equal(rank, constant(one, rank.type)) for one in (_PREIMAGE, _POSTIMAGE))
            moved = column_of([False], pa.bool_())[0]
            for array in keys.values():
                one, other = array.filter(before), array.filter(after)
                differs = pc.or_(filled(pc.not_equal(one, other), False), pc.xor(pc.is_null(one), pc.is_null(other)))
                moved = pc.or_(moved, differs)
            if pc.any(moved).as_py():
                found = _as_deletes(images.decoded, moved)
                yield shape, _used(found, "old_layout"), found

    def _maker(self, table: tuple[str, str], columns: Sequence[ShapeColumn]) -> ShapedRows:
        """The cached maker of rows with these columns."""
        key = table, tuple((one.name, one.type) for one in columns)
        found = self._makers.get(key)
        if found is None:
            if len(self._makers) >= MOST_MAKERS:
                self._makers.clear()
            struct = Shape(tuple(columns)).struct()
            found = self._makers[key] = ShapedRows(self.protocol, self.options, arrow_schema(struct), table, struct)
        return found

    def _rows(
        self,
        table: tuple[str, str],
        number: int,
        part: EventColumns,
        shape: Shape,
        columns: Sequence[ShapeColumn],
        refused: str,
    ) -> tuple[pa.RecordBatch, list[Failed]]:
        """One row for each image of these events, with some of the shape's columns; and the rows that failed."""
        images = TableImages(part, {number})
        made = {**self._maker(table, columns).convert_all(part, images), **images.metadata}
        version = images.metadata["_commit_version"]
        reasons = dict.fromkeys(range(len(images.message)), refused) if refused else images.reasons
        if version.null_count:
            for row in pc.indices_nonzero(pc.is_null(version)).to_pylist():
                reasons.setdefault(row, NO_TS)
        batch = record_batch(file_schema(shape), made, len(images.message))
        if not reasons:
            return batch, []
        names = [column.name for column in shape.keys if column.name in made]
        failed = [
            Failed(
                images.message[row].as_py(),
                reason,
                key_text(names, [made[name][row].as_py() for name in names]),
                version[row].as_py() or 0,
            )
            for row, reason in sorted(reasons.items())
        ]
        good = column_of([row not in reasons for row in range(batch.num_rows)], pa.bool_())
        return batch.filter(good), failed


def file_schema(shape: Shape) -> pa.Schema:
    """The schema of a file with rows of this shape."""
    fields = list(arrow_schema(shape.struct()))
    fields += [pa.field("_change_type", pa.utf8()), pa.field("_commit_version", pa.int64())]
    return pa.schema([*fields, pa.field("_commit_rank", pa.int32())])


def _holds(there: Shape, rows: Sequence[pa.RecordBatch], shape: Shape, gone: EventColumns) -> bool:
    """Whether deletes of a table with one set of columns may be stored with rows that have another set. They may if
    both have the same key, and each delete was committed after one of the rows and before another: so no statement
    changed the columns between the deletes and the rows.
    """
    if not shape.keys or there.keys != shape.keys or there.lacks:
        return False
    known = [pc.min_max(one.column("_commit_version")) for one in rows if one.num_rows]
    span = pc.min_max(gone.events.column("commit_ts"))
    if not known or not span["min"].is_valid:
        return False
    lo, hi = min(one["min"].as_py() for one in known), max(one["max"].as_py() for one in known)
    return bool(lo <= span["min"].as_py() and span["max"].as_py() <= hi)


def unmergeable(changed: Changed) -> Unmergeable | None:
    """Why a MERGE cannot apply the rows; None if it can."""
    if not changed.rows.num_rows or (changed.shape.keys and not changed.shape.lacks):
        return None
    ts = pc.min(changed.rows.column("_commit_version")).as_py()
    return Unmergeable(ts, changed.shape.lacks or NO_KEY)


def _one(batches: Sequence[pa.RecordBatch]) -> pa.RecordBatch:
    return batches[0] if len(batches) == 1 else pa.concat_batches(batches)


def _is(changes: EventColumns, kind: int) -> pa.Array:
    """bool: whether each event is of this kind."""
    column = changes.events.column("kind")
    return pc.equal(column, constant(kind, column.type))


def _used(changes: EventColumns, which: str) -> list[int]:
    """The layouts of the images in the column `which`."""
    return [one for one in pc.unique(changes.events.column(which)).to_pylist() if one is not None and one >= 0]


def _by_shape(
    events: EventColumns, shapes: Sequence[Shape], which: str
) -> Iterator[tuple[Shape, list[int], Callable[[pa.Array | None], EventColumns]]]:
    """The shapes of images, with the layouts of each and a function for its events, optionally masked."""
    layouts = events.events.column(which)
    groups: dict[Shape, list[int]] = {}
    for one in _used(events, which):
        groups.setdefault(shapes[one], []).append(one)
    for shape, numbers in groups.items():
        mine = None if len(groups) == 1 else pc.is_in(layouts, column_of(numbers, layouts.type))
        yield shape, numbers, partial(_chosen, events, mine)


def _chosen(events: EventColumns, mine: pa.Array | None, mask: pa.Array | None) -> EventColumns:
    """The events that both masks select."""
    if mine is not None and mask is not None:
        mask = pc.and_(mine, mask)
    mask = mine if mask is None else mask
    return events if mask is None else _kept(events, mask)


def _only(changes: EventColumns, numbers: Collection[int]) -> EventColumns:
    """The same events, with images in these layouts only."""
    if len(numbers) == len(changes.layouts):
        return changes
    layouts = [one if at in numbers else Layout(one.table, (), [], 0) for at, one in enumerate(changes.layouts)]
    return EventColumns(changes.events, changes.tables, layouts)


def _kept(changes: EventColumns, mask: pa.Array) -> EventColumns:
    return EventColumns(changes.events.filter(mask), changes.tables, changes.layouts)


def _with_new(changes: EventColumns, chosen: pa.Array) -> EventColumns:
    """The selected events, with only their new images."""
    part = changes if pc.all(chosen).as_py() else _kept(changes, chosen)
    none = pa.repeat(constant(-1, pa.int64()), part.num_events)
    return part.with_columns({"old_layout": none, "old_row": none})


def _with_old(changes: EventColumns, chosen: pa.Array) -> EventColumns:
    """The selected events, with only their old images."""
    part = _kept(changes, chosen)
    none = pa.repeat(constant(-1, pa.int64()), part.num_events)
    return part.with_columns({"new_layout": none, "new_row": none})


def _as_deletes(updates: EventColumns, moved: pa.Array) -> EventColumns:
    """The old images of the selected updates, as images of deletes."""
    part = _with_old(updates, moved)
    return part.with_columns({"kind": pa.repeat(constant(_DELETE, pa.int64()), part.num_events)})


def _unmarked(changes: EventColumns) -> EventColumns:
    """The same rows, marked as complete."""
    events = changes.events
    nothing = {name: pa.nulls(events.num_rows, events.column(name).type) for name in ("handle_key_only", "claim_check")}
    layouts = [Layout(one.table, one.columns, one.arrays, one.num_rows) for one in changes.layouts]
    return changes.with_columns(nothing, layouts)


def part_of_row(lacks: Sequence[tuple[str, ...]], numbers: Sequence[int]) -> str:
    """Why rows of these layouts are partial."""
    found = next((lacks[one] for one in numbers if lacks[one]), ())
    return part_of(found) if found else KEY_ONLY


def not_there(table: str, column: str) -> str:
    """Why rows cannot be written that have a column which the table lacks."""
    return (
        f"rows of {table} have a column {column!r} that the table lacks, and no statement that added it is known: add "
        "it to the table, or build the table anew"
    )

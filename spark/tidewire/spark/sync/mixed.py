"""Many tables with few rows in a task: their messages are stored together in one file, and decoded when they are
applied.

Making the columns and the file of a table takes 1 to 2 ms even for few rows, so that a topic of 1,000 tables would cost
six times as much as one of 20. Decoding when a table is applied takes 50 ms and more of Python workers, so that up to
`MANY` small tables get files nevertheless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.events import KINDS
from tidewire.reading.message_batch import MessageBatch, fail
from tidewire.reading.types import MOST_VERSION, record_batch
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns, Layout
from tidewire.runtime.registered.errors import MissingSchemaError
from tidewire.spark.decoding import DecodeTask
from tidewire.spark.sync.by_key import by_offset
from tidewire.spark.sync.by_table import by_table, runs
from tidewire.spark.sync.changed_rows import ChangedRows, part_of_row
from tidewire.spark.sync.changelog import SourceError
from tidewire.spark.sync.equal_rows import NTH, nth_of_equals
from tidewire.spark.sync.shapes import METADATA, Shape

FEW = 200
"""A table with fewer rows in one decoded batch is small: its rows are stored as messages if there are many small
tables.
"""
MANY = 50
"""The most small tables in one decoded batch that get files nevertheless."""
GROUP = 1024
"""The rows of a row group: a reader of one table reads at most that many of others."""
TABLE, FIRST, LAST, ORIGIN = "table", "first_ts", "last_ts", "origin"
"""The columns of such a file beside `key` and `value`: the table, the commit ts of its first and last change in the
message, and the message's position in the topic.
"""
_DELETE = KINDS["delete"]


class Kept(NamedTuple):
    """Rows of one table and shape that are stored as messages."""

    table: int
    shape: Shape
    rows: int
    lo: int
    hi: int
    late: int


class Messages(NamedTuple):
    """The messages of some tables, and their contents."""

    table: pa.Table
    rows: Sequence[Kept]


def kept_messages(
    messages: MessageBatch,
    decoded: EventColumns,
    rows: pa.Array,
    names: Callable[[int], str],
    shape: Callable[[Layout], Shape],
    lacking: pa.Array | None,
    resolved: int,
) -> Messages:
    """The messages of some changes, each once for each of its tables.

    Args:
        rows: of the changes among the events, in the order of their tables.
        names: gives the name of a table by index.
        shape: gives the shape of a layout's rows.
        lacking: bool, whether an event's row is partial; None if no row is.
        resolved: rows with a smaller commit ts are late.
    """
    events = decoded.events.select(["kind", "table", "message", "commit_ts", "new_layout", "old_layout"]).take(rows)
    ts = events.column("commit_ts").cast(pa.int64())
    new, old = events.column("new_layout"), events.column("old_layout")
    deleted = pc.equal(events.column("kind"), constant(_DELETE, events.column("kind").type))
    layout = pc.if_else(deleted, old, new)
    part = (
        pc.and_not(lacking.take(rows), deleted) if lacking is not None else pc.less(layout, constant(-1, layout.type))
    )
    late = pc.less(ts, constant(resolved, pa.int64())).cast(pa.int64())
    facts = pa.table({"layout": layout, "part": part, "ts": ts, "late": late})
    grouped = facts.group_by(["layout", "part"], use_threads=False).aggregate(
        [("ts", "count"), ("ts", "min"), ("ts", "max"), ("late", "sum")]
    )
    found = []
    for one in grouped.to_pylist():
        of = decoded.layouts[one["layout"]]
        own = shape(of)
        if one["part"]:
            own = own._replace(lacks=part_of_row([of.lacks], [0]))
        found.append(Kept(of.table, own, one["ts_count"], one["ts_min"], one["ts_max"], one["late_sum"]))
    each = pa.table({TABLE: events.column("table"), "message": events.column("message"), "ts": ts})
    once = each.group_by([TABLE, "message"], use_threads=False).aggregate([("ts", "min"), ("ts", "max")])
    message = once.column("message").combine_chunks()
    table = once.column(TABLE).combine_chunks()
    numbers = pc.unique(table)
    texts = column_of([names(one) for one in numbers.to_pylist()], pa.utf8())
    columns = {
        TABLE: pa.DictionaryArray.from_arrays(pc.index_in(table, numbers), texts),
        FIRST: once.column("ts_min"),
        LAST: once.column("ts_max"),
        **messages.taken(message),
    }
    return Messages(pa.table(columns), found)


@dataclass(frozen=True)
class MixedRows(DecodeTask):
    """`mapInArrow`: messages of one table from such a file -> its changes, in the columns of an existing table. A value
    that does not fit is an error: nothing is applied then.
    """

    table: tuple[str, str]
    made: ChangedRows = field(compare=False)
    lo: int = 0
    hi: int = MOST_VERSION
    by_offset: bool = False

    def process(self, messages: MessageBatch, decoded: EventColumns) -> pa.RecordBatch | None:
        for error in decoded.errors:
            if isinstance(error, MissingSchemaError) and error.later:
                raise SourceError(str(error))
            fail(messages, int(error.message or 0), str(error))
        if self.by_offset:
            decoded = by_offset(messages, decoded)
        found = runs(decoded)
        wanted = [at for at in found.tables if decoded.tables[at] == self.table]
        batches = []
        for number, changes in by_table(decoded, found, wanted):
            ts = changes.events.column("commit_ts")
            inside = pc.and_(pc.greater_equal(ts, constant(self.lo, ts.type)), pc.less(ts, constant(self.hi, ts.type)))
            mine = EventColumns(changes.events.filter(inside), changes.tables, changes.layouts)
            for one in self.made.of(self.table, number, mine) if mine.num_events else ():
                for bad in one.failed:
                    fail(messages, bad.message, bad.reason)
                columns = dict(zip(one.rows.schema.names, one.rows.columns, strict=True))
                batches.append(record_batch(self.schema, columns, one.rows.num_rows))
        if not batches:
            return None
        found = pa.concat_batches(batches)
        at = self.schema.get_field_index(NTH)
        if at < 0:
            return found
        rows = found.remove_column(at)
        nth = nth_of_equals(pa.Table.from_batches([rows]), METADATA[1])
        return pa.RecordBatch.from_arrays([*rows.columns, nth], schema=found.schema)

"""Fast path for runs of messages that have key and value, and are rows of schemas and layouts already seen in the
batch.

Nearly all messages are. Interpreted code reads messages one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.errors import WireError
from tidewire.runtime.registered.columnar_reader import ColumnarReader
from tidewire.runtime.registered.control_messages import ControlDecoder
from tidewire.runtime.registered.plans import RecordPlan
from tidewire.runtime.registered.reading import RecordReader
from tidewire.runtime.registered.schema_plans import SchemaPlans

if cython.compiled:
    from cython.cimports.tidewire.runtime.registered.columnar_reader import USUAL_ROWS
    from cython.cimports.tidewire.runtime.registered.row_prefetch import begin, touch
    from cython.cimports.tidewire.runtime.wire.inlined_reader import load, numbered

if TYPE_CHECKING:
    import pyarrow as pa

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.plans import RegisteredImages

FEW: cython.int = 4
"""Number of messages below which reading them together is slower than reading them one by one."""
NUMBERED_BYTES: cython.Py_ssize_t = 5
"""Bytes before a record whose schema id is a number."""


class RunDecoder(ControlDecoder):
    """A decoder that reads runs of common messages with few calls.

    Attributes:
        plans: reading plans by schema.
        record: reads single records.
        many: reads many records together; created only when a long run occurs, because it takes a few hundred
            kilobytes.
        many_slots, many_cases: arguments of `ColumnarReader`.
        operations: accepted values of the field that states the operation.
        letters: for each byte, the number of the one-letter operation; -1: none.
        at: index of the current message in its piece.
        first_row: number of event rows before it.
    """

    def __init__(
        self,
        protocol: str,
        fields: tuple[str, ...],
        schema: pa.Schema,
        positions: Sequence[int],
        storages: Sequence[int],
        replace_invalid: cython.bint,
        plans: SchemaPlans,
        slots: int,
        operations: tuple[bytes, ...],
        rows: Sequence[tuple[int, ...]],
    ) -> None:
        """
        Args:
            protocol, fields, schema, positions, storages, replace_invalid: as in `BatchDecoder`.
            plans: reading plans by schema.
            slots: number of record fields that hold properties of the event.
            operations, rows: as in `RegisteredDecoder`.
        """
        super().__init__(protocol, fields, schema, positions, storages, replace_invalid)
        self.plans: SchemaPlans = plans
        self.operations = operations
        k: cython.int
        if not cython.compiled:
            self.letters: list[int] = [-1] * 256
        for k in range(256):
            self.letters[k] = operations.index(bytes([k])) if bytes([k]) in operations else -1
        self.record = RecordReader(slots)
        self.many: ColumnarReader | None = None
        self.many_slots = slots
        self.many_cases = rows
        self.at = self.first_row = 0

    def read_run(
        self,
        key: RecordCursor,
        r: RecordCursor,
        k: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        base: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Reads messages that all have key and value: together where possible, otherwise one by one.

        Arguments and result as in `read_known`.
        """
        last: cython.Py_ssize_t
        n: cython.int
        if cython.compiled:
            while k < stop:
                n = self.read_many(key, r, k, stop, base)
                if n == 0:
                    last = min(stop, k + (USUAL_ROWS if self.many is None else max(self.many.count, USUAL_ROWS)))
                    k = self.read_known(key, r, k, last, base)
                    if k < last:
                        return k
                k += n
        return k

    def read_many(
        self,
        key: RecordCursor,
        r: RecordCursor,
        k: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        base: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads messages together, beginning with message k; arguments as in `read_known`.

        Returns:
            Their number; 0 if there are too few, or one of them is malformed.
        """
        many: ColumnarReader | None = self.many
        j: cython.int
        n: cython.int = 0
        if cython.compiled and stop - k >= FEW:
            if many is None:
                many = self.many = ColumnarReader(self.many_slots, self.many_cases)
            n = many.gather(key, r, k, stop, self.plans, self.cache.batch)
            if n < FEW:
                return 0
            try:
                if not many.read(self.record, r, self.cache):
                    return 0
            except WireError:  # `read_known` reports the error and its position
                return 0
            self.events.reserve(self.events.rows + n)
            if not self.put_rows(many, base + k):
                self.cache.start()  # an error from here on must not undo the messages before
                for j in range(n):
                    self.at = k + j
                    self.first_row = self.events.rows
                    many.restore(j, self.record, r)
                    try:
                        self.put_row(r, base + k + j)
                    except WireError:
                        many.forget(j)
                        raise
        return n

    def put_rows(self, many: ColumnarReader, message: cython.Py_ssize_t) -> cython.bint:
        """Makes the events of rows that were read together; False: some rows have rare properties, so `put_row` must
        make each event.

        Args:
            many: has read the rows.
            message: number of the first message.
        """
        return False

    def operations_of(self, many: ColumnarReader, slot: cython.int) -> cython.bint:
        """Sets the operation numbers of all records; records without an operation get the number after the last one.
        False: a record has anything but a known one-letter operation.
        """
        k: cython.int
        case: cython.int = 0
        differ: cython.int = 0
        unsaid: cython.int = len(self.operations)
        if cython.compiled:
            for k in range(many.count):
                case = unsaid
                if many.slots[slot].given[k]:
                    case = self.letters[many.slots[slot].starts[k][0]]
                    if case < 0 or many.slots[slot].sizes[k] != 1:
                        return False
                many.case_of[k] = case
                differ |= case ^ many.case_of[0]
            many.case = -1 if differ else case
        return True

    def read_known(
        self,
        key: RecordCursor,
        r: RecordCursor,
        k: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        base: cython.Py_ssize_t,
    ) -> cython.Py_ssize_t:
        """Like `read_message`, for common messages, without a call for each step.

        Args:
            key, r: cursors of keys and values.
            k: index of the first message.
            stop: index after the last message; all messages have key and value.
            base: offset from index to message number.

        Returns:
            Index of the first message that `read_message` must read: it is not a row, its schema or layout is new in
            the batch, or it is malformed.
        """
        cache: LayoutCache = self.cache
        record: RecordReader = self.record
        events: Columns = self.events
        plans: SchemaPlans = self.plans
        plan: RecordPlan | None = None
        key_plan: RecordPlan | None = None
        images: RegisteredImages | None
        row: cython.Py_ssize_t
        number: cython.longlong
        if cython.compiled:
            cache.start()
            while k < stop:
                self.at = k
                self.first_row = events.rows
                load(key, k)
                number = numbered(key)
                if number < 0:
                    return k
                if key_plan is None or key_plan.number != number:
                    key_plan = plans.recent_keys[number & plans.low_bits]
                    if key_plan is None or key_plan.number != number:
                        return k
                load(r, k)
                number = numbered(r)
                if number < 0:
                    return k
                if plan is None or plan.number != number:
                    plan = plans.recent_rows[number & plans.low_bits]
                    if plan is None or plan.number != number or plan.is_connect_message:
                        return k
                r.pos = NUMBERED_BYTES
                if plan.nests:
                    cache.start()
                if not plan.has_columns:
                    record.read(r, plan, key_plan, cache, base + k)
                else:
                    images = plan.last_images
                    if images is None or plan.last_key is not key_plan or images.batch != cache.batch:
                        return k
                    if r.end < NUMBERED_BYTES + plan.least:
                        return k
                    row = images.rows
                    if row + 1 > images.room:
                        images.reserve(row + 1)
                    touch(cache, images, base + k)
                    begin(record, plan, images)
                    record.read_fields(r, plan, images, row, key_plan, cache, base + k, 0, plan.count)
                if r.pos != r.end or (plan.table_slot >= 0 and not record.fits(r, plan, plans.changes())):
                    cache.undo()
                    return k
                self.put_row(r, base + k)
                k += 1
        return k

    def put_row(self, r: RecordCursor, message: cython.Py_ssize_t) -> cython.int:
        """Makes the event of the current row, except the columns that `fill_rows` and `fill_rare` fill; returns 1."""
        raise NotImplementedError

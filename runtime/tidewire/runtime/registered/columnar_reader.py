"""Reads the rows of many messages field by field: the first field of all rows, then the second, and so on.

Compiled code only: interpreted code would gain nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tidewire.runtime import cython
from tidewire.runtime.arrow.memory import Numbers
from tidewire.runtime.arrow.storage import UINT
from tidewire.runtime.record import fields
from tidewire.runtime.record.branches import BYTES_VALUE, DOUBLE_VALUE, FLOAT_VALUE, LONG_VALUE, STRING_VALUE
from tidewire.runtime.registered.field_kinds import NUMBER, TEXT

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.libc.string import memcpy, memset
    from cython.cimports.tidewire.runtime.record.cursor import INT32
    from cython.cimports.tidewire.runtime.record.decimal_text import turned
    from cython.cimports.tidewire.runtime.registered.columnar_reader import (
        BEHIND,
        MORE_ROOM,
        MORE_ROWS,
        MOST_ROWS,
        ROOM,
        USUAL_ROWS,
        SlotOfMany,
        fetch,
        put_rising,
        put_same,
    )
    from cython.cimports.tidewire.runtime.registered.columnar_values import (
        read_decimals,
        read_floats,
        read_numbers,
        read_said_numbers,
        read_said_texts,
        read_texts,
    )
    from cython.cimports.tidewire.runtime.registered.plans import FieldOp
    from cython.cimports.tidewire.runtime.wire.inlined_reader import load
    from cython.cimports.tidewire.runtime.wire.swar import load8
    from cython.cimports.tidewire.runtime.wire.varint_bits import gathers_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.decoding.layout_cache import LayoutCache, Table
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.plans import RecordPlan, RegisteredImages
    from tidewire.runtime.registered.reading import RecordReader
    from tidewire.runtime.registered.schema_plans import SchemaPlans

HEAD: cython.ulonglong = 0xFFFFFFFFFF
"""Mask of the five bytes before a record: 0, and the number of its schema."""


class ColumnarReader:
    """Consecutive messages, each with a key and a row of a layout already seen in the batch.

    Attributes:
        slots: for each field with a property of the event, by message: whether the record has it; its number; its text.
        slot_count: number of these fields.
        gathers: whether varints are decoded with the processor's bit gather instruction; tests can set it.
        count: number of messages.
        first: index of the first message in its piece.
        told: whether any event gets a source of column types or a time zone.
        plans: the plans of the messages, each once.
        groups: number of plans.
        gathered: number of the current run; plans store it together with their index in `plans`.
        p, end, start: by message, the current position in its record, its end, and the message's first byte.
        group: by message, the index of its plan.
        order: message indexes sorted by plan, in message order within a plan.
        counts: by plan, the number of its messages.
        firsts: by plan, the position in `order` of its next message, while `order` is filled.
        layout, row, table: by message, the position of its layout, its row there, and the position of its table in the
            batch; not filled if there is only one plan.
        one_layout, first_row, one_table: with one plan, the same for the first message; the rows are consecutive.
        cases: number of operations, plus one for records without an operation.
        codes: for each of these, the code of the event kind; then, for each row image, -1 if the event lacks it.
        case_of: by message, the number of its operation.
        case: the operation number if all messages have the same; -1: they differ.
    """

    def __init__(self, slots: int, cases: Sequence[tuple[int, ...]]) -> None:
        """
        Args:
            slots: number of record fields that hold properties of the event.
            cases: by operation, and last for records without an operation: the code of the event kind, and for each of
                the event's images whether the record is that image.
        """
        self.slot_count = slots
        self.cases: cython.int = len(cases)
        self.codes: Numbers = Numbers()
        for kind in [one[0] for one in cases]:
            self.codes.append(kind)
        for image in range(1, len(cases[0]) if cases else 0):
            for one in cases:
                self.codes.append(0 if one[image] else -1)
        self.count = self.groups = 0
        self.first = 0
        self.gathered = 0
        self.told = False
        self.plans: list[RecordPlan] = []
        if cython.compiled:
            self.gathers = gathers_bits()
            size: cython.size_t = cython.sizeof(SlotOfMany)
            self.slots = cython.cast(cython.pointer(SlotOfMany), PyMem_Calloc(max(slots, 1), size))
            if not self.slots:
                raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.slots)

    def gather(
        self,
        key: RecordCursor,
        r: RecordCursor,
        k: cython.Py_ssize_t,
        stop: cython.Py_ssize_t,
        plans: SchemaPlans,
        batch: cython.int,
    ) -> cython.int:
        """Finds the messages that can be read together.

        Args:
            key, r: cursors of keys and values.
            k: index of the first message.
            stop: index after the last message; all messages have key and value.
            plans: reading plans by schema.
            batch: number of the batch.

        Returns:
            Number of such messages, beginning with message k.
        """
        plan: RecordPlan | None = None
        key_plan: RecordPlan | None = None
        images: RegisteredImages | None
        n: cython.int = 0
        g: cython.int = 0
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        least: cython.Py_ssize_t = 0
        taken: cython.Py_ssize_t = 0
        most: cython.int
        room: cython.Py_ssize_t
        word: cython.ulonglong
        head: cython.ulonglong
        last_word: cython.ulonglong = 1  # no message begins with byte 1
        last_head: cython.ulonglong = 1
        number: cython.longlong
        if cython.compiled:
            self.count = self.groups = 0
            if key.held is not None or key.wide or r.held is not None or r.wide or k < 0 or stop > key.messages:
                return 0
            self.plans.clear()
            self.first = k
            most = USUAL_ROWS
            room = ROOM
            self.gathered += 1
            self.told = False
            while k < stop and n < most:
                start = key.i32[k]
                size = key.i32[k + 1] - start
                if start < 0 or size < 5 or start > key.size - size or start + 8 > key.size:
                    break
                word = load8(key.base + start) & HEAD
                start = r.i32[k]
                size = r.i32[k + 1] - start
                if start < 0 or size < 5 or start > r.size - size - BEHIND:
                    break
                head = load8(r.base + start) & HEAD
                if word != last_word or head != last_head:
                    if word & 0xFF or head & 0xFF:
                        break
                    number = turned(word) >> 24  # the magic byte before it is 0
                    if key_plan is None or key_plan.number != number:
                        key_plan = plans.recent_keys[number & plans.low_bits]
                        if key_plan is None or key_plan.number != number:
                            break
                    number = turned(head) >> 24
                    if plan is None or plan.number != number:
                        plan = plans.recent_rows[number & plans.low_bits]
                        if plan is None or plan.number != number:
                            break
                    images = plan.last_images
                    if not plan.flat or images is None or plan.last_key is not key_plan or images.batch != batch:
                        break
                    if plan.gathered != self.gathered:
                        plan.gathered = self.gathered
                        plan.group = self.groups
                        self.counts[self.groups] = 0
                        if self.groups > 0:
                            most = min(most + MORE_ROWS, MOST_ROWS)
                            room += MORE_ROOM
                        self.groups += 1
                        self.plans.append(plan)
                        self.told = self.told or plan.told
                    g = plan.group
                    least = 5 + plan.least
                    last_word = word
                    last_head = head
                if size < least:
                    break
                taken += size
                if taken > room and n > 0:
                    break
                fetch(r.base + start, size)
                self.start[n] = r.base + start
                self.p[n] = self.start[n] + 5
                self.end[n] = self.start[n] + size
                self.group[n] = g
                self.counts[g] += 1
                n += 1
                k += 1
            self.count = n
        return n

    def read(self, record: RecordReader, r: RecordCursor, cache: LayoutCache) -> cython.bint:
        """Reads the records; False: one of them is malformed or needs the slow path, and nothing has been read.

        Args:
            record: reads fields that must be read record by record.
            r: cursor of values.
            cache: layout cache of the decoder.
        """
        g: cython.int
        j: cython.int
        k: cython.int
        n: cython.int
        s: cython.int
        at: cython.int = 0
        left: cython.Py_ssize_t = 0
        table: cython.Py_ssize_t
        plan: RecordPlan
        images: RegisteredImages
        known: Table
        if cython.compiled:
            for g in range(self.groups):
                self.firsts[g] = at
                at += self.counts[g]
            for k in range(self.count):
                g = self.group[k]
                self.order[self.firsts[g]] = k
                self.firsts[g] += 1
            for s in range(self.slot_count):
                memset(self.slots[s].given, 0, self.count)
            at = 0
            for g in range(self.groups):
                plan = self.plans[g]
                images = plan.last_images
                known = plan.known
                n = self.counts[g]
                images.reserve(images.rows + n)
                if not self.read_fields(record, r, plan, images, cache, at, n):
                    return False
                table = cache.position_of(known)
                for j in range(at, at + n):
                    k = self.order[j]
                    left |= self.end[k] - self.p[k]
                if left:
                    return False
                if self.groups == 1:
                    self.one_layout = images.slot
                    self.first_row = images.rows
                    self.one_table = table
                    break
                for j in range(n):
                    k = self.order[at + j]
                    self.layout[k] = images.slot
                    self.row[k] = images.rows + j
                    self.table[k] = table
                at += n
            for g in range(self.groups):
                plan = self.plans[g]
                images = plan.last_images
                images.rows += self.counts[g]
        return True

    def read_fields(
        self,
        record: RecordReader,
        r: RecordCursor,
        plan: RecordPlan,
        images: RegisteredImages,
        cache: LayoutCache,
        at: cython.int,
        n: cython.int,
    ) -> cython.bint:
        """Reads all fields of the records order[at:at + n] into consecutive rows of the images."""
        i: cython.int
        c: cython.int
        codec: cython.int
        place: cython.Py_ssize_t
        fine: cython.bint = True
        if cython.compiled:
            order: cython.p_int = self.order + at
            op: FieldOp
            for i in range(plan.count):
                op = plan.ops[i]
                codec = op.codec
                c = op.column
                place = images.room * c + images.rows
                if codec == NUMBER:
                    fine = read_said_numbers(self, order, n, op)
                elif codec == TEXT:
                    fine = read_said_texts(self, order, n, op)
                elif c < 0:
                    self.read_singly(record, r, plan, i, images, cache, at, n)
                elif codec == LONG_VALUE or codec == fields.INT_FIELD or codec == fields.COUNT_FIELD:
                    numbers: cython.p_longlong = images.values.i64 + place
                    least: cython.longlong = 0 if op.storage == UINT else -INT32
                    most: cython.longlong = INT32 - 1 if codec == fields.INT_FIELD else 0x7FFFFFFFFFFFFFFF
                    valid: cython.p_uchar = images.valid + place
                    fine = read_numbers(self, order, n, op.null, numbers, valid, least, most, codec != LONG_VALUE)
                elif codec == fields.DECIMAL_FIELD:
                    fine = read_decimals(self, r, order, n, op, images, images.rows)
                elif (codec == STRING_VALUE or codec == BYTES_VALUE) and op.storage != UINT:
                    fine = read_texts(self, r, order, n, op, images, images.rows)
                elif codec == DOUBLE_VALUE or codec == fields.WIDENED_FIELD or codec == FLOAT_VALUE:
                    floats: cython.p_double = images.values.f64 + place
                    width: cython.int = 4 if codec == FLOAT_VALUE else 8
                    fine = read_floats(self, order, n, op, floats, images.valid + place, width)
                else:
                    self.read_singly(record, r, plan, i, images, cache, at, n)
                if not fine:
                    return False
        return True

    def read_singly(
        self,
        record: RecordReader,
        r: RecordCursor,
        plan: RecordPlan,
        i: cython.int,
        images: RegisteredImages,
        cache: LayoutCache,
        at: cython.int,
        n: cython.int,
    ) -> cython.int:
        """Reads field i record by record; other arguments as in `read_fields`."""
        j: cython.int
        k: cython.int
        if cython.compiled:
            slot: cython.int = plan.ops[i].slot
            for j in range(n):
                k = self.order[at + j]
                load(r, self.first + k)
                r.pos = self.p[k] - self.start[k]
                if slot >= 0:
                    record.slots[slot].given = False
                record.read_fields(r, plan, images, images.rows + j, None, cache, 0, i, i + 1)
                self.p[k] = self.start[k] + r.pos
                if slot >= 0:
                    self.slots[slot].given[k] = record.slots[slot].given
                    self.slots[slot].numbers[k] = record.slots[slot].number
        return 0

    def forget(self, k: cython.int) -> cython.int:
        """Removes the rows of message k and all later ones, which are the last rows of their layouts."""
        images: RegisteredImages
        plan: RecordPlan
        if cython.compiled:
            while k < self.count:
                plan = self.plans[self.group[k]]
                images = plan.last_images
                images.rows -= 1
                k += 1
        return 0

    def restore(self, k: cython.int, record: RecordReader, r: RecordCursor) -> cython.int:
        """Sets reader and cursor to their state after reading message k alone."""
        s: cython.int
        plan: RecordPlan
        if cython.compiled:
            load(r, self.first + k)
            r.pos = r.end
            plan = self.plans[self.group[k]]
            record.plan = record.at_plan = plan
            record.images = plan.last_images
            record.at = plan.count - 1 if plan.count > 0 else 0
            record.told = plan.told
            record.layout = self.one_layout if self.groups == 1 else self.layout[k]
            record.row = self.first_row + k if self.groups == 1 else self.row[k]
            record.inner_layout = record.inner_row = -1
            for s in range(self.slot_count):
                record.slots[s].given = self.slots[s].given[k]
                record.slots[s].number = self.slots[s].numbers[k]
                if record.slots[s].given and self.slots[s].texts:
                    record.slots[s].start = self.slots[s].starts[k] - self.start[k]
                    record.slots[s].end = record.slots[s].start + self.slots[s].sizes[k]
        return 0

    # ---- columns of events, for all messages

    def has_text(self, slot: cython.int) -> cython.bint:
        """Whether a text field is not empty in any record."""
        k: cython.int
        some: cython.int = 0
        if cython.compiled:
            for k in range(self.count):
                some |= self.slots[slot].given[k] != 0 and self.slots[slot].sizes[k] > 0
        return some != 0

    def has_one_for(self, slot: cython.int, other: cython.int) -> cython.bint:
        """Whether any record has field `slot` but not field `other`."""
        k: cython.int
        some: cython.int = 0
        if cython.compiled:
            for k in range(self.count):
                some |= self.slots[slot].given[k] & ~self.slots[other].given[k]
        return some != 0

    def put_messages(self, events: Columns, c: cython.int, message: cython.Py_ssize_t) -> cython.int:
        """Puts the message numbers; `message` is the first."""
        if cython.compiled:
            put_rising(self.place(events, c), self.count, message)
        return 0

    def put_tables(self, events: Columns, c: cython.int) -> cython.int:
        """Puts the positions of the rows' tables."""
        if cython.compiled:
            if self.groups == 1:
                put_same(self.place(events, c), self.count, self.one_table)
            else:
                memcpy(self.place(events, c), self.table, 8 * self.count)
        return 0

    def put_numbers(self, events: Columns, c: cython.int, slot: cython.int) -> cython.int:
        """Puts the numbers of a field, null where a record lacks it."""
        if cython.compiled:
            at: cython.Py_ssize_t = events.room * c + events.rows
            memcpy(events.values.i64 + at, self.slots[slot].numbers, 8 * self.count)
            memcpy(events.valid + at, self.slots[slot].given, self.count)
        return 0

    def put_kinds(self, events: Columns, c: cython.int) -> cython.int:
        """Puts the event kinds, by the records' operations."""
        k: cython.int
        if cython.compiled:
            values: cython.p_longlong = self.place(events, c)
            kinds: cython.p_longlong = self.codes.i64
            if self.case >= 0:
                put_same(values, self.count, kinds[self.case])
                return 0
            for k in range(self.count):
                values[k] = kinds[self.case_of[k]]
        return 0

    def put_places(self, events: Columns, layouts: cython.int, rows: cython.int, image: cython.int) -> cython.int:
        """Puts the positions of a row image: its layout and row; -1 where the event lacks the image.

        Args:
            layouts, rows: columns for the layouts, and for the rows in them.
            image: number of the event's image.
        """
        k: cython.int
        if cython.compiled:
            absent: cython.p_longlong = self.codes.i64 + self.cases * (1 + image)
            at: cython.p_longlong = self.place(events, layouts)
            values: cython.p_longlong = self.place(events, rows)
            if self.case >= 0 and absent[self.case]:
                put_same(at, self.count, -1)
                put_same(values, self.count, -1)
                return 0
            if self.groups == 1:
                put_same(at, self.count, self.one_layout)
                put_rising(values, self.count, self.first_row)
            else:
                memcpy(at, self.layout, 8 * self.count)
                memcpy(values, self.row, 8 * self.count)
            if self.case < 0:
                for k in range(self.count):
                    at[k] |= absent[self.case_of[k]]
                    values[k] |= absent[self.case_of[k]]
        return 0

    if cython.compiled:

        def place(self, events: Columns, c: cython.int) -> cython.p_longlong:
            """The values of a column of events for all messages, which are marked as not null."""
            at: cython.Py_ssize_t = events.room * c + events.rows
            memset(events.valid + at, 1, self.count)
            return events.values.i64 + at

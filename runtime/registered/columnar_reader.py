"""Rows of many messages, which are read a field at a time: the first one of all of them, then the second one.

Compiled code has it alone: interpreted, nothing is won by it.
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
    from cython.cimports.tidewire.runtime.json.swar import load8
    from cython.cimports.tidewire.runtime.record.cursor import INT32
    from cython.cimports.tidewire.runtime.record.decimal_text import turned
    from cython.cimports.tidewire.runtime.record.inlined_cursor import load
    from cython.cimports.tidewire.runtime.record.varint_bits import gathers_bits
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tidewire.runtime.arrow.columns import Columns
    from tidewire.runtime.decoding.layout_cache import LayoutCache, Table
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.plans import RecordPlan, RegisteredImages
    from tidewire.runtime.registered.reading import RecordReader
    from tidewire.runtime.registered.schema_plans import SchemaPlans

HEAD: cython.ulonglong = 0xFFFFFFFFFF
"""The five bytes before a record: 0, and the number of its schema."""


class ColumnarReader:
    """Consecutive messages, each with a key and a row of a layout that the batch has had.

    Attributes:
        slots: of each field that says something of the event: whether the record has it; its number; its text.
        slot_count: how many there are.
        gathers: whether the bits of numbers are put together by an instruction of their own; tests choose it.
        count: how many messages.
        first: the index of the first one in its piece.
        told: whether there is more to tell of the columns of some row, as its plan says.
        plans: how the rows are read, each plan once.
        groups: how many plans there are.
        gathered: how often messages have been looked for: plans keep it with their place among the plans.
        p, end, start: by message where its record is read, its end, and its message's first byte.
        group: by message its plan's place.
        order: the messages by plan, in their order.
        counts: by plan how many messages it has.
        firsts: by plan, while the messages are put in order, the place of its next one.
        layout, row, table: by message where its row is, and its table's position among those of the batch; not filled
            where there is one plan.
        one_layout, first_row, one_table: where there is one plan, the same of the first message: rows lie behind each
            other.
        cases: how many things records can say to have happened, and one more for nothing.
        codes: for each of these the code of the kind of event, and then, for each image, whether there is none: -1.
        case_of: by message the number of what the record says to have happened.
        case: that number where it is the same in all of them; -1 where they differ.
    """

    def __init__(self, slots: int, cases: Sequence[tuple[int, ...]]) -> None:
        """
        Args:
            slots: fields that say something of the event.
            cases: by what a record says to have happened, and last for records that do not say it, the code of the kind
                of event, and for each image of it whether the record is this one.
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
            key, r: the cursors of keys and values.
            k: the index of the first message.
            stop: the index behind the last one; all of them have key and value.
            plans: of schemas.
            batch: the number of the batch.

        Returns:
            How many there are, from the first one on.
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
        last_word: cython.ulonglong = 1  # no message begins with 1
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
                    number = turned(word) >> 24  # the byte before it is 0, and those behind it are
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
        """Reads the records; False: one of them cannot be read, or not so, and nothing has been read.

        Args:
            record: reads what only single records can.
            r: the cursor of values.
            cache: of the decoder.
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
        """The fields of the records order[at:at + n], into rows of the images from the first free one on."""
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
        """A field that is read record by record; the arguments are those of `read_fields`, and the field's place."""
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
        """Takes back the rows of this message and of all behind it, which are the last ones of their layouts."""
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
        """Makes reader and cursor what they are when this message alone has been read."""
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

    # ---- what the events of all of them have

    def has_text(self, slot: cython.int) -> cython.bint:
        """Whether a field is a text that is not empty in some record."""
        k: cython.int
        some: cython.int = 0
        if cython.compiled:
            for k in range(self.count):
                some |= self.slots[slot].given[k] != 0 and self.slots[slot].sizes[k] > 0
        return some != 0

    def has_one_for(self, slot: cython.int, other: cython.int) -> cython.bint:
        """Whether some record has a field and lacks the other one."""
        k: cython.int
        some: cython.int = 0
        if cython.compiled:
            for k in range(self.count):
                some |= self.slots[slot].given[k] & ~self.slots[other].given[k]
        return some != 0

    def put_messages(self, events: Columns, c: cython.int, message: cython.Py_ssize_t) -> cython.int:
        """The numbers of the messages, of which this is the first."""
        if cython.compiled:
            put_rising(self.place(events, c), self.count, message)
        return 0

    def put_tables(self, events: Columns, c: cython.int) -> cython.int:
        """The tables of the rows."""
        if cython.compiled:
            if self.groups == 1:
                put_same(self.place(events, c), self.count, self.one_table)
            else:
                memcpy(self.place(events, c), self.table, 8 * self.count)
        return 0

    def put_numbers(self, events: Columns, c: cython.int, slot: cython.int) -> cython.int:
        """The numbers of a field, null where a record lacks it."""
        if cython.compiled:
            at: cython.Py_ssize_t = events.room * c + events.rows
            memcpy(events.values.i64 + at, self.slots[slot].numbers, 8 * self.count)
            memcpy(events.valid + at, self.slots[slot].given, self.count)
        return 0

    def put_kinds(self, events: Columns, c: cython.int) -> cython.int:
        """What happened, by what the records say."""
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
        """Where row images are: -1 where the record is not this one.

        Args:
            events: the columns of events.
            layouts, rows: those of layouts, and of rows of them.
            image: which one of the event's.
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
            """Where the values of a column of the events are that all have one, which is said here."""
            at: cython.Py_ssize_t = events.room * c + events.rows
            memset(events.valid + at, 1, self.count)
            return events.values.i64 + at

"""Reads records by the plans of their writers' schemas, directly into the columns of their layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tidewire.runtime import cython
from tidewire.runtime.arrow.plain_puts import put_bytes, put_float, put_null, put_uint
from tidewire.runtime.arrow.storage import UINT
from tidewire.runtime.errors import VALUE
from tidewire.runtime.record.branches import BYTES_VALUE, DOUBLE_VALUE, FLOAT_VALUE, LONG_VALUE, STRING_VALUE
from tidewire.runtime.record.cursor import INT32
from tidewire.runtime.record.decimals import put_decimal
from tidewire.runtime.record.fields import (
    COUNT_FIELD,
    DECIMAL_FIELD,
    INT_FIELD,
    LABEL_FIELD,
    LABEL_OR_NOTHING_FIELD,
    LABELS_FIELD,
    UNSIGNED,
    WIDENED_FIELD,
)
from tidewire.runtime.registered.column_values import put_label, read_value
from tidewire.runtime.registered.field_kinds import INNER, NUMBER, PASSED, PASSED_NUMBER, PASSED_TEXT, SHORT, TEXT
from tidewire.runtime.registered.generic_reader import pass_value

if cython.compiled:
    from cython.cimports.cpython.mem import PyMem_Calloc, PyMem_Free
    from cython.cimports.tidewire.runtime.registered.plans import FieldOp
    from cython.cimports.tidewire.runtime.registered.reading import Slot
    from cython.cimports.tidewire.runtime.wire.inlined_reader import float32_at, float64_at
    from cython.cimports.tidewire.runtime.wire.varint_bits import unzigzag, varint

if TYPE_CHECKING:
    from tidewire.runtime.decoding.layout_cache import LayoutCache
    from tidewire.runtime.record.cursor import RecordCursor
    from tidewire.runtime.registered.plans import RecordPlan, RegisteredImages


class _Slot:
    """Interpreted replacement for the C struct of reading.pxd."""

    __slots__ = ("end", "given", "number", "start")

    def __init__(self) -> None:
        self.given = False
        self.number = self.start = self.end = 0


class RecordReader:
    """Reads records one by one.

    Attributes:
        slots: for each property of the event: whether the record has it; its number; the offsets of its text.
        count: number of slots.
        layout, row: position in the batch of the first row image's layout, and its row there; -1: there is none.
        inner_layout, inner_row: the same for the second row image, which is a nested record.
        at_plan, at: plan and field being read.
        told: whether the event gets a source of column types or a time zone.
    """

    def __init__(self, count: int) -> None:
        """
        Args:
            count: number of properties of the event.
        """
        self.count = count
        if cython.compiled:
            self.slots = cython.cast(cython.pointer(Slot), PyMem_Calloc(max(count, 1), cython.sizeof(Slot)))
            if not self.slots:
                raise MemoryError
        else:
            self.slots: list[Any] = [_Slot() for _ in range(count)]
        self.layout = self.row = self.inner_layout = self.inner_row = -1
        self.images: RegisteredImages | None = None
        self.inner_images: RegisteredImages | None = None
        self.inner_asked: RegisteredImages | None = None  # the last two layouts whose columns were compared
        self.outer_asked: RegisteredImages | None = None
        self.alike = self.told = False
        self.plan: RecordPlan | None = None
        self.at_plan: RecordPlan | None = None
        self.at = 0

    def __dealloc__(self) -> None:
        if cython.compiled:
            PyMem_Free(self.slots)

    def field_name(self) -> str:
        """Name of the field being read."""
        plan = self.at_plan
        return plan.names[self.at] if plan is not None and self.at < plan.count else ""

    def record_name(self) -> str:
        """Name of the field whose nested record is being read, with a slash; empty: none is."""
        outer = self.plan
        plan = self.at_plan
        if outer is None or plan is None or plan is outer:
            return ""
        place: cython.int = -1 if not plan.has_columns else 0 if self.inner_row < 0 else 1
        k: cython.int
        for k in range(outer.count):
            if outer.ops[k].codec == INNER and outer.ops[k].scale == place and outer.insides[outer.ops[k].slot] is plan:
                return f"{outer.names[k]}/"
        return ""

    def read(
        self,
        r: RecordCursor,
        plan: RecordPlan,
        key: RecordPlan | None,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads the record at the cursor.

        Args:
            plan: plan of the record's schema.
            key: plan of the message's key; None: it has no key.
            cache: layout cache of the decoder.
            message: number of the message.
        """
        k: cython.int
        for k in range(self.count):
            self.slots[k].given = False
        if r.end - r.pos < plan.least:  # it will fail, and must not add a layout
            key = None
        self.plan = self.at_plan = plan
        self.told = plan.told
        self.images = None
        self.layout = self.row = self.inner_layout = self.inner_row = -1
        if not plan.has_columns:
            return self.read_fields(r, plan, None, -1, key, cache, message, 0, plan.count)
        return self.read_first(r, plan, key, cache, message)

    def read_first(
        self,
        r: RecordCursor,
        plan: RecordPlan,
        key: RecordPlan | None,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a record that is the first row image; arguments as in `read`."""
        images: RegisteredImages = plan.images_for(key)
        self.images = images
        self.layout = cache.open(images, plan.known, message)
        self.row = images.rows
        images.reserve(self.row + 1)
        images.rows = self.row + 1
        return self.read_fields(r, plan, images, self.row, key, cache, message, 0, plan.count)

    def fits(self, r: RecordCursor, plan: RecordPlan, changes: cython.Py_ssize_t) -> cython.bint:
        """Whether the record belongs to the table, and to the version of its description, for which its plan was made.

        Args:
            plan: plan by which it was read, made for one table.
            changes: change count of the store of descriptions.
        """
        if plan.changes != changes or not self.has_name(r, plan.table_slot, plan.table_name):
            return False
        if plan.schema_slot >= 0 and not self.has_name(r, plan.schema_slot, plan.schema_name):
            return False
        time: cython.ulonglong = self.time(plan)
        return plan.first <= time <= plan.last

    def time(self, plan: RecordPlan) -> cython.ulonglong:
        """The record's time that selects the table's description; 0: it has none."""
        if plan.time_slot < 0 or not self.slots[plan.time_slot].given:
            return 0
        number: cython.longlong = self.slots[plan.time_slot].number
        return number if cython.compiled else number & 0xFFFFFFFFFFFFFFFF

    def has_name(self, r: RecordCursor, slot: cython.int, name: bytes) -> cython.bint:
        """Whether a text of the record equals `name`; a missing text is empty."""
        k: cython.Py_ssize_t
        start: cython.Py_ssize_t = self.slots[slot].start
        size: cython.Py_ssize_t = len(name)
        if not self.slots[slot].given:
            return size == 0
        if self.slots[slot].end - start != size:
            return False
        for k in range(size):
            if r.p[start + k] != name[k]:
                return False
        return True

    def name_at(self, r: RecordCursor, slot: cython.int) -> bytes:
        """A text of the record; empty if missing."""
        return r.copy(self.slots[slot].start, self.slots[slot].end) if self.slots[slot].given else b""

    def read_fields(
        self,
        r: RecordCursor,
        plan: RecordPlan,
        images: RegisteredImages | None,
        row: cython.Py_ssize_t,
        key: RecordPlan | None,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
        first: cython.int,
        last: cython.int,
    ) -> cython.int:
        """Reads the fields ops[first:last] of a record, into a row of the images if it has columns.

        The cursor's position is kept in a local variable during the loop, because each field depends on the previous
        one.
        """
        p: cython.pointer(cython.const[cython.uchar]) = r.p  # type: ignore[valid-type]
        ops: cython.pointer(FieldOp) = plan.ops  # type: ignore[valid-type]
        slots: cython.pointer(Slot) = self.slots  # type: ignore[valid-type]
        readable: cython.Py_ssize_t = r.readable if cython.compiled else 0
        pos: cython.Py_ssize_t = r.pos
        end: cython.Py_ssize_t = r.end
        start: cython.Py_ssize_t
        size: cython.Py_ssize_t
        i: cython.int
        c: cython.int
        codec: cython.int
        field: cython.int
        slot: cython.int
        null: cython.int
        value: cython.longlong = 0
        room: cython.Py_ssize_t = 0
        numbers: cython.p_longlong = cython.NULL
        valid: cython.p_uchar = cython.NULL
        if images is not None:
            room = images.room
            numbers = images.values.i64
            valid = images.valid
        for i in range(first, last):
            self.at = i
            field = ops[i].field
            codec = ops[i].codec
            null = ops[i].null
            c = ops[i].column
            if null >= 0:
                if pos < end and p[pos] <= 2 and p[pos] != 1:
                    value = p[pos] >> 1
                    pos += 1
                else:
                    r.pos = pos
                    value = r.branch(2, field)
                    pos = r.pos
                if value == null:
                    if c >= 0 and images is not None:
                        put_null(images, c, row)
                    continue
            start = pos
            if codec == NUMBER or codec == LONG_VALUE or codec == INT_FIELD or codec == COUNT_FIELD:
                pos = 0
                if cython.compiled:
                    if start < end and p[start] < 0x80:
                        value = unzigzag(p[start])
                        pos = start + 1
                    else:
                        pos = varint(p, start, end, readable, cython.address(value))
                if pos == 0:
                    r.pos = start
                    value = r.varint(field)
                    pos = r.pos
                if codec == NUMBER:
                    slot = ops[i].slot
                    slots[slot].number = value
                    slots[slot].given = True
                    continue
                if images is None:  # records without an image have no columns
                    continue
                if codec == INT_FIELD and (value < -INT32 or value >= INT32):
                    r.pos = start
                    r.int32(field)
                if value < 0 and codec != LONG_VALUE and ops[i].storage == UINT:
                    r.refuse(VALUE, field, start, pos - start, f"{value}", UNSIGNED)
                numbers[room * c + row] = value  # unsigned numbers have the same bits
                valid[room * c + row] = 1
            elif (
                codec == TEXT
                or codec == STRING_VALUE
                or codec == BYTES_VALUE
                or codec == DECIMAL_FIELD
                or codec == LABEL_FIELD
                or codec == LABELS_FIELD
                or codec == LABEL_OR_NOTHING_FIELD
            ):
                pos = 0
                if cython.compiled:
                    if start < end and p[start] < 0x80:
                        value = unzigzag(p[start])
                        pos = start + 1
                    else:
                        pos = varint(p, start, end, readable, cython.address(value))
                if pos == 0 or value < 0 or value > end - pos:
                    r.pos = start
                    value = r.length(field)
                    pos = r.pos
                size = value
                start = pos
                pos += size
                if codec == TEXT:
                    slot = ops[i].slot
                    slots[slot].given = True
                    slots[slot].start = start
                    slots[slot].end = pos
                elif images is None:
                    continue
                elif codec == DECIMAL_FIELD:
                    put_decimal(images, c, row, r, start, size, ops[i].scale, field)
                elif codec != STRING_VALUE and codec != BYTES_VALUE:
                    put_label(r, plan, c, images, row, start, size, field)
                elif ops[i].storage == UINT:
                    put_uint(images, c, row, r.digits(start, pos, field))
                else:
                    put_bytes(images, c, row, r, start, size, field)
            elif codec == DOUBLE_VALUE or codec == WIDENED_FIELD or codec == FLOAT_VALUE:
                pos += 4 if codec == FLOAT_VALUE else 8
                if images is None:
                    continue
                if cython.compiled and pos <= end:
                    put_float(images, c, row, float32_at(p + start) if codec == FLOAT_VALUE else float64_at(p + start))
                else:
                    r.pos = start
                    put_float(images, c, row, r.float32(field) if codec == FLOAT_VALUE else r.float64(field))
            else:
                r.pos = pos
                if images is not None and c >= 0:
                    read_value(r, plan, i, images, row)
                else:
                    self.read_other(r, plan, i, key, cache, message)
                    if images is not None:  # a second row image may be in the same layout
                        room = images.room
                        numbers = images.values.i64
                        valid = images.valid
                pos = r.pos
        r.pos = pos
        return 0

    def read_other(
        self,
        r: RecordCursor,
        plan: RecordPlan,
        i: cython.int,
        key: RecordPlan | None,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a field that is neither null, nor a column, nor a `long` or string property of the event."""
        codec: cython.int = plan.ops[i].codec
        field: cython.int = plan.ops[i].field
        slot: cython.int = plan.ops[i].slot
        if codec == INNER:
            inside: RecordPlan = plan.insides[slot]
            self.read_inside(r, inside, plan.ops[i].scale, key, cache, message)
            self.at_plan = plan
            return 0
        if codec == PASSED_NUMBER:
            r.varint(field)
            return 0
        if codec == PASSED_TEXT:
            size: cython.Py_ssize_t = r.length(field)
            r.pos += size
            return 0
        if codec == PASSED:
            return pass_value(r, plan.kinds[i], field)
        self.slots[slot].number = r.int32(field) if codec == SHORT else r.boolean(field)
        self.slots[slot].given = True
        return 0

    def read_inside(
        self,
        r: RecordCursor,
        plan: RecordPlan,
        place: cython.int,
        key: RecordPlan | None,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a nested record.

        Args:
            r, plan, key, cache, message: as in `read`.
            place: number of its row image: 0 for the first, 1 for the second; -1: it is none.
        """
        self.at_plan = plan
        if place < 0:
            return self.read_fields(r, plan, None, -1, key, cache, message, 0, plan.count)
        if place == 0:
            return self.read_first(r, plan, key, cache, message)
        return self.read_second(r, plan, key, cache, message)

    def read_second(
        self,
        r: RecordCursor,
        plan: RecordPlan,
        key: RecordPlan | None,
        cache: LayoutCache,
        message: cython.Py_ssize_t,
    ) -> cython.int:
        """Reads a record that is the second row image, which mostly has the same columns as the first."""
        images: RegisteredImages = plan.images_for(key)
        if images is not self.inner_asked or self.images is not self.outer_asked:
            self.inner_asked = images
            self.outer_asked = self.images
            self.alike = self.images is not None and images.is_like(self.images)
        if self.alike and self.images is not None:
            images = self.images
        self.inner_images = images
        self.inner_layout = cache.open(images, plan.known, message)
        self.inner_row = images.rows
        images.reserve(self.inner_row + 1)
        images.rows = self.inner_row + 1
        return self.read_fields(r, plan, images, self.inner_row, key, cache, message, 0, plan.count)

    def forget_inner(self) -> cython.int:
        """Drops the second row image, because it only repeats the first."""
        if self.inner_row >= 0 and self.inner_images is not None:
            self.inner_images.rows = self.inner_row
            self.inner_layout = self.inner_row = -1
        return 0

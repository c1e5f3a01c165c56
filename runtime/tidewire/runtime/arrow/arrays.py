"""Columns as Arrow arrays and batches over the memory in which they were filled, without copying."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa

from tidewire.runtime import cython
from tidewire.runtime.arrow.bitmaps import bitmap_of, count_nulls
from tidewire.runtime.arrow.columns import ARROW_TYPES, Columns
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.arrow.storage import NOTHING, RAW_TEXT, TEXT
from tidewire.runtime.arrow.zeros import zeros_of

if cython.compiled:
    from cython.cimports.cpython.bytearray import PyByteArray_AS_STRING
    from cython.cimports.tidewire.runtime.arrow.exports import (
        ArrowArray,
        drop_export,
        export_columns,
        hold,
        tell_column,
    )

if TYPE_CHECKING:
    from collections.abc import Sequence

NO_BYTES = pa.py_buffer(b"")


def finished(columns: Columns, replace_invalid: cython.bint = False) -> list[pa.Array]:
    """The columns as Arrow arrays over their memory; call `begin` before putting values again.

    Args:
        columns: their `rows` are included.
        replace_invalid: makes text of unchecked text columns, with U+FFFD for bytes that are not UTF-8.
    """
    return arrays_of(columns, columns.block, columns.data, columns.rows, columns.room, replace_invalid)


def arrays_of(
    columns: Columns,
    block: bytearray | None,
    data: Sequence[bytearray | None] | None,
    rows: cython.Py_ssize_t,
    room: cython.Py_ssize_t,
    replace_invalid: cython.bint,
) -> list[pa.Array]:
    """Rows that these columns had once, in their block of memory, as Arrow arrays."""
    c: cython.int
    inline: cython.Py_ssize_t = 0
    storage: cython.int
    nulls: cython.Py_ssize_t
    found: list[pa.Array] = []
    if cython.compiled and rows > 0 and block is not None and columns.width > 0:
        found = exported(columns, block, data, rows, room)
        if replace_invalid:
            for c in range(columns.width):
                if columns.cells[c].storage == RAW_TEXT:
                    found[c] = _replaced(found[c])
        return found
    whole = None if block is None else pa.py_buffer(block)
    if block is not None:
        inline = columns.inlined(block, room)
    for c in range(columns.width):
        storage = columns.cells[c].storage
        if rows == 0 or block is None or whole is None:
            found.append(column_of([], ARROW_TYPES[storage]))
        elif storage == NOTHING:
            found.append(pa.nulls(rows))
        else:
            valid = memoryview(block)[room * (8 * columns.width + c) :]
            nulls = count_nulls(valid, rows)
            bitmap = pa.py_buffer(bitmap_of(valid, rows)) if nulls else None
            buffers = [bitmap, whole.slice(8 * room * c, 8 * room)]
            if nulls == rows:
                zeros = pa.py_buffer(zeros_of(rows))
                buffers = [zeros, zeros, NO_BYTES] if storage >= TEXT else [zeros, zeros]
            elif storage >= TEXT:
                bytes_of = None if data is None else data[c]
                if bytes_of is not None:
                    buffers.append(pa.py_buffer(bytes_of))
                elif inline:
                    buffers.append(whole.slice(9 * room * columns.width + inline * c, inline))
                else:
                    buffers.append(NO_BYTES)
            array = pa.Array.from_buffers(ARROW_TYPES[storage], rows, buffers, nulls)
            found.append(_replaced(array) if storage == RAW_TEXT and replace_invalid else array)
    return found


def exported(
    columns: Columns,
    block: bytearray,
    data: Sequence[bytearray | None] | None,
    rows: cython.Py_ssize_t,
    room: cython.Py_ssize_t,
) -> list[pa.Array]:
    """`arrays_of` some rows where this is compiled: making each of them alone would take ten times as long."""
    if cython.compiled:
        whole = cython.declare(ArrowArray)
        kind = struct_of(tuple([columns.cells[c].storage for c in range(columns.width)]))
        export_columns(cython.address(whole), columns.width, rows)
        try:
            tell(columns, cython.address(whole), block, data, rows, room, None, zeros_of(rows), [block])
            return pa.Array._import_from_c(cython.cast(cython.size_t, cython.address(whole)), kind).flatten()
        finally:
            drop_export(cython.address(whole))
    raise AssertionError("interpreted, arrays are made one by one")


def batch_of(
    columns: Columns,
    block: bytearray,
    data: Sequence[bytearray | None] | None,
    rows: cython.Py_ssize_t,
    room: cython.Py_ssize_t,
    schema: pa.Schema,
    positions: Sequence[int] | None,
    absent: bytes,
) -> pa.RecordBatch:
    """Rows as an Arrow record batch, which may have additional columns that are null. Compiled only.

    Args:
        columns: the columns whose memory is used.
        block, data, rows, room: as for `arrays_of`.
        schema: schema of the batch.
        positions: the position of each present column in the schema; None: all are present.
        absent: for each column of the schema 0 if it is present, 1 if it is absent, and 2 if it is absent and has
            variable-width values.
    """
    c: cython.int
    width: cython.int = len(absent)
    if cython.compiled:
        whole = cython.declare(ArrowArray)
        zeros: bytes = zeros_of(rows)
        nothing: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, zeros))
        export_columns(cython.address(whole), width, rows)
        try:
            for c in range(width):
                if absent[c]:
                    image: cython.p_uchar = nothing if absent[c] == 2 else cython.NULL
                    tell_column(cython.address(whole), c, rows, nothing, nothing, image)
            tell(columns, cython.address(whole), block, data, rows, room, positions, zeros, [block])
            return pa.RecordBatch._import_from_c(cython.cast(cython.size_t, cython.address(whole)), schema)
        finally:
            drop_export(cython.address(whole))
    raise AssertionError("interpreted, arrays are made one by one")


@lru_cache(1024)
def struct_of(storages: tuple[int, ...]) -> pa.StructType:
    """The struct type of columns with these storages."""
    return pa.struct([pa.field("", ARROW_TYPES[storage]) for storage in storages])


def _replaced(array: pa.Array) -> pa.Array:
    """Bytes as text, with U+FFFD for bytes that are not UTF-8."""
    try:
        return array.cast(pa.utf8())
    except pa.ArrowInvalid:
        return column_of([None if v is None else v.decode("utf-8", "replace") for v in array.to_pylist()], pa.utf8())


if cython.compiled:

    @cython.cfunc
    @cython.exceptval(-1)
    def tell(
        columns: Columns,
        whole: cython.pointer(ArrowArray),
        block: bytearray,
        data: Sequence[bytearray | None] | None,
        rows: cython.Py_ssize_t,
        room: cython.Py_ssize_t,
        positions: Sequence[int] | None,
        zeros: bytes,
        held: list[object],
    ) -> cython.int:
        """Exports columns by Arrow's C interface.

        Args:
            columns: the columns.
            whole: the Arrow struct that is filled in.
            block, data, rows, room: as in `arrays_of`.
            positions: columns to export; None: all, in order.
            zeros: the buffers of columns that are null in all rows.
            held: objects that must live as long as the Arrow data.
        """
        c: cython.int
        at: cython.int
        storage: cython.int
        nulls: cython.Py_ssize_t
        bitmap: cython.p_uchar
        values: cython.p_uchar
        image: cython.p_uchar
        inline: cython.Py_ssize_t = columns.inlined(block, room)
        base: cython.p_uchar = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(block))
        nothing: cython.p_uchar = cython.cast(cython.p_uchar, cython.cast(cython.p_char, zeros))
        held.append(zeros)
        for c in range(columns.width):
            at = c if positions is None else positions[c]
            storage = columns.cells[c].storage
            if storage == NOTHING:
                tell_column(whole, at, rows, cython.NULL, cython.NULL, cython.NULL)
                continue
            bitmap = image = cython.NULL
            values = base + room * (8 * columns.width + c)
            nulls = count_nulls(values, rows)
            if nulls == rows:
                tell_column(whole, at, rows, nothing, nothing, nothing if storage >= TEXT else cython.NULL)
                continue
            if nulls:
                bits: bytearray = bitmap_of(values, rows)
                held.append(bits)
                bitmap = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(bits))
            values = base + 8 * room * c
            if storage >= TEXT:
                image = base + 9 * room * columns.width + inline * c
                if data is not None and data[c] is not None:
                    image = cython.cast(cython.p_uchar, PyByteArray_AS_STRING(data[c]))
                    held.append(data[c])
            tell_column(whole, at, nulls, bitmap, values, image)
        hold(whole, tuple(held))
        return 0

"""ENUM and SET as their labels."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from tidewire.mysql import ColumnType, declared
from tidewire.reading.kernels.convert import Converted, State
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import Column

LABELLED = (ColumnType.ENUM, ColumnType.SET)


def labels_of(mysql_type: str | None) -> tuple[str, ...]:
    """The labels in a declared type; empty if the message does not contain it."""
    if mysql_type is None:
        return ()
    try:
        return declared(mysql_type).members
    except ValueError:
        return ()


def as_labels(column: Column, array: pa.Array, labels: Sequence[str]) -> Converted:
    """Numbers of an ENUM as labels, bit strings of a SET as labels with commas between, both as MySQL shows them. A
    number without a label is null, with the state NO_TEXT.

    Args:
        column: an ENUM or a SET.
        array: uint64.
        labels: as declared, the first of them number 1 or bit 0.
    """
    if column.type == ColumnType.ENUM:
        # MySQL stores 0 for a value that is no label
        names = column_of(["", *labels], pa.utf8())
        fits = pc.less_equal(array, constant(len(labels), pa.uint64()))
        made = names.take(pc.if_else(fits, array, constant(None, pa.uint64())))
    else:
        coded = array.dictionary_encode()
        texts = column_of([_set(bits, labels) for bits in coded.dictionary.to_pylist()], pa.utf8())
        made = texts.take(coded.indices)
    if made.null_count == array.null_count:
        return Converted(made, None)
    value, none, bad = (constant(state, pa.uint8()) for state in (State.VALUE, State.NULL, State.NO_TEXT))
    return Converted(made, pc.if_else(pc.is_null(array), none, pc.if_else(pc.is_null(made), bad, value)))


def _set(bits: int | None, labels: Sequence[str]) -> str | None:
    if bits is None or bits >> len(labels):
        return None
    return ",".join(label for at, label in enumerate(labels) if bits >> at & 1)

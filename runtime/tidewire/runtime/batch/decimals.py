"""Converts DECIMAL values in batches of events to their canonical text.

Few batches need it; the others are only checked (`has_other`, `reads_other`).
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from tidewire.runtime.arrow.decimal_texts import DECIMAL_TYPE, spelled
from tidewire.runtime.arrow.literals import column_of
from tidewire.runtime.batch.event_columns import IMAGES, EventColumns
from tidewire.runtime.batch.layout import Layout
from tidewire.runtime.shortened import shown


class NoDecimal(NamedTuple):
    """A value that is not a DECIMAL."""

    event: int
    """The index of its event."""
    column: str
    detail: str
    """A sentence."""
    size: int
    """The bytes of its text."""


def with_spelled_decimals(columns: EventColumns) -> tuple[EventColumns, list[NoDecimal]]:
    """The events with canonical DECIMAL values, null in place of values that are not decimals, and these values by
    event.
    """
    layouts: list[Layout] = []
    wrong: dict[tuple[int, int], tuple[str, str, int]] = {}
    for number, layout in enumerate(columns.layouts):
        made = list(layout.arrays)
        # whether each column has an array, and is valid at all, is checked later
        for c, (column, array) in enumerate(zip(layout.columns, layout.arrays, strict=False)):
            is_decimal = getattr(column, "type", None) == DECIMAL_TYPE
            if is_decimal and getattr(array, "type", None) in (pa.utf8(), pa.binary()):
                made[c] = _spelled(array, column.name, number, wrong)
        layouts.append(Layout(layout.table, layout.columns, made, layout.num_rows, layout.lacks))
    found: list[NoDecimal] = []
    if wrong:
        places = [[columns.events.column(name).to_pylist() for name in image] for image in IMAGES]
        for of_layouts, of_rows in places:
            for event, place in enumerate(zip(of_layouts, of_rows, strict=True)):
                if place in wrong:
                    found.append(NoDecimal(event, *wrong[place]))
        found.sort()
    return columns.with_columns({}, layouts), found


def _spelled(values: pa.Array, name: str, layout: int, wrong: dict[tuple[int, int], tuple[str, str, int]]) -> pa.Array:
    """A column in canonical form.

    Args:
        values: the column.
        layout: the number of its layout.
        wrong: receives values that are not decimals, by layout and row.
    """
    texts: list[bytes | None] = values.cast(pa.binary()).to_pylist()
    for row, text in enumerate(texts):
        if text is None:
            continue
        why = "a number is expected, such as -12.50"
        try:
            number = spelled(text)
        except ValueError as error:
            number, why = None, str(error)
        if number is None:
            reason = f"{shown(text[:80].decode(errors='replace'))} is no DECIMAL: {why}"
            wrong.setdefault((layout, row), (name, reason, len(text)))
        texts[row] = number
    found = column_of(texts, pa.binary())
    return found if values.type == pa.binary() else found.view(pa.utf8())

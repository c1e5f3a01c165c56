"""Refuses to write partial rows as complete ones."""

from __future__ import annotations

import pyarrow as pa

from tidewire.runtime.arrow import compute as pc
from tidewire.runtime.arrow.literals import column_of, constant
from tidewire.runtime.batch import EventColumns
from tidewire.runtime.errors import EncodeError


def why_refused(lacks: tuple[str, ...]) -> str:
    """Why an event with a partial row is refused."""
    named = ", ".join(f"`{name}`" for name in lacks)
    return f"it has a part of its row, without {named}: the message would give it away as the whole"


def refuse_parts(protocol: str, columns: EventColumns) -> None:
    """Refuses events with partial rows: their row images lack columns that the table is known to have.

    Raises:
        EncodeError: there is such an event; it names the first.
    """
    for layout in columns.layouts:
        if layout.lacks:
            break
    else:
        return
    parts = [at for at, layout in enumerate(columns.layouts) if layout.lacks]
    new, old = columns.events.column("new_layout"), columns.events.column("old_layout")
    telling = pc.if_else(pc.greater_equal(new, constant(0, new.type)), new, old)
    found = pc.indices_nonzero(pc.is_in(telling, column_of(parts, pa.int64())))
    if len(found):
        event = found[0].as_py()
        raise EncodeError(protocol, event, None, why_refused(columns.layouts[telling[event].as_py()].lacks))

"""What a decoder gave, as the flat events of second readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from json_twin import bits

from tidewire.runtime.batch import EventColumns

KINDS = {1: "insert", 2: "update", 3: "delete", 4: "ddl", 5: "watermark"}
FLAGS = ("handle_key_only", "checksum_corrupted")
"""Columns of events that are true or false, and are kept as numbers."""
Image = tuple[Any, ...] | None
FlatT = TypeVar("FlatT", bound=tuple[Any, ...])


def images_of(columns: EventColumns, facts: int = 4) -> Callable[[int, int], Image]:
    """Gives the image in a row of a layout; None where the layout is below 0.

    Args:
        columns: of the layouts.
        facts: how many facts of a column stand before its value: name, type, flags, declared type.
    """
    layouts = [[array.to_pylist() for array in layout.arrays] for layout in columns.layouts]

    def image(layout: int, row: int) -> Image:
        if layout < 0:
            return None
        described = columns.layouts[layout].columns
        return tuple((*one[:facts], bits(layouts[layout][k][row])) for k, one in enumerate(described))

    return image


def flat(columns: EventColumns, form: type[FlatT], facts: int = 4) -> dict[int, list[FlatT]]:
    """The events of each message.

    Args:
        columns: what the decoder gave.
        form: a named tuple, whose fields are called like those of events; others stay what they are by default.
        facts: how many facts of a column stand before its value: name, type, flags, declared type.
    """
    image = images_of(columns, facts)
    fields: tuple[str, ...] = form._fields  # type: ignore[attr-defined]
    found: dict[int, list[FlatT]] = {}
    for event in columns.events.to_pylist():
        schema, table = (None, None) if event["table"] < 0 else columns.tables[event["table"]]
        said = {**event, "kind": KINDS[event["kind"]], "schema": schema, "table": table}
        said |= {name: None if event[name] is None else bool(event[name]) for name in FLAGS}
        said |= {side: image(event[f"{side}_layout"], event[f"{side}_row"]) for side in ("new", "old")}
        sums = ("checksum", "checksum_before", "checksum_version", "checksum_corrupted")
        said |= {"checksums": tuple(said[name] for name in sums), "zone": event["time_zone"]}
        told: Any = {name: said[name] for name in fields if name in said}
        found.setdefault(event["message"], []).append(form(**told))
    return found


def outcomes(events: dict[int, list[FlatT]], columns: EventColumns, count: int) -> Iterator[list[FlatT] | str]:
    """For each of so many messages its events, or the code of its error."""
    errors = {error.message: error.code for error in columns.errors}
    for message in range(count):
        yield errors[message] if message in errors else events.get(message, [])

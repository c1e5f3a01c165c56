"""Events that should be the same, told apart member by member and cell by cell."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from tidewire.cli.eventjson import columns_of, kind_of
from tidewire.events import Bootstrap, Ddl, Event, RowChange
from tidewire.runtime.batch import Column

SHOWN = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it should be."""

    event: int
    """Position of the event among those compared, from 0."""
    where: str
    """What differs: `commit_ts`, `new columns`, `old c3`."""
    wanted: str
    got: str
    column_type: int | None = None
    """MySQL type code when exactly one cell's value differs; None for all else."""


def show(value: Any) -> str:
    """A value for people, at most `SHOWN` characters."""
    if value is None:
        return "null"
    text = f"x'{value[:SHOWN].hex()}'" if isinstance(value, bytes) else repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def same(wanted: Any, got: Any) -> bool:
    """Whether two values are equal, exactly: numbers of one type, floats bit by bit, text as its UTF-8 bytes."""
    if isinstance(wanted, float) and isinstance(got, float):
        return struct.pack("<d", wanted) == struct.pack("<d", got)
    if isinstance(wanted, str | bytes) and isinstance(got, str | bytes):
        return _utf8(wanted) == _utf8(got)
    return type(wanted) is type(got) and bool(wanted == got)


def _utf8(value: str | bytes) -> bytes:
    return value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value


def events(wanted: Sequence[Event], got: Sequence[Event]) -> list[Difference]:
    """All differences between two lists of events."""
    if len(wanted) != len(got):
        return [Difference(min(len(wanted), len(got)), "events", f"{len(wanted)} events", f"{len(got)} events")]
    found: list[Difference] = []
    for index, (w, g) in enumerate(zip(wanted, got, strict=True)):
        found += _event(index, w, g)
    return found


def _event(index: int, wanted: Event, got: Event) -> list[Difference]:
    if kind_of(wanted) != kind_of(got):
        return [Difference(index, "kind", kind_of(wanted), kind_of(got))]
    names = ["commit_ts"]
    if isinstance(wanted, RowChange):
        names += ["schema", "table", "partition_id"]
    elif isinstance(wanted, Ddl):
        names += ["schema", "table", "ddl_type", "query"]
    elif isinstance(wanted, Bootstrap):
        names += ["schema", "table", "columns"]
    # What a protocol cannot carry is absent, and no protocol invents a table id: it is compared where it was sent.
    if getattr(got, "table_id", None) is not None:
        names.append("table_id")
    found = []
    for name in names:
        w, g = getattr(wanted, name), getattr(got, name)
        if w != g:
            found.append(Difference(index, name, show(w), show(g)))
    if isinstance(wanted, RowChange) and isinstance(got, RowChange):
        found += _image(index, "new", wanted, got)
        found += _image(index, "old", wanted, got)
    return found


def _image(index: int, side: str, wanted: RowChange, got: RowChange) -> list[Difference]:
    w_image, g_image = getattr(wanted, side), getattr(got, side)
    if w_image is None or g_image is None:
        if w_image is g_image:
            return []
        return [Difference(index, side, _presence(w_image), _presence(g_image))]
    w_columns, g_columns = columns_of(wanted, w_image), columns_of(got, g_image)
    if w_columns != g_columns:
        return [
            Difference(index, f"{side} columns", _description(w), _description(g))
            for w, g in zip_longest(w_columns, g_columns)
            if w != g
        ]
    return [
        Difference(index, f"{side} {column.name}", show(w), show(g), column.type)
        for column, w, g in zip(w_columns, w_image.values(), g_image.values(), strict=True)
        if not same(w, g)
    ]


def _presence(image: Mapping[str, Any] | None) -> str:
    return "absent" if image is None else f"{len(image)} columns"


def _description(column: Column | None) -> str:
    return "absent" if column is None else show(tuple(column))

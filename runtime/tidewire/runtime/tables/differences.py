"""Finds contradictions between two descriptions of the same version of a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tidewire.runtime.tables.columns import COLUMN_FIELDS, ColumnDescription, IndexDescription
from tidewire.runtime.tables.description import DescribedTable


class Difference(NamedTuple):
    """A difference: its path, and the two values."""

    path: str
    known: object
    given: object


def contradiction(known: DescribedTable, given: DescribedTable) -> Difference | None:
    """The first contradiction between two descriptions; None if there is none.

    An attribute that one of them does not state contradicts nothing. These differences are ignored, too: the id of the
    table, because TRUNCATE changes it and keeps the version; whether an index is nullable, which classic TiCDC can
    state wrongly (pingcap/tiflow pkg/sink/codec/simple/message.go sorts columns after it has looked them up by
    position); and the order of columns and indexes, which is by id or by position.
    """
    return next(_differences(known, given), None)


def _differences(known: DescribedTable, given: DescribedTable) -> Iterator[Difference]:
    for name in ("charset", "comment"):
        yield from _said(name, getattr(known, name), getattr(given, name))
    columns = {one.name.lower(): one for one in given.columns}
    for one in known.columns:
        other = columns.pop(one.name.lower(), None)
        if other is None:
            yield Difference(f"columns/{one.name}", one, None)
        else:
            yield from _columns(one, other)
    for left in columns.values():
        yield Difference(f"columns/{left.name}", None, left)
    yield from _indexes(known, given)


def _columns(known: ColumnDescription, given: ColumnDescription) -> Iterator[Difference]:
    for name in COLUMN_FIELDS:
        one, other = getattr(known, name), getattr(given, name)
        path = f"columns/{known.name}/{name}"
        if name == "name":
            if one.lower() != other.lower():
                yield Difference(path, one, other)
        elif name == "stored":
            if known.generated is not None and given.generated is not None and one != other:
                yield Difference(path, one, other)
        elif name == "labels":
            yield from _said(path, one or None, other or None)
        else:
            yield from _said(path, one, other)


def _indexes(known: DescribedTable, given: DescribedTable) -> Iterator[Difference]:
    others = {_key(one): one for one in given.own_indexes}
    for one in known.own_indexes:
        path = f"indexes/{one.name}"
        other = others.pop(_key(one), None)
        if other is None:
            yield Difference(path, one, None)
            continue
        if [name.lower() for name in one.columns] != [name.lower() for name in other.columns]:
            yield Difference(f"{path}/columns", one.columns, other.columns)
        if one.unique != other.unique:
            yield Difference(f"{path}/unique", one.unique, other.unique)
    for left in others.values():
        yield Difference(f"indexes/{left.name}", None, left)


def _key(index: IndexDescription) -> tuple[bool, str]:
    """Key of an index for the comparison: a primary key can have different names."""
    return index.primary, "" if index.primary else index.name.lower()


def _said(path: str, known: object, given: object) -> Iterator[Difference]:
    if known is not None and given is not None and known != given:
        yield Difference(path, known, given)
